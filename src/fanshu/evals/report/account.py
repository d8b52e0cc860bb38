"""All that a report tells, worked out once for both of its forms."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fanshu.errors import ConfigError
from fanshu.evals.comparing import Change, compare
from fanshu.evals.grading import Gold, Grade, gold
from fanshu.evals.judging import Agreement, agreement
from fanshu.evals.manifest import Manifest
from fanshu.evals.questions import Question
from fanshu.evals.report.ablation import Line, lines
from fanshu.evals.report.causes import Cause, cause
from fanshu.evals.results import Result
from fanshu.evals.series import Series, measured
from fanshu.evals.summary import Case, Summary, only_ranked, summaries
from fanshu.types import Language

MOST_SYSTEMS = 24  # side by side: all settings of an ablation, and nobody reads more columns


@dataclass(frozen=True, slots=True)
class System:
    """One system: its figures, those of all kinds first; `causes`: of its wrong answers.

    `rounds`: how many answers took so many. `judged`: what a model judge says, if one was asked.
    """

    name: str
    manifest: Manifest | None
    summaries: tuple[Summary, ...]
    causes: Mapping[Cause, int]
    rounds: Mapping[int, int]
    ranks_only: bool
    judged: Agreement | None
    passes: int

    @property
    def all(self) -> Summary:
        """The figures of all questions."""
        return self.summaries[0]

    def kind(self, name: str) -> Summary | None:
        """The figures of one kind."""
        return next((one for one in self.summaries[1:] if one.kind == name), None)


@dataclass(frozen=True, slots=True)
class Said:
    """What one system said to one question: of several passes, the first that is wrong."""

    system: str
    result: Result | None
    grade: Grade | None
    cause: Cause | None


@dataclass(frozen=True, slots=True)
class Told:
    """A question with what was said to it; `wrong`: by how many systems."""

    id: str
    kind: str
    question: str
    answer: str
    gold: Gold | None
    said: tuple[Said, ...]
    wrong: int


@dataclass(frozen=True, slots=True)
class Pair:
    """A system against the first, over the questions that both answered."""

    name: str
    against: str
    paired: int
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Account:
    """The whole report. `questions`: those that most systems got wrong first."""

    language: Language
    systems: tuple[System, ...]
    kinds: tuple[str, ...]
    questions: tuple[Told, ...]
    pairs: tuple[Pair, ...]
    lines: tuple[Line, ...]

    @property
    def answering(self) -> tuple[System, ...]:
        """Systems that answer, and do not only rank."""
        return tuple(one for one in self.systems if not one.ranks_only)


def account(
    series: Sequence[Series], questions: Sequence[Question] | None, language: Language
) -> Account:
    """Work out what a report tells.

    Raises: ConfigError — gold that is not understood, or too many systems for one report.
    """
    if len(series) > MOST_SYSTEMS:
        detail = f"{len(series)} systems are too many for one report: name at most {MOST_SYSTEMS}"
        raise ConfigError(name="results", detail=detail)
    found = {one.name: measured(one, questions) for one in series}
    rights = {one.id: gold(one) for one in questions or ()}
    systems = tuple(_system(one, found[one.name], rights) for one in series)
    answering = {one.name: found[one.name] for one in systems if not one.ranks_only}
    told = _told(questions, answering, rights)
    return Account(
        language,
        systems,
        tuple(dict.fromkeys(one.kind for each in found.values() for one in each if one.kind)),
        tuple(sorted(told, key=lambda one: -one.wrong)),
        _pairs(answering),
        lines(series),
    )


def _system(series: Series, found: Sequence[Case], rights: Mapping[str, Gold | None]) -> System:
    results = [one.result for one in found if one.result]
    rounds = Counter(int(one["loops"]) for one in results if one.get("loops"))
    causes = Counter(why for one in found if (why := _cause(one, rights.get(one.id))))
    ranks = bool(results) and all(only_ranked(one) for one in found if one.result)
    return System(
        series.name,
        series.manifest,
        tuple(summaries(found)),
        causes,
        dict(sorted(rounds.items())),
        ranks,
        agreement(found),
        len(series.passes),
    )


def _cause(one: Case, right: Gold | None) -> Cause | None:
    if right is None or one.grade is None or only_ranked(one):
        return None
    return cause(right, one.result, one.grade)


def _told(
    questions: Sequence[Question] | None,
    found: Mapping[str, Sequence[Case]],
    rights: Mapping[str, Gold | None],
) -> list[Told]:
    by_id = {name: _by_id(cases) for name, cases in found.items()}
    asked = {one.id: one for one in questions or ()}
    ids = dict.fromkeys(one.id for cases in found.values() for one in cases)
    return [_one(id_, asked.get(id_), rights.get(id_), by_id) for id_ in ids]


def _by_id(cases: Sequence[Case]) -> dict[str, Case]:
    """One case for each question: the first wrong one, else the first."""
    kept: dict[str, Case] = {}
    for one in cases:
        before = kept.get(one.id)
        if before is None or (_right(before) and not _right(one)):
            kept[one.id] = one
    return kept


def _right(one: Case) -> bool:
    return one.grade is None or one.grade.right


def _one(
    id_: str,
    question: Question | None,
    right: Gold | None,
    by_id: Mapping[str, Mapping[str, Case]],
) -> Told:
    cases = {name: each[id_] for name, each in by_id.items() if id_ in each}
    said = tuple(
        Said(name, one.result, one.grade, _cause(one, right)) for name, one in cases.items()
    )
    fields = question.fields if question else {}
    return Told(
        id_,
        next((one.kind for one in cases.values()), ""),
        question.question if question else "",
        str(fields.get("answer") or ""),
        right,
        said,
        sum(bool(one.grade and not one.grade.right) for one in said),
    )


def _pairs(found: Mapping[str, Sequence[Case]]) -> tuple[Pair, ...]:
    (first, before), *others = found.items() or [("", ())]
    made = []
    for name, after in others:
        told = compare(before, after)
        if told.paired:
            made.append(Pair(name, first, told.paired, told.changes))
    return tuple(made)
