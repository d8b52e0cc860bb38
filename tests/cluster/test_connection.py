"""The connection to a store: what is repeated, what is told, what is never said."""

import logging
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fanshu.cluster.address import parse
from fanshu.cluster.connection import Options, connect
from fanshu.errors import ConfigError, StoreRefused, StoreUnreachable

from .wire import CLOSE, HERE, Asked, guarded, replies, served

opensearchpy = pytest.importorskip("opensearchpy", reason="needs the extra `opensearch`")
trustme = pytest.importorskip("trustme", reason='pip install -e ".[dev]" brings trustme')

BUSY = (429, {"error": {"type": "es_rejected_execution_exception", "reason": "queue full"}})
ALONE = (503, {"error": {"type": "cluster_manager_not_discovered_exception", "reason": None}})
LOST = (500, {"error": {"root_cause": [{"type": "node_disconnected_exception"}]}})
FULL = (
    429,
    {
        "error": {
            "reason": "index [x] blocked by: [TOO_MANY_REQUESTS/12/… has read-only-allow-delete block]"
        }
    },
)
FINE = (200, {"hits": {"hits": []}})
SECRET = "geheim-秘密"


def client(port: int, **options: Any) -> Any:
    return connect(parse(f"opensearch://127.0.0.1:{port}/lib"), Options(**options))


@pytest.mark.parametrize("trouble", [BUSY, ALONE, LOST, CLOSE, (502, b"<html>"), (504, b"")])
def test_a_search_is_made_again(trouble: tuple[int, object]) -> None:
    asked: list[Asked] = []
    with served(replies(trouble, FINE), asked=asked) as port:
        assert client(port).search(index="x", body={}) == FINE[1]
    assert [path for _, path, _ in asked] == ["/", "/x/_search", "/x/_search"]


@pytest.mark.parametrize("trouble", [CLOSE, LOST, (502, b""), (504, b"")])
def test_what_depends_on_a_version_is_not_made_twice(trouble: tuple[int, object]) -> None:
    asked: list[Asked] = []
    with served(replies(trouble, FINE), asked=asked) as port, pytest.raises(StoreUnreachable):
        client(port).index(index="x", id="1", body={}, if_seq_no=3, if_primary_term=1)
    assert len(asked) == 2


def test_what_was_certainly_not_done_is_made_again() -> None:
    with served(replies(BUSY, (201, {"_seq_no": 4}))) as port:
        done = client(port).index(index="x", id="1", body={}, if_seq_no=3, if_primary_term=1)
    assert done == {"_seq_no": 4}


def test_a_full_disk_is_not_asked_again() -> None:
    """It is told as being busy, and stays so until somebody makes room."""
    asked: list[Asked] = []
    with served(replies(FULL), asked=asked) as port:  # noqa: SIM117
        with pytest.raises(StoreRefused, match=r"disk of one of its machines is full.*Make room"):
            client(port).index(index="x", id="1", body={})
    assert len(asked) == 2


def test_no_new_index_is_no_lack_of_rights() -> None:
    error = {
        "type": "index_create_block_exception",
        "reason": "blocked by: [FORBIDDEN/10/cluster create-index blocked (api)];",
    }
    with served(replies((403, {"error": error, "status": 403}))) as port:  # noqa: SIM117
        with pytest.raises(StoreRefused, match="makes no new index") as caught:
            client(port).indices.create(index="x")
    assert "may not do that" not in str(caught.value)


def test_it_ends_after_the_repetitions() -> None:
    asked: list[Asked] = []
    with served(replies(BUSY), asked=asked) as port:  # noqa: SIM117
        with pytest.raises(StoreUnreachable, match=r"too busy just now \(.*queue full\)"):
            client(port, retries=1).search(index="x", body={})
    assert len(asked) == 1 + 2


def test_it_ends_when_the_time_is_up() -> None:
    with served(replies(BUSY)) as port:
        begun = time.monotonic()
        with pytest.raises(StoreUnreachable):
            client(port, retries=1_000_000).search(index="x", body={}, request_timeout=0.2)
        assert time.monotonic() - begun < 60


def test_no_reply_within_the_time() -> None:
    def never(method: str, path: str, *_: object) -> Any:
        return (200, HERE) if path == "/" else (time.sleep(0.3), FINE)[1]

    with served(never) as port, pytest.raises(StoreUnreachable, match=r"no reply within 0\.1 sec"):
        client(port, timeout=30).search(index="x", body={}, request_timeout=0.1)


