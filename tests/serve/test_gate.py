"""Where requests come from: names, sites, methods, headers; and what the log says."""

import logging
from pathlib import Path

import pytest

from fanshu.errors import ConfigError
from fanshu.serve.accounts import Account, Accounts
from fanshu.serve.gate import demands_login, host_known
from fanshu.serve.running import must_be_safe
from fanshu.serve.settings import ServiceSettings
from tests.serve.models import Slow
from tests.serve.served import Served, plan_of, serving, until

OUTSIDE = "192.0.2.1"


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("localhost:8765", True),
        ("127.0.0.1", True),
        ("[::1]:8765", True),
        ("192.168.1.9:80", True),
        ("evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("", False),
        ("a b", False),
    ],
)
def test_only_known_names_are_answered(host: str, known: bool) -> None:
    assert host_known(host, ServiceSettings()) is known


def test_a_name_that_is_allowed_is_known() -> None:
    assert host_known("Docs.Example:8765", ServiceSettings(hosts=("docs.example",)))


def test_login_is_demanded_wherever_others_may_come() -> None:
    assert not demands_login(ServiceSettings())
    for settings in (
        {"host": OUTSIDE},
        {"login": True},
        {"hosts": ("docs.example",)},
        {"user_header": "X-User", "proxies": ("10.0.0.1",)},
    ):
        assert demands_login(ServiceSettings(**settings))


def test_listening_to_others_without_users_is_refused(tmp_path: Path) -> None:
    accounts = Accounts(tmp_path / "accounts.json")
    outside = ServiceSettings(host=OUTSIDE)
    with pytest.raises(ConfigError, match="fanshu user add"):
        must_be_safe(outside, accounts)
    accounts.add_token(Account("ci", ""))
    must_be_safe(outside, accounts)
    with pytest.raises(ConfigError, match="proxies"):
        must_be_safe(ServiceSettings(user_header="X-User"), accounts)


def test_other_sites_and_other_names_are_refused(service: Served) -> None:
    with service.client() as http:
        assert http.get("/v1/me", headers={"Host": "evil.example"}).status_code == 421
        assert http.get("/", headers={"Host": "evil.example"}).status_code == 421
        for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
            assert http.get("/v1/me", headers=headers).status_code == 403
            assert http.post("/v1/ask", json={"question": "x"}, headers=headers).status_code == 403
            assert http.post("/login", headers=headers).status_code == 403
        assert http.get("/v1/me", headers={"Origin": service.url}).status_code == 200
        assert http.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


def test_nothing_sent_is_a_page_but_the_page(service: Served, folders: dict[str, Path]) -> None:
    (folders["manuals"] / "evil.html").write_text("<script>alert(1)</script><h1>Evil</h1>")
    (folders["manuals"] / "evil.svg").write_text("<svg><script>alert(1)</script></svg>")
    with service.client() as http:
        page = http.get("/")
        assert "script-src 'self'" in page.headers["content-security-policy"]
        assert "unsafe" not in page.headers["content-security-policy"]
        assert page.text.startswith("<!doctype html>")
        service.call(service.app.service.libraries.all["manuals"].compare)
        for path in ("/v1/me", "/v1/original?path=manual.md", "/v1/nothing"):
            told = http.get(path)
            assert "sandbox" in told.headers["content-security-policy"]
            assert told.headers["x-content-type-options"] == "nosniff"
            assert told.headers["cache-control"] == "no-store"
        html = http.get("/v1/original", params={"path": "evil.html"})
        assert html.headers["content-type"] == "text/plain; charset=utf-8"
        assert html.headers["content-disposition"].startswith("attachment")
        svg = http.get("/v1/image", params={"path": "evil.svg"})
        assert "sandbox" in svg.headers["content-security-policy"]


def test_a_proxy_may_say_who_it_is_and_nobody_else(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    for proxies, status in ((("127.0.0.1",), 200), (("10.0.0.1",), 401)):
        plan = plan_of(folders, user_header="X-Signed-In", proxies=proxies)
        folder = tmp_path / proxies[0]
        with (
            serving(
                plan,
                folder,
                lambda _: Slow(0),
                before=lambda app: app.service.accounts.add_user(
                    Account("lin", "", ("rules",)), None
                ),
            ) as served,
            served.client() as http,
        ):
            told = http.get("/v1/me", headers={"X-Signed-In": "lin"})
            assert told.status_code == status
            assert http.get("/v1/me", headers={"X-Signed-In": "nobody"}).status_code == 401
            assert http.get("/v1/me").status_code == 401
            if status == 200:
                assert [one["name"] for one in told.json()["libraries"]] == ["rules"]


def test_the_log_tells_who_and_what_but_not_the_question(
    service: Served, caplog: pytest.LogCaptureFixture
) -> None:
    def said() -> list[str]:
        lines = [one.getMessage() for one in caplog.records if one.name == "fanshu.serve"]
        return [line for line in lines if "/readyz" not in line]

    with caplog.at_level(logging.INFO, "fanshu.serve"):
        with service.client("fanshu_secret") as http:
            http.post("/v1/ask", json={"question": "zanzibar"})
            http.get("/v1/search", params={"q": "zanzibar"}, headers={"Authorization": ""})
        until(lambda: len(said()) == 2)  # a line is written when the answer has been sent
    assert said()[0].startswith("- POST /v1/ask 401 ")
    assert said()[1].startswith("local:local GET /v1/search 200 ")
    assert not [line for line in said() if "zanzibar" in line or "secret" in line]


def test_the_log_has_the_status_that_the_client_got(
    service: Served, caplog: pytest.LogCaptureFixture
) -> None:
    asked = {"model": "fanshu/manuals", "messages": [{"role": "user", "content": "x"}], "n": 2}
    with caplog.at_level(logging.INFO, "fanshu.serve"), service.client() as http:
        got = http.post("/v1/chat/completions", json=asked).status_code
        until(lambda: any("completions" in one.getMessage() for one in caplog.records))
    (line,) = [one.getMessage() for one in caplog.records if "completions" in one.getMessage()]
    assert got == 400
    assert " POST /v1/chat/completions 400 " in line


def test_measures_name_nobody(service: Served) -> None:
    with service.client() as http:
        http.post("/v1/ask", json={"question": "write timeout"})
        http.get("/v1/runs/20260101-000000-000000")
        told = http.get("/metrics").text
    assert 'fanshu_runs_total{cached="false",library="manuals",status="passages"} 1.0' in told
    assert 'route="/v1/runs/{run_id}",status="404"' in told
    assert "local:local" not in told


def test_the_log_has_one_line_for_a_request(
    service: Served, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "fanshu.serve"), service.client() as http:
        http.get("/v1/a%0AINFO user:lin GET /forged%1B[31m")
        until(lambda: any("forged" in one.getMessage() for one in caplog.records))
    (line,) = [one.getMessage() for one in caplog.records if "forged" in one.getMessage()]
    assert line.isprintable()


def test_measures_do_not_grow_with_what_clients_make_up(service: Served) -> None:
    with service.client() as http:
        for number in range(3):
            http.request(f"MADEUP{number}", "/healthz")
        told = http.get("/metrics").text
    assert "MADEUP" not in told
    assert 'method="other"' in told
