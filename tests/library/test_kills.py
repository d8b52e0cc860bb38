"""Killed while indexing, or writing two at once: the index stays whole and nothing is lost."""

import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from fanshu.library.library import Library, Root
from tests.library.conftest import write
from tests.waiting import PATIENCE

KILLS = 50
SEED = 20
FILES = 45
SECTIONS = 100  # of all files more than syncing.BATCH_CHUNKS: two transactions
EDITED = 12
REMOVED = 4

INDEX = """
import sys
from pathlib import Path
import filelock
from fanshu.library.library import Library, Root
library = Library([Root(Path(sys.argv[1]))], Path(sys.argv[2]))
print("began", flush=True)
sys.stdin.readline()
report = library.sync()
print(report.parsed, report.removed, report.failed)
"""


def indexing(docs: Path, index: Path) -> "subprocess.Popen[str]":
    """A process with its library open, which waits to be told to sync."""
    process = subprocess.Popen(
        [sys.executable, "-c", INDEX, str(docs), str(index)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "began\n"
    return process


def tell(processes: Sequence["subprocess.Popen[str]"]) -> None:
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()


def text(name: str, edition: int) -> str:
    """A document with one word that no other document and no other edition of it holds."""
    filler = "The committee meets on the first Monday.\n"
    sections = (f"## Section {n}\n\n{word(name, edition)}\n{filler}" for n in range(SECTIONS))
    return f"# {name}\n\n" + "\n".join(sections)


def word(name: str, edition: int) -> str:
    return f"mark{name.removesuffix('.md')}e{edition}x"


def edit(docs: Path, editions: dict[str, int], choice: random.Random) -> set[str]:
    """Change some files, remove some, bring some back; the words that must not be found now."""
    names = sorted(editions)
    gone = {word(name, editions[name]) for name in choice.sample(names, EDITED)}
    for name in names:
        if word(name, editions[name]) in gone:
            editions[name] += 1
            write(docs, {name: text(name, editions[name])})
    for name in choice.sample(names, REMOVED):
        gone.add(word(name, editions[name]))
        editions[name] += 1
        if (docs / name).exists() and choice.random() < 0.5:
            (docs / name).unlink()
        else:
            write(docs, {name: text(name, editions[name])})
    return gone


def check_whole(index: Path) -> None:
    """SQLite and FTS5 find nothing wrong, and every chunk has its text and its document."""
    db = sqlite3.connect(index)
    try:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        db.execute("INSERT INTO fts(fts) VALUES('integrity-check')")
        db.rollback()
        lost = "SELECT count(*) FROM chunk c LEFT JOIN {} WHERE {} IS NULL"
        for table, key in (
            ("content t ON t.id = c.id", "t.id"),
            ("doc d ON d.id = c.doc_id", "d.id"),
        ):
            assert db.execute(lost.format(table, key)).fetchone() == (0,)
        (chunks,) = db.execute("SELECT count(*) FROM chunk").fetchone()
        assert db.execute("SELECT count(*) FROM content").fetchone() == (chunks,)
        assert db.execute("SELECT count(*) FROM fts").fetchone() == (chunks,)
    finally:
        db.close()


def check_found(library: Library, docs: Path, editions: dict[str, int], gone: set[str]) -> None:
    """Every document is found by its word, and nothing by a word that stands nowhere now."""
    there = {path.name for path in docs.iterdir()}
    assert {file.file_path for file in library.status().files} == there
    for name, edition in editions.items():
        found = {hit.file_path for hit in library.search(word(name, edition)).hits}
        assert found == ({name} & there)
    for ghost in gone:
        assert library.search(ghost).hits == ()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return write(tmp_path / "docs", {name: text(name, 0) for name in names()})


def names() -> list[str]:
    return [f"{number}.md" for number in range(FILES)]


@pytest.mark.slow
@pytest.mark.timeout(900)  # fifty processes, one after the other
def test_a_killed_process_leaves_a_usable_index(docs: Path, tmp_path: Path) -> None:
    choice = random.Random(SEED)
    editions = dict.fromkeys(names(), 0)
    whole = whole_sync(docs, tmp_path / "measured.db")
    longest = {True: whole, False: whole * EDITED / FILES}  # of a first index, and of edits
    killed = [0, 0]
    for number in range(KILLS):
        fresh = number % 2 == 0
        index = tmp_path / (f"index{number}.db" if fresh else f"index{number - 1}.db")
        gone = set() if fresh else edit(docs, editions, choice)
        process = indexing(docs, index)
        tell([process])
        pause = choice.uniform(0, longest[fresh])
        time.sleep(pause)
        process.kill()
        process.communicate()
        if process.returncode < 0:
            killed[fresh] += 1
        else:  # done before: it takes less than was thought, as on a machine that was busy then
            longest[fresh] = pause
        check_whole(index)
        library = Library([Root(docs)], index, search_seconds=PATIENCE)
        library.sync()
        check_found(library, docs, editions, gone)
        library.close()
        check_whole(index)
    assert min(killed) > KILLS // 4  # else they came too late to test anything


def whole_sync(docs: Path, index: Path) -> float:
    """How long an undisturbed first index takes, in seconds."""
    process = indexing(docs, index)
    began = time.monotonic()
    tell([process])
    said, _ = process.communicate()
    assert said.split() == [str(FILES), "0", "0"]
    return time.monotonic() - began


@pytest.mark.slow
def test_two_processes_that_sync_at_once_both_end_well(docs: Path, tmp_path: Path) -> None:
    index = tmp_path / "index.db"
    library = Library([Root(docs)], index, search_seconds=PATIENCE)
    library.sync()
    library.close()
    editions = dict.fromkeys(names(), 0)
    gone = edit(docs, editions, random.Random(SEED))
    both = [indexing(docs, index), indexing(docs, index)]
    tell(both)
    said = [process.communicate(timeout=PATIENCE) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    changed = sum(edition > 0 for edition in editions.values())
    done = [sum(map(int, out.split())) for out, _ in said]
    assert sum(done) == changed  # who came second found it done
    check_whole(index)
    library = Library([Root(docs)], index, search_seconds=PATIENCE)
    assert not library.sync().changed
    check_found(library, docs, editions, gone)
    library.close()
