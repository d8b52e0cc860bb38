"""Search against its references: recall, known items, latency, what a person feels, the loop.

    python benchmarks/search.py FOLDER [FOLDER …] --chunks 10000 100000 --work PLACE
                                [--only recall known latency feel update build loop]

Sets of the wanted numbers of chunks are made from the folders (any folders of Markdown, text
or HTML; see `sets`) below PLACE, with their indexes, and are used again when they are there.
Queries are drawn from each set by a fixed seed. Prints Markdown tables.
"""

import argparse
import asyncio
import os
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from queries import Drawn, Known, Reader, drawn, known_items
from queries import rows as all_rows
from replicas import COPIES, replicate
from sets import make_set

from fanshu.agent.loop import LoopAgent
from fanshu.library.library import Library, Root
from fanshu.library.query import Lexicon, all_of, literals
from fanshu.library.sqlite import SqliteStore
from fanshu.library.sqlite_finding import expression_of
from fanshu.library.columns import index_columns
from fanshu.library.terms import phrase, terms
from fanshu.models.scripted import ScriptedModel
from library import clock, insert_ready, one_edit, parse_alone, size

TOP = 5
REPLICATED = 500_000  # chunks; sets of so many are made of copies
KNOWN = 60  # queries from headings, and as many from bodies
GREPPED = 25  # words that ripgrep looks for
FELT = 9
SERVER_SECONDS = 2.0  # a server compares the tree no more often
ROUNDS = 5


@dataclass(frozen=True)
class Set:
    """A document set with its index."""

    chunks: int
    folder: Path

    @property
    def docs(self) -> Path:
        return self.folder / "docs"

    @property
    def index(self) -> Path:
        return self.folder / "index.db"

    def library(self) -> Library:
        return Library(self.roots(), self.index)

    def roots(self) -> list[Root]:
        return [Root(self.docs, "docs"), Root(self.folder / "edited", "edited")]


