"""Company gateways, tried over loopback: TLS with a CA of our own, proxies, headers, keys."""

import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fanshu.errors import ConfigError, ModelUnauthorised, ModelUnreachable
from fanshu.models.remote import RemoteModel, remote

from .fake_proxy import FakeProxy
from .fake_server import FakeServer, message, refusal
from .test_json_mode import START, TOOLS

trustme = pytest.importorskip("trustme", reason='pip install -e ".[dev]" brings trustme')

HOST = "llm.intranet.example"  # resolved by nobody: only a proxy gets there
SECRET = "cost-centre-4711-token"


@pytest.fixture(scope="module")
def company() -> Any:
    return trustme.CA()


@pytest.fixture
def ca_file(company: Any, tmp_path: Path) -> str:
    company.cert_pem.write_to_path(tmp_path / "company.pem")
    return str(tmp_path / "company.pem")


@pytest.fixture
def server(company: Any) -> Iterator[FakeServer]:
    """A gateway with a certificate of the company, for its name and for loopback."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    company.issue_cert(HOST, "127.0.0.1").configure_cert(context)
    gateway = FakeServer(message("30 s"))
    gateway.tls = context
    with gateway:
        yield gateway


async def at_once(_seconds: float) -> None:
    """Takes the place of a pause."""


async def said(model: RemoteModel) -> str:
    try:
        return (await model.next(START, TOOLS)).text
    finally:
        await model.close()


# ---------------------------------------------------------------- certificates


async def test_a_certificate_of_the_companys_own_ca(server: FakeServer, ca_file: str) -> None:
    url = f"https://127.0.0.1:{server.port}/v1"
    assert await said(remote("small", base_url=url, ca_file=ca_file)) == "30 s"


async def test_ssl_cert_file_is_respected(
    server: FakeServer, ca_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", ca_file)
    assert await said(remote("small", base_url=f"https://127.0.0.1:{server.port}/v1")) == "30 s"


async def test_an_unknown_ca_is_named_with_the_setting_that_helps(server: FakeServer) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    model = remote("small", base_url=f"https://127.0.0.1:{server.port}/v1", sleep=sleep)
    with pytest.raises(ModelUnreachable, match=r"issuer certificate; the setting ca_file") as e:
        await said(model)
    assert server.requests == []
    assert e.value.code == "model_unreachable"
    assert waits == []  # no certificate becomes valid by waiting


@pytest.mark.parametrize(
    ("content", "why"),
    [(None, "cannot be read: No such file"), ("", "no certificate"), ("\udcff", "no certificate")],
)
def test_a_ca_file_that_is_none(tmp_path: Path, content: str | None, why: str) -> None:
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_text(content, errors="surrogateescape")
    with pytest.raises(ConfigError, match=f"ca_file.*{why}"):
        remote("small", base_url="https://llm.example/v1", ca_file=str(file))


def test_an_ssl_cert_file_that_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "gone.pem"))
    with pytest.raises(ConfigError, match="SSL_CERT_FILE"):
        remote("small", base_url="https://llm.example/v1")


# ---------------------------------------------------------------- proxies


@pytest.fixture
def proxy(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeProxy]:
    with FakeProxy(server.port) as proxy:
        for name in ("HTTPS_PROXY", "HTTP_PROXY"):
            monkeypatch.setenv(name, f"http://{proxy.address}")
        yield proxy


async def test_https_goes_through_the_proxy_by_connect(proxy: FakeProxy, ca_file: str) -> None:
    url = f"https://{HOST}/v1"
    assert await said(remote("small", base_url=url, ca_file=ca_file)) == "30 s"
    assert proxy.asked == [f"CONNECT {HOST}:443"]


async def test_plain_http_goes_through_the_proxy_with_its_whole_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with FakeServer(message("30 s")) as server, FakeProxy(server.port) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://{proxy.address}")
        assert await said(remote("small", base_url=f"http://{HOST}/v1")) == "30 s"
    assert proxy.asked == [f"POST http://{HOST}/v1/chat/completions"]


async def test_hosts_in_no_proxy_are_asked_directly(
    proxy: FakeProxy, ca_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "localhost, .intranet.example")
    model = remote("small", base_url=f"https://{HOST}/v1", ca_file=ca_file, sleep=at_once)
    with pytest.raises(ModelUnreachable):
        await said(model)
    assert proxy.asked == []


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_no_proxy_stands_before_this_machine(
    proxy: FakeProxy, server: FakeServer, ca_file: str, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also for a service whose address comes from its own variable."""
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", f"https://127.0.0.1:{server.port}")
    monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
    server.path = "/openai/deployments/mine/chat/completions?api-version=2024-10-21"
    assert await said(remote("azure:mine", api_key="k", ca_file=ca_file)) == "30 s"
    assert server.headers[0]["api-key"] == "k"
    assert proxy.asked == []


