"""Both stores over the same documents: the same first hits? how fast loaded, how fast searched?

    scripts/opensearch start --port 9200
    .venv/bin/python benchmarks/stores.py http://127.0.0.1:9200 EVAL [--keep FOLDER]

EVAL is the folder of the evaluation set (`corpora/`, `dev.jsonl`). Documents are parsed once; both
stores are loaded with the same pieces, and asked the same queries in turn: 215 drawn from the
documents (`queries.py`), headings and words of bodies, and whole questions. `--keep`: where the
index of SQLite is kept for another run; `--library`: the name of the other, which is then kept too,
and not loaded again when it is there.
"""

import argparse
import json
import random
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from secrets import token_hex

import queries

from fanshu import Library, Root
from fanshu.cluster.address import parse
from fanshu.cluster.connection import connect
from fanshu.library.aliases import Alias
from fanshu.library.chunks import Piece
from fanshu.library.locations import Local
from fanshu.library.opensearch.store import OpenSearchStore
from fanshu.library.sqlite import SqliteStore
from fanshu.library.store import DocumentRecord, Store
from fanshu.library.view import search_in
from fanshu.types import SearchResult

BATCH = 4_000  # chunks of one transaction, as when a folder is read
SCOPED = 30  # queries that are also asked in one folder
Loaded = tuple[DocumentRecord, list[Piece], list[Alias]]


def documents(store: SqliteStore) -> Iterator[Loaded]:
    """Every document of a store with its chunks and aliases, in the order in which it was read."""
    records = sorted(store.documents().values(), key=lambda record: record.id)
    for record in records:
        pieces = []
        for number in range(1, record.chunks + 1):
            chunk = store.chunk(record.path, number)
            assert chunk is not None
            trail, images = chunk.section_path, chunk.images
            pieces.append(
                Piece(
                    number, trail, chunk.level, chunk.text, chunk.start, chunk.lines, chunk.page,
                    chunk.part, chunk.hash, images,
                )
            )  # fmt: skip
        sql = "SELECT name, other FROM alias WHERE doc_id=?"
        yield record, pieces, [Alias(*pair) for pair in store._find(sql, (record.id,))]


def load(store: Store, every: Sequence[Loaded]) -> tuple[float, float]:
    """Wall and CPU seconds of writing all documents."""
    begin, cpu = time.perf_counter(), time.process_time()
    batch: list[Loaded] = []
    size = 0
    for one in (*every, None):
        if one is None or size > BATCH:
            with store.write() as writer:
                for record, pieces, aliases in batch:
                    writer.put(record, pieces, aliases)
            batch, size = [], 0
        if one is not None:
            batch.append(one)
            size += len(one[1])
    return time.perf_counter() - begin, time.process_time() - cpu


def asked(library: Library, evaluation: Path) -> dict[str, list[tuple[str, bool]]]:
    """Queries by class, each with whether it is a whole question."""
    assert isinstance(library.store, SqliteStore)
    drawn = queries.drawn(library.store)
    every = {name: [(one, False) for one in some] for name, some in drawn.classes.items()}
    for name, items in queries.known_items(library.store, 30).items():
        every[name] = [(item.query, False) for item in items]
    for name in ("dev", "hard-dev"):
        lines = (evaluation / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        told = [json.loads(line)["question"] for line in lines]
        every[f"{name} questions"] = [(question, True) for question in told]
    return every


def search(library: Library, words: str, path: str | None, question: bool) -> SearchResult:
    """A search in the index as it stands, for as long as it takes."""
    store = library.store
    with store.snapshot():
        view = library.view()
        with store.within(60.0):
            return search_in(store, view, (), words, 5, path, question=question)


def compare(one: SearchResult, other: SearchResult) -> str:
    """What differs between two results, "" if nothing that counts."""
    first, second = ([hit.chunk_id for hit in result.hits] for result in (one, other))
    if set(first) != set(second):
        return f"other hits: {sorted(set(first) ^ set(second))}"
    if first != second:
        return "another order"
    if (one.level, one.total, one.files) != (other.level, other.total, other.files):
        return f"other totals: {one.level} {one.total} {other.level} {other.total}"
    pairs = zip(one.hits, other.hits, strict=True)
    return "other scores" if any(abs(a.score - b.score) > 1e-4 for a, b in pairs) else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("evaluation", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--library")
    given = parser.parse_args()
    place = given.keep or Path(tempfile.mkdtemp())
    name = given.library or f"bench-{token_hex(4)}"
    client = connect(parse(f"opensearch://{given.url.partition('://')[2]}/{name}"))
    corpora = sorted((given.evaluation / "corpora").iterdir())
    roots = [Root(corpus, corpus.name) for corpus in corpora]
    here = Library(roots, place / "index.db")
    if not here.store.documents():
        here.sync()
    assert isinstance(here.store, SqliteStore)
    index = place / "elsewhere.db"  # never made
    there = Library(roots, index, location=Local(index, None, OpenSearchStore(client, name)))
    here._compared = there._compared = True
    try:
        if not there.store.documents():
            every = list(documents(here.store))
            chunks = sum(len(pieces) for _, pieces, _ in every)
            print(f"{len(every)} documents, {chunks:,} chunks")
            with tempfile.TemporaryDirectory() as folder:
                again = SqliteStore(Path(folder) / "index.db")
                for label, store in (("SQLite", again), ("OpenSearch", there.store)):
                    wall, cpu = load(store, every)
                    told = f"{chunks / wall:,.0f} chunks/s ({cpu:.0f} s of CPU here)"
                    print(f"{label}: {told}, {store.size()[1] / 1e6:.0f} MB")
        run(here, there, asked(here, given.evaluation))
    finally:
        if not given.library:
            client.indices.delete(index=f"{name}-*")


def run(here: Library, there: Library, every: dict[str, list[tuple[str, bool]]]) -> None:
    draw = random.Random(1)
    flat = [(kind, words, None, q) for kind, some in every.items() for words, q in some]
    folders = sorted({path.partition("/")[0] for path in here.view().documents})
    scoped = draw.sample(flat, SCOPED)
    flat += [("in a folder", words, draw.choice(folders), q) for _, words, _, q in scoped]
    seconds: dict[str, dict[str, list[float]]] = {}
    told: Counter[str] = Counter()
    for kind, words, path, question in flat:
        results = []
        for label, library in (("SQLite", here), ("OpenSearch", there)):
            begin = time.perf_counter()
            results.append(search(library, words, path, question))
            took = time.perf_counter() - begin
            seconds.setdefault(kind, {}).setdefault(label, []).append(took)
        differs = compare(*results)
        told[differs.partition(":")[0] or "the same"] += 1
        if differs:
            print(f"  {kind}: {words!r} {path or ''}: {differs}")
    for kind, by_store in seconds.items():
        line = "  ".join(
            f"{label} p50 {statistics.median(some) * 1e3:.1f} p95 {_p95(some) * 1e3:.1f} ms"
            for label, some in by_store.items()
        )
        print(f"{kind} ({len(by_store['SQLite'])}): {line}")
    together = [
        [took for by in seconds.values() for took in by[label]]
        for label in ("SQLite", "OpenSearch")
    ]
    for label, some in zip(("SQLite", "OpenSearch"), together, strict=True):
        print(f"{label}: p50 {statistics.median(some) * 1e3:.1f} p95 {_p95(some) * 1e3:.1f} ms")
    same = sum(told[kind] for kind in told if kind != "other hits")
    print(f"{len(flat)} queries, the same five hits: {same / len(flat):.1%}; {dict(told)}")


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[int(0.95 * (len(values) - 1))]


if __name__ == "__main__":
    main()
