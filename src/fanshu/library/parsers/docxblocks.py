"""A Word document, block by block: paragraphs, tables, text boxes, notes → lines of text."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

from fanshu.library.parsers.docxnames import MC, W, child, switch, value
from fanshu.library.parsers.docxnumbering import Numbering
from fanshu.library.parsers.docxruns import RunReader, Runs, alternative, is_placeholder
from fanshu.library.parsers.docxstyles import Style, Styles, is_centered, outline_level

_THROUGH = frozenset(W + name for name in "ins moveTo customXml smartTag sdtContent body".split())


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph, table row (`table` numbers its table) or note of the document.

    `level` is that of a heading by style or outline, `size` in half points; `bold` and
    `size` hold for the whole line or for most of it.
    """

    text: str
    level: int | None = None
    table: int = 0
    is_note: bool = False
    is_title: bool = False
    bold: bool = False
    size: int = 0
    centered: bool = False


@dataclass(slots=True)
class Picture:
    """A picture by the id of its relation, and the line by which it stands."""

    relation: str
    alt: str
    line: int


@dataclass(slots=True)
class Blocks:
    """Reads blocks into `lines`, in the order in which a reader meets them."""

    styles: Styles
    numbering: Numbering
    notes: dict[tuple[str, str], ET.Element]
    attached: Callable[[str], list[str]]  # relation id → lines of a page or chart put in there
    lines: list[Line] = field(default_factory=list)
    images: list["Picture"] = field(default_factory=list)
    tables: int = 0
    _runs: RunReader = field(init=False)
    _in_cell: bool = False
    _carried: str = ""  # of a paragraph whose end was deleted: the next one goes on with it

    def __post_init__(self) -> None:
        self._runs = RunReader(self.styles)

    def read(self, parent: ET.Element) -> None:
        """All blocks in an element. Deleted and moved-away ones are not there."""
        for item in parent:
            tag = item.tag
            if tag == f"{W}p":
                self._paragraph(item)
            elif tag == f"{W}tbl":
                from fanshu.library.parsers.docxtables import read_table

                read_table(self, item)
            elif tag == f"{W}sdt":
                content = child(item, "sdtContent")
                if content is not None and not _is_contents(item) and not is_placeholder(item):
                    self.read(content)
            elif tag in _THROUGH:
                self.read(item)
            elif tag == f"{MC}AlternateContent":
                self.read(alternative(item))
            elif tag == f"{W}altChunk":
                self.lines += [
                    Line(text) for text in self.attached(next(iter(item.attrib.values()), ""))
                ]

    def inside(self, parent: ET.Element, *, cell: bool = False) -> list[Line]:
        """The lines of an element alone, as of a table cell."""
        outside, self.lines = self.lines, []
        was_in_cell, self._in_cell = self._in_cell, cell
        known = len(self.images)
        self.read(parent)
        found, self.lines = self.lines, outside
        self._in_cell = was_in_cell
        for picture in self.images[known:]:
            picture.line = len(outside)
        return found

    def settle(self, known: int) -> None:
        """Pictures after the first `known` stand by a line that is there, not by the next."""
        for picture in self.images[known:]:
            picture.line = min(picture.line, len(self.lines) - 1)

    def _paragraph(self, item: ET.Element) -> None:
        properties = child(item, "pPr")
        style = self.styles.of(value(properties, "pStyle"))
        if style.is_contents:
            return
        known = len(self.images)
        runs = self._runs.read(item, style)
        self.images += [Picture(*found, len(self.lines)) for found in runs.images]
        text = _tidy(self._carried + runs.text)
        mark = child(properties, "rPr")
        if child(mark, "del") is not None or child(mark, "moveFrom") is not None:
            self._carried = text
        else:
            self._carried = ""
            label = "" if not text and switch(mark, "vanish") else self._label(properties, style)
            # A column of bare numbers is read; a number alone in its line is a slip.
            if text or (self._in_cell and label):
                self.lines.append(_line((label + text).rstrip(), properties, style, runs))
        for box in runs.boxes:
            self.read(box)
        for chart in runs.charts:
            self.tables += 1
            self.lines += [Line(text, table=self.tables) for text in self.attached(chart)]
        self._write_notes(runs)
        self.settle(known)

    def _label(self, properties: ET.Element | None, style: Style) -> str:
        numbers = child(properties, "numPr")
        list_id = value(numbers, "numId") or style.list_id
        if not list_id or list_id == "0":
            return ""
        at = value(numbers, "ilvl")
        level = int(at) if at.isdecimal() else style.list_level
        if level is None:
            # A list names the styles of its levels; one based on such a style counts with it.
            level = self.numbering.level_of_style(list_id, (style.id, style.list_style))
        return self.numbering.label(list_id, level or 0)

    def _write_notes(self, runs: Runs) -> None:
        for kind, note_id, marker in runs.notes:
            note = self.notes.get((kind, note_id))
            texts = [line.text for line in self.inside(note)] if note is not None else []
            if texts:
                self.lines.append(Line(f"{marker}: {' '.join(texts)}", is_note=True))


def _line(text: str, properties: ET.Element | None, style: Style, runs: Runs) -> Line:
    visible = sum(len(part.strip()) for part in runs.parts)
    sizes: Counter[int] = runs.sizes
    return Line(
        text,
        level=outline_level(properties, style.level),
        is_title=style.is_title,
        bold=0 < visible <= runs.bold,
        size=max(sizes, key=lambda size: sizes[size], default=0),
        centered=is_centered(properties, otherwise=style.centered),
    )


def _tidy(text: str) -> str:
    """A paragraph without blank lines and white space at the ends of lines."""
    lines = (line.strip(" \t\u3000\xa0") for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _is_contents(control: ET.Element) -> bool:
    """Whether a content control holds the generated table of contents."""
    gallery = control.find(f"{W}sdtPr/{W}docPartObj/{W}docPartGallery")
    return gallery is not None and gallery.get(f"{W}val") == "Table of Contents"
