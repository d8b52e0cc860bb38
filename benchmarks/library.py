"""First index, no-change comparison, one edited file, search: each against a named reference.

    python benchmarks/library.py FOLDER [FOLDER …] [--queries 60]

Everything is measured in one run on the same files, so that the ratios carry over to other
machines; the seconds do not. Prints a Markdown table. The index is made in a temporary folder.
"""

import argparse
import os
import random
import re
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from fanshu.library import chunks, parsers
from fanshu.library.files import walk
from fanshu.library.library import Library, Root
from fanshu.library.columns import index_columns

Row = tuple[str, str, str, str]


def clock(work: Callable[[], object], cpu: bool = True) -> float:
    """Seconds of a piece of work: CPU of this process and its children, or wall time."""

    def now() -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = time.process_time() + children.ru_utime + children.ru_stime
        return used if cpu else time.perf_counter()

    began = now()
    work()
    return now() - began


def parse_alone(roots: list[Root]) -> list[tuple[str, ...]]:
    """Every file parsed and cut, and the terms of its chunks: what no index can do without."""
    ready = []
    for file in walk(roots):
        if file.skip or Path(file.file_path).suffix.lower() not in parsers.SUPPORTED:
            continue
        document = parsers.parse(file.file_path, file.real.read_bytes())
        ready += [
            index_columns(file.file_path, document.title, piece.trail, piece.text)
            for piece in chunks.chunks(document, 800)
        ]
    return ready


def insert_ready(ready: list[tuple[str, ...]], folder: Path) -> None:
    """The reference: `executemany` of ready token strings into one FTS5 table."""
    with sqlite3.connect(folder / "plain.db") as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute(
            "CREATE VIRTUAL TABLE t USING fts5(name, head, body, ident, content='',"
            " tokenize='ascii')"
        )
        db.executemany("INSERT INTO t VALUES(?,?,?,?)", ready)


def first_index(roots: list[Root], folder: Path) -> tuple[Library, list[Row]]:
    ready: list[tuple[str, ...]] = []
    parsing = clock(lambda: ready.extend(parse_alone(roots)))
    inserting = clock(lambda: insert_ready(ready, folder))
    library = Library(roots, folder / "index" / "index.db")
    indexing = clock(library.sync)
    status = library.status()
    reference = parsing + inserting
    note = f"{len(status.files):,} files, {status.chunks:,} chunks"
    return library, [
        ("first index, CPU", f"{indexing:.1f} s ({note})", f"{reference:.1f} s: parse + executemany",
         f"{indexing / reference:.2f}"),
    ]  # fmt: skip


def comparison(library: Library, roots: list[Root]) -> list[Row]:
    def stat_all() -> None:
        for root in roots:
            for folder, _, names in os.walk(root.path):
                for name in names:
                    os.stat(os.path.join(folder, name))  # noqa: PTH116, PTH118 - the reference

    library.sync()
    ours = min(clock(library.sync) for _ in range(3))
    walked = min(clock(stat_all) for _ in range(3))
    return [
        ("nothing changed, CPU", f"{1000 * ours:.0f} ms",
         f"{1000 * walked:.0f} ms: os.walk + stat", f"{ours / walked:.2f}"),
    ]  # fmt: skip


def one_edit(library: Library, folder: Path) -> list[Row]:
    """Edits in a small file of the same library: what a change costs beside many others."""
    path = folder / "edited" / "note.md"
    times = []
    for n in range(20):
        path.write_text("# Note\n\n" + f"## Part\n\nText {n}.\n\n" * 8, encoding="utf-8")
        times.append(clock(lambda: library._refresh(["edited/note.md"]), cpu=False))
    return [
        ("one edited file of 8 sections", f"{1000 * statistics.median(times):.1f} ms wall", "", "")
    ]


def drawn(library: Library, count: int) -> list[str]:
    """Words that stand in the library, drawn with a fixed seed."""
    draw = random.Random(7)
    entries = draw.sample(library.outline(), min(count, 400))
    words = []
    for entry in entries:
        found = re.findall(r"[\u4e00-\u9fff]{2,4}|[A-Za-z][\w.-]{3,}", entry.beginning)
        words += draw.sample(found, min(len(found), 2))
    return words[:count]


def searching(library: Library, roots: list[Root], count: int) -> list[Row]:
    words = drawn(library, count)
    library.search(words[0])
    times = sorted(clock(lambda w=word: library.search(w), cpu=False) for word in words)
    p50, p95 = times[len(times) // 2], times[int(len(times) * 0.95)]
    rg = shutil.which("rg")
    if not rg:
        return [
            ("search, p50 / p95", f"{1000 * p50:.1f} / {1000 * p95:.1f} ms wall", "no ripgrep", "")
        ]
    command = [rg, "-l", "-i", "-F", "--no-ignore"]
    paths = [str(root.path) for root in roots]

    def grep(word: str) -> None:
        subprocess.run([*command, word, *paths], capture_output=True, check=False)

    grep(words[0])
    grepped = statistics.median(clock(lambda w=word: grep(w), cpu=False) for word in words[:15])
    ratio = f"1/{grepped / p50:.0f}, 1/{grepped / p95:.0f}"
    shown = f"{1000 * p50:.1f} / {1000 * p95:.1f} ms wall"
    return [("search, p50 / p95", shown, f"{1000 * grepped:.0f} ms: rg -l -i -F", ratio)]


def size(library: Library) -> list[Row]:
    with sqlite3.connect(library.index) as db:
        (text,) = db.execute("SELECT sum(length(CAST(text AS BLOB))) FROM content").fetchone()
        rows = db.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name").fetchall()
    without = sum(pages for name, pages in rows if name != "content")
    return [("index without the text", f"{without / 1e6:.0f} MB", f"{text / 1e6:.0f} MB of text",
             f"{without / text:.2f}")]  # fmt: skip


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folders", nargs="+", type=Path)
    arguments.add_argument("--queries", type=int, default=60)
    given = arguments.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="fanshu-benchmark-"))
    (folder / "edited").mkdir()
    (folder / "edited" / "note.md").write_text("# Note\n", encoding="utf-8")
    roots = [Root(path, path.name) for path in given.folders] + [Root(folder / "edited", "edited")]
    try:
        library, rows = first_index(roots, folder)
        rows += comparison(library, roots)
        rows += one_edit(library, folder)
        rows += searching(library, roots, given.queries)
        try:
            rows += size(library)
        except sqlite3.OperationalError as error:
            print(f"sizes by table cannot be had here: {error}", file=sys.stderr)
        library.close()
    finally:
        shutil.rmtree(folder)
    print("| what | fanshu | reference | ratio |\n| --- | --- | --- | --- |")
    for row in rows:
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
