"""The tables of a report, as cells of text: both of its forms show the same."""

from collections.abc import Iterator
from dataclasses import dataclass

from fanshu.evals.comparing import Change
from fanshu.evals.report.account import Account, System
from fanshu.evals.report.causes import CAUSES
from fanshu.evals.report.words import WORDS, say
from fanshu.evals.statistics import Interval
from fanshu.evals.summary import Spread, Summary
from fanshu.types import Language

NOTHING = "–"
WHOLE = 100  # above, decimals say nothing
LEAST_P = 0.001
COMPARED = ("right", "cited", "complete", "rounds", "tokens", "seconds", "cost")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under their heads; `note`: what to know when reading them."""

    title: str
    note: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables(told: Account) -> Iterator[Table]:
    """All tables in the order of the report; none that would be empty."""
    made = (_figures(told), _causes(told), _retrieval(told), *_pairs(told), _kinds(told))
    yield from (one for one in made if one and one.rows)


# ---------------------------------------------------------------- figures


def _figures(told: Account) -> Table | None:
    language = told.language
    rows = [_row(told, name) for name in MEASURES]
    kept = tuple(row for row in rows if any(cell != NOTHING for cell in row[1:]))
    graded = any(one.all.grades for one in told.systems)
    note = say(language, "intervals" if graded else "ungraded")
    lost = [
        say(language, "missing", name=one.name, count=one.all.missing)
        for one in told.answering
        if one.all.missing
    ]
    heads = (say(language, "measure"), *(one.name for one in told.answering))
    return Table(say(language, "figures"), " ".join([note, *lost]), heads, kept)


MEASURES = (
    *("questions", "right", "judged", "cited", "complete", "precision", "premature"),
    *("refused.right", "invented", "refused.wrong"),
    *("rounds", "tokens", "cached", "cost", "seconds", "first_step", "errors"),
)


def _row(told: Account, name: str) -> tuple[str, ...]:
    return say(told.language, name), *(_cell(one, name, told.language) for one in told.answering)


def _cell(one: System, name: str, language: Language) -> str:
    figures = one.all
    if name in ("right", "cited", "complete", "precision"):
        return shared(figures.grades.intervals.get(name) if figures.grades else None)
    if name in ("premature", "refused.right", "refused.wrong", "invented"):
        return _counted(figures, name, language)
    if name == "judged":
        return _judged(one)
    if name == "cached":
        return NOTHING if not figures.cached_share else f"{figures.cached_share:.0%}"
    return _taken(figures, name)


def _taken(figures: Summary, name: str) -> str:
    if name == "questions":
        return str(figures.questions)
    if name == "errors":
        return str(figures.errors) if figures.errors else NOTHING
    told = figures.spreads.get(name)
    if told is None or (name in ("tokens", "cost") and told.p95 == 0):
        return NOTHING
    if name == "seconds":
        return f"{number(told.p50)} / {number(told.p95)}"
    if name == "first_step":
        return number(told.p50)
    return f"{told.mean:.4f}" if name == "cost" else spread(told)


def _counted(figures: Summary, name: str, language: Language) -> str:
    if figures.grades is None:
        return NOTHING
    refusals = figures.grades.refusals
    n, of = {
        "premature": (figures.grades.premature, refusals.answerable),
        "refused.right": (refusals.right, refusals.unanswerable),
        "invented": (refusals.invented, refusals.unanswerable),
        "refused.wrong": (refusals.wrong, refusals.answerable),
    }[name]
    return say(language, "of", n=n, all=of) if of else NOTHING


def _judged(one: System) -> str:
    if one.judged is None:
        return NOTHING
    kappa = NOTHING if one.judged.kappa is None else f"{one.judged.kappa:.2f}"
    return f"{one.judged.right:.2f} ({kappa})"


# ---------------------------------------------------------------- the other tables


def _causes(told: Account) -> Table | None:
    language = told.language
    rows = tuple(
        (say(language, f"cause.{why}"), *(str(one.causes.get(why, 0)) for one in told.answering))
        for why in CAUSES
        if any(one.causes.get(why) for one in told.answering)
    )
    heads = (say(language, "cause"), *(one.name for one in told.answering))
    return Table(say(language, "causes"), say(language, "causes.note"), heads, rows)


def _retrieval(told: Account) -> Table | None:
    language = told.language
    ranked = [one for one in told.systems if one.all.retrieval]
    if not ranked:
        return None
    names = list(ranked[0].all.retrieval)
    rows = tuple(
        (one.name, *(shared(one.all.retrieval.get(name)) for name in names)) for one in ranked
    )
    heads = (
        say(language, "system"),
        *(name if "@" in name else f"{name.upper()}@10" for name in names),
    )
    return Table(say(language, "retrieval"), say(language, "retrieval.note"), heads, rows)


def _pairs(told: Account) -> Iterator[Table]:
    language = told.language
    for one in told.pairs:
        title = say(language, "pair", name=one.name, against=one.against, count=one.paired)
        named = (say(language, key) for key in ("difference", "moved", "p"))
        heads = (say(language, "measure"), one.against, one.name, *named)
        rows = tuple(_change(language, it) for it in one.changes if _tells(it))
        yield Table(title, say(language, "pairs.note"), heads, rows)


def _tells(one: Change) -> bool:
    return one.measure in COMPARED and bool(one.before or one.after)


def _change(language: Language, one: Change) -> tuple[str, ...]:
    apart = one.difference
    test = (f"{one.test.won} / {one.test.lost}", chance(one.test.p)) if one.test else (NOTHING,) * 2
    name = say(language, one.measure).partition("（")[0].partition(" (")[0].partition(",")[0]
    return (
        name if one.measure in WORDS else one.measure,
        number(one.before),
        number(one.after),
        f"{apart.mean:+.3g} [{apart.low:+.3g}, {apart.high:+.3g}]",
        *test,
    )


def _kinds(told: Account) -> Table | None:
    language = told.language
    found = [
        (kind, one.name, figures)
        for kind in told.kinds
        for one in told.answering
        if (figures := one.kind(kind))
    ]
    names = [
        name
        for name in ("questions", "right", "cited", "complete", "rounds", "tokens")
        if any(_kind_cell(figures, name) != NOTHING for *_, figures in found)
    ]
    heads = tuple(say(language, key) for key in ("kind", "system", *names))
    rows = tuple(
        (kind, name, *(_kind_cell(figures, one) for one in names)) for kind, name, figures in found
    )
    return Table(say(language, "kinds"), "", heads, rows)


def _kind_cell(figures: Summary, name: str) -> str:
    if name in ("right", "cited", "complete"):
        return shared(figures.grades.intervals.get(name) if figures.grades else None)
    return _taken(figures, name)


# ---------------------------------------------------------------- how figures are written


def shared(one: Interval | None) -> str:
    """A share with its interval."""
    return NOTHING if one is None else f"{one.mean:.2f} [{one.low:.2f}, {one.high:.2f}]"


def spread(one: Spread) -> str:
    """A mean, and in brackets what nine of ten stay within."""
    return f"{number(one.mean)} ({number(one.p90)})"


def chance(p: float) -> str:
    """A probability."""
    return f"<{LEAST_P}" if p < LEAST_P else f"{p:.3f}"


def number(value: float) -> str:
    """A figure with as many decimals as say something."""
    if abs(value) >= WHOLE:
        return f"{value:,.0f}"
    return f"{value:.2f}".rstrip("0").rstrip(".")
