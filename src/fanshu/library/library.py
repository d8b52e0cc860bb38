"""① The library: documents made askable. This is the face that all other rooms know."""

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from fanshu.errors import ChunkChanged, IndexBusy, UnknownChunk
from fanshu.library import replacing, scanning, syncing
from fanshu.library.files import Found, Root, locate, walk
from fanshu.library.naming import meant, nearest
from fanshu.library.parsers.scans import BY_OCR, Scans, pages_named
from fanshu.library.passages import carried
from fanshu.library.pictures import with_pictures
from fanshu.library.query import Lexicon, wordings
from fanshu.library.searching import search
from fanshu.library.sqlite import SqliteStore
from fanshu.library.store import DocIds, DocumentRecord, Store
from fanshu.library.syncing import Limits, OnProgress, Progress
from fanshu.library.terms import fold, pattern
from fanshu.types import (
    EVERYTHING,
    Chunk,
    FolderSummary,
    LibraryStatus,
    OutlineEntry,
    ScanReport,
    Scope,
    SearchResult,
    SyncReport,
)

__all__ = ["Library", "OnProgress", "Progress", "Root"]

LOCK_SECONDS = 30.0  # how long to wait for another process that is writing
BRIEFLY = 2.0  # … in the middle of a search, which can do without the files that changed
ABOUT_TITLES = 6
CARRIED_OVER = 60  # parts looked back for the header of a table; longer ones are data, not text

Find = Callable[[], Iterable[Found]]


@dataclass(frozen=True, slots=True)
class _View:
    """What the store held at one generation, as one scope may see it."""

    documents: Mapping[str, DocumentRecord]
    newer: Mapping[str, str]
    chunks: int
    everything: bool

    def ids(self, paths: Iterable[str]) -> DocIds:
        return frozenset(self.documents[path].id for path in paths)


