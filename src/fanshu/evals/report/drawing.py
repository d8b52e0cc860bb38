"""Shapes of charts as elements of SVG. Colours and type are the style sheet's: `class`, no style.

Drawn small and at one scale, so that a chart is as legible on a phone as on a desk.
"""

from collections.abc import Iterable, Sequence

from fanshu.audit.markup import Child, Element, element, several

WIDTH = 400.0  # units of every chart; on paper and screen about as many pixels
COLOURS = 6  # classes s0 … s5 of the style sheet


def chart(height: float, label: str, parts: Iterable[Child]) -> Element:
    """A picture with what it says in words, for those who do not see it."""
    box = f"0 0 {WIDTH:g} {height:g}"
    return several("svg", parts, viewBox=box, role="img", aria_label=label, class_="chart")


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Element:
    """A straight line."""
    return element("line", x1=at(x1), y1=at(y1), x2=at(x2), y2=at(y2), class_=class_)


def box(x: float, y: float, width: float, height: float, class_: str) -> Element:
    """A filled rectangle; of no width or height where they are negative."""
    w, h = at(max(width, 0)), at(max(height, 0))
    return element("rect", x=at(x), y=at(y), width=w, height=h, class_=class_)


def dot(x: float, y: float, class_: str) -> Element:
    """A point."""
    return element("circle", cx=at(x), cy=at(y), r="4", class_=class_)


def words(x: float, y: float, text: str, class_: str = "", anchor: str = "start") -> Element:
    """Text on one line; `anchor`: what of it stands at x."""
    return element("text", text, x=at(x), y=at(y), class_=class_, text_anchor=anchor)


def path(points: Sequence[tuple[float, float]], class_: str) -> Element:
    """A line through points."""
    return element(
        "polyline", points=" ".join(f"{at(x)},{at(y)}" for x, y in points), class_=class_
    )


def colour(number: int) -> str:
    """The class of the system with that number."""
    return f"s{number % COLOURS}"


def at(value: float) -> str:
    """A length without needless decimals."""
    return f"{value:.1f}".removesuffix(".0")


def nice(top: float) -> float:
    """A round number not below: 1, 2 or 5 with zeros."""
    if top <= 0:
        return 1.0
    size = 1.0
    while size * 10 <= top:
        size *= 10
    while size > top:
        size /= 10
    return next(size * step for step in (1, 2, 2.5, 5, 10) if size * step >= top)


def spread_out(wanted: Sequence[float], apart: float) -> list[float]:
    """Heights near those wanted, and no two nearer than `apart`: labels that do not overlap."""
    order = sorted(range(len(wanted)), key=lambda n: wanted[n])
    placed = list(wanted)
    last = float("-inf")
    for number in order:
        placed[number] = last = max(wanted[number], last + apart)
    return placed
