"""From a run that is over to its `Answer`: whatever happened, one structured result."""

from collections.abc import Iterator

from fanshu.agent.answer import status_of
from fanshu.agent.render import one_line, trail
from fanshu.agent.run import State
from fanshu.models import Model
from fanshu.types import Answer, Hit, Related, Status, StopReason

RELATED = 3
KEPT_REASONS: tuple[StopReason, ...] = ("loop", "budget", "deadline")  # though an answer came


def answer_of(state: State, model: Model, *, keep_unverified: bool) -> Answer:
    """The result of a run, from the last answer that was checked, or without one."""
    status = _status(state, model)
    response = state.draft.response if state.draft else ""
    told = status in ("answered", "partial", "passages") and bool(response)
    verdict = state.verdict
    return Answer(
        question=state.question,
        status=status,
        answer=response if told else _instead(state, status),
        citations=verdict.citations if verdict and told else (),
        unsupported=verdict.unsupported if verdict and told else (),
        derived=verdict.derived if verdict and told else (),
        related=() if status in ("answered", "passages") else tuple(_related(state)),
        stop_reason=_reason(state, status),
        rounds=state.round,
        bounces=state.bounces,
        citations_rejected=len(verdict.rejected) if verdict else 0,
        usage=state.usage,
        seconds=state.seconds,
        searches=tuple(state.tools.seen.searches),
        warnings=tuple(state.tools.seen.warnings),
        reader=model.name,
        note="" if told else _note(state),
        unverified_text=response if keep_unverified and response and not told else None,
        error=state.error,
    )


def _status(state: State, model: Model) -> Status:
    if state.draft and state.verdict:
        status = status_of(state.draft, state.verdict)
        interrupted = state.stop not in ("answered", None)
        if model.extractive and status in ("answered", "partial"):
            return "passages"
        return "partial" if interrupted and status == "answered" else status
    nothing = not state.tools.seen.read and not state.tools.seen.hits and not state.tools.seen.notes
    return "error" if state.stop == "model_error" and nothing else "partial"


def _reason(state: State, status: Status) -> StopReason:
    if state.stop != "answered":
        return state.stop or "interrupted"
    if state.forced in KEPT_REASONS:
        return state.forced
    return "not_found" if status == "not_found" else "answered"


def _instead(state: State, status: Status) -> str:
    """What stands in the place of an answer."""
    say = state.tools.say
    if status == "not_found":
        return say("not_found")
    notes = state.tools.seen.notes
    text = say("unfinished")
    return f"{text}\n{say('notes', notes=chr(10).join(notes))}" if notes else text


def _note(state: State) -> str:
    """What was read and what is missing, for whoever goes on from here."""
    seen, say = state.tools.seen, state.tools.say
    read = [f"{c.chunk_id} {trail(c.section_path)}".strip() for c in seen.read.values()]
    lines = [say("was_read", chunks=" · ".join(read))] if read else []
    if seen.missing:
        lines.append(say("was_missing", words=say("list").join(seen.missing)))
    return "\n".join(lines)


def _related(state: State) -> Iterator[Related]:
    """The nearest facts: what was cited without being an answer, then the best hits."""
    places: set[str] = set()
    for citation in state.verdict.citations if state.verdict else ():
        if state.draft and not state.draft.found and len(places) < RELATED:
            places.add(citation.chunk_id)
            yield Related(
                citation.chunk_id, citation.file_path, citation.section_path, citation.passage
            )
    for hit in _best_hits(state):
        if len(places) < RELATED and hit.chunk_id not in places:
            places.add(hit.chunk_id)
            yield Related(hit.chunk_id, hit.file_path, hit.section_path, one_line(hit.snippet))


def _best_hits(state: State) -> list[Hit]:
    """Hits by how many of the words they hold; those that a search named first come first."""
    hits = [hit for hit in state.tools.seen.hits.values() if hit.matched]
    return sorted(hits, key=lambda hit: -len(hit.matched))