def test_another_host_is_asked_when_one_is_gone_or_alone() -> None:
    with served(replies(FINE)) as port, served(lambda *_: ALONE) as alone:
        hosts = ",".join(f"127.0.0.1:{one}" for one in (1, alone, port))
        open_ = connect(parse(f"opensearch://{hosts}/lib"), Options(timeout=60, retries=5))
        for _ in range(6):
            assert open_.search(index="x", body={}) == FINE[1]


@pytest.mark.slow
def test_another_host_is_asked_when_one_stands_still() -> None:
    going_on = threading.Event()

    def still(*_: object) -> Any:
        going_on.wait(120)
        return CLOSE

    with served(replies(FINE)) as port, served(still) as stuck:
        address = parse(f"opensearch://127.0.0.1:{stuck},127.0.0.1:{port}/lib")
        open_ = connect(address, Options(timeout=10))
        for _ in range(4):
            assert open_.search(index="x", body={}) == FINE[1]
        going_on.set()


def test_a_store_that_comes_back_is_used_again() -> None:
    down = True

    def reply(method: str, path: str, *_: object) -> Any:
        return CLOSE if down else (200, HERE) if path == "/" else FINE

    with served(reply) as port:
        open_ = client(port, retries=0)
        with pytest.raises(StoreUnreachable, match="closed"):
            open_.search(index="x", body={})
        down = False
        assert open_.search(index="x", body={}) == FINE[1]


def test_a_name_whose_indices_another_library_may_have_is_refused() -> None:
    assert parse("opensearch://search/hr-records").name == "hr-records"
    with pytest.raises(ConfigError, match="-records-"):
        parse("opensearch://search/hr-records-approved")  # "hr" keeps approved-state in records


def test_nobody_there() -> None:
    address = parse("opensearch://boss:pw@127.0.0.1:1/lib")
    with pytest.raises(StoreUnreachable) as caught:
        connect(address, Options(retries=1)).info()
    assert "opensearch://127.0.0.1:1/lib does not answer: Connection refused." in str(caught.value)
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "body", "why"),
    [
        (400, {"error": {"type": "parsing", "reason": "unknown [x]\n" * 200}}, r"parsing: unknown"),
        (401, b"Unauthorized", r"does not know this user or password \(Unauthorized\)"),
        (403, {"error": {"type": "security", "reason": "no permissions"}}, "may not do that.*no p"),
        (404, {"error": {"type": "index_not_found", "reason": "no such index [x]"}}, "such index"),
        (409, {"error": {"type": "conflict", "reason": "required seqNo"}}, "required seqNo"),
        (302, b"", "status 302"),
        (418, {"error": "teapot"}, "teapot"),
        (200, b"<html>hello", "no JSON"),
    ],
)
def test_what_the_engine_says_is_told(status: int, body: object, why: str) -> None:
    with served(replies((status, body))) as port, pytest.raises(StoreRefused, match=why) as caught:
        client(port).search(index="x", body={})
    assert len(str(caught.value)) < 600
    assert isinstance(caught.value, opensearchpy.NotFoundError) == (status == 404)
    assert isinstance(caught.value, opensearchpy.ConflictError) == (status == 409)


def test_what_is_not_there_may_be_expected() -> None:
    lost = {"found": False}
    with served(replies((404, lost))) as port:
        assert client(port).get(index="x", id="1", ignore=404) == lost
        assert client(port).exists(index="x", id="1") is False
        with pytest.raises(opensearchpy.NotFoundError) as caught:
            client(port).get(index="x", id="1")
    assert caught.value.status_code == 404
    assert caught.value.info == lost


@pytest.mark.parametrize(
    ("info", "why"),
    [
        ({"version": {"number": "8.15.0"}, "tagline": "You Know, for Search"}, "never been tried"),
        ({"version": {"number": "1.3.9", "distribution": "opensearch"}}, r"1\.3\.9; version 2"),
        ({"hello": "world"}, "no OpenSearch"),
        ([], "no OpenSearch"),
    ],
)
def test_another_engine(info: object, why: str) -> None:
    with served(lambda *_: (200, info)) as port, pytest.raises(StoreRefused, match=why):
        client(port).search(index="x", body={})


def test_a_user_who_may_search_and_not_ask_what_it_is() -> None:
    no = 403, {"error": "no"}
    with served(lambda _, path, *__: no if path == "/" else FINE) as port:
        assert client(port).search(index="x", body={}) == FINE[1]


