"""PDF bytes → document, inside the worker: pages, paragraphs, headings, states."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise

import pypdfium2 as pdfium

from fanshu import extras
from fanshu.library.parsers import pdfheadings, pdfjoin, scans
from fanshu.library.parsers.dates import iso_date
from fanshu.library.parsers.pdfcolumns import in_reading_order
from fanshu.library.parsers.pdfheadings import PdfHeading, Place
from fanshu.library.parsers.pdfpages import SCAN_CHARS, Page, read_page
from fanshu.library.parsers.pdfrunning import without_running_lines
from fanshu.library.parsers.pdftext import Written, write_pages
from fanshu.library.parsers.scanlines import with_recognised
from fanshu.library.parsers.scans import ScanPages
from fanshu.library.parsers.sections import Heading, cut
from fanshu.library.parsers.text import find_marks
from fanshu.types import Document, FileState, Section

MAX_PAGES = 3_000
MIN_BOOKMARKS = 3  # with a target; fewer are only a start page and a back cover
MIN_NUMBERED = 2
PAGE_SECTIONS_FROM = 2_000  # characters: a shorter document without headings is one section
_LOCKED = (4, 5)  # FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY
_NO_TITLE = re.compile(
    r"untitled|microsoft word|^document\d*$"
    r"|\.(?:docx?|tex|dvi|wps|pptx?|xlsx?|indd|pdf|html?|md|txt|rtf|odt)$",
    re.IGNORECASE,
)


def read_pdf(data: bytes, read: ScanPages | None = None) -> Document:
    """The document of a PDF's bytes; broken and locked files are states, not errors.

    `read`: the pages of it that OCR has read.
    """
    try:
        document = pdfium.PdfDocument(data)
        count = len(document)
        pages = [read_page(document, number) for number in range(min(count, MAX_PAGES))]
        entries = tuple(pdfheadings.bookmarks(document))
        labels = _labels(document, len(pages))
        title, metadata = _metadata(document)
    except pdfium.PdfiumError as error:
        if error.err_code in _LOCKED:
            return _without_text("encrypted", "encrypted")
        return _without_text("failed", f"corrupt: {error}")
    if read:
        pages = with_recognised(pages, read.pages())
    pages, running = without_running_lines(pages, pdfheadings.body_size(pages))
    if running:
        metadata["running_lines"] = " · ".join(running)
    written = _write([in_reading_order(page) for page in pages], entries)
    state, reason = _state(written.pages, count, ocr=bool(read and read.readable))
    if state == "no_text":
        return _without_text(state, reason, title, metadata)
    return Document(
        text=written.text,
        sections=written.sections,
        title=title or written.title,
        state=state,
        reason=reason,
        first_line=None,
        pages=written.offsets,
        page_labels=labels,
        metadata=metadata,
    )


def _without_text(
    state: FileState, reason: str | None, title: str = "", metadata: dict[str, str] | None = None
) -> Document:
    return Document("", (), title, None, state, reason, None, metadata=metadata or {})


def _labels(document: pdfium.PdfDocument, count: int) -> tuple[str, ...]:
    """The printed page numbers, when any differs from the physical one."""
    labels = tuple(document.get_page_label(at) for at in range(count))
    differ = any(label and label != str(at + 1) for at, label in enumerate(labels))
    return labels if differ else ()


def _metadata(document: pdfium.PdfDocument) -> tuple[str, dict[str, str]]:
    given = document.get_metadata_dict()
    title = " ".join((given.get("Title") or "").split())
    date = iso_date(given.get("CreationDate") or "")
    return "" if _NO_TITLE.search(title) else title, {"date": date} if date else {}


def _state(pages: Sequence[Page], count: int, *, ocr: bool) -> tuple[FileState, str | None]:
    """Whether there is text on all pages that should have some, and the pages that lack it.

    `ocr`: whether pages that are pictures can be recognised.
    """
    scanned = [page for page in pages if page.scan and not page.recognised and not page.failed]
    by_ocr = _numbers(page for page in pages if page.recognised)
    reasons = [f"{scans.pages(by_ocr)} by OCR"] if by_ocr else []
    if ocr and scanned:
        return "ocr_pending", "; ".join([*reasons, scans.waiting(_numbers(scanned))])
    lacking = [", ".join(_lacking(pages, count))]
    if scanned:
        them = "it" if len(scanned) == 1 else "them"
        lacking.append(f"to read {them}: {extras.here().add_shortly('ocr')}")
    missing = "; ".join(filter(None, lacking))
    if not any(page.lines for page in pages):
        return "no_text", "no text found by OCR" if by_ocr else f"needs_ocr: {missing}"
    reason = "; ".join(filter(None, [*reasons, missing]))
    return ("partial_text" if missing else "ok"), reason or None


def _lacking(pages: Sequence[Page], count: int) -> Iterator[str]:
    """The pages whose text is missing, and why."""
    blank = [page for page in pages if sum(len(line.text) for line in page.lines) < SCAN_CHARS]
    bare = [page for page in blank if not page.lines]
    # Blank backs of chapters are no loss; when most pages are blank, their text is not text.
    most = 2 * len(bare) > len(pages)
    missing = _numbers(page for page in (bare if most else blank) if most or page.unread)
    if missing:
        yield f"{scans.pages(missing)} empty"
    for why in dict.fromkeys(page.failed for page in pages if page.failed):
        yield f"{scans.pages(_numbers(p for p in pages if p.failed == why))} not recognised: {why}"
    if count > len(pages):
        yield f"pages {len(pages) + 1}-{count} not read"


def _numbers(pages: Iterable[Page]) -> list[int]:
    return [page.number + 1 for page in pages]


@dataclass(frozen=True, slots=True)
class _Result:
    text: str
    pages: tuple[Page, ...]
    offsets: tuple[int, ...]
    sections: tuple[Section, ...]
    title: str


def _write(pages: Sequence[Page], entries: Sequence[pdfheadings.Bookmark]) -> _Result:
    words = pdfjoin.words_of(line for page in pages for line in page.lines)
    pages = tuple(_cleaned(page, words) for page in pages)
    outline = pdfheadings.by_bookmarks(entries, pages)
    # The size of recognised text is a guess, and its weight unknown.
    looks, title = pdfheadings.by_look([_unless_recognised(page) for page in pages])
    placed = sum(heading.place is not None for heading in outline)
    borders = _borders(pages)
    breaks = _places(outline if placed else looks) | {(page, 0) for page in borders}
    written = write_pages(pages, breaks, words)
    numbered = [] if placed >= MIN_BOOKMARKS else _numbered(written.text)
    if placed and (placed >= MIN_BOOKMARKS or placed >= max(len(numbered), 1)):
        headings = _offsets(outline, written)
    elif len(numbered) >= max(MIN_NUMBERED, len(looks) / 3):
        headings = numbered
    else:
        headings = _offsets(looks, written)
    sections = _paged(_sections(written, headings), written.offsets, borders)
    return _Result(written.text, pages, written.offsets, tuple(sections), title)


def _unless_recognised(page: Page) -> Page:
    return replace(page, lines=()) if page.recognised else page


def _borders(pages: Sequence[Page]) -> list[int]:
    """The pages at which recognised text begins or ends: no paragraph or chunk holds both."""
    return [two.number for one, two in pairwise(pages) if one.recognised != two.recognised]


def _paged(
    sections: Iterable[Section], pages: Sequence[int], borders: Sequence[int]
) -> Iterator[Section]:
    """Sections with their pages, cut at these of them, each piece under its section's heading."""
    offsets = [pages[border] for border in borders]
    for section in sections:
        inside = sorted({at for at in offsets if section.start < at < section.end})
        for start, end in pairwise([section.start, *inside, section.end]):
            yield replace(section, start=start, end=end, page=bisect_right(pages, start))


