"""Data of other versions: older is taken over or made anew with a word, newer is left alone.

Older data is built here as the first versions wrote it; newer data is ours with a higher number.
"""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fanshu.agent.entries import Entries
from fanshu.cli import program
from fanshu.errors import CacheUnusable, DataNewer, IndexUnwritable
from fanshu.library.library import Library
from fanshu.library.sqlite import APPLICATION_ID, SCHEMA_VERSION, SqliteStore
from fanshu.library.sqlite_formats import newer
from fanshu.traces import Traces

OLDER_INDEX = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE doc(path TEXT UNIQUE NOT NULL, size INTEGER, mtime_ns INTEGER, hash TEXT, state TEXT,
  reason TEXT, encoding TEXT, title TEXT, date TEXT, chunks INTEGER, id INTEGER PRIMARY KEY);
CREATE TABLE chunk(id INTEGER PRIMARY KEY, doc_id INTEGER NOT NULL, number INTEGER NOT NULL);
CREATE TABLE content(id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE VIRTUAL TABLE fts USING fts5(name, head, body, ident, content='', tokenize='ascii');
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(fts, 'row');
INSERT INTO meta VALUES('schema', '1.1');
INSERT INTO doc(path, state, chunks, id) VALUES('ghost.md', 'ok', 1, 1);
INSERT INTO chunk VALUES(1, 1, 1);
INSERT INTO content VALUES(1, 'of another time');
"""
TRACE = "20260101-120000-00abcd"
TEXT = "# Gateway\n\nThe write timeout is 30 seconds.\n"


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "manual.md").write_text(TEXT, encoding="utf-8")
    return folder


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = program.run([*map(str, arguments)])
    said = capsys.readouterr()
    return code, said.out, said.err


def execute(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as db:
        db.executescript(script)


@pytest.mark.parametrize("mark", [0, APPLICATION_ID])
def test_an_older_index_is_made_anew_with_a_word(
    documents: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], mark: int
) -> None:
    index = tmp_path / "index"
    execute(index / "index.db", f"{OLDER_INDEX} PRAGMA application_id = {mark};")
    places = [f"--docs={documents}", f"--index={index}"]
    code, out, err = run(capsys, "search", "timeout", *places)
    assert code == 0
    assert "manual.md" in out
    assert "earlier version of fanshu (format 1.1)" in err
    code, out, err = run(capsys, "search", "another", *places)
    assert (code, err) == (1, "")  # said once, and no ghost is left


def test_an_index_of_a_newer_version_is_left_alone_and_says_so(
    documents: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index = tmp_path / "index"
    places = [f"--docs={documents}", f"--index={index}"]
    assert run(capsys, "index", *places)[0] == 0
    execute(index / "index.db", "UPDATE meta SET value = '99.1' WHERE key = 'schema'")
    before = (index / "index.db").read_bytes()
    code, out, err = run(capsys, "search", "timeout", *places)
    assert (code, out) == (2, "")
    assert f"newer version of fanshu (format 99.1, here {SCHEMA_VERSION})" in err
    assert "Traceback" not in err
    assert (index / "index.db").read_bytes() == before
    code, out, _ = run(capsys, "doctor", *places)
    assert "99.1" in out
    with pytest.raises(IndexUnwritable, match="newer version"):
        Library([documents], index / "index.db")


def test_an_index_with_no_readable_format_is_made_anew(tmp_path: Path) -> None:
    SqliteStore(tmp_path / "index.db").close()
    execute(tmp_path / "index.db", "UPDATE meta SET value = 'odd' WHERE key = 'schema'")
    store = SqliteStore(tmp_path / "index.db")
    assert store.renewed == "odd"
    store.close()


def test_formats_are_compared_as_numbers() -> None:
    assert newer("10.1", "9.9")
    assert newer("5.10", "5.9")
    assert not newer("5.2", "5.2")
    assert not newer("4.9", "5.1")
    assert not newer(None, "5.1")
    assert not newer("odd", "5.1")


def test_cached_answers_of_an_older_format_go_and_those_of_a_newer_one_stay(tmp_path: Path) -> None:
    path = tmp_path / "answers.db"
    execute(path, "CREATE TABLE entry(id TEXT); PRAGMA user_version = 1;")
    assert not list(Entries(path, days=1, megabytes=1).all())
    execute(path, "PRAGMA user_version = 99;")
    before = path.read_bytes()
    with pytest.raises(CacheUnusable, match="newer version of fanshu"):
        list(Entries(path, days=1, megabytes=1).all())
    assert path.read_bytes() == before


def test_a_run_goes_on_beside_cached_answers_of_a_newer_version(
    documents: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    execute(home / "data" / "fanshu" / "cache" / "answers.db", "PRAGMA user_version = 99;")
    code, out, _ = run(capsys, "ask", "What is the write timeout?", "--docs", documents)
    assert code == 0
    assert "30 seconds" in out


def test_a_trace_of_a_newer_version_says_so(tmp_path: Path) -> None:
    written = {"format": 99, "trace_id": TRACE}
    (tmp_path / f"{TRACE}.json").write_text(json.dumps(written), encoding="utf-8")
    traces = Traces(tmp_path, days=10_000, megabytes=1)
    assert list(traces.summaries()) == []
    with pytest.raises(DataNewer, match="format 99"):
        traces.load(TRACE)