async def test_a_proxy_with_a_password(
    server: FakeServer, ca_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeProxy(server.port, password="needed") as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:needed@{proxy.address}")
        model = remote("small", base_url=f"https://{HOST}/v1", ca_file=ca_file)
        assert await said(model) == "30 s"
        monkeypatch.setenv("HTTPS_PROXY", f"http://{proxy.address}")
        model = remote("small", base_url=f"https://{HOST}/v1", ca_file=ca_file, sleep=at_once)
        with pytest.raises(ModelUnreachable, match="407 Proxy Authentication Required"):
            await said(model)


@pytest.mark.parametrize(
    ("address", "why"),
    [("socks5://127.0.0.1:9", "socksio"), ("ftp://127.0.0.1:9", "begins with http")],
)
def test_a_proxy_that_cannot_be_used(
    address: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", address)
    with pytest.raises(ConfigError, match=why):
        remote("small", base_url="https://llm.example/v1")


# ---------------------------------------------------------------- addresses and headers


async def test_an_address_with_a_path_and_a_query_and_headers_of_its_own() -> None:
    with FakeServer(message("30 s")) as server:
        server.path = "/team/llm/v1/chat/completions?route=eu&tier=2"
        url = f"http://127.0.0.1:{server.port}/team/llm/v1/chat/completions?route=eu&tier=2"
        headers = {"X-Team": "docs", "X-Cost-Token": SECRET}
        assert await said(remote("small", base_url=url, api_key="k1", headers=headers)) == "30 s"
    sent = server.headers[0]
    assert (sent["X-Team"], sent["X-Cost-Token"]) == ("docs", SECRET)
    assert sent["Authorization"] == "Bearer k1"


async def test_azure_by_its_address_takes_the_key_in_its_own_header() -> None:
    with FakeServer(message("30 s")) as server:
        server.path = "/openai/deployments/mine/chat/completions?api-version=2024-10-21"
        url = f"http://127.0.0.1:{server.port}/openai/deployments/mine?api-version=2024-10-21"
        assert await said(remote("gpt-4o", base_url=url, api_key="k1")) == "30 s"
    assert server.headers[0]["api-key"] == "k1"
    assert "Authorization" not in server.headers[0]


async def test_a_header_takes_the_place_of_what_is_sent_otherwise() -> None:
    headers = {"authorization": f"Basic {SECRET}"}
    with FakeServer(message("30 s")) as server:
        await said(remote("small", base_url=server.url, headers=headers))
    assert server.headers[0].get_all("Authorization") == [f"Basic {SECRET}"]


async def test_no_error_repeats_a_header() -> None:
    told = refusal(401, f"token {SECRET} has expired")
    wrong = refusal(400, f"token {SECRET} is odd")
    with FakeServer(told, wrong) as server:
        model = remote("small", base_url=server.url, headers={"X-Cost-Token": SECRET})
        with pytest.raises(ModelUnauthorised) as refused:
            await model.next(START, TOOLS)
        with pytest.raises(Exception, match=r"token \*\*\* is odd") as odd:
            await model.next(START, TOOLS)
    assert refused.value.code == "model_unauthorised"
    assert all(SECRET not in f"{e.value!r}{e.value}{model!r}" for e in (refused, odd))
