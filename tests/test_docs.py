"""The written documentation: links lead somewhere, promises name tests that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
DECISIONS = sorted((DOCS / "decisions").glob("*.md"))
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
PROMISE = re.compile(r"^\| (M\d+) \| (.+?) \| (.+?) \| (.*?) ?\| (.*?) ?\|$", re.MULTILINE)
MAX_DECISION_LINES = 40


def page(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", PAGES, ids=page)
def test_links_lead_somewhere(path: Path) -> None:
    text = FENCED.sub("", path.read_text("utf-8"))
    targets = [t for t in LINK.findall(text) if "://" not in t and not t.startswith("#")]
    dead = [t for t in targets if not (path.parent / t.partition("#")[0]).exists()]
    assert not dead


def test_every_promise_is_kept_track_of() -> None:
    promises = PROMISE.findall((DOCS / "promises.md").read_text("utf-8"))
    assert [number for number, *_ in promises] == [f"M{n}" for n in range(1, 37)]
    for number, _, state, test, _ in promises:
        assert state.split(":")[0] in {"works", "in part", "later"}, number
        tests = re.findall(r"`(tests/[^`]*)`", test)
        assert bool(tests) or state == "later", number
        assert [t for t in tests if not is_a_test(t)] == [], number


def is_a_test(name: str) -> bool:
    """Whether `tests/file.py` or `tests/file.py::test_name` exists."""
    file, _, function = name.partition("::")
    path = ROOT / file
    return path.is_file() and f"def {function}" in path.read_text("utf-8")


@pytest.mark.parametrize("path", DECISIONS, ids=page)
def test_decisions_are_short_and_say_why(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) < MAX_DECISION_LINES
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Context", "Decision", "Consequence"]
    assert text.startswith(f"# {path.name[:4]} ")


def test_every_decision_is_in_the_index() -> None:
    index = (DOCS / "README.md").read_text("utf-8")
    assert not [path.name for path in DECISIONS if f"decisions/{path.name}" not in index]


def test_notes_on_work_in_progress_do_not_stay() -> None:
    marks = re.compile(r"\b(TODO|FIXME|XXX|TBD)\b")
    assert not [page(path) for path in PAGES if marks.search(path.read_text("utf-8"))]
