"""Why an answer is wrong, as far as what was written down tells.

A probable cause, not a proof: it says where on the way to the fact the system was last seen.
"""

from collections.abc import Sequence
from typing import Literal

from fanshu.evals.grading import (
    MOST_CHARS_LONG,
    UNANSWERABLE,
    Fields,
    Gold,
    Grade,
    Place,
    points_at,
    shows,
)

Cause = Literal[
    "error",
    "no_result",
    "invented",
    "never_found",
    "not_read",
    "wrongly_refused",
    "not_used",
    "wrong_fact",
    "too_long",
    "unknown",
]
CAUSES: tuple[Cause, ...] = (
    *("error", "no_result", "never_found", "not_read", "not_used"),
    *("wrong_fact", "too_long", "wrongly_refused", "invented", "unknown"),
)


def cause(gold: Gold, result: Fields | None, grade: Grade) -> Cause | None:
    """The probable cause of a wrong answer; None of a right one."""
    if grade.right:
        return None
    if result is None:
        return "no_result"
    if "error" in result:
        return "error"
    if gold.kind == UNANSWERABLE:
        return "invented"
    return _lost(gold, result) or _misused(result, grade)


def _lost(gold: Gold, result: Fields) -> Cause | None:
    """Whether some gold place was never found, or found and not read."""
    if "read" not in result:
        return None
    reached = [_reached(each, result) for each in gold.places]
    if "nowhere" in reached:
        return "never_found"
    return "not_read" if "seen" in reached else None


def _reached(places: Sequence[Place], result: Fields) -> Literal["read", "seen", "nowhere"]:
    if any(points_at(one, place) for one in result.get("read") or () for place in places):
        return "read"
    seen = (*(result.get("shown") or ()), *(result.get("retrieved") or ()))
    return "seen" if any(shows(one, place) for one in seen for place in places) else "nowhere"


def _misused(result: Fields, grade: Grade) -> Cause:
    if grade.refusal == "wrong":
        return "wrongly_refused"
    if len(result.get("answer") or "") > MOST_CHARS_LONG:
        return "too_long"
    if grade.cited:
        return "wrong_fact"
    return "not_used" if "read" in result else "unknown"
