"""Verbs that need no model: search, read, outline, index, status."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from time import sleep
from typing import Annotated

import typer

from fanshu.cli import show
from fanshu.cli.dashes import readable
from fanshu.cli.helping import Verb
from fanshu.cli.messages import Texts
from fanshu.cli.options import LIBRARY, MODEL, Call, with_settings
from fanshu.cli.paths import document_path
from fanshu.cli.screen import line
from fanshu.errors import FanshuError, IndexBusy, StoreUnreachable
from fanshu.library.library import Library, OnProgress, Progress
from fanshu.types import (
    FileState,
    FileStatus,
    LibraryStatus,
    Outline,
    ScanReport,
    SyncReport,
    plain,
)

BEAT_SECONDS = 10.0  # between two signs to other machines, or attempts at a store that is away
NOT_FOUND = 1
CUT_SHORT = 2  # what was not searched to the end may be there
MANY = 500  # files that nobody asked for by name; reading them takes a while
MAX_K = 1_000  # all places of a word in a file; more hits than that are no list to read
READABLE: frozenset[FileState] = frozenset({"ok", "skipped"})


def add(app: typer.Typer, texts: Texts) -> None:
    """Put these verbs on the program."""
    zh = texts.language == "zh"
    words, word = ("超时 重试", "超时") if zh else ("timeout retry", "timeout")
    misspelt = "统记表" if zh else "timeuot"
    common = with_settings(*LIBRARY, *MODEL, hidden=MODEL, texts=texts)

    @app.command(cls=Verb, help=_help(texts, "search", f'fanshu search "{words}" --docs ./manuals'))
    @common
    def search(
        call: Call,
        words: Annotated[list[str], typer.Argument(metavar="WORDS", help=texts("help.words"))],
        k: Annotated[
            int, typer.Option("-k", min=1, max=MAX_K, metavar="N", help=texts("help.k"))
        ] = 5,
        path: Annotated[str | None, typer.Option(metavar="PATH", help=texts("help.path"))] = None,
    ) -> int:
        return _search(call, readable(" ".join(words)), k, path)

    @app.command(cls=Verb, help=_help(texts, "read", "fanshu read manual.md#4 --next"))
    @common
    def read(
        call: Call,
        chunk_id: Annotated[str, typer.Argument(metavar="CHUNK_ID", help=texts("help.chunk_id"))],
        go_next: Annotated[bool, typer.Option("--next", help=texts("help.next"))] = False,
        go_prev: Annotated[bool, typer.Option("--prev", help=texts("help.prev"))] = False,
    ) -> int:
        if go_next and go_prev:
            raise typer.BadParameter("--next and --prev exclude each other.")
        return _read(call, chunk_id, go_next - go_prev)

    @app.command(cls=Verb, help=_help(texts, "outline", f"fanshu outline manual.md --words {word}"))
    @common
    def outline(
        call: Call,
        path: Annotated[
            str | None, typer.Argument(metavar="[PATH]", help=texts("help.outline_path"))
        ] = None,
        words: Annotated[str, typer.Option(metavar="WORDS", help=texts("help.outline_words"))] = "",
    ) -> int:
        return _outline(call, path, readable(words))

    @app.command(cls=Verb, help=_help(texts, "index", "fanshu index --docs ./manuals"))
    @common
    def index(
        call: Call,
        strict: Annotated[bool, typer.Option("--strict", help=texts("help.strict"))] = False,
        watch: Annotated[bool, typer.Option("--watch", help=texts("help.watch"))] = False,
    ) -> int:
        if watch and call.json:
            raise typer.BadParameter("--watch goes on and --json is one document.")
        return _index(call, strict, watch)

    @app.command(
        cls=Verb,
        help=_help(texts, "suggest", f'fanshu suggest "{misspelt}"'),
        rich_help_panel=texts("help.more"),
    )
    @common
    def suggest(
        call: Call,
        words: Annotated[
            list[str], typer.Argument(metavar="WORDS", help=texts("help.suggest_words"))
        ],
    ) -> int:
        return _suggest(call, readable(" ".join(words)))

    @app.command(
        cls=Verb,
        help=_help(texts, "status", "fanshu status --failed"),
        rich_help_panel=texts("help.more"),
    )
    @common
    def status(
        call: Call,
        failed: Annotated[bool, typer.Option("--failed", help=texts("help.failed"))] = False,
        strict: Annotated[bool, typer.Option("--strict", help=texts("help.strict"))] = False,
    ) -> int:
        return _status(call, failed, strict)


def _help(texts: Texts, verb: str, example: str) -> str:
    return f"{texts(f'help.{verb}')}\n\n{texts('help.example', example=example)}"


@contextmanager
def opened(call: Call) -> Iterator[tuple[Library, SyncReport]]:
    """The library, up to date, with progress shown while it is made so."""
    from fanshu import app

    with closing(app.open_library(call.settings, waiting(call))) as library:
        tell_renewed(call, library)
        with reading(call) as on_progress:
            report = app.up_to_date(library, on_progress)
        if report.busy:
            call.screen.warn("index.busy")
        for fault in library.synonyms.warnings:
            call.screen.warn("synonyms.fault", detail=call.screen.texts.detail(fault))
        yield library, report


def tell_renewed(call: Call, library: Library) -> None:
    """Say why everything is read again: the index was of an earlier version."""
    if library.store.renewed:
        call.screen.warn("index.renewed", format=library.store.renewed)


def waiting(call: Call) -> Callable[[], None]:
    """Say that another process is writing the index."""
    return lambda: call.screen.warn("index.waiting")


@contextmanager
def reading(call: Call) -> Iterator[OnProgress | None]:
    """What to tell while files are read.

    When nobody named a folder and many files are about to be read, which folder that is.
    """
    with call.screen.progress() as shown:
        if "docs" in call.loaded.origin:
            yield shown
            return
        told = False

        def tell(progress: Progress) -> None:
            nonlocal told
            if not told and progress.total > MANY:
                call.screen.warn("index.large", path=Path.cwd(), files=progress.total)
            told = True
            if shown:
                shown(progress)

        yield tell


def _search(call: Call, words: str, k: int, path: str | None) -> int:
    from fanshu import app

    with opened(call) as (library, _):
        inside = document_path(library.roots, path) if path else None
        result = library.search(words, k=k, path=inside or None)
        if not result.hits:
            app.require_documents(library, call.settings)
    if call.json:
        call.screen.json(result)
    else:
        call.screen.show(show.search(call.screen.texts, result))
    if result.hits:
        return 0
    return NOT_FOUND if result.complete else CUT_SHORT


def _suggest(call: Call, words: str) -> int:
    from fanshu import app

    with opened(call) as (library, _):
        told = library.suggest(words)
        if not told.found:
            app.require_documents(library, call.settings)
    if call.json:
        suggestions = [
            {"words": one.words, "kind": one.kind, "places": one.places, "from": one.source}
            for one in told.found
        ]
        call.screen.json({"query": words, "complete": told.complete, "suggestions": suggestions})
    else:
        call.screen.show(show.suggestions(call.screen.texts, told.found))
        if not told.complete:
            call.screen.warn("suggest.stopped")
        elif not told.found:
            call.screen.warn("suggest.none")
    if told.found:
        return 0
    return NOT_FOUND if told.complete else CUT_SHORT


def _read(call: Call, chunk_id: str, turn: int) -> int:
    with opened(call) as (library, _):
        turned = {0: library.read, 1: library.next, -1: library.prev}[turn]
        chunk = turned(document_path(library.roots, chunk_id))
        if chunk is None:
            return _end(call)
        around = library.prev(chunk.chunk_id), library.next(chunk.chunk_id)
    if call.json:
        call.screen.json(chunk)
    else:
        call.screen.show(show.chunk(call.screen.texts, chunk, around))
    return 0


def _end(call: Call) -> int:
    if call.json:
        call.screen.json({"chunk_id": None, "end": True})
    else:
        call.screen.warn("read.end")
    return NOT_FOUND


def _outline(call: Call, path: str | None, words: str) -> int:
    from fanshu import app
    from fanshu.agent.outlines import MOST_ENTRIES

    with opened(call) as (library, _):
        path = document_path(library.roots, path) if path else None
        if call.json:
            told = Outline((), library.outline(path, words=words))
        else:
            told = library.contents(path, words=words, at_most=MOST_ENTRIES)
        if not told.files and not told.entries:
            app.require_documents(library, call.settings)
    if call.json:
        call.screen.json(told.entries)
    else:
        call.screen.show(show.outline(call.screen.texts, told))
    return NOT_FOUND if told.entries == () else 0


def _index(call: Call, strict: bool, watch: bool) -> int:
    if call.settings.remote and not call.settings.docs:
        call.screen.warn("index.no_docs")
    with opened(call) as (library, report):
        if watch:
            call.screen.show([show.synced(call.screen.texts, report)])
            call.screen.show([show.totals(call.screen.texts, library.status())])
            _watch(call, library)
            return 0
        scanned = _read_scans(call, library)
        status = library.status()
    troubled = _troubled(status)
    if call.json:
        document = _as_json(status, status.files)
        call.screen.json(document | {"sync": plain(report), "ocr": plain(scanned)})
    else:
        call.screen.show([show.synced(call.screen.texts, report)])
        call.screen.show(show.scanned(call.screen.texts, scanned))
        call.screen.show(show.status(call.screen.texts, status, troubled))
    return int(strict and bool(troubled))


def _read_scans(call: Call, library: Library) -> ScanReport:
    """Recognise the pages that wait for OCR, with progress shown."""
    with call.screen.progress("ocr.progress") as on_progress:
        report = library.read_scans(on_progress)
    if report.trouble:
        call.screen.warn("ocr.trouble", trouble=report.trouble)
    return report


def _watch(call: Call, library: Library) -> None:
    """Keep the index up to date until interrupted, a line for each time something changed."""
    call.screen.warn("index.watching")
    with suppress(KeyboardInterrupt):
        call.screen.show(show.scanned(call.screen.texts, _read_scans(call, library)))
        for _ in _changes(library):
            report = _kept_up(call, library)
            with suppress(StoreUnreachable):  # the next change finds out whether it is back
                if report.changed:
                    call.screen.show([show.synced(call.screen.texts, report)])
                    call.screen.show([show.totals(call.screen.texts, library.status())])
                call.screen.show(show.scanned(call.screen.texts, _read_scans(call, library)))


def _changes(library: Library) -> Iterator[None]:
    """One item whenever files have changed; meanwhile other machines hear that they have not."""
    from fanshu.library.watching import changes

    done, registry = Event(), library.registry

    def beat() -> None:
        while registry and not done.wait(BEAT_SECONDS):
            with suppress(FanshuError):  # when it is back, it hears again
                registry.compared()

    if registry:
        Thread(target=beat, name="fanshu-beat", daemon=True).start()
    try:
        yield from changes(library.roots)
    finally:
        done.set()


def _kept_up(call: Call, library: Library) -> SyncReport:
    """`sync`, tried again while a store of other machines does not answer."""
    while True:
        try:
            return library.sync()
        except (StoreUnreachable, IndexBusy) as error:
            call.screen.warn("index.again", why=call.screen.texts.error(error))
            sleep(BEAT_SECONDS)


def _status(call: Call, failed: bool, strict: bool) -> int:
    with opened(call) as (library, _):
        status = library.status()
    troubled = _troubled(status)
    files = troubled if failed else status.files
    if call.json:
        call.screen.json(_as_json(status, files))
    else:
        call.screen.show(show.status(call.screen.texts, status, files))
        if failed and not troubled:
            call.screen.show([line(call.screen.texts("status.all_ok"))])
    return int(strict and bool(troubled))


def _troubled(status: LibraryStatus) -> tuple[FileStatus, ...]:
    return tuple(file for file in status.files if file.state not in READABLE)


def _as_json(status: LibraryStatus, files: tuple[FileStatus, ...]) -> dict[str, object]:
    """Totals of the library, and the files given."""
    states: dict[str, int] = {}
    for file in status.files:
        states[file.state] = states.get(file.state, 0) + 1
    return {
        "roots": status.roots,
        "index": status.index,
        "total": len(status.files),
        "states": states,
        "chunks": status.chunks,
        "characters": status.characters,
        "index_bytes": status.index_bytes,
        "synced": status.synced,
        "as_of": status.as_of,
        "shared": plain(status.shared),
        "files": plain(files),
    }
