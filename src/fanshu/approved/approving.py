"""Approving an answer: its evidence is looked at, and a text that was edited is checked again."""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fanshu.agent.answer import Strictness, Verdict, check, status_of
from fanshu.agent.draft import Draft, DraftCitation
from fanshu.agent.prompts import language_of
from fanshu.approved.approval import Approved, Evidence, now
from fanshu.approved.standing import Ground, Today, stand
from fanshu.errors import ApprovalRefused, ApprovalUnchecked
from fanshu.library.library import Library
from fanshu.types import EVERYTHING, Answer, Chunk, Citation, Scope

ID_BYTES = 4
MOST_CHARS = 8_000  # of a text, as of a model's answer
MOST_NOTE = 2_000
MOST_SECTION = 20_000  # characters of a section that are remembered; of longer ones the part
MOST_QUESTION = 4_000


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants to approve. `text`: in the place of the answer's own.

    `force`: also what the evidence does not hold, which stays marked.
    """

    by: str
    text: str | None = None
    note: str = ""
    question: str | None = None
    force: bool = False


def approve(
    answer: Answer,
    library: Library,
    wish: Wish,
    *,
    scope: Scope = EVERYTHING,
    strictness: Strictness = "strict",
) -> Approved:
    """An answer as somebody approves it, with its evidence as that stands now.

    Raises: ApprovalRefused — it rests on nothing, or not any more on what it did;
    ApprovalUnchecked — the evidence does not hold the text, and that is not forced.
    """
    text = (answer.answer if wish.text is None else wish.text).strip()
    question = (wish.question or answer.question).strip()
    must_be_text(text, question, wish)
    ground = Ground(library, scope)
    today = _standing(answer, ground)
    cited = [one.citation for one in today if one.citation]
    chunks = [one.chunk for one in today if one.chunk]
    edited = text != answer.answer.strip()
    found = checked(replace(answer, question=question, answer=text), cited, chunks, strictness)
    if not edited and answer.status == "passages":
        found = replace(found, status="passages")
    if found.unsupported and not wish.force:
        raise ApprovalUnchecked(items="; ".join(found.unsupported), unsupported=found.unsupported)
    return Approved(
        id=secrets.token_hex(ID_BYTES),
        question=question,
        answer=found,
        evidence=tuple(evidence_of(cited, chunks, ground)),
        by=wish.by,
        at=now(),
        note=wish.note.strip()[:MOST_NOTE],
        edited=edited,
        strictness=strictness,
    )


def must_be_text(text: str, question: str, wish: Wish) -> None:
    """Raises: ApprovalRefused — it cannot be the text of an approved answer."""
    if not text:
        raise ApprovalRefused(detail="there is no text; write one with --answer or --edit")
    if len(text) > MOST_CHARS:
        raise ApprovalRefused(detail=f"an answer may have {MOST_CHARS:,} characters")
    if not question or len(question) > MOST_QUESTION:
        raise ApprovalRefused(detail=f"a question has 1 to {MOST_QUESTION:,} characters")
    if not wish.by.strip():
        raise ApprovalRefused(detail="nobody is named who approves it")
    if not wish.by.isprintable():
        raise ApprovalRefused(detail="who approves it is named on one line, without controls")
    for said in (text, question, wish.by, wish.note):
        must_be_writable(said)


def must_be_writable(text: str) -> None:
    """Raises: ApprovalRefused — it holds halves of characters, as from another encoding."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ApprovalRefused(detail="the text is not in UTF-8") from error


def _standing(answer: Answer, ground: Ground) -> list[Today]:
    """Where its evidence stands today. Raises: ApprovalRefused."""
    if not answer.citations:
        detail = "it cites nothing, so nothing could be looked at again"
        raise ApprovalRefused(detail=detail)
    today = [stand(number, cited, ground) for number, cited in enumerate(answer.citations, 1)]
    for one in today:
        if one.standing.state not in ("unchanged", "moved"):
            place = f"[{one.standing.number}] {one.standing.chunk_id}"
            detail = f"{place} has changed since the answer was given; ask again with --fresh"
            raise ApprovalRefused(detail=detail)
    return today


def checked(
    answer: Answer, cited: Sequence[Citation], chunks: Sequence[Chunk], strictness: Strictness
) -> Answer:
    """The answer with what a check of its text over its evidence says."""
    verdict = verdict_on(answer, cited, chunks, strictness)
    return replace(
        unchecked(answer),
        citations=tuple(cited),
        unsupported=tuple(against(verdict)),
        derived=verdict.derived,
        status=status_of(_draft(answer, cited), verdict),
    )


def unchecked(answer: Answer) -> Answer:
    """The answer without what a run said of it."""
    return replace(
        answer,
        derived=(),
        stop_reason="answered",
        citations_rejected=0,
        related=(),
        error=None,
        note="",
        unverified_text=None,
        cached=False,
        approved=None,
        under_review=None,
    )


def verdict_on(
    answer: Answer,
    cited: Sequence[Citation],
    chunks: Sequence[Chunk],
    strictness: Strictness = "strict",
) -> Verdict:
    """What the check says of an answer over chunks, which hold its citations."""
    return check(
        _draft(answer, cited),
        read={chunk.chunk_id: chunk for chunk in chunks},
        question=answer.question,
        language=language_of(answer.question),
        strictness=strictness,
    )


def _draft(answer: Answer, cited: Sequence[Citation]) -> Draft:
    quotes = tuple(DraftCitation(one.chunk_id, one.quote) for one in cited)
    return Draft(answer.answer, quotes, found=True)


def against(verdict: Verdict) -> Iterator[str]:
    """What speaks against a text: claims that its evidence does not hold, quotes that failed."""
    yield from verdict.unsupported
    yield from (one.quote for one in verdict.rejected)


def evidence_of(
    cited: Sequence[Citation], chunks: Sequence[Chunk], ground: Ground
) -> Iterator[Evidence]:
    """The evidence as it is kept: each citation with its section and the version of its file."""
    files = ground.library.view().documents
    for one, chunk in zip(cited, chunks, strict=True):
        record = files.get(one.file_path)
        newer = replace(one, newer_version=chunk.newer_version)
        section = _section(chunk, ground.file(one.file_path))
        yield Evidence(newer, section, record.hash if record else "", chunk.date)


def _section(chunk: Chunk, file: Sequence[Chunk]) -> str:
    """The text of the section that a chunk is of, with its other parts."""
    parts = [one.text for one in file if one.section_path == chunk.section_path]
    text = "".join(parts)
    return text if chunk.text in text and len(text) <= MOST_SECTION else chunk.text
