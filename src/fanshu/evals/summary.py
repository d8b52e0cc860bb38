"""Results in figures: of all questions, and of each kind."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from fanshu.evals.grade_lines import grade_in, ranking_in
from fanshu.evals.grading import UNANSWERABLE, Grade, gold, grade
from fanshu.evals.questions import Question
from fanshu.evals.results import RETRIEVED, Result, status
from fanshu.evals.retrieval import Ranking, ranking
from fanshu.evals.statistics import Interval, interval, quantile

ALL = "all"
TOP = 0.9  # the share of questions that need at most the upper figure of a `Spread`
STATUSES = ("answered", "partial", "passages", "not_found", RETRIEVED)
MEASURES: Mapping[str, str] = {  # → the keys of a result
    "rounds": "loops",
    "tokens": "tokens",
    "prompt": "prompt_tokens",
    "cached": "cached_tokens",
    "completion": "completion_tokens",
    "searches": "searches",
    "reads": "reads",
    "cost": "cost",
    "seconds": "seconds",
    "first_step": "first_step",
}
GRADED = ("right", "cited", "complete")


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean, and what half, nine and nineteen of twenty stay within (nearest rank)."""

    mean: float
    p50: float
    p90: float
    p95: float


@dataclass(frozen=True, slots=True)
class Refusals:
    """How "not found" was used, in numbers of answers.

    `right`: said where the documents do not say, of so many `unanswerable`; `wrong`: said where
    they do, of so many `answerable`; `invented`: an answer where they do not say.
    """

    right: int
    invented: int
    unanswerable: int
    wrong: int
    answerable: int


@dataclass(frozen=True, slots=True)
class Grades:
    """Shares of questions; `premature`: how many were answered before all gold was seen.

    `intervals`: those of the three shares and of `precision`, the mean share of an answer's
    citations that point at a gold place, over answers that cite.
    """

    right: float
    cited: float
    complete: float
    premature: int
    precision: float | None
    intervals: Mapping[str, Interval]
    refusals: Refusals


@dataclass(frozen=True, slots=True)
class Summary:
    """The questions of one kind, or all: how many came out how, and what they took.

    `found`: not "not found". `missing`: without a result. `bounces`: answers sent back by the
    check; `rejected`: citations that it removed. `spreads` holds those of `MEASURES` that
    results state. `cached_share`: of the prompt tokens. `grades`: None without gold. `retrieval`:
    recall@k, mrr and ndcg, where rankings are recorded. Asked several times, a question counts
    once, with the mean of its passes.
    """

    kind: str
    questions: int
    found: int
    statuses: Mapping[str, int]
    errors: int
    missing: int
    bounces: int
    rejected: int
    spreads: Mapping[str, Spread]
    cached_share: float | None
    grades: Grades | None
    retrieval: Mapping[str, Interval]


@dataclass(frozen=True, slots=True)
class Case:
    """A question, its result if there is one, its grade if there is gold, that of its ranking."""

    id: str
    kind: str
    result: Result | None
    grade: Grade | None
    ranking: Ranking | None = None


def cases(results: Mapping[str, Result], questions: Sequence[Question] | None) -> list[Case]:
    """Questions with their results; without questions, the results alone.

    Raises: ConfigError — gold that is not understood.
    """
    if questions is None:
        return [
            Case(id_, str(row.get("kind") or ""), row, grade_in(row))
            for id_, row in results.items()
        ]
    return [_case(one, results.get(one.id)) for one in questions]


def _case(question: Question, result: Result | None) -> Case:
    kept = grade_in(result)
    right = gold(question)
    kind = question.kind or ""
    if right is None or kept:
        return Case(question.id, kind, result, kept, ranking_in(result))
    retrieved = (result or {}).get("retrieved")
    ranked = ranking(right, retrieved) if retrieved else None
    return Case(question.id, kind, result, grade(right, result), ranked)


def only_ranked(one: Case) -> bool:
    """Whether a system was asked that answers nothing, so that nothing of it is wrong."""
    return one.result is not None and status(one.result) == RETRIEVED


def summaries(found: Sequence[Case]) -> list[Summary]:
    """That of all, then those of each kind in the order in which they come.

    The cases of several passes may follow each other.
    """
    kinds = dict.fromkeys(one.kind for one in found if one.kind)
    parts = [(kind, [one for one in found if one.kind == kind]) for kind in kinds]
    return [_summary(name, part) for name, part in ((ALL, found), *parts)]


def _summary(kind: str, found: Sequence[Case]) -> Summary:
    results = [one.result for one in found if one.result is not None]
    states = [status(one) for one in results]
    return Summary(
        kind,
        len({one.id for one in found}),
        sum(state not in ("error", "not_found", RETRIEVED) for state in states),
        {name: states.count(name) for name in STATUSES},
        states.count("error"),
        len(found) - len(results),
        sum(int(one.get("bounces") or 0) for one in results),
        sum(int(one.get("citations_rejected") or 0) for one in results),
        {name: kept for name, key in MEASURES.items() if (kept := spread(_stated(results, key)))},
        _cached_share(results),
        _grades(found),
        _retrieval(found),
    )


def _stated(results: Iterable[Result], key: str) -> list[float]:
    values = (one.get(key) for one in results)
    return [value for value in values if isinstance(value, int | float)]


def _cached_share(results: Sequence[Result]) -> float | None:
    prompt = sum(_stated(results, "prompt_tokens"))
    return sum(_stated(results, "cached_tokens")) / prompt if prompt else None


def spread(values: Sequence[float]) -> Spread | None:
    """Mean and upper figures; None of nothing."""
    if not values:
        return None
    middle, top, last = (quantile(values, share) for share in (0.5, TOP, 0.95))
    return Spread(fmean(values), middle or 0.0, top or 0.0, last or 0.0)


def by_question(values: Iterable[tuple[str, float]]) -> list[float]:
    """The mean of each question over its passes: passes of one question are no new questions."""
    kept: dict[str, list[float]] = defaultdict(list)
    for id_, value in values:
        kept[id_].append(value)
    return [fmean(each) for each in kept.values()]


def _grades(found: Sequence[Case]) -> Grades | None:
    graded = [(one, one.grade) for one in found if one.grade]
    if all(only_ranked(one) for one, _ in graded):
        return None
    values = {
        name: by_question((one.id, float(getattr(grade, name))) for one, grade in graded)
        for name in GRADED
    }
    values["precision"] = by_question(
        (one.id, grade.precision) for one, grade in graded if grade.precision is not None
    )
    shares = {name: kept for name, of in values.items() if (kept := interval(of, share=True))}
    return Grades(
        right=shares["right"].mean,
        cited=shares["cited"].mean,
        complete=shares["complete"].mean,
        premature=sum(bool(grade.premature) for _, grade in graded),
        precision=shares["precision"].mean if "precision" in shares else None,
        intervals=shares,
        refusals=_refusals(graded),
    )


def _refusals(graded: Sequence[tuple[Case, Grade]]) -> Refusals:
    said = [grade.refusal for _, grade in graded]
    unanswerable = sum(one.kind == UNANSWERABLE for one, _ in graded)
    return Refusals(
        said.count("right"),
        said.count("invented"),
        unanswerable,
        said.count("wrong"),
        len(graded) - unanswerable,
    )


def _retrieval(found: Sequence[Case]) -> Mapping[str, Interval]:
    columns: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for one in found:
        for name, value in (one.ranking.figures if one.ranking else {}).items():
            columns[name].append((one.id, value))
    return {
        name: kept
        for name, column in columns.items()
        if (kept := interval(by_question(column), share=True))
    }
