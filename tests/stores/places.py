"""Places to keep a library in, each named by one text, so that another process can open it too."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fanshu.cluster.address import parse
from fanshu.library.chunks import Piece, text_hash
from fanshu.library.library import Library, Root
from fanshu.library.sqlite import SqliteStore
from fanshu.library.store import DocumentRecord, Query, Store
from fanshu.library.terms import phrase
from fanshu.remote import location
from fanshu.settings import Settings
from tests.library.conftest import write
from tests.waiting import PATIENCE

SQLITE = "sqlite:"
CAP = 100_000
MOST = 5_000  # candidates; nobody asks for more than hundreds


def open_store(address: str) -> Store:
    """The store at an address: `sqlite:PATH`, or that of a server."""
    if address.startswith(SQLITE):
        return SqliteStore(Path(address.removeprefix(SQLITE)))
    from fanshu.cluster.connection import connect
    from fanshu.library.opensearch.store import OpenSearchStore

    place = parse(address)
    return OpenSearchStore(connect(place), place.name)


def open_library(address: str, docs: Path, index: Path) -> Library:
    """A library over a folder, kept at an address; `index` is its file where it has one."""
    roots = [Root(docs)]
    kept = None if address.startswith(SQLITE) else location(Settings(store=address), roots)
    return Library(roots, index, search_seconds=PATIENCE, location=kept)


@dataclass(frozen=True, slots=True)
class Place:
    """Documents in a folder, and where their index is kept: new connections to it."""

    docs: Path
    address: str
    index: Path

    def store(self) -> Store:
        """The store, opened anew."""
        return open_store(self.address)

    def library(self, docs: Path | None = None) -> Library:
        """The library, opened anew; nothing is compared yet."""
        return open_library(self.address, docs or self.docs, self.index)

    def clear(self) -> None:
        """Take the library away from a server, with all its indices."""
        if self.address.startswith(SQLITE):
            return
        from fanshu.cluster.connection import connect

        place = parse(self.address)
        client = connect(place)
        for index in client.indices.get(index=f"{place.name}-*"):
            client.indices.delete(index=index)
        client.close()

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        """Write files, or delete those that are None."""
        write(self.docs, {name: text for name, text in files.items() if text is not None})
        for name, text in files.items():
            if text is None:
                (self.docs / name).unlink()


def put(store: Store, path: str, *texts: str) -> None:
    """Store a document of which each text is a chunk, in a transaction of its own."""
    with store.write() as writer:
        writer.put(*of_chunks(path, *texts))


def of_chunks(path: str, *texts: str) -> tuple[DocumentRecord, Sequence[Piece]]:
    """A document without headings of which each text is a chunk."""
    pieces = [piece(number, text) for number, text in enumerate(texts, 1)]
    return record_of(path, pieces), pieces


def piece(number: int, text: str, trail: tuple[str, ...] = ()) -> Piece:
    """A chunk at a place in a document, below some headings."""
    return Piece(number, trail, len(trail), text, 0, None, None, (1, 1), text_hash(text))


def record_of(path: str, pieces: Sequence[Piece], title: str = "") -> DocumentRecord:
    """What is known of a file that holds these chunks."""
    texts = [one.text for one in pieces]
    return DocumentRecord(
        path, sum(map(len, texts)), 1, text_hash("".join(texts)), "ok", "suite", title=title,
        chunks=len(pieces), characters=sum(map(len, texts)),
    )  # fmt: skip


def counted(store: Store, literal: str) -> int:
    """How many chunks a store finds for a literal."""
    found = phrase(literal)
    return store.count(found, None, CAP) if found else 0


def whole_text(store: Store, record: DocumentRecord) -> str:
    """The chunks of a document, joined; each of them must be there."""
    chunks = [store.chunk(record.path, number + 1) for number in range(record.chunks)]
    assert all(chunks), f"{record.path} has lost chunks"
    return "".join(chunk.text for chunk in chunks if chunk)


def check_whole(store: Store) -> None:
    """What a store says of its documents, of their chunks, and of what it finds is one thing."""
    documents = store.documents()
    entries = store.outline(list(documents))
    places = [(entry.file_path, int(entry.chunk_id.rpartition("#")[2])) for entry in entries]
    expected = [(path, n + 1) for path, record in documents.items() for n in range(record.chunks)]
    assert places == sorted(expected)
    assert store.size()[0] == len(expected)
    assert len({record.id for record in documents.values()}) == len(documents)


def found_in(store: Store, query: Query) -> set[str]:
    """The ids of all chunks that match a query."""
    candidates = store.candidates(query, None, MOST, CAP)
    return {chunk.chunk_id for chunk in store.chunks([one.row for one in candidates])}