class Library:
    """Search, read and turn pages over folders of documents.

    Synchronous and thread-safe. The folders are compared with the index on first use and by
    `sync`, which sees new files; changed and deleted ones are noticed whenever they are shown.
    `index` is the file of the index; it is made when missing and can be deleted at any time.
    `exclude` are patterns in git's ignore syntax. `part_chars` limits one chunk (see `chunks`),
    `max_file_bytes` a file. `scans` recognises pages that are pictures; None: with the extra
    `ocr`, where it is installed. `on_wait` hears when another process is writing the index and
    this one has to wait.
    """

    def __init__(
        self,
        roots: Sequence[Root | Path | str],
        index: Path | str,
        *,
        exclude: Sequence[str] = (),
        part_chars: int = 800,
        max_file_bytes: int = 50_000_000,
        scans: Scans | None = None,
        on_wait: Callable[[], None] | None = None,
    ) -> None:
        index = Path(index)
        self.roots = tuple(one if isinstance(one, Root) else Root(Path(one)) for one in roots)
        self.exclude = tuple(exclude)
        scans = scans or scanning.installed(index.parent / scanning.FOLDER)
        self.limits = Limits(part_chars, max_file_bytes, scans)
        self.store: Store = SqliteStore(index)
        self.index = index
        self._writing = threading.Lock()
        self._views: dict[Scope, tuple[int, _View]] = {}
        self._on_wait = on_wait
        self._compared = False
        self._synced: str | None = None

    # ------------------------------------------------------------------ fresh

    def sync(self, on_progress: OnProgress | None = None) -> SyncReport:
        """Compare the folders with the index and bring the index up to date.

        Raises: FolderMissing, IndexUnwritable, IndexBusy.
        """
        self._compared = True
        report = self._sync(lambda: walk(self.roots, self.exclude), on_progress)
        self._synced = datetime.now(UTC).isoformat(timespec="seconds")
        return report

    def _first_use(self) -> None:
        if not self._compared:
            self.sync()

    def read_scans(self, on_progress: OnProgress | None = None) -> ScanReport:
        """Recognise the scanned pages that wait for OCR since the last `sync`: seconds a page.

        Pages that are done stay done when this is interrupted, and `sync` takes them in.
        Progress counts pages. Raises: IndexUnwritable, IndexBusy.
        """
        if self.store.read_only:
            return ScanReport()
        return scanning.read_scans(
            self.store,
            self.limits.scans,
            find=lambda path: locate(self.roots, path),
            refresh=lambda path: self._refresh([path]),
            on_progress=on_progress,
        )

    def _sync(
        self, find: Find, on_progress: OnProgress | None, only: Collection[str] | None = None
    ) -> SyncReport:
        plan = self._plan(find, only)
        if plan.empty or self.store.read_only:
            return SyncReport(unchanged=plan.unchanged, behind=len(plan.changed) + len(plan.gone))
        with self._writing, self._lock(LOCK_SECONDS if only is None else BRIEFLY):
            # Another process may have done the work while this one waited.
            return syncing.apply(self.store, self._plan(find, only), self.limits, on_progress)

    @contextmanager
    def _lock(self, seconds: float) -> Iterator[None]:
        """The right to write, which dies with its process. Raises: IndexBusy."""
        from filelock import FileLock, Timeout  # only who writes needs it: start-up is felt

        lock = FileLock(f"{self.index}.lock")
        try:
            try:
                lock.acquire(timeout=0)
            except Timeout:
                if self._on_wait:
                    self._on_wait()
                lock.acquire(timeout=seconds)
        except Timeout as error:
            raise IndexBusy(path=str(self.index), seconds=seconds) from error
        try:
            yield
        finally:
            lock.release()

    def _plan(self, find: Find, only: Collection[str] | None) -> syncing.Plan:
        if only is None:
            return syncing.compare(find(), self.store.documents(), self.limits)
        return syncing.compare(find(), self.store.records(only), self.limits)

    def _refresh(self, paths: Iterable[str]) -> SyncReport:
        """Look at some files again, and bring the index up to date with them."""
        # A name that is no UTF-8 is shown with escapes and can only be found by a walk.
        wanted = sorted({path for path in paths if "\\x" not in path})
        try:
            return self._sync(lambda: self._present(wanted), None, only=wanted)
        except IndexBusy:
            return SyncReport(behind=len(wanted))

    def _present(self, paths: Iterable[str]) -> Iterable[Found]:
        for path in paths:
            real = locate(self.roots, path)
            if real is None or not real.is_file():
                continue
            info = real.stat()
            yield Found(path, real, info.st_size, info.st_mtime_ns)

    # -------------------------------------------------------------- searching

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
        self._first_use()
        result = self._search(words, k, path, scope, question=question)
        report = self._refresh(hit.file_path for hit in result.hits)
        if report.changed:
            result = self._search(words, k, path, scope, question=question)
        return self._without_stale(result) if report.behind else result

    def _without_stale(self, result: SearchResult) -> SearchResult:
        """A result without the hits in files that the index, as it stands, has old text of."""
        paths = {hit.file_path for hit in result.hits}
        plan = self._plan(lambda: self._present(paths), paths)
        stale = {file.file_path for file in plan.changed} | {record.path for record in plan.gone}
        hits = tuple(hit for hit in result.hits if hit.file_path not in stale)
        why = "read-only" if self.store.read_only else "being written"
        warning = f"the index is {why} and behind: {', '.join(sorted(stale))}"
        return replace(result, hits=hits, warnings=(*result.warnings, warning))

    def _search(
        self, words: str, k: int, path: str | None, scope: Scope, *, question: bool
    ) -> SearchResult:
        with self.store.snapshot():
            return self._search_in(self._view(scope), words, k, path, question=question)

    def _search_in(
        self, view: _View, words: str, k: int, path: str | None, *, question: bool
    ) -> SearchResult:
        def among(paths: Collection[str] | None, k: int) -> SearchResult:
            docs = None if paths is None else view.ids(paths)
            chunks = view.chunks if paths is None else _chunks(view, paths)
            lexicon = Lexicon(self.store, docs, chunks)
            return search(self.store, lexicon, words, k, question=question, outdated=view.newer)

        if not path:
            return among(None if view.everything else list(view.documents), k)
        inside = meant(view.documents, path)
        result = among(inside, k)
        elsewhere = among(view.documents.keys() - set(inside), 0)
        # Weaker matches elsewhere are no reason to look there.
        worth = elsewhere.level == result.level or result.level == "none"
        return replace(result, path=path, elsewhere=elsewhere.total if worth else 0)

    # ---------------------------------------------------------------- reading

    def read(self, chunk_id: str, *, scope: Scope = EVERYTHING, expect: str | None = None) -> Chunk:
        """One chunk, whole. `expect`: the hash of the text shown under this id before.

        Raises: UnknownChunk; ChunkChanged when the hash is another now.
        """
        path, number = self._place(chunk_id, scope)
        if self._refresh([path]).behind:
            detail = f"{path} has changed, and the index cannot follow just now."
            raise UnknownChunk(chunk_id=chunk_id, detail=detail)
        chunk = self.store.chunk(path, number)
        if expect is not None and (chunk is None or chunk.hash != expect):
            moved = self.store.chunk_by_hash(path, expect)
            raise ChunkChanged(chunk_id=chunk_id, now=moved.chunk_id if moved else None)
        if chunk is None:
            raise UnknownChunk(chunk_id=chunk_id, detail=self._near(path, scope))
        return self._dated(chunk, scope)

    def next(self, chunk_id: str, *, scope: Scope = EVERYTHING) -> Chunk | None:
        """The chunk after this one in its file, None at the end.

        Raises: UnknownChunk.
        """
        return self._beside(chunk_id, 1, scope)

    def prev(self, chunk_id: str, *, scope: Scope = EVERYTHING) -> Chunk | None:
        """The chunk before this one in its file, None at the beginning.

        Raises: UnknownChunk.
        """
        return self._beside(chunk_id, -1, scope)

    def _beside(self, chunk_id: str, step: int, scope: Scope) -> Chunk | None:
        here = self.read(chunk_id, scope=scope)
        chunk = self.store.chunk(here.file_path, here.number + step)
        return self._dated(chunk, scope) if chunk else None

    def _place(self, chunk_id: str, scope: Scope) -> tuple[str, int]:
        path, _, number = chunk_id.rstrip().rpartition("#")
        documents = self._view(scope).documents
        path = path if path in documents else path.lstrip()
        if not number.isdecimal() or len(number) > 9 or not path:
            raise UnknownChunk(chunk_id=chunk_id, detail="An id looks like path#3.")
        if path not in documents:
            raise UnknownChunk(chunk_id=chunk_id, detail=self._near(path, scope))
        return path, int(number)

    def _near(self, path: str, scope: Scope) -> str:
        view = self._view(scope)
        record = view.documents.get(path)
        if record:
            return (
                f"{path} has the chunks #1 to #{record.chunks}."
                if record.chunks
                else (f"{path} holds no text: {record.state}, {record.reason or 'empty'}.")
            )
        closest = nearest(view.documents, path)
        return f"Closest files: {closest}." if closest else "No such file."

    def _dated(self, chunk: Chunk, scope: Scope) -> Chunk:
        newer = self._view(scope).newer.get(chunk.file_path)
        carried = self._carried(chunk) if chunk.part[0] > 1 else ""
        whole = replace(chunk, newer_version=newer, carried=carried)
        return with_pictures(whole, self.roots)

    def _carried(self, chunk: Chunk) -> str:
        """What a part that begins inside a table or list must be read with."""
        first = chunk.number - chunk.part[0] + 1
        numbers = range(max(first, chunk.number - CARRIED_OVER), chunk.number)
        parts = [self.store.chunk(chunk.file_path, number) for number in numbers]
        return carried("".join(part.text for part in parts if part), chunk.text)

    # --------------------------------------------------------------- overview

    def outline(
        self, path: str | None = None, *, scope: Scope = EVERYTHING, words: str = ""
    ) -> tuple[OutlineEntry, ...]:
        """Every chunk below a path in order; with `words`, those whose own heading holds one.

        Raises: UnknownPath.
        """
        view = self._view(scope)
        paths = meant(view.documents, path) if path and path.strip("./ ") else list(view.documents)
        entries = self.store.outline(paths)
        looked_for = [
            p for part in wordings(words) for word in part.split() if (p := pattern(word))
        ]
        if looked_for:
            entries = [e for e in entries if any(p.search(_named(e)) for p in looked_for)]
        return tuple(entries)

    def folders(self, *, scope: Scope = EVERYTHING) -> tuple[FolderSummary, ...]:
        """The top-level folders (and files at the top) and what they are about."""
        groups: dict[str, list[str]] = {}
        for path, record in self._view(scope).documents.items():
            if record.chunks:
                top = path.split("/", 1)[0] + "/" if "/" in path else ""
                groups.setdefault(top, []).append(record.title or PurePosixPath(path).stem)
        return tuple(
            FolderSummary(top or ".", len(titles), tuple(_spread(titles, ABOUT_TITLES)))
            for top, titles in sorted(groups.items())
        )

    def titles(self, *, scope: Scope = EVERYTHING) -> tuple[tuple[str, str], ...]:
        """(file path, title) of every readable document, in order of path."""
        documents = self._view(scope).documents
        return tuple((path, record.title) for path, record in documents.items() if record.chunks)

    def status(self, *, scope: Scope = EVERYTHING) -> LibraryStatus:
        """Every file with its state, and totals."""
        view = self._view(scope)
        files = tuple(r.status(view.newer.get(path)) for path, r in view.documents.items())
        return LibraryStatus(
            roots=tuple(str(root.path) for root in self.roots),
            index=str(self.index),
            files=files,
            chunks=sum(file.chunks for file in files),
            characters=sum(record.characters for record in view.documents.values()),
            index_bytes=self.store.size()[1],
            synced=self._synced,
        )

    def ocr_pages(self, file_path: str, *, scope: Scope = EVERYTHING) -> frozenset[int]:
        """The pages of a file whose text comes from OCR, from 1."""
        record = self._view(scope).documents.get(file_path)
        return frozenset(pages_named(record.reason, BY_OCR)) if record else frozenset()

    def close(self) -> None:
        """Give back the connections."""
        self.store.close()

    def _view(self, scope: Scope) -> _View:
        self._first_use()
        generation = self.store.generation()
        kept = self._views.get(scope)
        if kept and kept[0] == generation:
            return kept[1]
        everything = self.store.documents()
        seen = {path: record for path, record in everything.items() if scope.allows(path)}
        newer = replacing.newer_of([record for record in seen.values() if record.chunks])
        view = _View(
            seen, newer, sum(r.chunks for r in seen.values()), len(seen) == len(everything)
        )
        self._views[scope] = generation, view
        return view


def _chunks(view: _View, paths: Iterable[str]) -> int:
    return sum(view.documents[path].chunks for path in paths)


def _named(entry: OutlineEntry) -> str:
    """What an outline entry is called: its own heading, and the file's name for its first."""
    name = f"{entry.file_path} " if entry.chunk_id.endswith("#1") else ""
    return fold(f"{name}{entry.section_path[-1] if entry.section_path else ''}")


def _spread(titles: Sequence[str], limit: int) -> list[str]:
    """A few titles from the whole of a list, so that it is not only its beginning that shows."""
    unique = list(dict.fromkeys(titles))
    step = max(len(unique) / limit, 1.0)
    return [unique[int(i * step)] for i in range(min(limit, len(unique)))]
