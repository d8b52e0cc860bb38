"""Parsers of the owner's: run in a child by their name, and whatever they do harms nobody else."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fanshu.errors import ConfigError, NotAllowed
from fanshu.library.changing import target
from fanshu.library.library import Library
from fanshu.library.parsers.own import own_parsers
from fanshu.types import EVERYTHING
from tests.waiting import PATIENCE

MODULE = '''
import os, sys
from fanshu.types import Document, Section

def tickets(name, data):
    """Lines of `key|text` become sections."""
    rows = [line.split("|") for line in data.decode().splitlines()]
    return "".join(f"# {key}\\n\\n{text}\\n\\n" for key, text in rows)

def pages(name, data):
    text = data.decode()
    return Document(text, (Section((name,), 1, 0, len(text), (1, 2)),), title="Whole")

def raises(name, data): raise ValueError("no ticket")
def leaves(name, data): os._exit(3)
def leaves_well(name, data): os._exit(0)
def exits(name, data): sys.exit(0)
def half_raises(name, data): raise ValueError("\\ud800")
def prints(name, data): print("noise"); return "# A\\n\\nbody"
def gives_bytes(name, data): return data
def gives_gaps(name, data): return Document("ab", (Section((), 0, 1, 2),))
def gives_halves(name, data): return "# A\\n\\nx\\ud800y\\0z"
def gives_lines(name, data): return Document("ab", (Section((), 1, 0, 2, lines=(3,)),))
def gives_title(name, data): return Document("ab", (Section((), 1, 0, 2),), title=5)
def gives_trail(name, data): return Document("ab", (Section("ab", 1, 0, 2),))
def gives_float(name, data): return Document("ab", (Section((), 1, 0.0, 2.0),))
def gives_state(name, data): return Document("ab", (Section((), 1, 0, 2),), state="new")
def gives_pages(name, data): return Document("ab", (Section((), 1, 0, 2),), pages=(1, 0))
def gives_object(name, data): return Document("ab", (Section((), 1, 0, 2),), metadata={"a": name.join},)
def half_title(name, data): return Document("ab", (Section(("\\ud800",), 1, 0, 2),), title="\\ud800")
def nothing(name, data): return "  "
def eats(name, data): return "x" * (4 << 30)
'''

Made = Callable[..., Library]


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    """A library of one `a.abc`, read by a function of a module of the owner's."""
    modules, docs = tmp_path / "modules", tmp_path / "docs"
    for folder in (modules, docs):
        folder.mkdir()
    (modules / "my_formats.py").write_text(MODULE)
    (docs / "a.abc").write_text("E-1|The disk is full.\nE-2|The network is down.")
    monkeypatch.syspath_prepend(str(modules))

    def library(function: str = "tickets", suffix: str = ".abc", **more: object) -> Library:
        parsers = {suffix: f"my_formats:{function}"} if function else {}
        given = {"search_seconds": PATIENCE} | more
        return Library([docs], tmp_path / "index.db", parsers=parsers, **given)  # type: ignore[arg-type]  # of any kind

    return library


def state_of(library: Library) -> tuple[str, str | None]:
    (file,) = library.status().files
    return file.state, file.reason


def test_a_text_is_markdown_with_sections_and_without_lines(made: Made) -> None:
    library = made()
    (hit,) = library.search("network").hits
    chunk = library.read(hit.chunk_id)
    assert (chunk.chunk_id, chunk.section_path) == ("a.abc#2", ("E-2",))
    assert (chunk.text, chunk.lines) == ("# E-2\n\nThe network is down.\n\n", None)


def test_a_document_stands_as_it_is(made: Made) -> None:
    chunk = made("pages").read("a.abc#1")
    assert chunk.section_path == ("a.abc",)
    assert chunk.lines == (1, 2)


