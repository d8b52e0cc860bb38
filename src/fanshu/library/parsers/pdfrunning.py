"""Running headers and footers: lines that stand at one place of many pages."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from fanshu.library.parsers.pdfpages import Line, Page

EDGE_SHARE = 0.10  # of the page's height, above and below
STEP = 8.0  # points within which two lines stand at one place
MIN_PAGES = 3
MIN_SHARE = 0.08  # of all pages: headers change from chapter to chapter
LARGE = 1.2  # times the body size: `Chapter 1`, `Chapter 2` at the top of pages are headings

_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)
_SPACE = re.compile(r"\s+")


def without_running_lines(
    pages: Sequence[Page], body_size: float
) -> tuple[list[Page], tuple[str, ...]]:
    """The pages without running lines, and one example of each kind taken out."""
    places: dict[tuple[str, int], list[Line]] = defaultdict(list)
    for page in pages:
        for line in page.lines:
            if _at_edge(line, page):
                places[_key(line)].append(line)
    least = max(MIN_PAGES, MIN_SHARE * len(pages))
    running = {key for key, lines in places.items() if _is_running(lines, least, body_size)}
    kept = [
        replace(
            page,
            lines=tuple(
                ln for ln in page.lines if not _at_edge(ln, page) or _key(ln) not in running
            ),
        )
        for page in pages
    ]
    examples = dict.fromkeys(places[key][0].text for key in places if key in running)
    return kept, tuple(examples)


def _at_edge(line: Line, page: Page) -> bool:
    edge = EDGE_SHARE * page.height
    return line.y < edge or line.y > page.height - edge


def _key(line: Line) -> tuple[str, int]:
    return _SPACE.sub("", _NUMBER.sub("#", line.text)), round(line.y / STEP)


def _is_running(lines: Sequence[Line], least: float, body_size: float) -> bool:
    numbers = sorted({line.page for line in lines})
    if len(numbers) < least and not _counts_pages(lines, numbers):
        return False
    same_text = len({line.text for line in lines}) == 1
    return same_text or lines[0].size < LARGE * body_size


def _counts_pages(lines: Sequence[Line], numbers: Sequence[int]) -> bool:
    """Whether lines of few pages are a page number all the same: other text on each, in a row."""
    in_a_row = numbers[-1] - numbers[0] + 1 == len(numbers) >= MIN_PAGES
    return in_a_row and len({line.text for line in lines}) == len(numbers)
