"""Pages → the document text, with the offset of every page and of every line that begins one."""

from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from fanshu.library.parsers import pdfjoin
from fanshu.library.parsers.pdfheadings import Place
from fanshu.library.parsers.pdfpages import Line, Page

FULL_SHARE = 0.95  # the percentile of right edges at which lines count as full
WIDE = 0.55  # of the page's width: where full lines end at the least
CHARACTER = 0.6  # width of a typewriter's character, of its size
MAX_INDENT = 40  # characters


@dataclass(frozen=True, slots=True)
class Written:
    """The text; `offsets` of pages; `places`: the offset of each line that begins a paragraph."""

    text: str
    offsets: tuple[int, ...]
    places: dict[Place, int]


@dataclass(slots=True)
class _Writer:
    words: Set[str]
    pieces: list[str] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    places: dict[Place, int] = field(default_factory=dict)
    length: int = 0

    def put(self, piece: str) -> None:
        self.pieces.append(piece)
        self.length += len(piece)

    def reopen(self, following: str) -> None:
        """Take back the last line end: the paragraph goes on over the page's end."""
        last = self.pieces.pop()[:-1]
        self.length -= len(last) + 1
        self.put(pdfjoin.join([last, following], self.words)[: -len(following)])


def write_pages(pages: Sequence[Page], breaks: Set[Place], words: Set[str]) -> Written:
    """The text of pages, a line for a paragraph. `breaks`: lines at which one must begin."""
    measure = _measure(pages)
    writer = _Writer(words)
    before: Line | None = None
    for page in pages:
        first = page.lines[0] if page.lines else None
        joins = (
            before is not None
            and first is not None
            and (page.number, 0) not in breaks
            and pdfjoin.continues(before, first, measure, 0.0, measure)
        )
        if joins and first is not None:
            writer.reopen(first.text)
        writer.offsets.append(writer.length)
        for at, texts in _paragraphs(page, breaks, measure):
            writer.places[page.number, at] = writer.length
            writer.put(pdfjoin.join(texts, words) + "\n")
        writer.places[page.number, len(page.lines)] = writer.length
        before = page.lines[-1] if page.lines else None
    return Written("".join(writer.pieces), tuple(writer.offsets), writer.places)


def _measure(pages: Sequence[Page]) -> float:
    """Where full lines of the file end, in points."""
    rights = sorted(line.right for page in pages for line in page.lines if not line.mono)
    if not rights:
        return 0.0
    middle = max(page.width for page in pages) * WIDE
    return max(_percentile(rights, FULL_SHARE), middle)


def _percentile(values: Sequence[float], share: float) -> float:
    return values[int(share * (len(values) - 1))] - 1


def _paragraphs(page: Page, breaks: Set[Place], measure: float) -> list[tuple[int, list[str]]]:
    """The paragraphs of a page: the position of the first line, and the lines."""
    found: list[tuple[int, list[str]]] = []
    pitch = pdfjoin.pitch_of(page.lines)
    rights = sorted(line.right for line in page.lines if not line.mono)
    right = _percentile(rights, FULL_SHARE) if rights else 0.0
    for at, line in enumerate(page.lines):
        goes_on = at > 0 and (page.number, at) not in breaks
        if goes_on and pdfjoin.continues(page.lines[at - 1], line, right, pitch, measure):
            found[-1][1].append(line.text)
        else:
            found.append((at, [_indented(line, page.lines)]))
    return found


def _indented(line: Line, lines: Sequence[Line]) -> str:
    """A line of a listing with the blanks that set it in."""
    if not line.mono:
        return line.text
    least = min(other.left for other in lines if other.mono)
    blanks = round((line.left - least) / max(CHARACTER * line.size, 1.0))
    return " " * min(MAX_INDENT, blanks) + line.text
