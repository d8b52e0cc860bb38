"""An approved answer, with the evidence that it rests on, and how that stands now."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from fanshu.agent.answer import Strictness
from fanshu.approved.standing import Standing
from fanshu.types import EVERYTHING, Answer, Approval, ApprovalState, Citation, Scope, Usage

if TYPE_CHECKING:
    from pydantic import TypeAdapter

GIVEN: tuple[ApprovalState, ...] = ("unchanged", "moved")  # without a warning, and at once
# From bad to harmless: an answer is as bad as the worst that is known of it.
ORDER: tuple[ApprovalState, ...] = (
    "gone",
    "changed",
    "contradicted",
    "superseded",
    "moved",
    "unchanged",
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """One place that an approved answer rests on.

    `citation`: passage, quote, place and hash of the chunk. `section`: the text of its section.
    `file_hash`: the version of the file. `date`: the document's own.
    """

    citation: Citation
    section: str
    file_hash: str
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Another document that states another value: `says` there, `said` in the evidence."""

    chunk_id: str
    file_path: str
    section_path: tuple[str, ...]
    passage: str
    says: str
    said: str
    number: int = 1

    @property
    def key(self) -> str:
        """What it is known by once somebody has accepted it."""
        return f"{self.file_path}\n{''.join(self.passage.split())}"


@dataclass(frozen=True, slots=True)
class Approved:
    """An answer that somebody approved. `at`: ISO form, UTC.

    `edited`: the text is a person's, not the run's. `strictness`: of the check. `accepted`:
    contradictions that are known and do not count. What its evidence does not hold is in
    `answer.unsupported`.
    """

    id: str
    question: str
    answer: Answer
    evidence: tuple[Evidence, ...]
    by: str
    at: str
    note: str = ""
    edited: bool = False
    strictness: Strictness = "strict"
    accepted: tuple[str, ...] = ()

    @property
    def evidence_chunks(self) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
        """The hash, file and headings of each chunk that it rests on."""
        cited = [one.citation for one in self.evidence]
        return tuple((one.hash, one.file_path, one.section_path) for one in cited)


@dataclass(frozen=True, slots=True)
class Examined:
    """How an approved answer stood when it was last looked at (`at`).

    `now`: its citations, where they stand now as far as they do. `unsupported`: what the evidence
    of now does not hold and that of then did.
    """

    at: str
    state: ApprovalState
    standings: tuple[Standing, ...]
    now: tuple[Citation, ...]
    contradictions: tuple[Contradiction, ...] = ()
    unsupported: tuple[str, ...] = ()

    @property
    def waits(self) -> bool:
        """Whether somebody has to review the answer."""
        return self.state not in GIVEN


@dataclass(frozen=True, slots=True)
class Kept:
    """An approved answer as the store holds it: with its wordings, and how it stands."""

    approved: Approved
    examined: Examined
    wordings: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return self.approved.id

    @property
    def files(self) -> frozenset[str]:
        """Every file that giving the answer shows something of."""
        places = (*(one.citation for one in self.approved.evidence), *self.examined.now)
        return frozenset(one.file_path for one in places)

    @property
    def approval(self) -> Approval:
        """What an answer says of it."""
        one = self.approved
        return Approval(one.by, one.at, self.examined.state, one.id)

    def citations(self, scope: Scope = EVERYTHING) -> tuple[Citation, ...]:
        """Where its passages stand now; without newer versions that may not be seen."""
        return tuple(
            replace(one, newer_version=None)
            if one.newer_version and not scope.allows(one.newer_version)
            else one
            for one in self.examined.now
        )

    def given(self, question: str, seconds: float, scope: Scope = EVERYTHING) -> Answer:
        """The answer as it is given again: at no cost, with its citations where they are now."""
        return replace(
            self.approved.answer,
            question=question,
            citations=self.citations(scope),
            seconds=seconds,
            usage=Usage(),
            rounds=0,
            bounces=0,
            cached=False,
            approved=self.approval,
        )


def now() -> str:
    """The time, in ISO form, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def closed(one: "Approved | Examined") -> str:
    """An object of this module as JSON."""
    kind = Approved if isinstance(one, Approved) else Examined
    return str(_adapter(kind).dump_json(one).decode("utf-8"))


def approved_of(body: str) -> Approved:
    """From JSON. Raises: ValueError."""
    found: Approved = _adapter(Approved).validate_json(body)
    return found


def examined_of(body: str) -> Examined:
    """From JSON. Raises: ValueError."""
    found: Examined = _adapter(Examined).validate_json(body)
    return found


def from_plain(data: Mapping[str, Any]) -> Approved:
    """From plain data, as exported. Raises: ValueError."""
    found: Approved = _adapter(Approved).validate_python(data)
    return found


@cache
def _adapter(kind: Any) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter  # slow to import

    return TypeAdapter(kind)
