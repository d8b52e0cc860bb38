"""① The library: documents made askable. This is the face that all other rooms know."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from stat import S_ISREG

from fanshu.cluster.sharing import Shared
from fanshu.errors import ChunkChanged, IndexBusy, UnknownChunk
from fanshu.library import freshness, outlining, replacing, scanning, syncing
from fanshu.library.chunks import text_hash
from fanshu.library.files import Found, Root, locate, walk
from fanshu.library.locations import Local, Location
from fanshu.library.naming import nearest, spelled, visible
from fanshu.library.overview import overview
from fanshu.library.parsers.own import own_parsers
from fanshu.library.parsers.scans import BY_OCR, Scans, pages_named
from fanshu.library.passages import carried
from fanshu.library.pictures import with_pictures
from fanshu.library.store import Store
from fanshu.library.syncing import Limits, OnProgress, Progress
from fanshu.library.synonyms import SynonymFiles
from fanshu.library.view import View, search_in
from fanshu.library.widening import OtherWords
from fanshu.types import (
    EVERYTHING,
    Chunk,
    FolderSummary,
    LibraryStatus,
    Outline,
    OutlineEntry,
    ScanReport,
    Scope,
    SearchResult,
    Suggestions,
    SyncReport,
)

__all__ = ["Library", "OnProgress", "Progress", "Root"]

LOCK_SECONDS = 30.0  # how long to wait for another process that is writing
BRIEFLY = 2.0  # … in the middle of a search, which can do without the files that changed
CARRIED_OVER = 60  # parts looked back for the header of a table; longer ones are data, not text

Find = Callable[[], Iterable[Found]]


class Library:
    """Search, read and turn pages over the documents of some folders or files, its `roots`.

    Synchronous and thread-safe. The folders are compared with the index on first use and by
    `sync`, which sees new files; changed and deleted ones are noticed whenever they are shown.
    `index` is the file of the index; it is made when missing and can be deleted at any time.
    `exclude` are patterns in git's ignore syntax. `part_chars` limits one chunk,
    `max_file_bytes` a file. `search_seconds`: a search that takes longer ends with what it has
    found. `synonyms` is a file of them; None: `.fanshu/synonyms.txt` in each folder. `scans`
    recognises pages that are pictures; None: the extra `ocr`, where it is installed. `parsers`:
    functions that read files, as `{".abc": "module:function"}`. `on_wait`: another process writes.
    `location`: where the library is when not in that file; beside `index` then lies only what this
    machine needs for reading its own roots, which may be none.
    """

    def __init__(
        self,
        roots: Sequence[Root | Path | str],
        index: Path | str,
        *,
        exclude: Sequence[str] = (),
        part_chars: int = 800,
        max_file_bytes: int = 50_000_000,
        synonyms: Path | None = None,
        scans: Scans | None = None,
        parsers: Mapping[str, str] | None = None,
        search_seconds: float = 2.0,
        on_wait: Callable[[], None] | None = None,
        location: Location | None = None,
    ) -> None:
        self.index = index = Path(index)
        self.roots = tuple(one if isinstance(one, Root) else Root(Path(one)) for one in roots)
        self.exclude = tuple(exclude)
        self.search_seconds = search_seconds
        scans = scans or scanning.installed(index.parent / scanning.FOLDER)
        self.limits = Limits(part_chars, max_file_bytes, scans, own_parsers(parsers or {}))
        self._location = location or Local(index, on_wait)
        self.registry = self._location.registry
        elsewhere = self._location.synonyms if self.registry else None
        self.synonyms = SynonymFiles(self.roots, synonyms, elsewhere)
        self.shared: Shared | None = None  # what its workers share, where its store is elsewhere
        self._views: dict[Scope, tuple[int, View]] = {}
        self._overviews: dict[Scope, tuple[int, tuple[FolderSummary, ...]]] = {}
        self._digests: dict[Scope, tuple[View, str]] = {}
        self._compared = False
        self._synced: str | None = None

    @property
    def store(self) -> Store:
        """Where the documents are. Raises: StoreError — a store of others, when it is opened."""
        return self._location.store()

    # ------------------------------------------------------------------ fresh

    def sync(self, on_progress: OnProgress | None = None) -> SyncReport:
        """Compare the folders with the index and bring the index up to date.

        Raises: FolderMissing, IndexUnwritable, IndexBusy, RootElsewhere, StoreError.
        """
        self._location.enter()
        self._compared = True
        report = self._sync(lambda: walk(self.roots, self.exclude), on_progress)
        self._location.compared(changed=report.changed)
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
            self._location.own(),
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
        lock = self._location
        with lock.held(LOCK_SECONDS) if only is None else lock.held(BRIEFLY, here=BRIEFLY):
            # Another process may have done the work while this one waited.
            return syncing.apply(self.store, self._plan(find, only), self.limits, on_progress)

    def _plan(self, find: Find, only: Collection[str] | None) -> syncing.Plan:
        if only is None:
            return syncing.compare(find(), self._location.own(), self.limits)
        return syncing.compare(find(), self.store.records(only), self.limits)

    def _refresh(self, paths: Iterable[str]) -> SyncReport:
        """Look at some files again, and bring the index up to date with them."""
        # A name that is no UTF-8 is shown with escapes and can only be found by a walk.
        mine = self._location.mine
        wanted = sorted({path for path in paths if "\\x" not in path and mine(path)})
        try:
            return self._sync(lambda: self._present(wanted), None, only=wanted)
        except IndexBusy:
            return SyncReport(behind=len(wanted))

    def _present(self, paths: Iterable[str]) -> Iterable[Found]:
        # Each look at a file is felt on a network drive: roots are resolved once, a file once.
        resolved: dict[Path, tuple[Path, bool]] = {}
        for path in paths:
            real = locate(self.roots, path, resolved)
            with suppress(OSError, ValueError):
                info = real.stat() if real else None
                if real and info and S_ISREG(info.st_mode):
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
        """The `k` chunks that match best.

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
        found = self._without_stale(result) if report.behind else result
        return freshness.dated(found, self.registry, scope)

    def _without_stale(self, result: SearchResult) -> SearchResult:
        """A result without the hits in files that the index, as it stands, has old text of."""
        paths = {hit.file_path for hit in result.hits if self._location.mine(hit.file_path)}
        plan = self._plan(lambda: self._present(paths), paths)
        stale = {file.file_path for file in plan.changed} | {gone.path for gone in plan.gone}
        hits = tuple(hit for hit in result.hits if hit.file_path not in stale)
        why = f"{'read-only' if self.store.read_only else 'being written'} and behind"
        warning = f"the index is {why}: {', '.join(map(visible, sorted(stale)))}"
        return replace(result, hits=hits, exhaustive=False, warnings=(*result.warnings, warning))

    def _search(
        self, words: str, k: int, path: str | None, scope: Scope, *, question: bool
    ) -> SearchResult:
        with self.store.snapshot():
            # Of many files the view takes as long as a search may, and is made once.
            view, synonyms = self.view(scope), self.synonyms.current()
            with self.store.within(self.search_seconds):
                return search_in(self.store, view, synonyms, words, k, path, question=question)

    def suggest(self, words: str, *, scope: Scope = EVERYTHING) -> Suggestions:
        """Up to five searches worth trying, made of words that occur; for words that find little.

        Ready to be searched for, the most promising first; none when nothing is like them.
        """
        from fanshu.library.suggesting import suggest  # seldom needed: start-up is felt

        with self.store.snapshot():
            view = self.view(scope)
            lexicon = view.lexicon(self.store)
            others = OtherWords(self.synonyms.current(), lexicon)
            with self.store.within(self.search_seconds):
                return suggest(view, lexicon, others, words)

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
        documents = self.view(scope).documents
        if path not in documents:
            path = spelled(documents, path.lstrip()) or path.lstrip()
        if not number.isdecimal() or len(number) > 9 or not path:
            raise UnknownChunk(chunk_id=chunk_id, detail="An id looks like path#3.")
        if path not in documents:
            raise UnknownChunk(chunk_id=chunk_id, detail=self._near(path, scope))
        return path, int(number)

    def _near(self, path: str, scope: Scope) -> str:
        view = self.view(scope)
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
        newer = self.view(scope).newer.get(chunk.file_path)
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
        """Every chunk below a path in order; with `words`, those whose own heading holds one,
        or the name, title or first line of a file.

        `path`: a file, a folder, the beginning of a name; `file#n` or a heading trail
        (`A > B`) for one section and what lies below it. `words`: `|` separates wordings.

        Raises: UnknownPath.
        """
        return outlining.entries(self.store, self.view(scope).documents, path, words)

    def contents(
        self,
        path: str | None = None,
        *,
        scope: Scope = EVERYTHING,
        words: str = "",
        at_most: int,
    ) -> Outline:
        """`outline` with its files; where several hold more than `at_most` chunks, files alone.

        Raises: UnknownPath.
        """
        documents = self.view(scope).documents
        return outlining.outline(self.store, documents, path, words, at_most)

    def folders(self, *, scope: Scope = EVERYTHING) -> tuple[FolderSummary, ...]:
        """The top-level folders and what they are about; kept until something changes."""
        generation = self.store.generation()
        kept = self._overviews.get(scope)
        if kept is None or kept[0] != generation:
            kept = self._overviews[scope] = generation, overview(self.titles(scope=scope))
        return kept[1]

    def titles(self, *, scope: Scope = EVERYTHING) -> tuple[tuple[str, str], ...]:
        """(file path, title) of every readable document, in order of path."""
        documents = self.view(scope).documents
        return tuple((path, record.title) for path, record in documents.items() if record.chunks)

    def status(self, *, scope: Scope = EVERYTHING) -> LibraryStatus:
        """Every file with its state, and totals."""
        view = self.view(scope)
        files = tuple(r.status(view.newer.get(path)) for path, r in view.documents.items())
        return LibraryStatus(
            roots=tuple(str(root.path) for root in self.roots),
            index=self._location.name,
            files=files,
            chunks=sum(file.chunks for file in files),
            characters=sum(record.characters for record in view.documents.values()),
            index_bytes=self.store.size()[1],
            synced=self._synced,
            as_of=freshness.as_of(self.registry, scope),
            shared=self.registry.status() if self.registry else (),
        )

    def digest(self, *, scope: Scope = EVERYTHING) -> str:
        """A short text that is the same only while every call in this scope gives the same.

        It tells of the index as it is; only `sync` sees changes of files.
        """
        view = self.view(scope)
        kept = self._digests.get(scope)
        if kept is None or kept[0] is not view:
            kept = self._digests[scope] = view, view.digest()
        return f"{kept[1]} {text_hash(repr(self.synonyms.current()))}"

    def ocr_pages(self, file_path: str, *, scope: Scope = EVERYTHING) -> frozenset[int]:
        """The pages of a file whose text comes from OCR, from 1."""
        record = self.view(scope).documents.get(file_path)
        return frozenset(pages_named(record.reason, BY_OCR)) if record else frozenset()

    def close(self) -> None:
        """Give back the connections."""
        self._location.close()

    def view(self, scope: Scope = EVERYTHING) -> View:
        """The documents that a scope may see, and newer versions of them, as the index has them."""
        self._first_use()
        generation = self.store.generation()
        if (kept := self._views.get(scope)) and kept[0] == generation:
            return kept[1]
        everything = self.store.documents()
        seen = {path: record for path, record in everything.items() if scope.allows(path)}
        newer = replacing.newer_of([record for record in seen.values() if record.chunks])
        view = View(seen, newer, sum(r.chunks for r in seen.values()), len(seen) == len(everything))
        self._views[scope] = generation, view
        return view
