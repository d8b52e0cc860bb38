"""The headings of a PDF: by its bookmarks, else by numbering, else by the look of lines."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pypdfium2 as pdfium

from fanshu.library.parsers.numbering import has_leader
from fanshu.library.parsers.pdfpages import Line, Page

LARGER = 1.08  # times the body size; measured on the outlines of 22 files
MAX_HEADING = 60  # characters
MAX_LEVELS = 3
MAX_HEADING_SHARE = 0.35  # of all lines: more large lines than this are not headings
NEAR = 45.0  # points around a bookmark's place in which its title is looked for
ON_LINE = 1.0  # points by which a bookmark may lie below the base line it means

_END = tuple("。；，、;,")
_SPACE = re.compile(r"\s+")
_LETTER = re.compile(r"[^\W\d_]")

Place = tuple[int, int]
"""A page and the position of a line in it, both from 0."""


@dataclass(frozen=True, slots=True)
class PdfHeading:
    """A heading and the line it stands on; `place` None: a bookmark that leads nowhere.

    `last`: the position of the last line of a heading of several lines.
    """

    title: str
    rank: int
    place: Place | None
    last: int = -1


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the outline; `y` in points from the bottom, None for the whole page."""

    title: str
    level: int
    page: int | None
    y: float | None


def bookmarks(document: pdfium.PdfDocument) -> Iterator[Bookmark]:
    """The outline of a document in order."""
    for entry in document.get_toc():
        title = _SPACE.sub(" ", entry.get_title() or "").strip()
        dest = entry.get_dest()
        page = dest.get_index() if dest else None
        yield Bookmark(title, entry.level, page, _height(dest) if dest else None)


def _height(dest: pdfium.PdfDest) -> float | None:
    mode, view = dest.get_view()
    if mode == pdfium.raw.PDFDEST_VIEW_XYZ and len(view) > 1:
        return view[1] or None
    if mode in (pdfium.raw.PDFDEST_VIEW_FITH, pdfium.raw.PDFDEST_VIEW_FITBH) and view:
        return view[0] or None
    return None


def by_bookmarks(entries: Sequence[Bookmark], pages: Sequence[Page]) -> list[PdfHeading]:
    """A heading for every bookmark with a title; those out of order lead nowhere."""
    named = [entry for entry in entries if entry.title]
    places = [_place(entry, pages) for entry in named]
    kept = _in_order([(place, at) for at, place in enumerate(places) if place is not None])
    return [
        PdfHeading(entry.title, entry.level, places[at] if at in kept else None)
        for at, entry in enumerate(named)
    ]


def _in_order(places: Sequence[tuple[Place, int]]) -> set[int]:
    """The longest run of places that never goes back: one stray bookmark must not end it."""
    ends: list[Place] = []
    lasts: list[int] = []
    before: dict[int, int | None] = {}
    for place, at in places:
        length = bisect_right(ends, place)
        before[at] = lasts[length - 1] if length else None
        ends[length : length + 1] = [place]
        lasts[length : length + 1] = [at]
    kept: set[int] = set()
    current = lasts[-1] if lasts else None
    while current is not None:
        kept.add(current)
        current = before[current]
    return kept


def _place(entry: Bookmark, pages: Sequence[Page]) -> Place | None:
    if entry.page is None or not 0 <= entry.page < len(pages):
        return None
    lines = pages[entry.page].lines
    wanted = _squash(entry.title)
    near = [
        (abs(line.y - entry.y) if entry.y is not None else 0.0, at)
        for at, line in enumerate(lines)
        if (entry.y is None or abs(line.y - entry.y) <= NEAR) and _is_title(line, wanted)
    ]
    if near:
        return entry.page, min(near)[1]
    if entry.y is None:
        return entry.page, 0
    below = (at for at, line in enumerate(lines) if line.y <= entry.y + ON_LINE)
    return entry.page, next(below, len(lines))


def _is_title(line: Line, wanted: str) -> bool:
    text = _squash(line.text)
    return (
        bool(text)
        and (text.endswith(wanted) or wanted.endswith(text))
        and (len(text) <= len(wanted) + 12)
    )


def _squash(text: str) -> str:
    return _SPACE.sub("", text).lower()


def body_size(pages: Sequence[Page]) -> float:
    """The font size that most characters have, in points."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def by_look(pages: Sequence[Page]) -> tuple[list[PdfHeading], str]:
    """The lines that stand out by size or weight, and the document's title if one does."""
    body = body_size(pages)
    every = [line for page in pages for line in page.lines]
    bold_body = 2 * sum(len(ln.text) for ln in every if ln.bold) > sum(len(ln.text) for ln in every)
    places = [
        (page.number, at)
        for page in pages
        for at, line in enumerate(page.lines)
        if _stands_out(page, at, line, body, bold_body=bold_body)
    ]
    if len(places) > MAX_HEADING_SHARE * len(every):
        return [], ""
    looks = {place: _look(pages[place[0]].lines[place[1]]) for place in places}
    title = _title(places, looks)
    if title is not None:
        del looks[title]
    return _ranked(looks, pages), "" if title is None else pages[title[0]].lines[title[1]].text


def _stands_out(page: Page, at: int, line: Line, body: float, *, bold_body: bool) -> bool:
    if len(line.text) > MAX_HEADING or line.text.endswith(_END) or line.mono or line.gaps:
        return False
    if len(_LETTER.findall(line.text)) < 2 or has_leader(line.text):
        return False
    if line.size >= LARGER * body:
        return True
    neighbours = page.lines[max(0, at - 1) : at] + page.lines[at + 1 : at + 2]
    alone = all(abs(other.y - line.y) > 0.5 * line.size for other in neighbours)
    return line.bold and not bold_body and line.size >= 0.95 * body and alone


def _look(line: Line) -> tuple[float, bool]:
    return round(line.size * 2) / 2, line.bold


def _title(places: Sequence[Place], looks: dict[Place, tuple[float, bool]]) -> Place | None:
    """The largest line, when it is the only one of its size, on the first page, first of all."""
    if len(places) < 2 or places[0][0] != 0:
        return None
    sizes = [looks[place][0] for place in places]
    return places[0] if sizes[0] == max(sizes) and sizes.count(sizes[0]) == 1 else None


def _ranked(looks: dict[Place, tuple[float, bool]], pages: Sequence[Page]) -> list[PdfHeading]:
    levels = sorted({size for size, _ in looks.values()}, reverse=True)
    headings: list[PdfHeading] = []
    for place, (size, _) in looks.items():
        line = pages[place[0]].lines[place[1]]
        rank = min(levels.index(size), MAX_LEVELS - 1)
        before = headings[-1] if headings else None
        if before and before.place and _goes_on(before, place, line, rank, pages):
            title = f"{before.title} {line.text}"
            headings[-1] = PdfHeading(title, rank, before.place, place[1])
        else:
            headings.append(PdfHeading(line.text, rank, place, place[1]))
    return headings


def _goes_on(
    before: PdfHeading, place: Place, line: Line, rank: int, pages: Sequence[Page]
) -> bool:
    """Whether a line is the second line of the heading before it."""
    if before.place is None or before.place[0] != place[0] or before.last + 1 != place[1]:
        return False
    above = pages[place[0]].lines[before.last]
    close = 0 < above.y - line.y < 1.6 * line.size
    return close and before.rank == rank and above.bold == line.bold
