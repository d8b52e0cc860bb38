"""The charts of a report: what is right against what it takes, by kind, rounds, settings."""

from collections.abc import Iterator, Mapping, Sequence

from fanshu.audit.markup import Child, Element
from fanshu.evals.report.ablation import Line
from fanshu.evals.report.account import System
from fanshu.evals.report.drawing import (
    box,
    chart,
    colour,
    dot,
    line,
    nice,
    path,
    spread_out,
    words,
)
from fanshu.evals.report.words import say
from fanshu.evals.statistics import Interval
from fanshu.evals.summary import Summary
from fanshu.types import Language

LEFT, RIGHT = 44.0, 384.0  # borders of the plain of a chart
NAMES = 112.0  # units for the names of systems beside bars
ROW = 17.0
LONGEST = 18  # characters of a name beside a mark
MOST_ROUNDS = 10  # the hard ceiling of the loop; what is above stands with it
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


def short(name: str) -> str:
    """A name that fits beside a mark."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def right_of(one: Summary | None) -> Interval | None:
    """The share of right answers with its interval."""
    return one.grades.intervals.get("right") if one and one.grades else None


# ---------------------------------------------------------------- right against tokens


def against_tokens(systems: Sequence[System], language: Language) -> Element | None:
    """One point for each system, with its interval: higher is better, further left is cheaper."""
    marked = [
        (number, one, share, one.all.spreads["tokens"].mean)
        for number, one in enumerate(systems)
        if (share := right_of(one.all)) and "tokens" in one.all.spreads
    ]
    if not any(tokens for *_, tokens in marked):
        return None
    top, low, high = 14.0, 236.0, nice(max(tokens for *_, tokens in marked))
    heights = [low - share.mean * (low - top) for _, _, share, _ in marked]
    labels = spread_out(heights, 14)
    parts: list[Child] = [*_grid(top, low), *_ticks(high, low)]
    for (number, one, share, tokens), y, label in zip(marked, heights, labels, strict=True):
        x = LEFT + 8 + tokens / high * (RIGHT - LEFT - 8)
        ends = (low - edge * (low - top) for edge in (share.low, share.high))
        parts += [
            line(x, next(ends), x, next(ends), f"whisker {colour(number)}"),
            dot(x, y, colour(number)),
        ]
        behind = x < (LEFT + RIGHT) / 2
        parts.append(
            words(
                x + (8 if behind else -8),
                label + 4,
                short(one.name),
                "name",
                "start" if behind else "end",
            )
        )
    parts.append(words(RIGHT, low + 32, say(language, "chart.tokens"), "faint", "end"))
    told = "; ".join(
        f"{one.name} {share.mean:.2f}, {tokens:,.0f}" for _, one, share, tokens in marked
    )
    return chart(low + 38, f"{say(language, 'chart.against')}: {told}", parts)


def _grid(top: float, low: float) -> Iterator[Child]:
    for share in SHARES:
        y = low - share * (low - top)
        yield line(LEFT, y, RIGHT, y, "rule")
        yield words(LEFT - 6, y + 4, f"{share:.0%}", "faint", "end")


def _ticks(high: float, low: float) -> Iterator[Child]:
    for part in (0.0, 0.5, 1.0):
        x = LEFT + 8 + part * (RIGHT - LEFT - 8)
        yield words(x, low + 16, _thousands(part * high), "faint", "middle" if part < 1 else "end")


def _thousands(value: float) -> str:
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"


# ---------------------------------------------------------------- by kind


def by_kind(systems: Sequence[System], kinds: Sequence[str], language: Language) -> Element | None:
    """For each kind a bar for each system, with its interval and the number of questions."""
    parts: list[Child] = []
    y, told = 4.0, []
    for kind in kinds:
        rows = [
            (n, one, share) for n, one in enumerate(systems) if (share := right_of(one.kind(kind)))
        ]
        if not rows:
            continue
        parts.append(words(0, y + 13, f"{kind} ({rows[0][2].count})", "title"))
        y += 22
        for number, one, share in rows:
            parts += _bar(number, one.name, share, y)
            told.append(f"{kind}, {one.name} {share.mean:.2f}")
            y += ROW
        y += 9
    label = f"{say(language, 'chart.kinds')}: {'; '.join(told)}"
    return chart(y, label, parts) if told else None


def _bar(number: int, name: str, share: Interval, y: float) -> Iterator[Child]:
    long = RIGHT - NAMES - 36
    middle = y + ROW / 2 - 1
    yield words(NAMES - 8, middle + 4, short(name), "name", "end")
    yield box(NAMES, y + 2, long, ROW - 6, "ground")
    yield box(NAMES, y + 2, share.mean * long, ROW - 6, f"bar {colour(number)}")
    yield line(NAMES + share.low * long, middle, NAMES + share.high * long, middle, "interval")
    yield words(NAMES + long + 8, middle + 4, f"{share.mean:.0%}", "figure")


# ---------------------------------------------------------------- rounds


def rounds(systems: Sequence[System], language: Language) -> Element | None:
    """For each system, how many answers took one round, two, …"""
    kept = [(n, one, _held(one.rounds)) for n, one in enumerate(systems) if one.rounds]
    if not kept:
        return None
    most = max(count for *_, held in kept for count in held.values())
    last = max(max(held) for *_, held in kept)
    parts: list[Child] = []
    y = 0.0
    for number, one, held in kept:
        mean = one.all.spreads["rounds"].mean
        parts.append(words(0, y + 14, f"{short(one.name)} · ⌀ {mean:.2f}", "title"))
        parts += _columns(held, last, most, y + 22, colour(number))
        y += 104
    told = "; ".join(f"{one.name} {dict(held)}" for _, one, held in kept)
    return chart(y, f"{say(language, 'chart.rounds')}: {told}", parts)


def _held(found: Mapping[int, int]) -> dict[int, int]:
    held: dict[int, int] = {}
    for number, count in found.items():
        at = min(number, MOST_ROUNDS)
        held[at] = held.get(at, 0) + count
    return held


def _columns(
    held: Mapping[int, int], last: int, most: int, y: float, class_: str
) -> Iterator[Child]:
    wide = min((RIGHT - 4) / max(last, 4), 52.0)
    low, tall = y + 58.0, 44.0
    yield line(0, low, wide * max(last, 4), low, "rule")
    for number in range(1, last + 1):
        count, x = held.get(number, 0), (number - 1) * wide
        high = count / most * tall
        yield box(x + 4, low - high, wide - 8, high, f"bar {class_}")
        if count:
            yield words(x + wide / 2, low - high - 4, str(count), "figure", "middle")
        name = f"{number}+" if number == MOST_ROUNDS else str(number)
        yield words(x + wide / 2, low + 14, name, "faint", "middle")


# ---------------------------------------------------------------- settings


def setting(one: Line, systems: Sequence[System], language: Language) -> Element | None:
    """A line of shares of right answers over the values of one setting, tokens written below."""
    by_name = {system.name: system for system in systems}
    points = [
        (value, share, by_name[name].all)
        for value, name in one.points
        if name in by_name and (share := right_of(by_name[name].all))
    ]
    if not points:
        return None
    top, low = 12.0, 150.0
    wide = (RIGHT - LEFT - 24) / max(len(points) - 1, 1)
    parts: list[Child] = [*_grid(top, low)]
    places = []
    for number, (value, share, figures) in enumerate(points):
        x = LEFT + 24 + number * wide - (12 if number == len(points) - 1 else 0)
        y, a, b = (low - edge * (low - top) for edge in (share.mean, share.low, share.high))
        places.append((x, y))
        parts += [line(x, a, x, b, "whisker s0"), dot(x, y, "s0")]
        parts.append(words(x, low + 16, value[:12], "name", "middle"))
        if took := figures.spreads.get("tokens"):
            parts.append(words(x, low + 31, f"{took.mean:,.0f}", "faint", "middle"))
    parts.append(path(places, "trend s0"))
    told = "; ".join(f"{value} {share.mean:.2f}" for value, share, _ in points)
    return chart(low + 38, f"{one.setting}: {told} ({say(language, 'chart.tokens')})", parts)
