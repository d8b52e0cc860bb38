"""The whole examination: model, installation, last runs."""

import os
import time
from collections.abc import Iterator, Sequence
from itertools import islice

from fanshu import app, keeping
from fanshu.doctor.checks import installation
from fanshu.doctor.findings import Finding
from fanshu.doctor.symptoms import LAST, symptoms_of
from fanshu.errors import ConfigError, FanshuError, TraceMissing
from fanshu.models import Reply, ToolSpec, Turn
from fanshu.settings import Loaded, Settings, user_data
from fanshu.traces import Document

PATIENCE = 30.0  # seconds for one tiny request; a local model may have to be loaded first
TOOL = ToolSpec("ready", "Say that you are ready.", {"type": "object", "properties": {}})
TURNS = (
    Turn("system", "This is a test of the connection. Call the tool `ready` once."),
    Turn("user", "Are you ready?"),
)


def examine(loaded: Loaded, *, offline: bool = False) -> Iterator[Finding]:
    """Everything that can be found out; `offline`: without a request to the model."""
    yield _model(loaded.settings, offline=offline)
    yield from installation(loaded)
    yield from _runs(loaded.settings)


# ---------------------------------------------------------------- the model


def _model(settings: Settings, *, offline: bool) -> Finding:
    if not settings.model:
        if name := app.bare_key():
            return Finding("model", "model_bare_key", "note", {"name": name}, ("model",))
        return Finding("model", "model_none", "note", settings=("model",))
    if offline:
        return Finding("model", "model_offline", "note", {"model": settings.model})
    began = time.monotonic()
    try:
        reply = app.run(_asked(settings))
    except FanshuError as error:
        cured_by = ("model", "base_url", "api_key", "timeout")
        return Finding("model", "model_failed_now", "attention", {"why": error}, cured_by)
    seconds = f"{time.monotonic() - began:.1f}"
    values = {"model": settings.model, "seconds": seconds, "way": _way(settings)}
    if any(call.name == TOOL.name for call in reply.calls):
        return Finding("model", "model_ok", values=values)
    return Finding("model", "model_no_call", "note", values, ("tool_mode", "model"))


async def _asked(settings: Settings) -> Reply:
    """One small request that holds nothing of any document."""
    patience = min(settings.timeout, PATIENCE)
    model = app.open_model(settings.model_copy(update={"timeout": patience}))
    try:
        return await model.next(TURNS, (TOOL,))
    finally:
        await model.close()


def _way(settings: Settings) -> str:
    """How this endpoint makes calls, as set or as runs have found out."""
    from fanshu.models.providers import endpoint
    from fanshu.models.remembered import FILE, memory_of

    if settings.tool_mode != "auto" or not settings.model:
        return settings.tool_mode
    try:
        place = endpoint(settings.model, settings.base_url, os.environ)
    except ConfigError:  # a file on this machine has no address
        return "JSON"
    known = memory_of(place, user_data() / keeping.MODELS / FILE).recall()
    return "native" if known is None or known.way == "tools" else f"JSON, {known.way}"


# ---------------------------------------------------------------- the last runs


def _runs(settings: Settings) -> Iterator[Finding]:
    if not settings.trace:
        yield Finding("runs", "settings_no_trace", "note", settings=("trace",))
    documents = _documents(settings)
    found = list(symptoms_of(documents))
    yield from found
    if not documents:
        yield Finding("runs", "runs_none", "note")
    elif not found:
        yield Finding("runs", "runs_ok", values={"runs": len(documents)})


def _documents(settings: Settings) -> Sequence[Document]:
    traces = app.open_traces(settings)
    documents = []
    for summary in islice(traces.summaries(), LAST):
        try:
            documents.append(traces.load(summary.trace_id))
        except TraceMissing:  # another process is tidying up
            continue
    return documents
