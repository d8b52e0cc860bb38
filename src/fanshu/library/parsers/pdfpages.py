"""pdfium → lines with their place, size and weight. Runs in the worker only."""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

BOLD = 600  # font weight
WIDE_GAP = 1.5  # times the font size
_BOLD_NAMES = ("bold", "black", "heavy", "heiti", "simhei")
_MONO_NAMES = ("mono", "courier", "consol", "typewriter", "cmtt")
HYPHEN = "\x02"  # pdfium's sign for a hyphen at a line end, whose line end it leaves out
_LINE_ENDS = frozenset("\r\n")


@dataclass(frozen=True, slots=True)
class Gap:
    """A wide blank in a line: the offset of its space in the text, and its edges."""

    offset: int
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page. Places in points; `y` is the base line, counted from the bottom."""

    text: str
    page: int
    left: float = 0.0
    right: float = 0.0
    y: float = 0.0
    size: float = 0.0
    bold: bool = False
    mono: bool = False
    gaps: tuple[Gap, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its lines in reading order.

    `unread`: text is missing, since the page is broken or a picture of a page (`scan`). OCR has
    read what is `recognised`, or has `failed` to for this reason.
    """

    number: int
    height: float
    width: float
    lines: tuple[Line, ...]
    unread: bool = False
    scan: bool = False
    recognised: bool = False
    failed: str | None = None


SCAN_CHARS = 20  # a page with fewer characters is looked at for a picture of a page
SCAN_SHARE = 0.5


def read_page(document: pdfium.PdfDocument, number: int) -> Page:
    """One page of an open document, `number` from 0."""
    try:
        page = document[number]
        textpage = page.get_textpage()
    except pdfium.PdfiumError:  # one broken page does not make the others unreadable
        return Page(number, 0.0, 0.0, (), unread=True)
    width, height = page.get_size()
    lines = tuple(_lines(textpage, number))
    characters = sum(len(line.text) for line in lines)
    scan = characters < SCAN_CHARS and _covered(page, width * height)
    textpage.close()
    page.close()
    return Page(number, height, width, lines, unread=scan, scan=scan)


def _covered(page: pdfium.PdfPage, area: float) -> bool:
    covered = 0.0
    for item in page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_IMAGE], max_depth=3):
        left, bottom, right, top = item.get_bounds()
        covered += max(0.0, right - left) * max(0.0, top - bottom)
    return covered > SCAN_SHARE * area


def _lines(textpage: pdfium.PdfTextPage, number: int) -> Iterator[Line]:
    codes = [pdfium_c.FPDFText_GetUnicode(textpage, at) for at in range(textpage.count_chars())]
    start = 0
    for at in range(len(codes) + 1):
        if at == len(codes) or chr(codes[at]) in _LINE_ENDS:
            if at > start:
                yield from _line(textpage, number, codes, start, at)
            start = at + 1


def _line(
    textpage: pdfium.PdfTextPage, number: int, codes: list[int], start: int, end: int
) -> Iterator[Line]:
    visible = [at for at in range(start, end) if codes[at] > 32]
    if not visible:
        return
    first, last = visible[0], visible[-1]
    left, y = _origin(textpage, first)
    size = _size(textpage, first)
    fonts = [_font(textpage, at) for at in {first, last}]
    yield Line(
        text=_string(codes[first : last + 1]),
        page=number,
        left=left,
        right=_box(textpage, last)[1],
        y=y,
        size=size,
        bold=all(bold for bold, _ in fonts),
        mono=all(mono for _, mono in fonts),
        gaps=tuple(_gaps(textpage, codes, first, last, size)),
    )


def _gaps(
    textpage: pdfium.PdfTextPage, codes: list[int], first: int, last: int, size: float
) -> Iterator[Gap]:
    """The wide blanks of a line, which part columns or the cells of a table."""
    for at in range(first + 1, last):
        if codes[at] != 32 or codes[at - 1] == 32 or codes[at + 1] <= 32:
            continue
        # Columns are drawn apart, and pdfium adds the space: a real one parts words only.
        if pdfium_c.FPDFText_IsGenerated(textpage, at) == 1:
            left, right = _box(textpage, at - 1)[1], _box(textpage, at + 1)[0]
            if right - left > WIDE_GAP * size:
                yield Gap(len(_string(codes[first:at])), left, right)


def _string(codes: list[int]) -> str:
    text = "".join(map(chr, (code for code in codes if code)))
    text = text.replace("\ufffe", HYPHEN)
    if any(0xD800 <= code <= 0xDFFF for code in codes):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _origin(textpage: pdfium.PdfTextPage, at: int) -> tuple[float, float]:
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium_c.FPDFText_GetCharOrigin(textpage, at, x, y)
    return x.value, y.value


def _box(textpage: pdfium.PdfTextPage, at: int) -> tuple[float, float]:
    """The left and the right edge of a character."""
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    pdfium_c.FPDFText_GetCharBox(textpage, at, left, right, bottom, top)
    return left.value, right.value


def _size(textpage: pdfium.PdfTextPage, at: int) -> float:
    """The size as it stands on the page: many files scale a font of size 1."""
    matrix = pdfium_c.FS_MATRIX()
    size = pdfium_c.FPDFText_GetFontSize(textpage, at)
    if pdfium_c.FPDFText_GetMatrix(textpage, at, matrix):
        size *= (matrix.c**2 + matrix.d**2) ** 0.5
    return round(float(size), 1)


def _font(textpage: pdfium.PdfTextPage, at: int) -> tuple[bool, bool]:
    """Whether the font of a character is bold, and whether it is a typewriter's."""
    flags = ctypes.c_int()
    buffer = ctypes.create_string_buffer(128)
    length = pdfium_c.FPDFText_GetFontInfo(textpage, at, buffer, 128, flags)
    name = buffer.raw[: min(length, 128)].decode("utf-8", "replace").lower()
    bold = pdfium_c.FPDFText_GetFontWeight(textpage, at) >= BOLD
    return bold or any(part in name for part in _BOLD_NAMES), any(p in name for p in _MONO_NAMES)
