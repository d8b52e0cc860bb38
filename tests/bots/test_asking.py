"""The half of the bots without a platform: what it asks the service, and how it says what comes."""

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanshu.serve.accounts import Account
from fanshu.serve.app import Gated
from tests.bots.clerk import Clerk, service
from tests.bots.running import BOTS

MOST_LINES = 80


def loaded() -> ModuleType:
    spec = spec_from_file_location("asking", BOTS / "asking.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


asking = loaded()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, str]]:
    """A service that demands tokens: its address, a token that sees all, one that sees nothing."""
    tokens: list[str] = []

    def tell(app: Gated) -> None:
        accounts = app.service.accounts
        tokens.append(accounts.add_token(Account("bot", "")))
        tokens.append(accounts.add_token(Account("blind", "", grants=("other",))))

    with service(tmp_path_factory.mktemp("asking"), Clerk(), before=tell, login=True) as served:
        yield served.url, *tokens


def desk(monkeypatch: pytest.MonkeyPatch, url: str, token: str, library: str = "") -> Any:
    monkeypatch.setenv("BOT_SERVICE", url)
    monkeypatch.setenv("BOT_TOKEN", token)
    monkeypatch.setenv("BOT_LIBRARY", library)
    return asking.Desk()


def test_a_token_opens_the_service(
    monkeypatch: pytest.MonkeyPatch, place: tuple[str, str, str]
) -> None:
    url, token, blind = place
    assert "30 秒" in desk(monkeypatch, url, token, "manual").answer("t", "写超时是多少？")[0]
    for wrong, words in (("fs_wrong", "令牌"), ("", "令牌"), (blind, "没有可以查的资料")):
        assert words in desk(monkeypatch, url, wrong).answer("t", "写超时是多少？")[0]
    assert "没有可以查" in desk(monkeypatch, url, token, "nowhere").answer("t", "写超时？")[0]


def test_a_service_that_is_not_there_is_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    told = desk(monkeypatch, "http://127.0.0.1:9", "").answer("t", "What is the timeout?")
    assert told == [asking.WORDS["unreachable"][1]]


def test_only_some_questions_of_a_talk_are_kept(
    monkeypatch: pytest.MonkeyPatch, place: tuple[str, str, str]
) -> None:
    talks = desk(monkeypatch, *place[:2])
    for number in range(asking.REMEMBERED + 2):
        talks.answer("t", f"写超时是多少？（{number}）")
    kept = [one["question"] for one in talks._earlier("t")]
    assert kept == [f"写超时是多少？（{number}）" for number in (2, 3, 4)]
    assert talks._earlier("another") == []


def test_messages_are_known_by_their_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    talks = desk(monkeypatch, "http://127.0.0.1:9", "")
    assert talks.takes("m-1")
    assert not talks.takes("m-1")
    for number in range(asking.MOST):
        talks.takes(f"n-{number}")
    assert len(talks._taken) == asking.MOST


def answer(**more: Any) -> dict[str, Any]:
    """An answer as the service gives it."""
    empty: dict[str, Any] = {"citations": [], "unsupported": [], "related": [], "answer": ""}
    return {"question": "What is it?", "status": "answered"} | empty | more


CITED = {
    "chunk_id": "a.pdf#2",
    "file_path": "a.pdf",
    "section_path": ["One", "Two"],
    "lines": None,
    "page": 7,
    "quote": "It is 30.",
    "passage": "It is 30.\nOr so.",
    "newer_version": "b.pdf",
}


def test_what_is_not_checked_is_said() -> None:
    told = answer(status="partial", answer="It is 31.", unsupported=["31"], citations=[CITED])
    assert list(asking.worded(told)) == [
        "It is 31.",
        "Careful: this answer is incomplete, or not all of it was confirmed.",
        "Not found in the documents: 31",
        "",
        "Sources (quotes checked)",
        "[1] a.pdf › One › Two · page 7",
        "    “It is 30. Or so.”",
        "    ! there is a newer version: b.pdf",
    ]


def test_without_a_model_it_shows_passages() -> None:
    told = list(asking.worded(answer(status="passages", answer="It is 30.", citations=[CITED])))
    assert told[0] == "No language model; this is what the documents say:"
    assert told[1] == "[1] a.pdf › One › Two · page 7"


def test_what_is_nearest_is_named_when_nothing_is_found() -> None:
    near = {"chunk_id": "a#1", "file_path": "a.md", "section_path": ["A"], "text": "x" * 500}
    told = list(asking.worded(answer(status="not_found", related=[near] * 5)))
    assert told[:3] == ["The documents hold no answer to this.", "Nearest to it:", "· a.md › A"]
    assert len(told) == 2 + 2 * asking.RELATED
    assert len(told[3]) < asking.QUOTE + 5


@given(st.lists(st.text("ab 。\n", min_size=1, max_size=900), max_size=12).map("\n\n".join))
def test_pieces_lose_nothing(text: str) -> None:
    cut = asking.pieces(text)
    assert all(len(piece) <= asking.PIECE for piece in cut)
    assert "".join("".join(cut).split()) == "".join(text.split())


def test_a_text_is_cut_between_paragraphs() -> None:
    paragraph = "a" * 1_000
    assert asking.pieces(f"{paragraph}\n\n{paragraph}") == [paragraph, paragraph]


@pytest.mark.parametrize("name", ["feishu.py", "dingtalk.py"])
def test_a_bot_has_eighty_lines(name: str) -> None:
    assert len((BOTS / name).read_text("utf-8").splitlines()) <= MOST_LINES


def test_they_are_as_clean_as_the_package() -> None:
    for check in (["check"], ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *check, "--quiet", str(BOTS)]
        told = subprocess.run(command, capture_output=True, text=True, cwd=BOTS.parents[1])
        assert told.returncode == 0, told.stdout + told.stderr


def test_the_page_names_every_variable() -> None:
    code = "".join(path.read_text("utf-8") for path in BOTS.glob("*.py"))
    page = Path(BOTS / "README.md").read_text("utf-8")
    names = set(re.findall(r'"((?:BOT|FEISHU|DINGTALK)_[A-Z_]+)"', code))
    assert len(names) >= 8
    assert {name for name in names if page.count(f"`{name}`") < 2} == set()  # in both languages
