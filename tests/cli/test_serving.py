"""The verbs of the service: accounts are made, listed and removed; a missing extra is one line."""

import io
import re
import socket
from importlib.util import find_spec

import pytest

from tests.cli.conftest import Fanshu


def needs_the_extra() -> None:
    if find_spec("argon2") is None:
        pytest.skip("needs the extra serve: argon2")


def test_a_token_is_shown_once_and_revoked(fanshu: Fanshu) -> None:
    made = fanshu("token", "create", "bot", "--allow", "manuals:public/*", "--month-cost", "5")
    assert made.code == 0
    assert made.out.startswith("fanshu_")
    listed = fanshu("token", "list")
    assert "bot" in listed.out
    assert "manuals:public/*" in listed.out
    assert made.out.strip() not in listed.out
    (one,) = fanshu("token", "list", "--json").json
    assert (one["name"], one["month_cost"], one["writer"]) == ("bot", 5.0, False)
    assert fanshu("token", "create", "bot").code == 2
    assert fanshu("token", "revoke", "bot").code == 0
    gone = fanshu("token", "revoke", "bot")
    assert (gone.code, gone.err) == (2, "There is no token 'bot'.\n")


def test_a_user_is_added_and_removed(fanshu: Fanshu, monkeypatch: pytest.MonkeyPatch) -> None:
    needs_the_extra()
    monkeypatch.setattr("sys.stdin", io.StringIO("a long password\n"))
    assert fanshu("user", "add", "lin", "--keeper").code == 0
    listed = fanshu("user", "list").out
    assert re.fullmatch(r"lin  \* · keeps · [-\d]+T[:\d]+\+00:00\n", listed)
    monkeypatch.setattr("sys.stdin", io.StringIO("short\n"))
    refused = fanshu("user", "password", "lin")
    assert (refused.code, refused.err) == (2, "A password has 8 to 1,000 characters.\n")
    assert fanshu("user", "add", "chen", "--proxy-only").code == 0
    assert fanshu("user", "remove", "lin").code == 0
    assert "lin" not in fanshu("user", "list").out


def test_listening_to_others_needs_somebody_who_is_known(fanshu: Fanshu) -> None:
    needs_the_extra()
    refused = fanshu("serve", ".", "--host", "192.0.2.1", "--port", "0")
    assert refused.code == 2
    assert "fanshu user add" in refused.err
    assert refused.err.count("\n") == 1


def test_what_cannot_be_served_is_one_line(fanshu: Fanshu) -> None:
    needs_the_extra()
    missing = fanshu("serve", "./nowhere", "--port", "0")
    assert (missing.code, missing.err.count("\n")) == (2, 1)
    assert "nowhere" in missing.err


@pytest.mark.parametrize(
    ("language", "said"), [("en", "`--port` names another"), ("zh", "已被占用")]
)
def test_a_port_that_is_taken_is_said(fanshu: Fanshu, language: str, said: str) -> None:
    needs_the_extra()
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        taken = fanshu("serve", ".", "--port", port, "--language", language)
    assert (taken.code, taken.err.count("\n")) == (2, 1)
    assert said in taken.err


def test_what_an_agent_cannot_be_offered_is_one_line(fanshu: Fanshu) -> None:
    if find_spec("mcp") is None:
        pytest.skip("needs the extra mcp")
    for arguments, said in (
        (["./nowhere"], "nowhere"),
        (["a/b=."], "a/b"),
        (["docs", "here=.", "--index", "kept"], "several libraries cannot share one"),
    ):
        refused = fanshu("mcp", *arguments)
        assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1), arguments
        assert said in refused.err
