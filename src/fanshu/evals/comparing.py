"""Two sets of results side by side, question by question: what changed, and whether by chance."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from fanshu.evals.results import status
from fanshu.evals.statistics import Interval, McNemar, difference, mcnemar
from fanshu.evals.summary import GRADED, MEASURES, Case, Summary, only_ranked, summaries

# A measure is worse when so many losses would be seen by chance in fewer than one of twenty
# comparisons of two equal systems; all three measures together, after Holm (1979). With no
# question won that takes six lost ones, for one measure alone.
SIGNIFICANT = 0.05
MAJORITY = 0.5  # of several passes a question counts as right when more than this share is
RANKED = ("recall@5", "recall@10", "mrr", "ndcg")  # worse where the whole interval is below 0
SHOWN = ("rounds", "tokens")  # a question differs when its status, its grades or one of these do


@dataclass(frozen=True, slots=True)
class Side:
    """How one question came out; `right` and `complete` are None without gold."""

    status: str
    right: bool | None
    complete: bool | None
    measures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Difference:
    """A question that came out differently."""

    id: str
    kind: str
    before: Side
    after: Side


@dataclass(frozen=True, slots=True)
class Change:
    """One measure of both over the same questions.

    `difference`: after less before, with its interval. `test`: None for what is no grade.
    `worse`: significantly so; never said of what a question takes.
    """

    measure: str
    before: float
    after: float
    difference: Interval
    test: McNemar | None
    worse: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """`paired`: questions that both have results for; the totals are over these alone."""

    paired: int
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    differences: tuple[Difference, ...]
    before: Summary
    after: Summary
    changes: tuple[Change, ...]

    @property
    def graded(self) -> bool:
        """Whether there is anything to say about right and wrong, or found and not found."""
        return any(one.test or one.measure in RANKED for one in self.changes)

    @property
    def worse(self) -> tuple[str, ...]:
        """Measures that are significantly worse."""
        return tuple(one.measure for one in self.changes if one.worse)


def compare(before: Sequence[Case], after: Sequence[Case]) -> Comparison:
    """The second set of results against the first; each may hold several passes."""
    first, second = _by_id(before), _by_id(after)
    both = [id_ for id_ in first if id_ in second]
    return Comparison(
        len(both),
        tuple(id_ for id_ in first if id_ not in second),
        tuple(id_ for id_ in second if id_ not in first),
        tuple(it for id_ in both if (it := _difference(first[id_][0], second[id_][0]))),
        summaries([one for id_ in both for one in first[id_]])[0],
        summaries([one for id_ in both for one in second[id_]])[0],
        changes([first[id_] for id_ in both], [second[id_] for id_ in both]),
    )


def changes(
    before: Sequence[Sequence[Case]], after: Sequence[Sequence[Case]]
) -> tuple[Change, ...]:
    """Each measure that both have; a question is given as its cases, one for each pass."""
    graded = [made for name in GRADED if (made := _graded(name, before, after))]
    worse = _holm({one.measure: one.test.p_worse for one in graded if one.test})
    told = [replace(one, worse=one.measure in worse) for one in graded]
    ranked = [made for name in RANKED if (made := _amounts(name, before, after, _ranked))]
    told += [replace(one, worse=one.difference.high < 0) for one in ranked]
    took = [made for name in MEASURES if (made := _amounts(name, before, after, _stated))]
    return (*told, *took)


def _holm(chances: Mapping[str, float]) -> frozenset[str]:
    """What is significant of several at once: the least must pass the strictest bound."""
    passed = set()
    for rank, (name, p) in enumerate(sorted(chances.items(), key=lambda pair: pair[1])):
        if p >= SIGNIFICANT / (len(chances) - rank):
            break
        passed.add(name)
    return frozenset(passed)


def _graded(
    name: str, before: Sequence[Sequence[Case]], after: Sequence[Sequence[Case]]
) -> Change | None:
    pairs = [(_share(name, a), _share(name, b)) for a, b in zip(before, after, strict=True)]
    kept = [(a, b) for a, b in pairs if a is not None and b is not None]
    old, new = [a for a, _ in kept], [b for _, b in kept]
    change = difference(old, new)
    if change is None:
        return None
    test = mcnemar([one > MAJORITY for one in old], [one > MAJORITY for one in new])
    return Change(name, fmean(old), fmean(new), change, test)


def _share(name: str, passes: Sequence[Case]) -> float | None:
    grades = [None if only_ranked(one) else one.grade for one in passes]
    return fmean(float(getattr(it, name)) for it in grades if it) if all(grades) else None


def _amounts(
    name: str,
    before: Sequence[Sequence[Case]],
    after: Sequence[Sequence[Case]],
    of: Callable[[str, Case], float | None],
) -> Change | None:
    pairs = [(_mean(name, a, of), _mean(name, b, of)) for a, b in zip(before, after, strict=True)]
    kept = [(a, b) for a, b in pairs if a is not None and b is not None]
    old, new = [a for a, _ in kept], [b for _, b in kept]
    change = difference(old, new)
    return Change(name, fmean(old), fmean(new), change, None) if change else None


def _mean(
    name: str, passes: Sequence[Case], of: Callable[[str, Case], float | None]
) -> float | None:
    told = [value for one in passes if (value := of(name, one)) is not None]
    return fmean(told) if told else None


def _stated(name: str, one: Case) -> float | None:
    value = (one.result or {}).get(MEASURES[name])
    return float(value) if isinstance(value, int | float) else None


def _ranked(name: str, one: Case) -> float | None:
    return one.ranking.figures[name] if one.ranking else None


def _by_id(found: Sequence[Case]) -> dict[str, list[Case]]:
    kept: dict[str, list[Case]] = defaultdict(list)
    for one in found:
        if one.result is not None:
            kept[one.id].append(one)
    return kept


def _difference(before: Case, after: Case) -> Difference | None:
    sides = _side(before), _side(after)
    return Difference(before.id, before.kind, *sides) if sides[0] != sides[1] else None


def _side(one: Case) -> Side:
    result = one.result or {}
    values = {name: result.get(MEASURES[name]) for name in SHOWN}
    return Side(
        status(result),
        one.grade.right if one.grade else None,
        one.grade.complete if one.grade else None,
        {name: value for name, value in values.items() if isinstance(value, int | float)},
    )
