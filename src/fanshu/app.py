"""The one place where settings become objects: roots, index, library, model, agent."""

import asyncio
import hashlib
import os
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fanshu import keeping
from fanshu.errors import ConfigError, FolderMissing, FolderUnreadable, IndexBusy, NoDocuments
from fanshu.library.library import Library, OnProgress, Root
from fanshu.settings import Settings, load, split_name, user_data
from fanshu.traces import Document, Recorded, Replayed, Traces, compare, new_id, record
from fanshu.types import EVERYTHING, Answer, Scope, SyncReport

if TYPE_CHECKING:
    from fanshu.agent.events import OnEvent
    from fanshu.agent.loop import LoopAgent
    from fanshu.agent.run import Run
    from fanshu.models import Model
    from fanshu.models.remote import OnWait

T = TypeVar("T")


def roots(settings: Settings) -> tuple[Root, ...]:
    """The folders and files to read, each once.

    A single one has no name unless it was given one, so that paths stay short. Several are
    named after their folders; equal names get a number.

    Raises: FolderMissing; FolderUnreadable; ConfigError — one name was given to two.
    """
    named: dict[Path, str] = {}
    for docs in settings.docs:
        name, place = split_name(docs)
        named.setdefault(_real(place), name)
    if len(named) == 1:
        return tuple(Root(path, name) for path, name in named.items())
    return tuple(_distinct(named))


def _real(place: str) -> Path:
    path = Path(os.path.expanduser(place))  # noqa: PTH111 — Path's raises for unknown users
    try:
        path.stat()
        return path.resolve()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FolderMissing(path=place) from error
    except OSError as error:
        raise FolderUnreadable(path=place, detail=error.strerror) from error


def _distinct(named: dict[Path, str]) -> list[Root]:
    given: dict[str, Path] = {}
    for path, name in named.items():
        if name and (other := given.setdefault(name.casefold(), path)) != path:
            raise ConfigError(name="docs", detail=f"{name!r} names both {other} and {path}")
    wanted = {path: name or _own_name(path) for path, name in named.items()}
    taken = set(given)
    chosen = []
    for path, name in wanted.items():
        if named[path]:
            chosen.append(Root(path, name))
            continue
        free, count = name, 2
        while free.casefold() in taken:
            free, count = f"{wanted[path]}-{count}", count + 1
        taken.add(free.casefold())
        chosen.append(Root(path, free))
    return chosen


def _own_name(path: Path) -> str:
    folder = path if path.is_dir() else path.parent
    return folder.name or "root"


def index_folder(settings: Settings, over: Sequence[Root]) -> Path:
    """Where the index lives: the folder of `--index`, else one per set of documents.

    Options are no part of the name: a changed one redoes only what it touches.

    Raises: ConfigError — it would lie among the documents, which are only ever read.
    """
    if settings.index:
        folder = Path(settings.index).expanduser()
        _check_apart(folder, over, settings.exclude)
        return folder
    parts = [f"{root.name}={root.path}" for root in over]
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()
    return user_data() / keeping.INDEXES / digest[:16]


def _check_apart(folder: Path, over: Sequence[Root], exclude: Sequence[str]) -> None:
    """An index may lie below a documents folder only where no documents are looked for."""
    from pathspec import GitIgnoreSpec

    place = folder.resolve()
    for root in over:
        if not place.is_relative_to(root.path):
            continue
        below = place.relative_to(root.path)
        hidden = any(part.startswith(".") for part in below.parts)
        if not hidden and not GitIgnoreSpec.from_lines(exclude).match_file(f"{below}/x"):
            detail = f"{str(folder)!r} lies among the documents of {str(root.path)!r}"
            raise ConfigError(name="index", detail=f"{detail}, which are only ever read")


def open_library(settings: Settings, on_wait: Callable[[], None] | None = None) -> Library:
    """The library over the documents of the settings; not yet synchronised.

    `on_wait` hears when another process is writing the index and this one has to wait.

    Raises: FolderMissing, IndexUnwritable.
    """
    over = roots(settings)
    folder = index_folder(settings, over)
    library = Library(
        over,
        folder / "index.db",
        exclude=settings.exclude,
        part_chars=settings.part_chars,
        max_file_bytes=int(settings.max_file_mb * 1_000_000),
        on_wait=on_wait,
    )
    if not settings.index:
        with suppress(OSError):
            keeping.describe(folder, "\n".join(str(root.path) for root in over))
    return library


def synced(
    library: Library, settings: Settings, on_progress: OnProgress | None = None
) -> SyncReport:
    """Bring the library up to date, and make sure that it holds anything at all.

    Raises: NoDocuments, FolderMissing, IndexUnwritable, IndexBusy.
    """
    report = up_to_date(library, on_progress)
    require_documents(library, settings)
    return report


def up_to_date(library: Library, on_progress: OnProgress | None = None) -> SyncReport:
    """`sync`, but an index that another process goes on writing answers as it stands.

    Raises: FolderMissing, IndexUnwritable, IndexBusy — busy, and empty so far.
    """
    try:
        return library.sync(on_progress)
    except IndexBusy:
        files = len(library.titles())
        if not files:
            raise
        return SyncReport(unchanged=files, busy=True)


def require_documents(library: Library, settings: Settings) -> None:
    """Raises: NoDocuments — no file can be read, and why."""
    files = library.status().files
    if any(file.chunks for file in files):
        return
    states = Counter(file.state for file in files)
    detail = ", ".join(
        f"{count} {state.replace('_', ' ')}" for state, count in states.most_common()
    )
    raise NoDocuments(path=", ".join(settings.docs), detail=detail or "no files")


