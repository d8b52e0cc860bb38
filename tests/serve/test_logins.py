"""Logging in and out, and what ends a login."""

import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fanshu.errors import AccountError
from fanshu.serve.access import Grant, Person
from fanshu.serve.accounts import Account, Accounts
from fanshu.serve.app import HASHING
from tests.serve.models import Slow
from tests.serve.served import Served, plan_of, serving

PASSWORD = "correct horse battery"


@pytest.fixture
def guarded(folders: dict[str, Path], tmp_path: Path) -> Iterator[Served]:
    with serving(
        plan_of(folders, login=True),
        tmp_path / "service",
        lambda _: Slow(0),
        before=lambda app: app.service.accounts.add_user(Account("lin", ""), PASSWORD),
        clock=lambda: 0.0,
    ) as served:
        yield served


def test_a_login_is_a_cookie_that_no_script_reads(guarded: Served) -> None:
    with guarded.client() as http:
        assert http.get("/").status_code == 200  # the page with the form
        assert http.get("/v1/me").status_code == 401
        told = http.post("/login", data={"name": "lin", "password": PASSWORD})
        assert told.status_code == 200
        cookie = told.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert "secure" not in cookie  # this connection is not encrypted
        assert http.get("/v1/me").json()["name"] == "lin"
        kept = http.cookies["fanshu_login"]
        assert http.post("/logout").status_code == 200
        http.cookies.set("fanshu_login", kept)
        assert http.get("/v1/me").status_code == 401


def test_browsers_are_led_back_to_the_page(guarded: Served) -> None:
    html = {"Accept": "text/html"}
    with guarded.client() as http:
        right = {"name": "lin", "password": PASSWORD}
        told = http.post("/login", data=right, headers=html)
        assert (told.status_code, told.headers["location"]) == (303, "/")
        told = http.post("/login", data=right | {"password": "wrong"}, headers=html)
        assert (told.status_code, told.headers["location"]) == (303, "/?login=failed")


@pytest.mark.slow
def test_guessing_is_slow(guarded: Served) -> None:
    with guarded.client() as http:
        wrong = {"name": "lin", "password": "guess guess"}
        statuses = [http.post("/login", data=wrong).status_code for _ in range(7)]
        assert statuses == [401] * 5 + [429] * 2
        right = {"name": "lin", "password": PASSWORD}
        assert http.post("/login", data=right).status_code == 429
        other = http.post("/login", data={"name": "nobody", "password": "guess guess"})
        assert other.status_code == 429  # the same address


@pytest.mark.slow
def test_guessing_many_at_once_is_no_faster(guarded: Served) -> None:
    """Whoever stands in line is refused when enough before them were wrong."""
    with guarded.client() as http, ThreadPoolExecutor(20) as threads:

        def guess(number: int) -> int:
            wrong = {"name": "lin", "password": f"guess {number}"}
            return http.post("/login", data=wrong).status_code

        statuses = list(threads.map(guess, range(20)))
    assert set(statuses) == {401, 429}
    assert 5 <= statuses.count(401) < 5 + HASHING  # those that were looked at already


def test_another_password_ends_logins(guarded: Served) -> None:
    with guarded.client() as http:
        http.post("/login", data={"name": "lin", "password": PASSWORD})
        assert http.get("/v1/me").status_code == 200
        guarded.app.service.accounts.set_password("lin", "another long one")
        assert http.get("/v1/me").status_code == 401
        http.post("/login", data={"name": "lin", "password": "another long one"})
        assert http.get("/v1/me").status_code == 200
        guarded.app.service.accounts.remove_user("lin")
        assert http.get("/v1/me").status_code == 401


def test_wrong_forms_are_told_so(guarded: Served) -> None:
    with guarded.client() as http:
        assert http.post("/login", json={"name": "lin"}).status_code == 415
        assert http.post("/login", data={"name": "lin"}).status_code == 422


