"""Both stores at size: load rate, search latency by kind of query, many searches at once.

    python benchmarks/stores_scale.py --work PLACE --chunks 10000 100000 1000000
        [--store opensearch://127.0.0.1:9200/scale --shards 1 --replicas 0 --server-pids FILE]

Made documents (`synthetic.py`) go through the Store protocol into SQLite and, where `--store` names
one, into OpenSearch; at each size the same searches are put to both by turns. What is loaded stays
(in PLACE, and under the name in the engine): the next run goes on where this one ended, also one
that was interrupted. CPU seconds stand beside wall time: of this process, and of the
engine's processes, whose ids are in `--server-pids`. Results go to PLACE/results.jsonl, a table to
standard output.
"""

import argparse
import itertools
import json
import os
import random
import shutil
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from synthetic import AREAS, SEED, Collection, Made, area

from fanshu.library.replacing import newer_of
from fanshu.library.sqlite import SqliteStore
from fanshu.library.store import Store
from fanshu.library.syncing import BATCH_CHUNKS
from fanshu.library.view import View, search_in
from fanshu.types import SearchResult

EACH = 20  # queries of a kind
REPEATS = 3  # of each, by turns in both stores
KINDS = ("rare word", "common word", "Chinese run", "phrase", "question")
THREADS = (1, 4, 16)
AT_ONCE = 300  # searches for each number of threads
SEARCH_SECONDS = 2.0  # as the library gives a search
DRAWN_FROM = 700  # documents, which every size holds


@dataclass(frozen=True, slots=True)
class Asked:
    kind: str
    words: str
    path: str | None
    question: bool = False


@dataclass(slots=True)
class Side:
    """A store under test, its view, and the processes whose CPU it takes."""

    name: str
    store: Store
    pids: Sequence[int] = ()
    journeys: Callable[[], int] = lambda: 0
    view: View | None = None
    answers: dict[Asked, tuple[str, ...]] = field(default_factory=dict)

    def looked_at(self) -> View:
        if self.view is None:
            records = self.store.documents()
            newer = newer_of([one for one in records.values() if one.chunks])
            self.view = View(records, newer, sum(r.chunks for r in records.values()), True)
        return self.view

    def search(self, asked: Asked) -> SearchResult:
        """As the library searches, without the look at files that this library has none of."""
        view = self.looked_at()
        with self.store.snapshot(), self.store.within(SEARCH_SECONDS):
            return search_in(
                self.store, view, (), asked.words, 5, asked.path, question=asked.question
            )

    def cpu(self) -> tuple[float, float]:
        """Seconds of processor time: this process, the engine."""
        return time.process_time(), sum(map(seconds_of, self.pids))