@pytest.mark.parametrize(
    ("function", "state", "reason"),
    [
        ("raises", "failed", "my_formats:raises: ValueError: no ticket"),
        ("leaves", "failed", "crashed: exit code 3"),
        ("leaves_well", "failed", "crashed: it ended without an answer"),
        ("exits", "failed", "my_formats:exits: SystemExit: 0"),
        ("half_raises", "failed", "ValueError: \ufffd"),
        ("gives_lines", "failed", "sections.0.lines.1"),
        ("gives_title", "failed", "title: "),
        ("gives_trail", "failed", "sections.0.trail: "),
        ("gives_float", "failed", "sections.0.start: "),
        ("gives_state", "failed", "state: "),
        ("gives_pages", "failed", "the pages do not begin"),
        ("gives_object", "failed", "not JSON serializable"),
        ("gives_bytes", "failed", "neither text nor a Document"),
        ("gives_gaps", "failed", "do not cover"),
        ("missing", "failed", "AttributeError"),
        ("nothing", "skipped", "empty"),
    ],
)
def test_mistakes_are_states(made: Made, function: str, state: str, reason: str) -> None:
    told = state_of(made(function))
    assert told[0] == state
    assert reason in (told[1] or "")


@pytest.mark.skipif(os.name == "nt", reason="optional: Windows has no limit on memory")
def test_memory_is_bounded(made: Made) -> None:
    assert state_of(made("eats"))[1] == "memory: more than 1024 MB needed"


def test_what_it_prints_and_half_characters_do_no_harm(made: Made) -> None:
    assert state_of(made("prints")) == ("ok", None)
    assert made("half_title").read("a.abc#1").section_path == ("\ufffd",)
    assert made("gives_halves").read("a.abc#1").text == "# A\n\nx\ufffdy\ufffdz"


def test_a_hang_ends(made: Made, tmp_path: Path) -> None:
    (tmp_path / "modules" / "slow.py").write_text("import time\ndef parse(n, d): time.sleep(60)")
    (own,) = own_parsers({".abc": "slow:parse"}).values()
    document = own.read("a.abc", b"x", seconds=0.5)
    assert (document.state, document.reason) == ("failed", "timeout: not read within 0 seconds")


def test_an_ending_that_is_known_is_read_by_it(made: Made, tmp_path: Path) -> None:
    (tmp_path / "docs" / "a.abc").unlink()
    (tmp_path / "docs" / "B.TXT").write_text("E-9|Everything is fine.")
    chunk = made("tickets", ".txt").read("B.TXT#1")
    assert chunk.section_path == ("E-9",)


def test_files_are_read_anew_when_it_comes_changes_and_goes(made: Made, tmp_path: Path) -> None:
    assert state_of(made("")) == ("skipped", "unsupported type .abc")
    assert state_of(made("tickets"))[0] == "ok"
    assert made("tickets").sync().unchanged == 1
    assert made("pages").sync().parsed == 1
    code = tmp_path / "modules" / "my_formats.py"
    code.write_text(code.read_text().replace('title="Whole"', 'title="Another"'))
    library = made("pages")
    assert library.sync().parsed == 1
    assert library.titles() == (("a.abc", "Another"),)
    assert made("").sync().skipped == 1
    assert state_of(made("")) == ("skipped", "unsupported type .abc")


def test_only_files_of_its_ending_are_read_anew(made: Made, tmp_path: Path) -> None:
    (tmp_path / "docs" / "b.md").write_text("# B\n\nbody")
    made("tickets").sync()
    report = made("pages").sync()
    assert (report.parsed, report.unchanged) == (1, 1)


def test_services_take_what_it_reads(made: Made) -> None:
    assert target(made(), "new.abc", EVERYTHING).name == "new.abc"
    with pytest.raises(NotAllowed):
        target(made(""), "new.abc", EVERYTHING)


@pytest.mark.parametrize(
    ("suffix", "name", "said"),
    [
        ("abc", "my_formats:tickets", "'.abc'"),
        (".abc", "my_formats.tickets", "module:function"),
        (".abc", "os; import evil:x", "module:function"),
        (".abc", "no_such_module:parse", "no module 'no_such_module'"),
        (".abc", "no_such.module:parse", "no module 'no_such.module'"),
        (".abc", "__main__:parse", "no module '__main__'"),
    ],
)
def test_what_cannot_be_a_parser_is_said_at_once(suffix: str, name: str, said: str) -> None:
    with pytest.raises(ConfigError, match="parsers") as caught:
        own_parsers({suffix: name})
    assert said in str(caught.value)