def test_accounts_are_hashed_and_for_their_owner_alone(tmp_path: Path) -> None:
    accounts = Accounts(tmp_path / "service" / "accounts.json")
    accounts.add_user(Account("lin", ""), PASSWORD)
    token = accounts.add_token(Account("bot", "", ("manuals:public/*",)))
    text = accounts.path.read_text()
    assert PASSWORD not in text
    assert token not in text
    assert "$argon2id$" in text
    assert stat.S_IMODE(accounts.path.stat().st_mode) == 0o600
    person = Accounts(accounts.path).by_token(token)
    assert person is not None
    assert person.scope("manuals").patterns == ("public/*",)
    assert person.libraries(["manuals", "rules"]) == ("manuals",)
    accounts.revoke("bot")
    assert Accounts(accounts.path).by_token(token) is None


@pytest.mark.parametrize("name", ["", "a b", "../x", "x" * 65, "a\n"])
def test_names_of_accounts_are_plain(tmp_path: Path, name: str) -> None:
    with pytest.raises(AccountError):
        Accounts(tmp_path / "accounts.json").add_token(Account(name, ""))


def test_a_broken_file_of_accounts_lets_nobody_in(tmp_path: Path) -> None:
    path = tmp_path / "accounts.json"
    path.write_text("{")
    with pytest.raises(AccountError, match="cannot be read"):
        Accounts(path).known()


def test_short_passwords_are_refused(tmp_path: Path) -> None:
    with pytest.raises(AccountError, match="8 to 1,000 characters"):
        Accounts(tmp_path / "accounts.json").add_user(Account("lin", ""), "short")


def test_whoever_comes_through_a_proxy_is_told_apart(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    plan = plan_of(folders, login=True, proxies=("127.0.0.1",))
    with (
        serving(
            plan,
            tmp_path / "service",
            lambda _: Slow(0),
            before=lambda app: app.service.accounts.add_user(Account("lin", ""), PASSWORD),
            clock=lambda: 0.0,
        ) as served,
        served.client() as http,
    ):
        for number in range(6):
            wrong = {"name": f"nobody{number}", "password": "guess guess"}
            http.post("/login", data=wrong, headers={"X-Forwarded-For": "1.1.1.1, 203.0.113.7"})
        right = {"name": "lin", "password": PASSWORD}
        theirs = http.post("/login", data=right, headers={"X-Forwarded-For": "203.0.113.7"})
        other = http.post(
            "/login",
            data=right,
            headers={"X-Forwarded-For": "203.0.113.8", "X-Forwarded-Proto": "https"},
        )
    assert (theirs.status_code, other.status_code) == (429, 200)
    assert "__Host-fanshu_login" in other.headers["set-cookie"]
    assert "Secure" in other.headers["set-cookie"]


def test_what_allows_nothing_is_no_grant(tmp_path: Path) -> None:
    """`--allow "$LIBRARY"` with the variable unset does not open everything."""
    accounts = Accounts(tmp_path / "accounts.json")
    for grant in ("", "manuals:"):
        with pytest.raises(AccountError, match="allows nothing"):
            accounts.add_token(Account("bot", "", (grant,)))
    assert Person("token", "bot", (Grant.of(""),)).libraries(["manuals"]) == ()
    assert not Person("token", "bot", (Grant.of("manuals:"),)).scope("manuals").allows("a.md")
    assert Person("token", "bot", (Grant.of(":hr/*"),)).scope("any").patterns == ("hr/*",)


def test_accounts_that_cannot_be_read_let_nobody_in_and_tell_no_place(guarded: Served) -> None:
    path = guarded.app.service.accounts.path
    path.write_text("broken")
    with guarded.client("fanshu_00000000_" + "x" * 43) as http:
        login = {"name": "lin", "password": PASSWORD}
        for told in (http.get("/v1/me"), http.post("/login", data=login)):
            assert told.status_code == 503
            assert path.name not in told.text
