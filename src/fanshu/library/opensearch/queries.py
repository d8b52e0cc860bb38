"""Our queries → conditions of the engine.

A query becomes an expression, whose leaves are phrases, each in the whole chunk, in its headings,
or where these begin.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from fanshu.library.opensearch.sources import BEGINNING, stored_term
from fanshu.library.store import AllOf, Query
from fanshu.library.terms import Phrase

Place = Literal["all", "head", "start", "first"]
Condition = dict[str, Any]
Boost = Callable[["Leaf"], float]

LEAVES = 900  # phrases of one request: engines allow 1,024 conditions
EXPANSIONS = 50_000  # terms that begin with the last of a phrase
OPEN_BYTES = 900  # of an open-ended term: engines refuse 1,000; longer ones are taken as whole
USUAL = 0.5  # of the weight of a phrase, where it stands once in a chunk of usual length
NOTHING: Condition = {"match_none": {}}
_FIELD = {"all": "all", "head": "heading", "start": "heading", "first": "first"}


@dataclass(frozen=True, slots=True)
class Leaf:
    """A phrase in a place: `start` is the beginning of the headings, `first` a beginning text."""

    phrase: Phrase
    place: Place = "all"

    @property
    def terms(self) -> tuple[str, ...]:
        """Its terms as they are stored."""
        return tuple(map(stored_term, self.phrase.terms))


@dataclass(frozen=True, slots=True)
class Every:
    """All of the parts."""

    parts: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Some:
    """At least one of the parts."""

    parts: tuple["Expression", ...]


Expression = Leaf | Every | Some


def expression_of(query: Query, place: Place = "all") -> Expression:
    """A query, its phrases looked for in one place."""
    if isinstance(query, Phrase):
        return Leaf(query, place)
    kind = Every if isinstance(query, AllOf) else Some
    parts: list[Expression] = []
    for part in query.parts:
        one = expression_of(part, place)
        parts.extend(one.parts if isinstance(one, kind) else (one,))
    return parts[0] if len(parts) == 1 else kind(tuple(parts))


def narrower(query: Query) -> Iterator[Expression]:
    """Ever fewer of the matches: with a word in the headings, with one at their beginning."""
    whole = expression_of(query)
    places: tuple[Place, ...] = ("head", "start")
    for place in places:
        words = tuple(Leaf(one.phrase, place) for one in dict.fromkeys(leaves(whole)))
        some: Expression = Some(words) if len(words) > 1 else words[0]
        yield some if isinstance(query, Phrase) else Every((whole, some))


def leaves(expression: Expression) -> Iterator[Leaf]:
    """The phrases of an expression, in order, as often as they stand in it."""
    if isinstance(expression, Leaf):
        yield expression
    else:
        for part in expression.parts:
            yield from leaves(part)


def condition(expression: Expression, boost: Boost | None = None) -> Condition:
    """What the engine is asked for. `boost`: what each phrase weighs; None: nothing is ranked.

    Of more phrases than an engine takes, the first are asked for: pasted texts have so many.
    """
    fitted = _fitted(expression, [LEAVES], together=boost is None)
    return _condition(fitted, boost) if fitted else NOTHING


def _fitted(expression: Expression, left: list[int], *, together: bool) -> Expression | None:
    """An expression with as many phrases as are `left`, of those that must be asked one by one."""
    if isinstance(expression, Leaf):
        left[0] -= 1
        return expression if left[0] >= 0 else None
    loose = together and isinstance(expression, Some)
    parts = (
        part if loose and _alone(part) else _fitted(part, left, together=together)
        for part in expression.parts
    )
    fitted = tuple(part for part in parts if part)
    return type(expression)(fitted) if fitted else None


def _condition(expression: Expression, boost: Boost | None) -> Condition:
    if isinstance(expression, Leaf):
        return _phrase(expression, boost(expression) if boost else None)
    if isinstance(expression, Every):
        parts = [_condition(part, boost) for part in expression.parts]
        return {"bool": {"must" if boost else "filter": parts}}
    if boost is None:
        parts = _together(expression.parts)
    else:
        parts = [_condition(part, boost) for part in expression.parts]
    return {"bool": {"should": parts, "minimum_should_match": 1}}


def _together(parts: Sequence[Expression]) -> list[Condition]:
    """Conditions for parts of which one must hold; all that are single terms are one."""
    single: dict[str, list[str]] = {}
    others: list[Expression] = []
    for part in parts:
        if isinstance(part, Leaf) and _alone(part):
            single.setdefault(_FIELD[part.place], []).append(part.terms[0])
        else:
            others.append(part)
    found = [{"terms": {field: terms}} for field, terms in single.items()]
    return [*found, *(_condition(part, None) for part in others)]


def _alone(part: Expression) -> bool:
    """Whether a part is one term, whole and anywhere in its field."""
    if not isinstance(part, Leaf) or len(part.phrase.terms) != 1:
        return False
    return not part.phrase.prefix and part.place != "start"


def _phrase(leaf: Leaf, boost: float | None) -> Condition:
    field = _FIELD[leaf.place]
    terms = leaf.terms if leaf.place != "start" else (BEGINNING, *leaf.terms)
    if leaf.phrase.prefix and len(terms[-1].encode("utf-8", "replace")) <= OPEN_BYTES:
        open_ended = _open_ended(field, terms)
        if boost is None:
            return open_ended
        # The engine would take every term that goes on so for a word of its own.
        return {"constant_score": {"filter": open_ended, "boost": boost * USUAL}}
    more = {} if boost is None else {"boost": boost}
    if len(terms) == 1:
        return {"term": {field: {"value": terms[0], **more}}}
    return {"match_phrase": {field: {"query": " ".join(terms), **more}}}


def _open_ended(field: str, terms: Sequence[str]) -> Condition:
    if len(terms) == 1:
        return {"prefix": {field: {"value": terms[0]}}}
    asked = {"query": " ".join(terms), "max_expansions": EXPANSIONS}
    return {"match_phrase_prefix": {field: asked}}


class Within:
    """Some documents, as a condition: the fewest words for a set of units.

    Compared by identity: who asks often keeps one.
    """

    def __init__(self, docs: Collection[int] | None, units: Sequence[int]) -> None:
        """`units`: all that have chunks, in order."""
        self._docs, self._units = docs, units

    @cached_property
    def parts(self) -> tuple[list[Condition], list[Condition]]:
        """(conditions all of which hold, conditions none of which does)."""
        if self._docs is None:
            return [], []
        inside = [unit in self._docs for unit in self._units]
        share = sum(inside)
        if share == len(inside):
            return [], []
        some = _runs(self._units, inside)
        others = _runs(self._units, [not one for one in inside])
        if _length(others) < _length(some):
            return [], others
        return [{"bool": {"should": some}} if some else NOTHING], []

    @property
    def everything(self) -> bool:
        """Whether no document is left out."""
        return self.parts == ([], [])


MAX_RUNS = 200


def _length(conditions: Sequence[Condition]) -> int:
    """How much the engine is told: each number weighs as much as a range."""
    return sum(len(one["terms"]["unit"]) if "terms" in one else 1 for one in conditions)


def _runs(units: Sequence[int], chosen: Sequence[bool]) -> list[Condition]:
    """Conditions one of which holds for each chosen unit and none for another.

    Neighbours make a range, also over numbers between them that no unit has any more.
    """
    runs: list[list[int]] = []
    going = False
    for unit, one in zip(units, chosen, strict=True):
        if one and going:
            runs[-1].append(unit)
        elif one:
            runs.append([unit])
        going = one
    if len(runs) > MAX_RUNS:
        return [{"terms": {"unit": [unit for run in runs for unit in run]}}]
    found: list[Condition] = []
    loose: list[int] = []
    for run in runs:
        if len(run) > 2:
            found.append({"range": {"unit": {"gte": run[0], "lte": run[-1]}}})
        else:
            loose += run
    return found + ([{"terms": {"unit": loose}}] if loose else [])