def prepared(folders: Sequence[Path], chunks: int, work: Path) -> Set:
    one = Set(chunks, work / str(chunks))
    if not (one.folder / "edited").exists():
        if chunks >= REPLICATED:
            replicated(prepared(folders, chunks // COPIES, work), one)
        elif not one.docs.exists():
            make_set(folders, chunks, one.docs)
        (one.folder / "edited").mkdir(parents=True)
        (one.folder / "edited" / "note.md").write_text("# Note\n", encoding="utf-8")
    return one


def replicated(base: Set, one: Set) -> None:
    """A large set with its index, out of one a tenth as large."""
    library = base.library()
    library.sync()
    library.close()
    shutil.rmtree(one.folder, ignore_errors=True)  # of an attempt that was given up
    made = clock(lambda: replicate(base.docs, base.index, one.docs, one.index))
    print(f"{one.chunks:,} chunks made in {made:.0f} s of CPU")


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    print(f"\n{title}\n\n| {' | '.join(head)} |\n|{' --- |' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)


# ---------------------------------------------------------------- recall


def recall(one: Set, library: Library, queries: Drawn) -> None:
    """Every chunk that matches, against reading all of them."""
    store = store_of(library)
    reader = Reader(store)
    lexicon = Lexicon(store, None, one.chunks)
    rows = []
    for kind, words in queries.classes.items():
        found = [(query, matches(store, lexicon, query), reader.matches(query)) for query in words]
        true = sum(len(ours & truth) for _, ours, truth in found)
        loose = sum(len(reader.meant(query, ours - truth)) for query, ours, truth in found)
        wanted, got = (sum(len(pair[at]) for pair in found) for at in (2, 1))
        missed = [query for query, ours, truth in found if truth - ours]
        rows.append(
            (kind, len(words), wanted, f"{true / max(wanted, 1):.4f}", f"{true / max(got, 1):.3f}",
             f"{(true + loose) / max(got, 1):.3f}", ", ".join(missed[:3]))
        )  # fmt: skip
    table(
        f"Literal recall and precision, {one.chunks:,} chunks",
        (
            "class",
            "queries",
            "matches by reading",
            "recall",
            "as written",
            "precision",
            "missed in",
        ),
        rows,
    )


def matches(store: SqliteStore, lexicon: Lexicon, query: str) -> frozenset[int]:
    """All chunks that hold the words of a query, as search looks for them."""
    words = [lexicon.word(piece.text) for piece in literals(query)]
    asked = all_of([word for word in words if word])
    if asked is None:
        return frozenset()
    sql = "SELECT rowid FROM fts WHERE fts MATCH ?"
    return frozenset(row for (row,) in store._find(sql, (expression_of(asked),)))


def store_of(library: Library) -> SqliteStore:
    return cast("SqliteStore", library.store)


# ---------------------------------------------------------------- known items


def known(one: Set, library: Library) -> None:
    """Where the chunk stands that a query was made from: fanshu against plain FTS5."""
    store = store_of(library)
    items = known_items(store, KNOWN)
    with tempfile.TemporaryDirectory() as place:
        plain = Plain(store, Path(place))
        rows = []
        for kind, queries in items.items():
            for name, search in (("fanshu", ours(library, store)), ("plain", plain.search)):
                places = [place_of(search(item.query), item) for item in queries]
                rows.append((kind, name, len(places), *quality(places)))
                if name == "fanshu":
                    low = [
                        q.query for q, p in zip(queries, places, strict=True) if not 0 < p <= TOP
                    ]
                    print(f"\nnot in the first {TOP}, from {kind}: {' · '.join(low)}")
        table(f"Known items, {one.chunks:,} chunks", ("from", "by", "queries", "R@5", "MRR"), rows)


def ours(library: Library, store: SqliteStore) -> Callable[[str], list[int]]:
    def search(query: str) -> list[int]:
        found = [hit.chunk_id.rpartition("#") for hit in library.search(query, k=10).hits]
        sql = "SELECT c.id FROM chunk c JOIN doc d ON d.id = c.doc_id WHERE d.path=? AND c.number=?"
        return [store._find(sql, (path, int(number)))[0][0] for path, _, number in found]

    return search


class Plain:
    """FTS5 over the same terms with bm25(8, 5, 1): all words, else any."""

    def __init__(self, store: SqliteStore, place: Path) -> None:
        self._db = sqlite3.connect(place / "plain.db")
        self._db.execute(
            "CREATE VIRTUAL TABLE t USING fts5(name, head, body, content='', tokenize='ascii')"
        )
        made = (
            (row.id, *index_columns(row.path, "", row.trail, row.text)[:3])
            for row in all_rows(store)
        )
        self._db.executemany("INSERT INTO t(rowid, name, head, body) VALUES(?,?,?,?)", made)

    def search(self, query: str) -> list[int]:
        phrases = [found for word in query.split() if (found := phrase(word))]
        rows = self._rows(" AND ".join(map(expression_of, phrases)))
        return rows or self._rows(" OR ".join(f'"{term}"' for term in dict.fromkeys(terms(query))))

    def _rows(self, match: str) -> list[int]:
        sql = "SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t, 8.0, 5.0, 1.0) LIMIT 10"
        return [row for (row,) in self._db.execute(sql, (match,))]


def place_of(found: Sequence[int], item: Known) -> int:
    """The place of the first right chunk from 1, 0 when it is not there."""
    return next((n for n, row in enumerate(found, 1) if row in item.wanted), 0)


def quality(places: Sequence[int]) -> tuple[str, str]:
    in_top = sum(0 < place <= TOP for place in places) / max(len(places), 1)
    reciprocal = sum(1 / place for place in places if place) / max(len(places), 1)
    return f"{in_top:.2f}", f"{reciprocal:.3f}"


# ---------------------------------------------------------------- latency


def latency(one: Set, library: Library, queries: Drawn) -> None:
    """CPU of a search in process, the tree compared before, against a warm ripgrep."""
    words = queries.all()
    for word in words:
        library.search(word)
    rows = []
    times = {word: min(clock(lambda w=word: library.search(w)) for _ in range(2)) for word in words}
    asked = {w: clock(lambda w=w: library.search(w, question=True)) for w in words}
    wall, cpu = grepped(one, words)
    for name, measured in (("words", times), ("as a question", asked)):
        p50, p95, top = spread(list(measured.values()))
        rows.append(
            (name, ms(p50), ms(p95), ms(top), f"1/{wall / p50:.0f}, 1/{wall / p95:.1f}",
             f"1/{cpu / p50:.0f}, 1/{cpu / p95:.1f}")
        )  # fmt: skip
    table(
        f"Latency, {one.chunks:,} chunks; rg -l -i -F p50: {ms(wall)} wall, {ms(cpu)} CPU",
        ("search", "p50", "p95", "max", "p50, p95 to rg wall", "p50, p95 to rg CPU"),
        rows,
    )
    slow = sorted(times, key=times.__getitem__, reverse=True)[:8]
    print("\nslowest: " + " · ".join(f"{word} {ms(times[word])}" for word in slow))
    by_class = [
        (kind, ms(statistics.median(times[w] for w in some)), ms(max(times[w] for w in some)))
        for kind, some in queries.classes.items()
    ]
    table("", ("class", "p50", "max"), by_class)


def grepped(one: Set, words: Sequence[str]) -> tuple[float, float]:
    """The median of ripgrep over the same files, warm: (wall, CPU)."""
    rg = shutil.which("rg")
    if not rg:
        sys.exit("ripgrep (rg) is not installed")

    def grep(word: str) -> None:
        command = [rg or "", "-l", "-i", "-F", "--no-ignore", "-e", word, str(one.docs)]
        subprocess.run(command, capture_output=True, check=False)

    grep(words[0])
    some = words[:: max(len(words) // GREPPED, 1)]
    return (
        statistics.median(clock(lambda w=w: grep(w), cpu=False) for w in some),
        statistics.median(clock(lambda w=w: grep(w)) for w in some),
    )


def spread(times: Sequence[float]) -> tuple[float, float, float]:
    ordered = sorted(times)
    return ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)], ordered[-1]


def ms(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms"


# ---------------------------------------------------------------- what a person feels


def feel(one: Set, library: Library, queries: Drawn, delay: float) -> None:
    words = queries.all()[:: max(len(queries.all()) // FELT, 1)][:FELT]
    docs = [f"--docs={root.name}={root.path}" for root in one.roots()]
    command = [sys.executable, "-m", "fanshu", "search", *docs, f"--index={one.folder}", "--"]

    def run(word: str) -> None:
        subprocess.run([*command, word], capture_output=True, check=False)

    run(words[0])
    files = len(library.status().files)
    rows = [("`fanshu search` as a command", *felt(run, words))]
    server = Server(library)
    rows.append(("a long-lived library, tree compared every 2 s", *felt(server.search, words)))
    rows.append(("the same, nothing to compare", *felt(library.search, words)))
    with slow_stats(one.folder, delay):
        rows.append((f"the same, {ms(delay)} more for each stat", *felt(library.search, words)))
    table(
        f"What a person feels, {files:,} files", ("what", "wall p50", "wall max", "CPU p50"), rows
    )


class Server:
    """How a server stays fresh: the tree is compared by the first request after 2 s."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._compared = 0.0

    def search(self, words: str) -> None:
        if time.monotonic() - self._compared > SERVER_SECONDS:
            self._library.sync()
            self._compared = time.monotonic()
        self._library.search(words)


def felt(work: Callable[[str], object], words: Sequence[str]) -> tuple[str, str, str]:
    wall = [clock(lambda w=w: work(w), cpu=False) for w in words]
    cpu = [clock(lambda w=w: work(w)) for w in words]
    return ms(statistics.median(wall)), ms(max(wall)), ms(statistics.median(cpu))


@contextmanager
def slow_stats(below: Path, delay: float) -> Iterator[None]:
    """Each stat of a file below a folder takes longer, as on a network drive."""
    real = {name: getattr(os, name) for name in ("stat", "lstat")}

    def slowed(name: str) -> Callable[..., Any]:
        def call(path: Any, *args: Any, **given: Any) -> Any:
            if str(path).startswith(f"{below}{os.sep}"):
                time.sleep(delay)
            return real[name](path, *args, **given)

        return call

    for name in real:
        setattr(os, name, slowed(name))
    try:
        yield
    finally:
        for name, call in real.items():
            setattr(os, name, call)


# ---------------------------------------------------------------- index, update, loop


def build(one: Set) -> None:
    """A first index by the command, against parsing and inserting ready terms alone."""
    place = Path(tempfile.mkdtemp(prefix="fanshu-benchmark-", dir=one.folder))
    docs = [f"--docs={root.name}={root.path}" for root in one.roots()]
    command = [sys.executable, "-m", "fanshu", "index", *docs, f"--index={place}"]
    try:
        indexing = clock(lambda: subprocess.run(command, capture_output=True, check=True))
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        ready: list[tuple[str, ...]] = []
        parsing = clock(lambda: ready.extend(parse_alone(one.roots())))
        inserting = clock(lambda: insert_ready(ready, place))
    finally:
        shutil.rmtree(place)
    reference = parsing + inserting
    table(
        f"First index, {one.chunks:,} chunks",
        ("CPU", "parse + executemany", "ratio", "peak memory"),
        [(f"{indexing:.1f} s", f"{reference:.1f} s", f"{indexing / reference:.2f}",
          f"{peak:.0f} MB")],
    )  # fmt: skip


def update(one: Set, library: Library) -> None:
    rows = [*one_edit(library, one.folder), *size(library)]
    table(f"Update and size, {one.chunks:,} chunks", ("what", "fanshu", "reference", "ratio"), rows)


def loop(one: Set, library: Library, queries: Drawn) -> None:
    """CPU of a run whose model answers at once, for a round."""
    words = queries.classes["two characters"] + queries.classes["English words"]
    asked = [" ".join(words[at : at + 2]) for at in range(0, len(words) - 1, 2)][:20]
    places = [next((hit.chunk_id for hit in library.search(q).hits), "x#1") for q in asked]
    asyncio.run(_run(library, asked[0], places[0]))
    times = [
        clock(lambda q=q, place=place: asyncio.run(_run(library, q, place))) / ROUNDS
        for q, place in zip(asked, places, strict=True)
    ]
    p50, p95, top = spread(times)
    table(
        f"The loop without a model, CPU a round of {ROUNDS}, {one.chunks:,} chunks",
        ("p50", "p95", "max"),
        [(ms(p50), ms(p95), ms(top))],
    )


async def _run(library: Library, question: str, place: str) -> None:
    word = question.split()[0]
    script: list[Any] = [
        [("search", {"keyword": word})],
        [("search", {"keyword": question.split()[-1]}), ("read", {"chunk_id": place})],
        [("next_chunk", {"chunk_id": place})],
        [("summarize", {"summary": "nothing"})],
        [("answer", {"response": "", "citations": [], "found": False, "question_summary": "x"})],
    ]
    await LoopAgent(library, ScriptedModel(script), max_rounds=ROUNDS).ask(question)


PARTS = ("recall", "known", "latency", "feel", "update", "build", "loop")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folders", nargs="+", type=Path)
    arguments.add_argument("--chunks", nargs="+", type=int, default=[10_000])
    arguments.add_argument("--work", type=Path, required=True, help="where sets are kept")
    arguments.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    arguments.add_argument("--stat-delay", type=float, default=0.002, help="seconds")
    given = arguments.parse_args()
    folders = [folder.resolve() for folder in given.folders]
    for chunks in given.chunks:
        measure(prepared(folders, chunks, given.work.resolve()), given.only, given.stat_delay)


def measure(one: Set, only: Sequence[str], delay: float) -> None:
    library = one.library()
    library.sync()
    status = library.status()
    queries = drawn(store_of(library))
    what = f"{status.chunks:,} chunks of {len(status.files):,} files"
    print(f"\n## {what}, {len(queries.all())} queries")
    parts: dict[str, Callable[[], None]] = {
        "recall": lambda: recall(one, library, queries),
        "known": lambda: known(one, library),
        "latency": lambda: latency(one, library, queries),
        "feel": lambda: feel(one, library, queries, delay),
        "update": lambda: update(one, library),
        "build": lambda: build(one),
        "loop": lambda: loop(one, library, queries),
    }
    for name in only:
        parts[name]()
    library.close()


if __name__ == "__main__":
    main()
