"""The run that somebody means to approve, from what is on record."""

from collections.abc import Mapping
from typing import Any

from fanshu.approved.wordings import form
from fanshu.errors import ApprovalRefused, TraceMissing
from fanshu.traces import Document, TraceStore
from fanshu.types import Answer


def asked_before(traces: TraceStore, what: str) -> Document:
    """A trace by its id, or the newest of a question. Raises: TraceMissing, ApprovalRefused."""
    try:
        return traces.load(what)
    except TraceMissing:
        wanted = form(what)
    found = (one for one in traces.summaries() if wanted and form(one.question) == wanted)
    if not (newest := next(found, None)):
        detail = f"{what!r} is no run that is kept, and no question that was asked"
        raise ApprovalRefused(detail=f"{detail}; ask it first with `fanshu ask`")
    return traces.load(newest.trace_id)


def answer_of(document: Document) -> Answer:
    """The answer of a trace, with its id."""
    return from_plain(document["answer"])


def from_plain(data: Mapping[str, Any]) -> Answer:
    """An answer from its plain data."""
    from pydantic import TypeAdapter

    found: Answer = TypeAdapter(Answer).validate_python(data)
    return found


def followed(document: Mapping[str, Any]) -> bool:
    """Whether the question of a trace went on from earlier ones."""
    opening = document.get("opening") or {}
    return bool(opening.get("earlier"))
