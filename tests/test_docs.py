"""The written documentation: links lead somewhere, promises name tests that exist."""

import ast
import json
import re
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
EXAMPLES = [*ROOT.glob("examples/*.md"), *ROOT.glob("examples/bots/**/*.md")]
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *EXAMPLES])
DECISIONS = sorted((DOCS / "decisions").glob("*.md"))
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+?)#*$", re.MULTILINE)
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
SIGNATURES = "docs/api.md"  # its blocks are signatures and fields, but for those that import
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
PROMISE = re.compile(r"^\| (M\d+) \| (.+?) \| (.+?) \| (.*?) ?\| (.*?) ?\|$", re.MULTILINE)
MAX_DECISION_LINES = 40


def page(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def shell(body: str) -> None:
    """Whether a shell can read it; a word in capitals stands for something, `…` for anything."""
    subprocess.run(["sh", "-n"], input=body, text=True, check=True, capture_output=True)


READ: dict[str, Callable[[str], object]] = {
    "python": lambda body: compile(body, "block", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT),
    "json": json.loads,
    "toml": tomllib.loads,
    "yaml": yaml.safe_load,
    "sh": shell,
}


def blocks() -> Iterator[tuple[Path, str, str]]:
    for path in PAGES:
        for indent, language, body in BLOCK.findall(path.read_text("utf-8")):
            signature = page(path) == SIGNATURES and "import " not in body
            if language in READ and not signature:
                yield path, language, re.sub(f"^{indent}", "", body, flags=re.MULTILINE)


BLOCKS = list(blocks())


def block_name(value: object) -> str | None:
    return page(value) if isinstance(value, Path) else None


@pytest.mark.parametrize("path", PAGES, ids=page)
def test_links_lead_somewhere(path: Path) -> None:
    text = FENCED.sub("", path.read_text("utf-8"))
    targets = [target for target in LINK.findall(text) if "://" not in target]
    assert not [target for target in targets if not leads_somewhere(path, target)]


def leads_somewhere(path: Path, target: str) -> bool:
    """Whether a link of a page leads to a file, and to a heading of it as code hosts name them."""
    place, _, anchor = target.partition("#")
    file = path.parent / place if place else path
    if not anchor or file.suffix != ".md":
        return file.exists()
    return file.is_file() and anchor in anchors(file)


def anchors(file: Path) -> set[str]:
    """Lower case, spaces as dashes, no punctuation; a second heading of one name has `-1`."""
    text = FENCED.sub("", file.read_text("utf-8"))
    names: list[str] = []
    for heading in HEADING.findall(text):
        plain = LINK.sub(r"\1", heading).strip().lower()
        names.append(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    numbered = [f"{name}-{names[:at].count(name)}" for at, name in enumerate(names)]
    return {*names, *numbered}


@pytest.mark.parametrize(("path", "language", "body"), BLOCKS, ids=block_name)
def test_blocks_of_code_can_be_read(path: Path, language: str, body: str) -> None:
    READ[language](body)


def test_there_are_blocks_of_every_kind() -> None:
    assert {language for _, language, _ in BLOCKS} >= {"python", "toml", "sh"}


def test_every_promise_is_kept_track_of() -> None:
    promises = PROMISE.findall((DOCS / "promises.md").read_text("utf-8"))
    assert [number for number, *_ in promises] == [f"M{n}" for n in range(1, 38)]
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
    index = (DOCS / "decisions.md").read_text("utf-8")
    assert not [path.name for path in DECISIONS if f"decisions/{path.name}" not in index]


def test_notes_on_work_in_progress_do_not_stay() -> None:
    marks = re.compile(r"\b(TODO|FIXME|XXX|TBD)\b|^(<{7}|>{7}) ", re.MULTILINE)
    assert not [page(path) for path in PAGES if marks.search(path.read_text("utf-8"))]
