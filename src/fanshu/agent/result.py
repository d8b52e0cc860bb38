"""From a run that is over to its `Answer`: whatever happened, one structured result."""

from collections.abc import Iterator, Sequence

from fanshu.agent.answer import status_of
from fanshu.agent.layout import one_line, trail
from fanshu.agent.planted import places_of_orders
from fanshu.agent.run import State
from fanshu.agent.tools import Tools
from fanshu.models import Model
from fanshu.types import Answer, Citation, Hit, Related, Status, StopReason

RELATED = 3
READ_SHOWN = 8
UNREADABLE = ("failed", "no_text", "partial_text", "ocr_pending", "encrypted")
UNREADABLE_SHOWN = 3
ORDERS_SHOWN = 3  # places; the rest is a number
KEPT_REASONS: tuple[StopReason, ...] = ("loop", "budget", "deadline")  # though an answer came


def answer_of(state: State, model: Model, *, keep_unverified: bool) -> Answer:
    """The result of a run, from the last answer that was checked, or without one."""
    status = _status(state, model)
    response = state.draft.response if state.draft else ""
    verdict = state.verdict
    told = bool(verdict and verdict.citations) and status != "not_found"
    return Answer(
        question=state.question,
        status=status,
        answer=response if told else _instead(state, status, model),
        citations=verdict.citations if verdict and told else (),
        unsupported=verdict.unsupported if verdict and told else (),
        derived=verdict.derived if verdict and told else (),
        related=() if status in ("answered", "passages") else tuple(_related(state)),
        stop_reason=_reason(state, status),
        rounds=state.round,
        bounces=state.bounces,
        citations_rejected=_rejected(state),
        usage=state.usage,
        seconds=state.seconds,
        searches=tuple(state.tools.seen.searches),
        warnings=_warnings(state, told=told),
        reader=model.name,
        note="" if told else _note(state, status, model),
        unverified_text=_unverified(state) if keep_unverified and not told else None,
        error=state.error,
    )


async def warn_of_unreadable(state: State) -> None:
    """Files that could not be read could have held what was not found."""
    verdict, tools = state.verdict, state.tools
    if verdict and verdict.citations and not verdict.rejected and not verdict.unsupported:
        return
    library = await tools.call(tools.library.status, scope=tools.scope)
    dark = [file for file in library.files if file.state in UNREADABLE]
    if dark:
        files = [f"{f.file_path} ({f.reason or f.state})" for f in dark[:UNREADABLE_SHOWN]]
        text = tools.say("unreadable", count=len(dark), files=tools.say("list").join(files))
        state.warnings = (*state.warnings, text)


def warnings_of_ocr(tools: Tools, citations: Sequence[Citation]) -> tuple[str, ...]:
    """What was recognised in a picture may hold misread characters: a line for each file."""
    scanned: dict[str, set[int]] = {}
    for cited in citations:
        pages = tools.library.ocr_pages(cited.file_path, scope=tools.scope)
        if cited.page in pages:
            scanned.setdefault(cited.file_path, set()).add(cited.page)
    return tuple(
        tools.say("by_ocr", file=file, pages=", ".join(map(str, sorted(pages))))
        for file, pages in scanned.items()
    )


def _status(state: State, model: Model) -> Status:
    """An answer that stands as checked has its own; whatever was cut short is partial.

    A model that never replied is an error: what was found is the search's own, in `related`.
    """
    if state.stop == "answered" and state.draft and state.verdict:
        status = status_of(state.draft, state.verdict)
        return "passages" if model.extractive and status != "not_found" else status
    return "error" if state.stop == "model_error" and not state.steps else "partial"


def _warnings(state: State, *, told: bool) -> tuple[str, ...]:
    """What a reader should know of the run, and of the answer when it is `told`."""
    general = (*state.tools.seen.warnings, *state.warnings, *_on_orders(state.tools))
    if not told or not state.verdict:
        return general
    return *general, *state.by_ocr, *_on_lines(state), *state.verdict.remarks


def _on_lines(state: State) -> Iterator[str]:
    """What was quoted from a line of a search, though its section goes on in a way that matters."""
    cited = {one.chunk_id for one in state.verdict.citations} if state.verdict else set()
    if chunks := [one for one in state.half_seen if one in cited]:
        say = state.tools.say
        yield say("half_seen", chunks=say("list").join(map(one_line, chunks)))


def _on_orders(tools: Tools) -> Iterator[str]:
    """Where documents gave the model orders; somebody should look at them."""
    places = list(places_of_orders(tools.seen))
    if places:
        shown = tools.say("list").join(one_line(place) for place in places[:ORDERS_SHOWN])
        more = tools.say("and_more", count=len(places)) if len(places) > ORDERS_SHOWN else ""
        yield tools.say("orders_read", places=shown + more)


def _rejected(state: State) -> int:
    """How many citations failed; those of a not-found answer were not meant as evidence."""
    return len(state.verdict.rejected) if state.verdict and state.draft and state.draft.found else 0


def _reason(state: State, status: Status) -> StopReason:
    if state.stop != "answered":
        return state.stop or "interrupted"
    if state.forced in KEPT_REASONS:
        return state.forced
    return "not_found" if status == "not_found" else "answered"


def _instead(state: State, status: Status, model: Model) -> str:
    """What stands in the place of an answer: never more than is known."""
    say = state.tools.say
    if status == "not_found" and model.extractive:
        return say("no_passage")
    if status == "not_found":
        return say("not_found")
    return say("unfinished")


def _note(state: State, status: Status, model: Model) -> str:
    """What may help whoever goes on from here."""
    seen, say = state.tools.seen, state.tools.say
    lines = []
    if status == "not_found" and state.draft and state.draft.found and not model.extractive:
        lines.append(say("unchecked"))
    if status == "not_found" and _nearest_is_checked(state) and state.draft:
        lines.append(state.draft.response)
    if status == "partial" and seen.read:
        read = [f"{c.chunk_id} {trail(c.section_path)}".strip() for c in seen.read.values()]
        lines.append(say("was_read", chunks=" · ".join(read[:READ_SHOWN])))
    if seen.missing:
        lines.append(say("was_missing", words=say("list").join(seen.missing)))
    return "\n".join(lines)


def _nearest_is_checked(state: State) -> bool:
    """Whether a not-found answer tells of something near, and every check of it held."""
    draft, verdict = state.draft, state.verdict
    if not draft or draft.found or not verdict or not verdict.citations:
        return False
    return not verdict.rejected and not verdict.unsupported


def _unverified(state: State) -> str | None:
    """What the model said that no check supports: its answer, its notes, or its last words."""
    if state.draft and state.draft.response:
        return state.draft.response
    if state.tools.seen.notes:
        return "\n".join(state.tools.seen.notes)
    return next((step.text for step in reversed(state.steps) if step.text), None)


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
