"""The one place where settings become objects: roots, index, library, model, agent."""

import json
import os
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from fanshu import keeping
from fanshu.approved.opening import Asked, after_sync, open_approvals
from fanshu.blocking import run as run
from fanshu.errors import ConfigError, IndexBusy, NoDocuments, StoreError
from fanshu.library import freshness
from fanshu.library.library import Library, OnProgress
from fanshu.places import index_file, roots
from fanshu.settings import Settings, load, user_data
from fanshu.settings_shown import NO_MATTER as NO_MATTER
from fanshu.settings_shown import public as public
from fanshu.settings_shown import recorded as recorded
from fanshu.stores import open_entries as open_entries
from fanshu.stores import open_shared, same_everywhere
from fanshu.stores import open_traces as open_traces
from fanshu.traces import Document, Recorded, Replayed, compare, new_id, record
from fanshu.types import EVERYTHING, Answer, Exchange, Scope, SyncReport

if TYPE_CHECKING:
    from fanshu.agent.cache import Cache
    from fanshu.agent.events import OnEvent
    from fanshu.agent.loop import LoopAgent
    from fanshu.agent.run import Run
    from fanshu.models import Model
    from fanshu.models.remote import OnWait

Caching = Literal["use", "fresh", "off"]


def open_library(settings: Settings, on_wait: Callable[[], None] | None = None) -> Library:
    """The library over the documents of the settings; not yet synchronised.

    `on_wait` hears when another process is writing the index and this one has to wait. A store
    of other machines is asked when it is first needed.

    Raises: FolderMissing, IndexUnwritable, ConfigError, ExtraMissing.
    """
    over = roots(settings)
    index = index_file(settings, over)
    location = None
    if settings.remote:
        from fanshu import remote  # most libraries are in a file

        location = remote.location(settings, over, on_wait)
    library = Library(
        over,
        index,
        location=location,
        exclude=settings.exclude,
        part_chars=settings.part_chars,
        max_file_bytes=int(settings.max_file_mb * 1_000_000),
        parsers=settings.parsers,
        synonyms=Path(settings.synonyms).expanduser() if settings.synonyms else None,
        search_seconds=settings.search_seconds,
        on_wait=on_wait,
    )
    if not settings.index and not settings.store:
        with suppress(OSError):
            keeping.describe(index.parent, "\n".join(str(root.path) for root in over))
    library.shared = open_shared(settings)
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

    Approved answers that the changes may touch are looked at again.

    Raises: FolderMissing, IndexUnwritable, IndexBusy — busy, and empty so far.
    """
    try:
        report = library.sync(on_progress)
    except IndexBusy:
        files = len(library.titles())
        if not files:
            raise
        return SyncReport(unchanged=files, busy=True)
    after_sync(library)
    return report


def require_documents(library: Library, settings: Settings) -> None:
    """Raises: NoDocuments — no file can be read, and why."""
    files = library.status().files
    if any(file.chunks for file in files):
        return
    states = Counter(file.state for file in files)
    detail = ", ".join(
        f"{count} {state.replace('_', ' ')}" for state, count in states.most_common()
    )
    path = ", ".join(settings.docs) or library.status().index
    raise NoDocuments(path=path, detail=detail or "no files")


def open_model(settings: Settings, on_wait: "OnWait | None" = None) -> "Model":
    """The configured model, or the extractive reader when none is.

    `on_wait` hears of pauses before another attempt. Raises: ConfigError, ModelUnauthorised.
    """
    if settings.model and settings.model.startswith("gguf:"):
        return _in_file(settings, settings.model)
    if settings.model:
        from fanshu.models.remembered import FILE
        from fanshu.models.remote import remote

        return remote(
            settings.model,
            base_url=settings.base_url,
            api_key=_key(settings),
            headers={name: value.get_secret_value() for name, value in settings.headers.items()},
            ca_file=settings.ca_file,
            timeout=settings.timeout,
            tool_mode=settings.tool_mode,
            memory=user_data() / keeping.MODELS / FILE,
            on_wait=on_wait,
        )
    if settings.base_url:
        raise ConfigError(name="base_url", detail="it needs --model, the name of the model there")
    from fanshu.models.extractive import ExtractiveReader

    return ExtractiveReader()


def _in_file(settings: Settings, name: str) -> "Model":
    from fanshu.models.local import local

    if settings.base_url:
        detail = "gguf: runs a file on this machine; leave the address out"
        raise ConfigError(name="base_url", detail=detail)
    return local(name, context_tokens=settings.context_tokens, timeout=settings.timeout)


def _key(settings: Settings) -> str | None:
    """The key of the model service, from wherever it is kept. Raises: ConfigError."""
    from fanshu.keys import key_from_command, key_from_file

    if settings.api_key:
        return settings.api_key.get_secret_value()
    if settings.api_key_file:
        return key_from_file(settings.api_key_file)
    return key_from_command(settings.api_key_command) if settings.api_key_command else None


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
        text_ahead=settings.text_ahead,
        search_path=settings.search_path,
        directory_summary=settings.directory_summary,
        context_tokens=settings.context_tokens,
        deadline=settings.deadline,
        max_tokens=settings.max_tokens,
        max_cost=settings.max_cost,
        summarize=settings.summarize,
        scope=scope,
        strictness=settings.check,
        keep_unverified=settings.keep_unverified,
        small=_small(settings),
    )


def _small(settings: Settings) -> bool:
    """Whether the model gets the compact prompt; of those in files nearly all are small."""
    in_file = (settings.model or "").startswith("gguf:")
    return settings.prompt == "compact" or (settings.prompt == "auto" and in_file)


async def answer(
    question: str,
    settings: Settings,
    library: Library,
    model: "Model",
    *,
    scope: Scope = EVERYTHING,
    earlier: Sequence[Exchange] = (),
    on_event: "OnEvent | None" = None,
    caching: Caching = "use",
) -> Answer:
    """Ask one question of a synchronised library, and keep the trace of the run.

    `earlier`: the conversation it goes on from; such a question is never answered from the cache.
    `caching`: `use` gives an approved or cached answer while its evidence is unchanged, and lets
    all who ask the same at one time share one run; `fresh` asks anew and keeps the answer; `off`
    does neither. Limits, failures of the model and cancellation are results. Raises: LibraryError.
    """
    given = await _given(question, settings, library, model, scope, earlier, on_event, caching)
    return freshness.told(given, library.registry, scope)


async def _given(
    question: str,
    settings: Settings,
    library: Library,
    model: "Model",
    scope: Scope,
    earlier: Sequence[Exchange],
    on_event: "OnEvent | None",
    caching: Caching,
) -> Answer:
    """An answer that somebody approved, or one found."""
    asked = Asked(question, scope, bool(earlier), model.name)
    found = partial(_found, asked, settings, library, model, earlier, on_event, caching)
    if caching != "use" or not (approvals := open_approvals(library)):
        return await found()
    from fanshu.approved.giving import first

    return await first(asked, approvals, library, found, open_traces(settings).holds, on_event)


async def _found(
    asked: Asked,
    settings: Settings,
    library: Library,
    model: "Model",
    earlier: Sequence[Exchange],
    on_event: "OnEvent | None",
    caching: Caching,
) -> Answer:
    """An answer that nobody has approved: from the cache, or found anew."""
    import asyncio  # no search needs it: start-up is felt

    async def anew(told: "OnEvent | None") -> "tuple[Run, Answer]":
        asking = agent(settings, library, model, asked.scope)
        run = await asking.ask(asked.question, earlier=earlier, on_event=told)
        if not settings.trace:
            return run, run.answer
        keeping = asyncio.create_task(asyncio.to_thread(keep, run, settings))
        try:
            return run, await asyncio.shield(keeping)
        except asyncio.CancelledError:  # for a second time: what was paid for is on record
            await asyncio.wait({keeping})
            raise

    cached = caching != "off" and settings.cache and settings.configured and not earlier
    if model.extractive or not cached:
        return (await anew(on_event))[1]
    from fanshu.agent.recall import recall

    return await recall(
        asked.question,
        open_cache(settings, library, model, asked.scope),
        anew,
        reader=model.name,
        holds=open_traces(settings).holds,
        fresh=caching == "fresh",
        limits=f"{settings.deadline} {settings.timeout} {settings.trace}",
        on_event=on_event,
    )


def open_cache(settings: Settings, library: Library, model: "Model", scope: Scope) -> "Cache":
    """The cached answers that count under these settings, for this reader and scope."""
    from fanshu import __version__
    from fanshu.agent.cache import Cache
    from fanshu.agent.prompts import PROMPT_VERSION

    under = {name: value for name, value in public(settings).items() if name not in NO_MATTER}
    under["base_url"] = settings.base_url
    versions = __version__, str(PROMPT_VERSION)
    return Cache(
        open_entries(settings),
        library,
        scope=scope,
        hits=settings.hits,
        context=json.dumps(
            [model.name, versions, same_everywhere(settings, under)], sort_keys=True
        ),
    )


def typed_before(settings: Settings) -> Path | None:
    """The file of what was typed in conversations; None where it is not to be kept."""
    return user_data() / keeping.HISTORY / "chat.jsonl" if settings.history else None


def keep(run: "Run", settings: Settings) -> Answer:
    """Save the trace of a run; the answer, with the id of the trace or why there is none."""
    from fanshu import __version__
    from fanshu.agent.prompts import PROMPT_VERSION

    versions = {"fanshu": __version__, "prompt_version": PROMPT_VERSION}
    document = record(run, new_id(), public(settings), versions)
    try:
        open_traces(settings).save(document)
    except (OSError, StoreError) as error:
        detail = getattr(error, "strerror", None) or error
        warning = f"the trace could not be saved: {detail}"
        return replace(run.answer, warnings=(*run.answer.warnings, warning))
    return replace(run.answer, trace_id=document["trace_id"])


async def replay(document: Document, settings: Settings, library: Library) -> Replayed:
    """Run a trace again on the library as it is now: the recorded replies take the model's place.

    Raises: LibraryError.
    """
    free = {"deadline": None, "max_tokens": None, "max_cost": None}
    unhurried = settings.model_copy(update=free)
    opening = document.get("opening") or {}
    earlier = [
        Exchange(one["question"], one["answer"], tuple(one["places"]))
        for one in opening.get("earlier", ())
    ]
    model = Recorded(document)
    run = await agent(unhurried, library, model).ask(document["question"], earlier=earlier)
    return compare(document, run)


def ask(
    question: str,
    docs: "str | Path | Sequence[str | Path] | None" = None,
    *,
    model: "str | Model | None" = None,
    on_event: "OnEvent | None" = None,
    **settings: object,
) -> Answer:
    """Ask a `question` of a folder of documents; the index is brought up to date first.

    `docs`: a folder or file, or several; None: those of the settings, by default the current
    folder. `model`: as on the command line, or a `Model`, which
    stays open. The other settings are those of `fanshu config`; what is not given comes from
    the environment and the settings files, as on the command line.

    Raises: ConfigError, LibraryError, ModelUnauthorised.
    """
    named = {"model": model} if isinstance(model, str) else {}
    given = {"docs": _texts(docs)} if docs is not None else {}
    known = load({**settings, **given, **named}).settings
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
    *,
    caching: Caching = "use",
) -> Answer:
    """`answer`, and then the model's connections are given back."""
    try:
        return await answer(question, settings, library, model, on_event=on_event, caching=caching)
    finally:
        await model.close()


def _texts(docs: "str | Path | Sequence[str | Path]") -> tuple[str, ...]:
    return (str(docs),) if isinstance(docs, str | Path) else tuple(map(str, docs))
