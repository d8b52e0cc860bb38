"""Answers of other systems, with the citations mapped to sections and checked like ours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fanshu.agent.answer import Verdict, check, status_of
from fanshu.agent.draft import Draft, DraftCitation
from fanshu.agent.evidence import find
from fanshu.types import Answer, Chunk, Citation, Language, Status, Step, StopReason, Usage


@dataclass(frozen=True, slots=True)
class Source:
    """A text that the model had under a `label`, and the sections it lies in."""

    label: str
    text: str
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What a model said in the end, and what it took."""

    draft: Draft | None
    steps: tuple[Step, ...]
    seconds: float
    stop: StopReason = "answered"
    error: str | None = None

    @property
    def usage(self) -> Usage:
        """The tokens of all rounds."""
        return sum((step.usage for step in self.steps), Usage())


def answer_of(
    question: str,
    told: Told,
    sources: Mapping[str, Source],
    *,
    language: Language,
    reader: str,
    strict: bool,
) -> Answer:
    """The answer of a system that named its sources by label.

    `strict`: without a checked citation nothing counts as found, as in our loop. Else the text
    is given whatever the check says, and where a quote stands nowhere, the whole source is cited.
    """
    draft = told.draft
    verdict = _verdict(question, draft, sources, language) if draft else Verdict()
    citations = verdict.citations
    placed_by_code = any(one.verified == "located" for one in citations)
    if draft and not strict and verdict.rejected and not placed_by_code:
        citations = (*citations, *_whole(draft, sources))
    status = _status(draft, verdict, told, strict=strict)
    found = draft is not None and status in ("answered", "partial")
    return Answer(
        question,
        status,
        draft.response if draft and found else "",
        citations=citations if found else (),
        unsupported=verdict.unsupported if found else (),
        stop_reason="not_found" if status == "not_found" else told.stop,
        rounds=len(told.steps),
        citations_rejected=len(verdict.rejected),
        usage=told.usage,
        seconds=told.seconds,
        reader=reader,
        error=told.error,
    )


def _status(draft: Draft | None, verdict: Verdict, told: Told, *, strict: bool) -> Status:
    if draft is None:
        return "error" if told.stop == "model_error" else "partial"
    if strict or not draft.found:
        return status_of(draft, verdict)
    return "partial" if verdict.unsupported or verdict.rejected else "answered"


def _verdict(
    question: str, draft: Draft, sources: Mapping[str, Source], language: Language
) -> Verdict:
    placed = [placed_in(one, sources.get(_label(one.chunk_id))) for one in draft.citations]
    read = {chunk.chunk_id: chunk for one in sources.values() for chunk in one.chunks}
    at_sections = replace(draft, citations=tuple(placed))
    return check(at_sections, read=read, question=question, language=language)


def placed_in(citation: DraftCitation, source: Source | None) -> DraftCitation:
    """A citation of a source as one of the section that its quote stands in."""
    for chunk in source.chunks if source else ():
        if citation.quote and find(citation.quote, chunk):
            return DraftCitation(chunk.chunk_id, citation.quote)
    return citation


def _whole(draft: Draft, sources: Mapping[str, Source]) -> Sequence[Citation]:
    """The sources that are cited with words that stand nowhere in them."""
    cited = [(one, sources.get(_label(one.chunk_id))) for one in draft.citations]
    return [
        Citation(
            source.chunks[0].chunk_id,
            source.chunks[0].file_path,
            source.chunks[0].section_path,
            None,
            source.chunks[0].page,
            one.quote,
            source.text,
            "located",
            source.chunks[0].hash,
        )
        for one, source in cited
        if source and source.text and placed_in(one, source) is one
    ]


def _label(text: str) -> str:
    """The label meant: a number is often given in brackets."""
    return text.strip().strip("[]【】() ")
