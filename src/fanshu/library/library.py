"""① The library: documents made askable. This is the face that all other rooms know."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fanshu.types import (
    EVERYTHING,
    Chunk,
    FolderSummary,
    LibraryStatus,
    OutlineEntry,
    Scope,
    SearchResult,
    SyncReport,
)


@dataclass(frozen=True, slots=True)
class Root:
    """A folder or a single file to read; `name` comes first in the paths of its documents."""

    path: Path
    name: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """Files done and to do while syncing."""

    done: int
    total: int
    file_path: str


OnProgress = Callable[[Progress], None]


class Library:
    """Search, read and turn pages over folders of documents, always as the files are now.

    Synchronous and thread-safe.
    """

    def __init__(
        self,
        roots: Sequence[Root],
        index: Path,
        *,
        exclude: Sequence[str] = (),
        part_chars: int = 800,
        max_file_bytes: int = 50_000_000,
    ) -> None: ...

    def sync(self, on_progress: OnProgress | None = None) -> SyncReport:
        """Compare the folders with the index and bring the index up to date.

        Raises: FolderMissing, IndexUnwritable, IndexBusy.
        """
        raise NotImplementedError

    def search(
        self,
        words: str,
        *,
        k: int = 5,
        path: str | None = None,
        scope: Scope = EVERYTHING,
        question: bool = False,
    ) -> SearchResult:
        """The chunks that match best.

        `words`: literal text; white space separates words, `|` separates wordings.
        `question`: rank by how many weighty words match, without asking for all of them.
        `path`: a file, a folder, or the beginning of a name.

        Raises: UnknownPath — nothing in the scope matches `path`.
        """
        raise NotImplementedError

    def read(self, chunk_id: str, *, scope: Scope = EVERYTHING, expect: str | None = None) -> Chunk:
        """One chunk, whole. `expect`: the hash of the text shown under this id before.

        Raises: UnknownChunk; ChunkChanged when the hash is another now.
        """
        raise NotImplementedError

    def next(self, chunk_id: str, *, scope: Scope = EVERYTHING) -> Chunk | None:
        """The chunk after this one in its file, None at the end."""
        raise NotImplementedError

    def prev(self, chunk_id: str, *, scope: Scope = EVERYTHING) -> Chunk | None:
        """The chunk before this one in its file, None at the beginning."""
        raise NotImplementedError

    def outline(
        self, path: str | None = None, *, scope: Scope = EVERYTHING, words: str = ""
    ) -> tuple[OutlineEntry, ...]:
        """Every chunk below a path in order; with `words`, those whose headings hold one.

        Raises: UnknownPath.
        """
        raise NotImplementedError

    def folders(self, *, scope: Scope = EVERYTHING) -> tuple[FolderSummary, ...]:
        """The top-level folders and what they are about: the directory summary's data."""
        raise NotImplementedError

    def titles(self, *, scope: Scope = EVERYTHING) -> tuple[tuple[str, str], ...]:
        """(file path, title) of every readable document, in order of path."""
        raise NotImplementedError

    def status(self, *, scope: Scope = EVERYTHING) -> LibraryStatus:
        """Every file with its state, and totals."""
        raise NotImplementedError

    def close(self) -> None:
        """Give back the connections."""
        raise NotImplementedError
