"""Recipes and examples do what they show: files are written, blocks run, outputs compared."""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from fanshu.models.extractive import ExtractiveReader
from tests.serve.served import plan_of, serving

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(
    r"^<!-- (file (?P<file>\S+)|try) -->\n```(?P<language>\w+)\n(?P<body>.*?)^```$"
    r"(?:\n\n```text\n(?P<said>.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)
LINES = 10  # of an example


@dataclass(frozen=True)
class Block:
    """A block of a page: a file to be written, or something to run and what it prints."""

    file: str | None
    language: str
    body: str
    said: str | None


def blocks(page: str) -> list[Block]:
    text = (ROOT / "docs" / page).read_text("utf-8")
    return [Block(m["file"], m["language"], m["body"], m["said"]) for m in BLOCK.finditer(text)]


def output_of(block: Block, folder: Path) -> str:
    python = block.language == "python"
    command = [sys.executable, "-c", block.body] if python else ["sh", "-c", block.body]
    places = [str(Path(sys.executable).parent), os.environ["PATH"]]
    environ = os.environ | {"PATH": os.pathsep.join(places), "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}
    run = subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, encoding="utf-8"
    )
    assert run.stderr == ""
    return run.stdout


EXTRA = re.compile(r"pip install [\"']\.\[([\w,]+)\]")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def brought(requirements: Iterable[str]) -> set[str]:
    """The distributions that these bring, and those that they need, as installed here."""
    seen: set[tuple[str, str]] = set()
    waiting = [Requirement(one) for one in requirements]
    while waiting:
        wanted = waiting.pop()
        for extra in ("", *wanted.extras):
            if (key := (canonicalize_name(wanted.name), extra)) in seen:
                continue
            seen.add(key)
            more = (Requirement(one) for one in metadata.requires(wanted.name) or ())
            waiting += [r for r in more if not r.marker or r.marker.evaluate({"extra": extra})]
    return {name for name, _ in seen}


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_what_a_block_imports_is_installed_by_what_the_page_says(page: Path) -> None:
    ours = [block.body for block in blocks(page.name) if block.language == "python"]
    imported = {
        name for body in ours for name in re.findall(r"^(?:import|from) (\w+)", body, re.MULTILINE)
    }
    others = imported - sys.stdlib_module_names - {"fanshu", "my_model"}
    if not others:
        return
    extras = {one for names in EXTRA.findall(page.read_text("utf-8")) for one in names.split(",")}
    wanted = [one for extra in extras for one in PROJECT["optional-dependencies"][extra]]
    there = brought([*PROJECT["dependencies"], *wanted])
    makers = metadata.packages_distributions()
    lacking = [n for n in others if not there & {canonicalize_name(d) for d in makers.get(n, ())}]
    assert not lacking


@pytest.mark.slow
def test_recipes(tmp_path: Path) -> None:
    """They build on one another, as a reader would try them."""
    ran = 0
    for block in blocks("recipes.md"):
        if block.file:
            path = tmp_path / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.body, encoding="utf-8")
        else:
            assert output_of(block, tmp_path).rstrip() == (block.said or "").rstrip(), block.body
            ran += 1
    assert ran == 6


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The service of the page; its address."""
    folder = tmp_path_factory.mktemp("examples")
    settings = {"model": None, "trace": False, "cache": False, "index": str(folder / "index")}
    plan = plan_of({"manuals": ROOT / "examples" / "library"}, settings)
    with serving(plan, folder / "service", lambda _: ExtractiveReader()) as served:
        yield served.url


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(blocks("examples.md"))))
def test_examples(number: int, service: str) -> None:
    block = blocks("examples.md")[number]
    assert len(block.body.splitlines()) <= LINES
    body = block.body.replace("http://127.0.0.1:8765", service)
    told = output_of(Block(None, block.language, body, None), ROOT)
    assert told.rstrip() == (block.said or "").rstrip()


def test_every_face_has_one() -> None:
    page = (ROOT / "docs" / "examples.md").read_text("utf-8")
    faces = re.findall(r"^## (.+)$", page, re.MULTILINE)
    assert faces == ["Command line", "Python", "HTTP", "OpenAI's client", "An MCP client"]