def open_model(settings: Settings, on_wait: "OnWait | None" = None) -> "Model":
    """The configured model, or the extractive reader when none is.

    `on_wait` hears of pauses before another attempt. Raises: ConfigError, ModelUnauthorised.
    """
    if settings.model:
        from fanshu.models.remote import remote

        key = settings.api_key.get_secret_value() if settings.api_key else None
        return remote(
            settings.model,
            base_url=settings.base_url,
            api_key=key,
            timeout=settings.timeout,
            on_wait=on_wait,
        )
    if settings.base_url:
        raise ConfigError(name="base_url", detail="it needs --model, the name of the model there")
    from fanshu.models.extractive import ExtractiveReader

    return ExtractiveReader()


def bare_key(environ: Mapping[str, str] = os.environ) -> str | None:
    """A provider's key in the environment: worth a hint when no model is named, no more."""
    from fanshu.models.providers import PREFIXES

    names = (name for provider in PREFIXES.values() for name in provider.keys)
    return next((name for name in names if environ.get(name)), None)


def agent(
    settings: Settings, library: Library, model: "Model", scope: Scope = EVERYTHING
) -> "LoopAgent":
    """The loop with these settings. It answers in the language of the question."""
    from fanshu.agent.loop import LoopAgent

    return LoopAgent(
        library,
        model,
        max_rounds=settings.max_rounds,
        hits=settings.hits,
        first_search=settings.first_search,
        directory_summary=settings.directory_summary,
        context_tokens=settings.context_tokens,
        deadline=settings.deadline,
        scope=scope,
        keep_unverified=settings.keep_unverified,
    )


async def answer(
    question: str,
    settings: Settings,
    library: Library,
    model: "Model",
    *,
    scope: Scope = EVERYTHING,
    on_event: "OnEvent | None" = None,
) -> Answer:
    """Ask one question of a synchronised library, and keep the trace of the run.

    Limits, failures of the model and cancellation are results. Raises: LibraryError.
    """
    run = await agent(settings, library, model, scope).ask(question, on_event=on_event)
    return keep(run, settings) if settings.trace else run.answer


def open_traces(settings: Settings) -> Traces:
    """The traces of this user."""
    return Traces(
        user_data() / keeping.TRACES, days=settings.trace_days, megabytes=settings.trace_mb
    )


def keep(run: "Run", settings: Settings) -> Answer:
    """Save the trace of a run; the answer, with the id of the trace or why there is none."""
    from fanshu import __version__
    from fanshu.agent.prompts import PROMPT_VERSION

    versions = {"fanshu": __version__, "prompt_version": PROMPT_VERSION}
    document = record(run, new_id(), public(settings), versions)
    try:
        open_traces(settings).save(document)
    except OSError as error:
        warning = f"the trace could not be saved: {error.strerror or error}"
        return replace(run.answer, warnings=(*run.answer.warnings, warning))
    return replace(run.answer, trace_id=document["trace_id"])


def public(settings: Settings) -> dict[str, object]:
    """Settings as they may be shown and kept: no key, no secrets in the address."""
    from fanshu.models.providers import shown

    values = settings.model_dump(mode="json", exclude={"api_key"})
    values["docs"] = [
        f"{root.name}={root.path}" if root.name else str(root.path) for root in roots(settings)
    ]
    if settings.base_url:
        values["base_url"] = shown(settings.base_url)
    return values


def recorded(document: Document, over: Settings, given: frozenset[str]) -> Settings:
    """The settings of a trace, with those `over` it that were given anew."""
    values = {
        name: value for name, value in document["settings"].items() if name in Settings.model_fields
    }
    return Settings(**(values | {name: getattr(over, name) for name in given}))


async def replay(document: Document, settings: Settings, library: Library) -> Replayed:
    """Run a trace again on the library as it is now: the recorded replies take the model's place.

    Raises: LibraryError.
    """
    unhurried = settings.model_copy(update={"deadline": None})
    run = await agent(unhurried, library, Recorded(document)).ask(document["question"])
    return compare(document, run)


def ask(
    question: str,
    docs: "str | Path | Sequence[str | Path]" = ".",
    *,
    model: "str | Model | None" = None,
    on_event: "OnEvent | None" = None,
    **settings: object,
) -> Answer:
    """Ask a question of a folder of documents; the index is brought up to date first.

    `docs`: a folder or file, or several. `model`: as on the command line, or a `Model`, which
    stays open. The other settings are those of `fanshu config`; what is not given comes from
    the environment and the settings files, as on the command line.

    Raises: ConfigError, LibraryError, ModelUnauthorised.
    """
    named = {"model": model} if isinstance(model, str) else {}
    known = load({**settings, "docs": _texts(docs), **named}).settings
    if model is None or isinstance(model, str):
        return _asked(
            known, lambda library: once(question, known, library, open_model(known), on_event)
        )
    return _asked(known, lambda library: answer(question, known, library, model, on_event=on_event))


def _asked(settings: Settings, work: "Callable[[Library], Coroutine[Any, Any, Answer]]") -> Answer:
    with closing(open_library(settings)) as library:
        synced(library, settings)
        return run(work(library))


async def once(
    question: str,
    settings: Settings,
    library: Library,
    model: "Model",
    on_event: "OnEvent | None" = None,
) -> Answer:
    """`answer`, and then the model's connections are given back."""
    try:
        return await answer(question, settings, library, model, on_event=on_event)
    finally:
        await model.close()


def run(work: Coroutine[Any, Any, T]) -> T:
    """Finish async work from sync code, also where an event loop runs already (notebooks)."""
    if not _loop_runs():
        return asyncio.run(work)
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, work).result()


def _loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _texts(docs: "str | Path | Sequence[str | Path]") -> tuple[str, ...]:
    return (str(docs),) if isinstance(docs, str | Path) else tuple(map(str, docs))
