"""Sections → chunks: long sections become parts, cut where a person would turn the page.

A chunk's text is an exact slice of the document text, and the chunks of a document, joined,
are that text. A cut falls, best first: before a blank-line paragraph, before a list item or
table row, before another line; inside a fence only when the fence alone is too long. The
line that announces a list stays with the list. A single line that is too long is cut at a
sentence end, else at a space, else hard.
"""

import hashlib
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fanshu.library.terms import CJK
from fanshu.types import Document, Image, Lines, Part, Section

VERSION = 2
EARLIEST = 0.4  # a cut lies in the last 60 % of the window, so that parts are of a size
TAIL = 0.25  # a rest of up to a quarter of the limit joins the last part

_CJK = re.compile(f"[{CJK}]")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ITEM = re.compile(
    r"\s*(?:[-*+•·]|\d+[.)、．]|[(（][\d一二三四五六七八九十]+[)）]|[一二三四五六七八九十]+、)\s*\S"
)
_ROW = re.compile(r"\s*\||[^|]+ \| ")
_LEAD = re.compile(r"[:：]\s*$")
_SENTENCE = re.compile(r"[。！？!?；;](?=\D)|\.\s")


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk before it has a place in a file: `number` is its position there, from 1."""

    number: int
    trail: tuple[str, ...]
    level: int
    text: str
    start: int
    lines: Lines | None
    page: int | None
    part: Part
    hash: str
    images: tuple[str, ...] = ()


def chunks(document: Document, part_chars: int) -> tuple[Piece, ...]:
    """All chunks of a document, in order.

    `part_chars` is the limit of a part in Chinese characters; other characters, which carry
    about half as much each, count half.
    """
    line_of = _line_numbers(document)
    pictures = deque(sorted(document.images, key=lambda image: image.offset))
    out: list[Piece] = []
    for section in document.sections:
        spans = list(_parts(document.text, section.start, section.end, part_chars))
        for index, (start, end) in enumerate(spans, 1):
            text = document.text[start:end]
            out.append(
                Piece(
                    number=len(out) + 1,
                    trail=section.trail,
                    level=section.level,
                    text=text,
                    start=start,
                    lines=_lines(section, start, text, line_of, whole=len(spans) == 1),
                    page=_page(document, section, start),
                    part=(index, len(spans)),
                    hash=text_hash(text),
                    images=_targets(pictures, end if end < len(document.text) else None),
                )
            )
    return tuple(out)


def _targets(pictures: deque[Image], end: int | None) -> tuple[str, ...]:
    """The targets of the pictures up to an offset (None: all that are left), each once."""
    targets: dict[str, None] = {}
    while pictures and (end is None or pictures[0].offset < end):
        targets[pictures.popleft().target] = None
    return tuple(targets)


def text_hash(text: str) -> str:
    """The identity of a chunk's text: 128 bits of BLAKE2b in hex."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class _LineNumbers:
    """Offsets of a text → line numbers of its source."""

    def __init__(self, text: str, first: int) -> None:
        self.starts = [m.start() for m in _LINE.finditer(text) if m[0]]
        self.first = first

    def at(self, offset: int) -> int:
        return self.first + max(bisect_right(self.starts, offset) - 1, 0)


def _line_numbers(document: Document) -> _LineNumbers | None:
    return None if document.first_line is None else _LineNumbers(document.text, document.first_line)


def _lines(
    section: Section, start: int, text: str, line_of: _LineNumbers | None, *, whole: bool
) -> Lines | None:
    """The lines of a chunk, from its first line that is not blank."""
    if section.lines is None or line_of is None or whole:
        return section.lines
    first = start + len(text) - len(text.lstrip())
    last = start + max(len(text) - 1, 0)
    return line_of.at(min(first, last)), line_of.at(last)


def _page(document: Document, section: Section, start: int) -> int | None:
    if document.pages:
        return max(bisect_right(document.pages, start), 1)
    return section.page


def _parts(text: str, start: int, end: int, part_chars: int) -> Iterator[tuple[int, int]]:
    limit = _limit(text, start, end, part_chars)
    if end - start <= limit * (1 + TAIL):
        yield start, end
        return
    cuts = _line_cuts(text, start, end, limit)
    at = 0
    while end - start > limit * (1 + TAIL):
        while at < len(cuts) and cuts[at][0] <= start:
            at += 1
        cut = _best(cuts, at, start + int(limit * EARLIEST), start + limit)
        cut = cut or _sentence_cut(text, start, start + limit)
        yield start, cut
        start = cut
    yield start, end


def _limit(text: str, start: int, end: int, part_chars: int) -> int:
    sample = text[start : min(end, start + 4 * part_chars)]
    share = len(_CJK.findall(sample)) / max(len(sample), 1)
    return int(part_chars * (2 - share))


def _best(cuts: Sequence[tuple[int, int]], at: int, earliest: int, latest: int) -> int | None:
    """The cut of highest rank in the window, the last of equals."""
    best: tuple[int, int] | None = None
    while at < len(cuts) and cuts[at][0] <= latest:
        offset, rank = cuts[at]
        if offset >= earliest and rank > 0 and (best is None or rank >= best[0]):
            best = rank, offset
        at += 1
    return best[1] if best else None


def _line_cuts(text: str, start: int, end: int, limit: int) -> list[tuple[int, int]]:
    """(offset of a line start, rank): 3 paragraph, 2 item or row, 1 other line, 0 never."""
    cuts: list[tuple[int, int]] = []
    fence, fence_from, blank, before = "", 0, False, ""
    for match in _LINE.finditer(text, start, end):
        line = match[0]
        if not line:
            break
        if not fence:
            cuts.append((match.start(), _rank(line, before, blank=blank)))
            opened = _FENCE.match(line)
            if opened:
                fence, fence_from = opened[1], match.start()
        else:
            # Inside a fence: only when the fence from its opening on is over the limit.
            cuts.append((match.start(), int(match.start() - fence_from > limit * (1 - EARLIEST))))
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        blank = not line.strip()
        before = before if blank else line
    return cuts


def _rank(line: str, before: str, *, blank: bool) -> int:
    if not line.strip():
        return 0
    is_item = bool(_ITEM.match(line))
    if _LEAD.search(before) and (is_item or _ROW.match(line) or blank):
        return 1
    if _ROW.match(line) and set(line.strip()) <= set("|-: "):
        return 0
    if is_item or (_ROW.match(line) and _ROW.match(before)):
        return 2
    return 3 if blank else 1


def _sentence_cut(text: str, start: int, latest: int) -> int:
    earliest = start + (latest - start) // 2
    ends = [m.end() for m in _SENTENCE.finditer(text, earliest, latest)]
    if ends:
        return ends[-1]
    space = text.rfind(" ", earliest, latest)
    return space + 1 if space > 0 else latest
