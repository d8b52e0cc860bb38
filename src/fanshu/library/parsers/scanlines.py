"""Recognised boxes → lines of a page, with the gaps that part columns and cells."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from fanshu.library.parsers.pdfpages import WIDE_GAP, Gap, Line, Page
from fanshu.library.parsers.scans import Box, Recognised

SIZE_SHARE = 0.65  # of a box's height; boxes of 12 points are 17 to 21 high, too vague for headings
BASE_SHARE = 0.2  # of a box's height below the base line
SAME_ROW = 0.5  # of the lower box's height by which two boxes of a row overlap at the least


def with_recognised(pages: Sequence[Page], found: Mapping[int, Recognised]) -> list[Page]:
    """The pages with the text that OCR found on them. All of it has one size: none is known."""
    scanned = [found[page.number] for page in pages if page.scan and page.number in found]
    heights = [box.top - box.bottom for one in scanned for box in one.boxes]
    size = round(SIZE_SHARE * median(heights), 1) if heights else 0.0
    return [
        _with(page, found[page.number], size) if page.scan and page.number in found else page
        for page in pages
    ]


def _with(page: Page, found: Recognised, size: float) -> Page:
    if found.failed:
        return replace(page, failed=found.failed)
    lines = tuple(_line(row, page.number, size) for row in _rows(found.boxes))
    return replace(page, lines=lines, unread=False, recognised=True)


def _rows(boxes: Sequence[Box]) -> list[list[Box]]:
    """Boxes from top to bottom; those at one height are a row, from left to right."""
    rows: list[list[Box]] = []
    for box in sorted(boxes, key=lambda box: -(box.top + box.bottom)):
        if rows and _level(rows[-1][0], box):
            rows[-1].append(box)
        else:
            rows.append([box])
    return [sorted(row, key=lambda box: box.left) for row in rows]


def _level(one: Box, two: Box) -> bool:
    shared = min(one.top, two.top) - max(one.bottom, two.bottom)
    return shared > SAME_ROW * min(one.top - one.bottom, two.top - two.bottom)


def _line(row: Sequence[Box], number: int, size: float) -> Line:
    text, gaps = row[0].text, []
    for one, two in pairwise(row):
        if two.left - one.right > WIDE_GAP * size:
            gaps.append(Gap(len(text), one.right, two.left))
        text += " " + two.text
    height = median(box.top - box.bottom for box in row)
    base = median(box.bottom for box in row) + BASE_SHARE * height
    return Line(text, number, row[0].left, row[-1].right, base, size, gaps=tuple(gaps))