def seconds_of(pid: int) -> float:
    """Processor time that a process has had; 0 where it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# ---------------------------------------------------------------- queries


def queries(collection: Collection) -> list[Asked]:
    """Drawn from the first documents, so that every size is asked the same."""
    draw = random.Random(SEED)
    made = list(islice(collection.documents(), DRAWN_FROM))
    common = [w for language in collection.languages for w in language.words[:60] if len(w) > 1]
    draws: dict[str, Callable[[], str]] = {
        "rare word": lambda: _rare(made, draw, collection),
        "common word": lambda: draw.choice(common),
        "Chinese run": lambda: _run(made, draw),
        "phrase": lambda: f'"{" ".join(_neighbours(made, draw, 3))}"',
        "question": lambda: _question(made, draw),
    }
    out = []
    for kind in KINDS:
        unique: dict[str, None] = {}
        while len(unique) < EACH:
            unique[draws[kind]()] = None
        out += [
            Asked(kind, words, path, kind == "question")
            for number, words in enumerate(unique)
            for path in (None, area(collection, number % AREAS))
        ]
    return out


def _text(made: Sequence[Made], draw: random.Random, language: str) -> str:
    """A text of the language, without its heading."""
    while True:
        one = draw.choice(made)
        if one.language == language:
            return draw.choice(one.pieces).text.partition("\n\n")[2].strip()


def _rare(made: Sequence[Made], draw: random.Random, collection: Collection) -> str:
    known = set(collection.languages[1].words[:3_000])
    while True:
        words = _text(made, draw, "en").replace(".", " ").split()
        rare = [one for one in words if one.isalpha() and one not in known]
        if rare:
            return draw.choice(rare)


def _run(made: Sequence[Made], draw: random.Random) -> str:
    while True:
        sentences = _text(made, draw, "zh").replace(" ", "。").split("。")
        fit = [one for one in sentences if len(one) >= 8 and not any(c.isascii() for c in one)]
        if fit:
            one = draw.choice(fit)
            size = draw.randint(4, 8)
            at = draw.randrange(len(one) - size + 1)
            return one[at : at + size]


def _neighbours(made: Sequence[Made], draw: random.Random, count: int) -> list[str]:
    while True:
        words = draw.choice(_text(made, draw, "en").split(". ")).split()
        if len(words) >= count:
            at = draw.randrange(len(words) - count + 1)
            return words[at : at + count]


def _question(made: Sequence[Made], draw: random.Random) -> str:
    if draw.random() < 0.5:
        parts = [_run(made, draw) for _ in range(2)]
        return f"{parts[0]}的{parts[1]}需要如何配置？"
    words = " ".join(_neighbours(made, draw, 5))
    return f"What should be set when {words} is used with {' '.join(_neighbours(made, draw, 2))}?"


# ---------------------------------------------------------------- loading


def load(side: Side, collection: Collection, chunks: int, note: Callable[..., None]) -> None:
    """Bring a store to so many chunks, in transactions as syncing makes them."""
    records = side.store.documents()
    held, first = sum(one.chunks for one in records.values()), len(records)
    if held >= chunks:
        return
    began, before = time.perf_counter(), side.cpu()
    loaded, written, making = 0, 0, 0.0
    source = collection.documents(first)
    while held + loaded < chunks:
        at = time.process_time()
        batch = list(_batch(source, chunks - held - loaded))
        making += time.process_time() - at
        with side.store.write() as writer:
            for one in batch:
                writer.put(one.record, one.pieces)
        loaded += sum(len(one.pieces) for one in batch)
        written += sum(one.record.size for one in batch)
        print(f"{side.name}: {held + loaded:,} chunks", file=sys.stderr, flush=True)
    side.view = None
    wall = time.perf_counter() - began - making
    own, server = (b - a for a, b in zip(before, side.cpu(), strict=True))
    note("load", side.name, chunks, held=held, loaded=loaded, bytes=written, wall=wall,
         cpu=own - making, server=server, disk=side.store.size()[1])  # fmt: skip


def _batch(source: Iterator[Made], at_most: int) -> Iterator[Made]:
    size = 0
    for one in source:
        yield one
        size += len(one.pieces)
        if size >= min(BATCH_CHUNKS, at_most):
            return


# ---------------------------------------------------------------- searching


def latency(sides: Sequence[Side], asked: Sequence[Asked], note: Callable[..., None]) -> None:
    """Each query in each store by turns, all warmed by one round that does not count."""
    wall: dict[tuple[str, str, bool], list[float]] = defaultdict(list)
    cpu: dict[tuple[str, str, bool], list[tuple[float, float]]] = defaultdict(list)
    late: dict[tuple[str, str, bool], int] = defaultdict(int)
    journeys: dict[tuple[str, str, bool], int] = defaultdict(int)
    chunks = sides[0].looked_at().chunks
    for repeat in range(REPEATS + 1):
        for one in asked:
            for side in sides:
                key = (side.name, one.kind, one.path is not None)
                before, made, began = side.cpu(), side.journeys(), time.perf_counter()
                found = side.search(one)
                took = time.perf_counter() - began
                used = tuple(b - a for a, b in zip(before, side.cpu(), strict=True))
                side.answers[one] = tuple(hit.chunk_id for hit in found.hits)
                if repeat:
                    wall[key].append(took)
                    cpu[key].append(used)
                    late[key] += not found.complete
                    journeys[key] += side.journeys() - made
    for (name, kind, scoped), times in wall.items():
        own, server = (sum(one[at] for one in cpu[name, kind, scoped]) for at in (0, 1))
        note("search", name, chunks, kind=kind, scoped=scoped, p50=p(times, 0.5),
             p95=p(times, 0.95), cpu=own / len(times), server=server / len(times),
             incomplete=late[name, kind, scoped] / len(times),
             journeys=journeys[name, kind, scoped] / len(times))  # fmt: skip
    if len(sides) > 1:
        same = [set(sides[0].answers[one]) == set(sides[1].answers[one]) for one in asked]
        note("same", sides[1].name, chunks, share=sum(same) / len(same), queries=len(same))


def at_once(side: Side, asked: Sequence[Asked], threads: int, note: Callable[..., None]) -> None:
    """Searches of all kinds from several threads."""
    draw = random.Random(threads)
    some = [draw.choice(asked) for _ in range(AT_ONCE)]

    def timed(one: Asked) -> float:
        began = time.perf_counter()
        side.search(one)
        return time.perf_counter() - began

    chunks = side.looked_at().chunks
    before, began = side.cpu(), time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        times = list(pool.map(timed, some))
    wall = time.perf_counter() - began
    own, server = (b - a for a, b in zip(before, side.cpu(), strict=True))
    note("threads", side.name, chunks, threads=threads, rate=len(some) / wall, p50=p(times, 0.5),
         p95=p(times, 0.95), cpu=own / len(some), server=server / len(some))  # fmt: skip


def p(times: Sequence[float], share: float) -> float:
    ordered = sorted(times)
    return statistics.median(ordered) if share == 0.5 else ordered[int(len(ordered) * share)]


# ---------------------------------------------------------------- output

Row = dict[str, Any]


def tables(rows: Sequence[Row]) -> None:
    """What was measured, as Markdown; ratios are of OpenSearch to SQLite in the same run."""
    latest: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        names = (row["what"], row["chunks"], row["side"])
        if row["what"] == "search":  # SQLite's of the same run stands before
            kind = (row.get("kind"), row.get("scoped"), row.get("threads"))
            row["beside"] = latest.get(("search", row["chunks"], "sqlite", *kind))
        latest[(*names, row.get("kind"), row.get("scoped"), row.get("threads"))] = row
    _table("Loading", ("chunks", "store", "chunks a second", "CPU s", "engine's CPU s", "disk MB"),
           [(f"{r['chunks']:,}", r["side"], f"{r['loaded'] / r['wall']:,.0f}", f"{r['cpu']:.1f}",
             f"{r['server']:.1f}", f"{r['disk'] / 1e6:,.0f}")
            for r in latest.values() if r["what"] == "load"])  # fmt: skip
    searches = [r for r in latest.values() if r["what"] == "search"]
    head = ("chunks", "store", "query", "scoped", "p50 ms", "p95 ms", "CPU ms", "engine's CPU ms",
            "journeys", "in time", "p50, p95 to SQLite")  # fmt: skip
    _table("Searching", head, [_search_row(r) for r in searches])
    head = ("chunks", "store", "threads", "searches a second", "p50 ms", "p95 ms", "CPU ms",
            "engine's CPU ms")  # fmt: skip
    _table("At once", head, [
        (f"{r['chunks']:,}", r["side"], r["threads"], f"{r['rate']:.0f}", ms(r["p50"]),
         ms(r["p95"]), ms(r["cpu"]), ms(r["server"]))
        for r in latest.values() if r["what"] == "threads"
    ])  # fmt: skip
    for row in latest.values():
        if row["what"] == "same":
            print(f"\n{row['chunks']:,} chunks, {row['side']}: the same five hits for"
                  f" {row['share']:.1%} of {row['queries']} queries")  # fmt: skip


def _search_row(row: Row) -> tuple[object, ...]:
    other = row["beside"]
    ratio = "" if other is None or row["side"] == "sqlite" else (
        f"{row['p50'] / other['p50']:.1f}, {row['p95'] / other['p95']:.1f}")  # fmt: skip
    return (f"{row['chunks']:,}", row["side"], row["kind"], "one area" if row["scoped"] else "",
            ms(row["p50"]), ms(row["p95"]), ms(row["cpu"]), ms(row["server"]),
            f"{row.get('journeys', 0):.1f}", f"{1 - row['incomplete']:.0%}", ratio)  # fmt: skip


def ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f}"


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    if rows:
        print(f"\n{title}\n\n| {' | '.join(head)} |\n|{' --- |' * len(head)}")
        for row in rows:
            print(f"| {' | '.join(map(str, row))} |")


def sqlite(work: Path, size: int) -> Side:
    """The index of a size: one file for each, the larger begun as a copy of the smaller."""
    path = work / f"index-{size}.db"
    smaller = [one for one in work.glob("index-*.db") if _size(one) < size]
    if not path.exists() and smaller:
        shutil.copy(max(smaller, key=_size), path.with_suffix(".part"))
        path.with_suffix(".part").rename(path)
    return Side("sqlite", SqliteStore(path))


def _size(index: Path) -> int:
    return int(index.stem.partition("-")[2])


def opensearch(arguments: argparse.Namespace) -> Side:
    """The library that an address names, made where there is none."""
    from fanshu.cluster.address import parse
    from fanshu.cluster.connection import Options, connect
    from fanshu.library.opensearch.store import OpenSearchStore

    address = parse(arguments.store)
    client = connect(address, Options(timeout=300.0))
    store = OpenSearchStore(
        client, address.name, shards=arguments.shards, replicas=arguments.replicas
    )
    pids = arguments.server_pids.read_text().split() if arguments.server_pids else []
    return Side(arguments.called, store, [int(pid) for pid in pids], counted(client.transport))


def counted(transport: Any) -> Callable[[], int]:
    """How many requests a client has made."""
    made, perform = itertools.count(1), transport.perform_request
    latest = [0]

    def request(*args: object, **named: object) -> object:
        latest[0] = next(made)
        return perform(*args, **named)

    transport.perform_request = request
    return lambda: latest[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--work", type=Path, required=True, help="where the index and results are")
    parser.add_argument("--chunks", type=int, nargs="+", default=[10_000])
    parser.add_argument("--store", help="opensearch://host:port/name")
    parser.add_argument("--called", default="opensearch", help="its name in the tables")
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--replicas", type=int, default=0)
    parser.add_argument("--server-pids", type=Path, help="a file with the engine's process ids")
    parser.add_argument("--no-sqlite", action="store_true")
    parser.add_argument("--only", nargs="+", choices=("load", "search", "threads", "table"),
                        default=("load", "search", "threads"))  # fmt: skip
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    results = arguments.work / "results.jsonl"

    def note(what: str, side: str, chunks: int, **figures: object) -> None:
        row = {"what": what, "side": side, "chunks": size, "held_chunks": chunks, **figures,
               "load_average": os.getloadavg()[0], "at": time.strftime("%H:%M")}  # fmt: skip
        with results.open("a") as out:
            out.write(json.dumps(row) + "\n")

    if "table" not in arguments.only:
        collection = Collection()
        asked = queries(collection)
        engine = [opensearch(arguments)] if arguments.store else []
        for size in arguments.chunks:
            own = [] if arguments.no_sqlite else [sqlite(arguments.work, size)]
            measure([*own, *engine], collection, asked, size, arguments.only, note)
            for side in own:
                side.store.close()
    tables([json.loads(line) for line in results.read_text().splitlines()])


def measure(
    sides: Sequence[Side],
    collection: Collection,
    asked: Sequence[Asked],
    size: int,
    only: Sequence[str],
    note: Callable[..., None],
) -> None:
    for side in sides if "load" in only else ():
        load(side, collection, size, note)
    if "search" in only:
        latency(sides, asked, note)
    for threads in THREADS if "threads" in only else ():
        for side in sides:
            at_once(side, asked, threads, note)


if __name__ == "__main__":
    main()