def _cleaned(page: Page, words: Set[str]) -> Page:
    lines = (replace(line, text=pdfjoin.clean(line.text, words)) for line in page.lines)
    return replace(page, lines=tuple(line for line in lines if line.text))


def _places(headings: Iterable[PdfHeading]) -> set[Place]:
    """The places at which a paragraph must begin: headings, and what follows them."""
    found: set[Place] = set()
    for heading in headings:
        if heading.place is not None:
            page, at = heading.place
            found |= {heading.place, (page, max(at, heading.last) + 1)}
    return found


def _numbered(text: str) -> list[Heading]:
    lines = text.split("\n")
    starts: list[int] = []
    at = 0
    for line in lines:
        starts.append(at)
        at += len(line) + 1
    stripped = [line.strip() for line in lines]
    return [Heading(mark.title, mark.rank, starts[mark.line]) for mark in find_marks(stripped)]


def _offsets(headings: Iterable[PdfHeading], written: Written) -> list[Heading]:
    """Headings at their offsets. One that leads nowhere stays above those that follow it."""
    found: list[Heading] = []
    waiting: list[PdfHeading] = []
    for heading in headings:
        if heading.place is None:
            waiting.append(heading)
            continue
        start = written.places.get(heading.place)
        if start is None:
            continue
        above = [other for other in waiting if other.rank < heading.rank]
        found += [Heading(other.title, other.rank, start) for other in above]
        found.append(Heading(heading.title, heading.rank, start))
        waiting.clear()
    return found


def _sections(written: Written, headings: Sequence[Heading]) -> tuple[Section, ...]:
    sections = cut(written.text, headings)
    if not headings and len(written.text) >= PAGE_SECTIONS_FROM:
        ends = [*written.offsets[1:], len(written.text)]
        spans = zip(written.offsets, ends, strict=True)
        return tuple(
            Section((), 0, start, end, page=at)
            for at, (start, end) in enumerate(spans, 1)
            if end > start
        )
    return sections
