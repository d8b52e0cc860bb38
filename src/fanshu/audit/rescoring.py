"""Old answers against today's files: does each passage still stand, and the check still hold?

A replay makes the calls of a run again and reports every difference. This asks only what an
auditor asks: is what was cited still written there, word for word?
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fanshu.agent.answer import check, status_of
from fanshu.agent.draft import DraftCitation, parse_draft
from fanshu.agent.prompts import language_of
from fanshu.approved.standing import Ground, Standing, stand
from fanshu.audit.account import answer_of, last_draft
from fanshu.errors import LibraryError
from fanshu.library.library import Library
from fanshu.types import Answer, Chunk, SearchRecord, Status

__all__ = ["Rescored", "Standing", "closed", "rescore"]

LEVELS = ("none", "some", "all", "phrase")  # from worst to best


@dataclass(frozen=True, slots=True)
class Rescored:
    """An answer checked again. `status` is what the answer was, `status_now` what the check of
    the same draft gives today. `found_now`: searches of a not-found answer that find more now.
    `closed`: why its documents could not be opened; then nothing was checked.
    """

    trace_id: str
    question: str
    status: Status
    status_now: Status
    citations: tuple[Standing, ...] = ()
    found_now: tuple[str, ...] = ()
    closed: str | None = None

    @property
    def differs(self) -> bool:
        """Whether somebody should look at the answer again."""
        holds = all(one.holds for one in self.citations)
        return bool(not holds or self.status != self.status_now or self.found_now or self.closed)


def rescore(document: Mapping[str, Any], library: Library) -> Rescored:
    """Check the answer of a trace again over a library that is up to date.

    Raises: LibraryError — the library cannot be read at all.
    """
    answer = answer_of(document)
    ground = Ground(library)
    today = [stand(number, cited, ground) for number, cited in enumerate(answer.citations, 1)]
    read = {
        cited.chunk_id: one.chunk
        for cited, one in zip(answer.citations, today, strict=True)
        if one.chunk
    }
    found = tuple(_found_now(answer, library)) if answer.status == "not_found" else ()
    return Rescored(
        trace_id=str(document["trace_id"]),
        question=answer.question,
        status=answer.status,
        status_now=_status_now(document, answer, read),
        citations=tuple(one.standing for one in today),
        found_now=found,
    )


def closed(document: Mapping[str, Any], why: str) -> Rescored:
    """An answer that could not be checked again."""
    answer = answer_of(document)
    trace_id = str(document["trace_id"])
    return Rescored(trace_id, answer.question, answer.status, answer.status, closed=why)


# ---------------------------------------------------------------- the whole answer


def _status_now(document: Mapping[str, Any], answer: Answer, read: Mapping[str, Chunk]) -> Status:
    """What the check of the recorded draft gives over today's chunks, by their ids of then."""
    arguments = last_draft(document)
    if not answer.citations or arguments is None:
        return answer.status
    language = language_of(answer.question)
    draft = parse_draft(arguments, language)
    if isinstance(draft, str):
        return answer.status
    if any(one.verified == "located" for one in answer.citations):
        own = (DraftCitation(one.chunk_id, one.quote) for one in answer.citations)
        draft = replace(draft, citations=tuple(own), found=True)
    lenient = document.get("settings", {}).get("check") == "lenient"
    verdict = check(
        draft,
        read={old: replace(chunk, chunk_id=old) for old, chunk in read.items()},
        question=answer.question,
        language=language,
        strictness="lenient" if lenient else "strict",
    )
    status = status_of(draft, verdict)
    if answer.status == "passages" and status != "not_found":
        return "passages"
    # A run that was cut short stays partial, however well its citations hold.
    return "partial" if answer.status == "partial" and status == "answered" else status


def _found_now(answer: Answer, library: Library) -> Iterator[str]:
    for search in answer.searches:
        if _better(search, library):
            yield search.keyword


def _better(search: SearchRecord, library: Library) -> bool:
    """Whether a search finds more of its words together than it did."""
    try:
        now = library.search(search.keyword, k=1, path=search.path, question=search.ahead)
    except LibraryError:
        return False
    return LEVELS.index(now.level) > LEVELS.index(search.level)
