"""Pages of two columns that a file draws row by row: back into the order people read them."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from fanshu.library.parsers.pdfpages import Gap, Line, Page

MIN_ROWS = 3  # rows with a gap at one place, below which it is no gutter
MIDDLE = (0.3, 0.7)  # where on the page a gutter may run, of its width
MIN_COLUMN_TEXT = 12  # characters (Chinese ones count twice) of a typical piece; cells have less
EDGE = 2.0  # points


def in_reading_order(page: Page) -> Page:
    """The page with its columns one after the other; unchanged when it has no gutter."""
    gutter = _gutter(page)
    if gutter is None:
        return page
    left: list[Line] = []
    right: list[Line] = []
    ordered: list[Line] = []
    for line in page.lines:
        gap = _gap_at(line, gutter)
        if gap is None and _crosses(line, gutter):
            ordered += [*left, *right, line]
            left, right = [], []
        elif gap is not None:
            one, two = _split(line, gap)
            left.append(one)
            right.append(two)
        else:
            (left if line.right <= gutter + EDGE else right).append(line)
    return replace(page, lines=(*ordered, *left, *right))


def _gutter(page: Page) -> float | None:
    low, high = (share * page.width for share in MIDDLE)
    middles = [(gap.left + gap.right) / 2 for line in page.lines for gap in line.gaps]
    places = [x for x in middles if low <= x <= high]
    if len(places) < MIN_ROWS:
        return None
    gutter = max(places, key=lambda x: sum(_gap_at(line, x) is not None for line in page.lines))
    rows = [(line, gap) for line in page.lines if (gap := _gap_at(line, gutter))]
    across = [line for line in page.lines if not _gap_at(line, gutter) and _crosses(line, gutter)]
    if len(rows) < MIN_ROWS or 2 * len(across) > len(rows):
        return None
    pieces = [_split(line, gap) for line, gap in rows]
    return gutter if _is_prose(pieces) else None


def _is_prose(pieces: Sequence[tuple[Line, Line]]) -> bool:
    sides = zip(*pieces, strict=True)
    return all(median(_weight(line.text) for line in side) >= MIN_COLUMN_TEXT for side in sides)


def _weight(text: str) -> int:
    return sum(1 if char.isascii() else 2 for char in text)


def _gap_at(line: Line, x: float) -> Gap | None:
    return next((gap for gap in line.gaps if gap.left <= x <= gap.right), None)


def _crosses(line: Line, x: float) -> bool:
    return line.left < x - EDGE and line.right > x + EDGE


def _split(line: Line, gap: Gap) -> tuple[Line, Line]:
    rest = line.text[gap.offset :].lstrip()
    skipped = len(line.text) - len(rest)
    later = tuple(replace(g, offset=g.offset - skipped) for g in line.gaps if g.left > gap.left)
    earlier = tuple(g for g in line.gaps if g.left < gap.left)
    return (
        replace(line, text=line.text[: gap.offset], right=gap.left, gaps=earlier),
        replace(line, text=rest, left=gap.right, gaps=later),
    )
