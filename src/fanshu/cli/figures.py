"""Results of questions as people read them on a terminal: while they run, and side by side."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fanshu.cli.messages import Texts

if TYPE_CHECKING:
    from fanshu.evals.comparing import Change, Comparison, Difference, Side
    from fanshu.evals.summary import Spread, Summary

NOTHING = "-"
WHOLE = 100  # above, decimals say nothing

Row = Sequence[str]


def brief(texts: Texts, found: "Sequence[Summary]") -> Iterator[str]:
    """A line for all and for each kind."""
    for one in found:
        outcome = [
            f"{texts(f'column.{name}')} {count}"
            for name, count in (*one.statuses.items(), ("errors", one.errors))
            if count
        ]
        took = [
            f"{texts(f'column.{name}')} {_spread(one.spreads[name])}"
            for name in ("rounds", "tokens", "cached", "seconds")
            if name in one.spreads
        ]
        checks = [f"{texts('column.bounces')} {one.bounces}"]
        checks += [f"{texts('column.rejected')} {one.rejected}"]
        yield f"{_kind(texts, one)} {one.questions}: {', '.join(outcome)} · {', '.join(took)}" + (
            f" · {', '.join(checks)}" if one.bounces or one.rejected else ""
        )


def compared(texts: Texts, found: "Comparison") -> Iterator[str]:
    """A Markdown table of what came out differently, and one of the totals."""
    if found.differences:
        heads = [texts(f"column.{name}") for name in ("id", "kind", "status", "right", "complete")]
        heads += [texts("column.rounds"), texts("column.tokens")]
        yield from table(heads, [_changed(texts, one) for one in found.differences])
        yield ""
    heads = [texts("column.measure", count=found.paired), "A", "B"]
    heads += [texts(f"column.{name}") for name in ("difference", "moved", "p")]
    yield from table(heads, [_change(texts, one) for one in found.changes])
    yield ""
    for name, ids in (("A", found.only_before), ("B", found.only_after)):
        if ids:
            yield texts("compare.only", name=name, count=len(ids), ids=", ".join(ids))


def _change(texts: Texts, one: "Change") -> Row:
    moved = (
        [f"{one.test.won} / {one.test.lost}", _chance(one.test.p)] if one.test else [NOTHING] * 2
    )
    apart = one.difference
    return [
        texts.known(f"column.{one.measure}", one.measure),
        _number(one.before),
        _number(one.after),
        f"{apart.mean:+.3g} [{apart.low:+.3g}, {apart.high:+.3g}]",
        *moved,
    ]


def _chance(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _changed(texts: Texts, one: "Difference") -> Row:
    states = [texts.known(f"column.{side.status}", side.status) for side in (one.before, one.after)]
    return [
        one.id,
        one.kind,
        _from_to(*states),
        _from_to(*(_yes(texts, side.right) for side in (one.before, one.after))),
        _from_to(*(_yes(texts, side.complete) for side in (one.before, one.after))),
        *(
            _from_to(*(_measure(side, name) for side in (one.before, one.after)))
            for name in ("rounds", "tokens")
        ),
    ]


def _from_to(before: str, after: str) -> str:
    return before if before == after else f"{before} → {after}"


def _yes(texts: Texts, value: bool | None) -> str:
    return NOTHING if value is None else texts("compare.yes" if value else "compare.no")


def _measure(side: "Side", name: str) -> str:
    return _number(side.measures[name]) if name in side.measures else NOTHING


def _kind(texts: Texts, one: "Summary") -> str:
    return texts("column.all") if one.kind == "all" else one.kind


def _spread(one: "Spread | None") -> str:
    return f"{_number(one.mean)} ({_number(one.p90)})" if one else NOTHING


def _number(value: float) -> str:
    if abs(value) >= WHOLE:
        return f"{value:,.0f}"
    return f"{value:.2f}".rstrip("0").rstrip(".")


def table(heads: Row, rows: Sequence[Row]) -> Iterator[str]:
    """The lines of a Markdown table."""
    for row in (heads, ["---"] * len(heads), *rows):
        yield f"| {' | '.join(row)} |"
