"""A library over three nodes, what is to be found in it, and people who ask it all the time."""

import random
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fanshu import app
from fanshu.errors import StoreRefused, StoreUnreachable
from fanshu.library.library import Library
from fanshu.settings import Settings
from fanshu.types import EVERYTHING, SearchResult
from tests.waiting import PATIENCE

DOCUMENTS = 50
SECTIONS = 40  # chunks of each
SECONDS = 2.0  # of a search, as it is set where nothing is said
STORED: dict[str, Any] = {"store_shards": 3, "store_replicas": 1}
WORDS = (
    "请求超时 连接失败 数据库 配置项 重试次数 集群 节点 索引 副本 网关 鉴权 令牌 日志 参数 缓存 "
    "timeout retry OpenSearch tidb_gc_life_time v5.4.0 10024 snapshot restore"
).split()
COMMON = ("请求超时", "tidb_gc_life_time", "retry 数据库", "snapshot|restore")

Placed = dict[str, str]  # id → hash of the text


@dataclass(frozen=True, slots=True)
class Shelf:
    """Documents in a folder, and the store that they go to."""

    docs: Path
    urls: Sequence[str]
    name: str

    @property
    def address(self) -> str:
        """The store as it is named in settings, with all of its nodes."""
        hosts = ",".join(url.rpartition("/")[2] for url in self.urls)
        return f"opensearch://{hosts}/{self.name}"

    def write(self, edition: int, documents: int = DOCUMENTS) -> None:
        """Give every document a new text, of as many chunks."""
        self.docs.mkdir(parents=True, exist_ok=True)
        draw = random.Random(edition)
        for number in range(documents):
            parts = [f"# Manual {number}\n"]
            for section in range(SECTIONS - 1):
                words = " ".join(draw.choices(WORDS, k=30))
                parts.append(f"\n## Part {section}\n\n{mark(number, section, edition)} {words}。\n")
            (self.docs / f"manual{number}.md").write_text("".join(parts), "utf-8")

    def library(self, *, writes: bool = False, **settings: Any) -> Library:
        """The library, opened anew; by somebody who only asks, or whose documents these are."""
        own = {"docs": (str(self.docs),)} if writes else {}
        options = {"search_seconds": SECONDS, **STORED, **settings}
        return app.open_library(Settings(store=self.address, **own, **options))

    def index(self, **settings: Any) -> None:
        """Bring the store up to date."""
        library = self.library(writes=True, **settings)
        try:
            library.sync()
        finally:
            library.close()

    def reference(self, folder: Path) -> tuple[Placed, Placed]:
        """The same documents in a file of SQLite: hashes of documents by path, of chunks by id."""
        settings = Settings(docs=(str(self.docs),), index=str(folder), store=None)
        library = app.open_library(settings)
        library.sync()
        try:
            return everything(library)
        finally:
            library.close()

    def check(self, folder: Path) -> None:
        """Nothing is lost: every document and every chunk, as the files have them."""
        documents, chunks = self.reference(folder)
        library = self.library(search_seconds=PATIENCE)
        try:
            found = everything(library)
            assert found[0] == documents
            assert found[1] == chunks
            for number in range(0, len(documents), 10):  # and what they hold is found
                edition = _edition(self.docs / f"manual{number}.md")
                result = library.search(mark(number, 7, edition))
                assert [hit.chunk_id for hit in result.hits] == [f"manual{number}.md#9"]
        finally:
            library.close()


def mark(number: int, section: int, edition: int) -> str:
    """A word that stands in one section of one edition."""
    return f"d{number}s{section}e{edition}x"


def _edition(path: Path) -> int:
    return int(path.read_text("utf-8").partition("s0e")[2].partition("x")[0])


def everything(library: Library) -> tuple[Placed, Placed]:
    """Hashes of all documents by path, and of all chunks by id, each read from the store."""
    documents = library.view(EVERYTHING).documents
    chunks = {}
    with library.store.snapshot():
        for path, record in documents.items():
            for number in range(1, record.chunks + 1):
                chunk = library.store.chunk(path, number)
                assert chunk, f"{path}#{number} is lost"
                chunks[chunk.chunk_id] = chunk.hash
    return {path: record.hash for path, record in documents.items()}, chunks


def said(result: SearchResult) -> tuple[object, ...]:
    """What a search says that was not cut short."""
    hits = tuple((hit.chunk_id, hit.snippet) for hit in result.hits)
    return result.level, result.total, result.files, hits, result.missing, result.exhaustive


@dataclass(slots=True)
class Asked:
    """What those who asked were given, with the seconds since they began and that it took."""

    right: list[tuple[float, float]] = field(default_factory=list)
    partial: list[tuple[float, float]] = field(default_factory=list)
    errors: list[tuple[float, float, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def longest(self) -> float:
        """Seconds of the slowest answer, of whatever kind."""
        every = [one[1] for one in (*self.right, *self.partial, *self.errors)]
        return max(every, default=0.0)

    @property
    def disturbed(self) -> float:
        """Seconds from the first to the last that was not right."""
        bad = [(at - took, at) for at, took, *_ in (*self.partial, *self.errors)]
        return max(end for _, end in bad) - min(begin for begin, _ in bad) if bad else 0.0

    def __str__(self) -> str:
        texts = sorted({text for *_, text in self.errors})
        return (
            f"{len(self.right)} right, {len(self.partial)} said to be partial, "
            f"{len(self.errors)} errors over {self.disturbed:.1f} s; longest {self.longest:.1f} s"
            + "".join(f"\n    {text}" for text in texts)
        )


@contextmanager
def asking(shelf: Shelf, edition: int, threads: int = 2, **settings: Any) -> Iterator[Asked]:
    """Searches and reads go on in threads, over one worker; each answer is compared with that of
    before. What is written meanwhile must not change what is asked for.
    """
    queries = [*COMMON, *(mark(number, 3, edition) for number in range(0, DOCUMENTS, 7)), "absent"]
    library = shelf.library(search_seconds=PATIENCE)  # the machine may be busy
    expected = {words: said(library.search(words)) for words in queries}
    reads = {chunk: library.read(chunk).text for chunk in _ids()}
    library.close()
    library = shelf.library(**settings)
    asked, ended, began = Asked(), threading.Event(), time.monotonic()

    def work(seed: int) -> None:
        draw = random.Random(seed)
        while not ended.is_set():
            start = time.monotonic()
            try:
                words = draw.choice(queries)
                result = library.search(words)
                whole = result.complete
                if whole and said(result) != expected[words]:
                    asked.wrong.append(f"{words}: {said(result)} != {expected[words]}")
                if not whole and not result.warnings:
                    asked.wrong.append(f"{words}: partial, and no warning")
                chunk = draw.choice(_ids())
                if library.read(chunk).text != reads[chunk]:
                    asked.wrong.append(f"{chunk}: another text")
            except (StoreUnreachable, StoreRefused) as error:
                now = time.monotonic()
                asked.errors.append((now - began, now - start, str(error)))
            except Exception as error:  # noqa: BLE001 - what else comes is no clear error
                asked.wrong.append(repr(error))
            else:
                now = time.monotonic()
                (asked.right if whole else asked.partial).append((now - began, now - start))

    pool = [threading.Thread(target=work, args=(one,)) for one in range(threads)]
    for thread in pool:
        thread.start()
    try:
        yield asked
    finally:
        ended.set()
        for thread in pool:
            thread.join()
        library.close()


def _ids() -> list[str]:
    return [f"manual{number}.md#{9 + number % 20}" for number in range(0, DOCUMENTS, 9)]