def test_who_we_are_and_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    asked: list[Asked] = []
    with served(replies(FINE), asked=asked) as port:
        client(port, user="ann", password=SECRET).search(index="x", body={})
    assert all(headers["user-agent"].startswith("fanshu/") for _, _, headers in asked)
    assert all(headers["authorization"].startswith("Basic ") for _, _, headers in asked)


def test_a_password_without_a_user() -> None:
    with pytest.raises(ConfigError, match="store_user"):
        client(1, password=SECRET)


def test_nothing_of_what_is_sent_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with served(replies(FINE, BUSY, (400, {"error": "abracadabra"}))) as port:
        open_ = client(port, user="ann", password=SECRET)
        open_.search(index="x", body={"query": "abracadabra"})
        with pytest.raises(StoreRefused):
            open_.search(index="x", body={"query": "abracadabra"})
    logged = "\n".join(f"{one.getMessage()} {one.exc_info}" for one in caplog.records)
    assert "/x/_search" in logged
    assert not [word for word in ("abracadabra", SECRET, "Basic") if word in logged]
    assert not [one for one in caplog.records if one.levelno >= logging.WARNING]
    assert SECRET not in repr(open_) + repr(Options(user="ann", password=SECRET))


# ---- TLS --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def company() -> Any:
    return trustme.CA()


@pytest.fixture
def ca_file(company: Any, tmp_path: Path) -> str:
    file = tmp_path / "company.pem"
    company.cert_pem.write_to_path(file)
    return str(file)


def certified(company: Any, *names: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    company.issue_cert(*names).configure_cert(context)
    return context


def over_tls(port: int, host: str = "127.0.0.1", **options: Any) -> Any:
    return connect(parse(f"opensearch+https://{host}:{port}/lib"), Options(**options))


def test_an_authority_of_the_company(company: Any, ca_file: str) -> None:
    with served(replies(FINE), certified(company, "127.0.0.1")) as port:
        assert over_tls(port, ca_file=ca_file).search(index="x", body={}) == FINE[1]


def test_a_certificate_that_nobody_vouches_for(company: Any) -> None:
    asked: list[Asked] = []
    with served(replies(FINE), certified(company, "127.0.0.1"), asked) as port:  # noqa: SIM117
        with pytest.raises(StoreUnreachable, match=r"not accepted \(.*store_ca_file"):
            over_tls(port, user="ann", password=SECRET).search(index="x", body={})
    assert not asked


def test_a_certificate_of_another_host(company: Any, ca_file: str) -> None:
    with served(replies(FINE), certified(company, "store.example")) as port:  # noqa: SIM117
        with pytest.raises(StoreUnreachable, match="not accepted"):
            over_tls(port, ca_file=ca_file).search(index="x", body={})


def test_tls_where_there_is_none() -> None:
    with served(replies(FINE)) as port, pytest.raises(StoreUnreachable, match="speak TLS"):
        over_tls(port).search(index="x", body={})


@pytest.mark.parametrize(("content", "why"), [(None, "No such file"), ("hello", "no certificate")])
def test_a_ca_file_that_is_none(tmp_path: Path, content: str | None, why: str) -> None:
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_text(content)
    with pytest.raises(ConfigError, match=f"store_ca_file.*{why}"):
        over_tls(1, ca_file=str(file))


@pytest.fixture
def before(one_node: Any, company: Any) -> Iterator[int]:
    """The port of TLS and a login before a real engine."""
    behind = int(one_node.urls[0].rpartition(":")[2].strip("/"))
    tls = certified(company, "127.0.0.1")
    with served(guarded(behind, "ann", SECRET), tls) as port:
        yield port


@pytest.mark.cluster
def test_a_real_engine_behind_tls_and_a_login(before: int, ca_file: str) -> None:
    open_ = over_tls(before, ca_file=ca_file, user="ann", password=SECRET)
    open_.index(index="tls-tried", id="a/b", body={"text": "连接超时"}, refresh=True)
    assert open_.get(index="tls-tried", id="a/b")["_source"] == {"text": "连接超时"}
    assert open_.count(index="tls-tried")["count"] == 1
    open_.indices.delete(index="tls-tried")
    with pytest.raises(StoreRefused, match="does not know this user or password"):
        over_tls(before, ca_file=ca_file, user="ann", password="wrong").info()
