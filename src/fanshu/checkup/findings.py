"""What a check-up finds, and the report of it. Frozen data; the words are in `messages`."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from fanshu.types import Language, Lines

Kind = Literal[
    "conflict",
    "contact",
    "reference",
    "link",
    "superseded",
    "twin",
    "section",
    "unreadable",
    "headings",
    "term",
]
Sureness = Literal["high", "medium", "low"]
KINDS: tuple[Kind, ...] = (
    "conflict",
    "contact",
    "twin",
    "superseded",
    "reference",
    "link",
    "unreadable",
    "headings",
    "section",
    "term",
)
HIGH, MEDIUM = 0.75, 0.45
ID_CHARS = 8
MOST_SIDES = 6  # passages shown of one finding; `more` counts the rest


@dataclass(frozen=True, slots=True)
class Side:
    """One of the passages that a finding is about.

    `text` is the passage as it stands in the document, `marked` the spans in it that matter.
    `value` is what this side says, as written. A side without a chunk is a whole file.
    """

    file_path: str
    chunk_id: str = ""
    section_path: tuple[str, ...] = ()
    lines: Lines | None = None
    page: int | None = None
    text: str = ""
    marked: tuple[tuple[int, int], ...] = ()
    value: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a model made of a finding, with places it cited: `--deep`."""

    holds: bool | None
    said: str
    places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong, or looks wrong, in some documents.

    `code` names the kind more closely, and the message. `sure` is from 0 to 1. `id` stays the
    same while the same thing is wrong in the same files, wherever it moves in them. `term` is
    what it is about: a parameter, a target, a word. `more`: sides that are not shown.
    """

    id: str
    kind: Kind
    code: str
    sides: tuple[Side, ...]
    sure: float
    term: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    more: int = 0
    verdict: Verdict | None = None

    @property
    def sureness(self) -> Sureness:
        """How sure it is, in a word."""
        return sureness(self.sure)

    def message(self, language: Language) -> str:
        """What is wrong, in one sentence."""
        from fanshu.checkup.messages import said

        return said(language, f"{self.kind}.{self.code}", term=self.term, **self.values)


def sureness(sure: float) -> Sureness:
    """The word for a number from 0 to 1."""
    return "high" if sure >= HIGH else "medium" if sure >= MEDIUM else "low"


def finding_id(kind: Kind, *parts: str) -> str:
    """A short name that says what kind it is and depends on nothing but its parts."""
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{kind}-{digest[:ID_CHARS]}"


@dataclass(frozen=True, slots=True)
class Ignored:
    """A finding that a rule leaves out, and why."""

    finding: Finding
    reason: str


@dataclass(frozen=True, slots=True)
class Report:
    """A check-up: findings, what is worth reading first. `files` and `sections` were looked at.

    `unused`: rules of the ignore file that match nothing any more. `seconds` is the wall time.
    """

    findings: tuple[Finding, ...]
    ignored: tuple[Ignored, ...] = ()
    unused: tuple[str, ...] = ()
    files: int = 0
    sections: int = 0
    seconds: float = 0.0

    def worst(self) -> Sureness | None:
        """The highest sureness among the findings."""
        return sureness(max(one.sure for one in self.findings)) if self.findings else None
