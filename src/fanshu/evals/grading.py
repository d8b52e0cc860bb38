"""Judge results against gold: is the answer right, are its places cited, was it given too soon.

The rules are those of the evaluation set's own grader: an answer holds every `must` item and no
`trap`, and is short; a citation points at a gold place when it holds its quote, or names its page
or section.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Literal

from fanshu.errors import ConfigError
from fanshu.evals.literal import has, plain, same_trail, squash, trail_of
from fanshu.evals.questions import Question

# Pouring out the best sections whole would otherwise score.
MOST_CHARS, MOST_CHARS_LONG, MOST_CITATIONS = 600, 1200, 10
LONG_KINDS = frozenset({"cross", "multi", "list", "conflict"})
UNANSWERABLE = "unanswerable"

Fields = Mapping[str, Any]
Refusal = Literal["right", "wrong", "invented"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a fact stands: `trail` are the headings above it as they are compared."""

    file: str
    trail: tuple[str, ...]
    quote: str
    page: int | None


@dataclass(frozen=True, slots=True)
class Gold:
    """What a right answer holds and cites; each of `places` is a choice of equally good ones."""

    kind: str
    must: tuple[tuple[str, ...], ...]
    trap: tuple[tuple[str, ...], ...]
    places: tuple[tuple[Place, ...], ...]


@dataclass(frozen=True, slots=True)
class Grade:
    """How one result is judged.

    `premature`: answered in full although some gold place was never seen; None: not known.
    `precision`: the share of its citations that point at a gold place; None without any.
    `refusal`: "not found" where the documents do not say (right) or do (wrong), or an answer
    where they do not (invented); None: an answer where they do say, or an error.
    """

    right: bool
    cited: bool
    complete: bool
    premature: bool | None
    precision: float | None = None
    refusal: Refusal | None = None


def gold(question: Question) -> Gold | None:
    """What the file of questions says is right; None when it says nothing.

    Raises: ConfigError — it says so in a form that is not understood.
    """
    fields = question.fields
    kind = question.kind or ""
    if not fields.get("must") and not fields.get("gold") and kind != UNANSWERABLE:
        return None
    try:
        return Gold(
            kind,
            tuple(map(_choice, fields.get("must", ()))),
            tuple(map(_choice, fields.get("trap", ()))),
            tuple(
                tuple(map(_place, (one, *one.get("also", ())))) for one in fields.get("gold", ())
            ),
        )
    except (KeyError, TypeError, AttributeError) as error:
        detail = f"the question {question.id!r} has no usable must, trap or gold ({error!r})"
        raise ConfigError(name="questions", detail=detail) from error


def grade(right: Gold, result: Fields | None) -> Grade:
    """Judge one result; without one, nothing is right."""
    result = result or {}
    found = bool(result.get("found", True) and str(result.get("answer") or "").strip())
    cited = result.get("citations") or ()
    refusal = _refusal(right, result, found=found)
    if right.kind == UNANSWERABLE:
        refused = bool(result) and not found
        bare = refused and not cited
        return Grade(refused, bare, bare, None, None, refusal)
    counted = cited if len(cited) <= MOST_CITATIONS else ()
    hits = [
        [any(points_at(one, place) for place in each) for one in counted] for each in right.places
    ]
    got = [any(row) for row in hits]
    good = sum(any(column) for column in zip(*hits, strict=True))
    answered = found and result.get("status", "answered") == "answered"
    return Grade(
        found and _holds(right, str(result.get("answer"))),
        any(got),
        all(got),
        answered and _premature(right, result),
        good / len(cited) if cited else None,
        refusal,
    )


def _refusal(right: Gold, result: Fields, *, found: bool) -> Refusal | None:
    if not result or "error" in result:
        return None
    if right.kind == UNANSWERABLE:
        return "invented" if found else "right"
    return None if found else "wrong"


def points_at(citation: Fields, place: Place) -> bool:
    """Whether a citation points at a place."""
    if PurePosixPath(citation.get("file") or "").as_posix() != place.file:
        return False
    text = citation.get("text")
    if text and squash(place.quote) in squash(text):
        return True
    page = citation.get("page")
    if place.page is not None and page is not None:
        return bool(page == place.page)
    trail = trail_of(citation.get("trail") or citation.get("heading"))
    if place.page is not None and not trail:
        return False
    return same_trail(trail, place.trail)


def _premature(right: Gold, result: Fields) -> bool | None:
    """Whether a gold place was neither read, nor its quote in a line that a search showed."""
    if "read" not in result:
        return None
    read, shown = result["read"], result.get("shown") or ()
    return not all(
        any(points_at(one, place) for one in read for place in each)
        or any(shows(line, place) for line in shown for place in each)
        for each in right.places
    )


def shows(line: Fields, place: Place) -> bool:
    """Whether a text with its file holds the quote of a place."""
    return line.get("file") == place.file and squash(place.quote) in squash(line.get("text", ""))


def _holds(right: Gold, answer: str) -> bool:
    if len(answer) > (MOST_CHARS_LONG if right.kind in LONG_KINDS else MOST_CHARS):
        return False
    text = plain(answer)
    return all(has(one, text) for one in right.must) and not any(
        has(one, text) for one in right.trap
    )


def _choice(item: str | Sequence[str]) -> tuple[str, ...]:
    wordings = (item,) if isinstance(item, str) else tuple(item)
    if not all(isinstance(one, str) and plain(one) for one in wordings):
        raise TypeError(item)
    return wordings


def _place(fields: Fields) -> Place:
    return Place(
        str(fields["file"]), trail_of(fields.get("trail")), str(fields["quote"]), fields.get("page")
    )
