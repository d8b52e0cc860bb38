"""Slides → document: a slide is a section and a page, its title the heading, its notes last."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from fanshu.library.parsers.charts import CHART, chart_rows
from fanshu.library.parsers.child import read_apart
from fanshu.library.parsers.dates import iso_date
from fanshu.library.parsers.docxruns import alternative
from fanshu.library.parsers.package import Package, Unreadable, core_properties
from fanshu.library.parsers.sections import Heading, cut
from fanshu.types import Document

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
ALTERNATE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
APART_FROM_BYTES = 16 << 20  # of XML
SECONDS = 60.0
MAX_TITLE = 60  # characters of a first line that stands for a title
_TITLES = ("title", "ctrTitle")
_FURNITURE = ("dt", "ftr", "hdr", "sldNum", "sldImg")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class _Slide:
    title: str
    lines: tuple[str, ...]
    hidden: bool


def parse_pptx(data: bytes) -> Document:
    """The document of a presentation of the zipped kind. Broken files are states, not errors."""
    return _guarded(data, apart=True)


def read_pptx(data: bytes) -> Document:
    """The same, in this process whatever the size."""
    return _guarded(data, apart=False)


def _guarded(data: bytes, *, apart: bool) -> Document:
    try:
        package = Package(data)
        if apart and package.xml_bytes > APART_FROM_BYTES:
            return read_apart("pptx", data, SECONDS)
        return _document(list(_slides(package)), core_properties(package))
    except Unreadable as error:
        return error.document()
    except RecursionError:
        return Unreadable("failed", "nested too deep").document()


def _slides(package: Package) -> Iterator[_Slide]:
    main = package.related("", "officeDocument") or "ppt/presentation.xml"
    root = package.xml(main)
    if root is None:
        raise Unreadable("failed", "corrupt: no presentation in the file")
    relations = package.relations(main)
    for item in root.iter(f"{P}sldId"):
        relation = relations.get(item.get(f"{R}id", ""))
        slide = package.side(relation.target) if relation else None
        if relation and slide is not None:
            yield _slide(package, relation.target, slide)
        else:
            yield _Slide("", (), hidden=False)


def _slide(package: Package, part: str, root: ET.Element) -> _Slide:
    titles: list[str] = []
    lines: list[str] = []
    for shape in _shapes(root):
        texts = list(_texts(package, part, shape))
        kind = _placeholder(shape)
        if kind in _TITLES and not titles:
            titles = [" ".join(" ".join(texts).split())]
        elif kind not in _FURNITURE:
            lines += texts
    title = next(filter(None, titles), "")
    lines += _notes(package, part)
    return _Slide(title, tuple(lines), root.get("show") in ("0", "false"))


def _shapes(root: ET.Element) -> Iterator[ET.Element]:
    """Shapes, tables and the like, those in groups too, in the order of the file."""
    tree = root.find(f"{P}cSld/{P}spTree")
    stack = list(reversed(tree)) if tree is not None else []
    while stack:
        item = stack.pop()
        if item.tag == f"{P}grpSp":
            stack += reversed(item)
        elif item.tag == ALTERNATE:
            stack += reversed(alternative(item))
        elif item.tag in (f"{P}sp", f"{P}graphicFrame", f"{P}cxnSp"):
            yield item


def _placeholder(shape: ET.Element) -> str | None:
    found = next(shape.iter(f"{P}ph"), None)
    return None if found is None else found.get("type", "body")


def _texts(package: Package, part: str, shape: ET.Element) -> Iterator[str]:
    body = shape.find(f"{P}txBody")
    if body is not None:
        yield from _paragraphs(body)
    for table in shape.iter(f"{A}tbl"):
        yield from _rows(table)
    for diagram in shape.iter(DIAGRAM):
        data = _part(package, part, diagram.get(f"{R}dm", ""))
        yield from _paragraphs(data) if data is not None else ()
    for chart in shape.iter(CHART):
        data = _part(package, part, chart.get(f"{R}id", ""))
        yield from chart_rows(data) if data is not None else ()


def _part(package: Package, part: str, relation_id: str) -> ET.Element | None:
    relation = package.relations(part).get(relation_id)
    return package.side(relation.target) if relation else None


def _paragraphs(root: ET.Element) -> Iterator[str]:
    for paragraph in root.iter(f"{A}p"):
        parts: list[str] = []
        for item in paragraph.iter():
            if item.tag == f"{A}t":
                parts.append(item.text or "")
            elif item.tag == f"{A}br":
                parts.append(" ")
        text = " ".join("".join(parts).split())
        if text:
            yield text


def _rows(table: ET.Element) -> Iterator[str]:
    above: dict[int, str] = {}
    for row in table.iter(f"{A}tr"):
        texts: list[str] = []
        for column, cell in enumerate(row.findall(f"{A}tc")):
            if cell.get("hMerge") in ("1", "true"):
                texts.append("")
                continue
            if cell.get("vMerge") not in ("1", "true"):
                above[column] = " ".join(_paragraphs(cell))
            texts.append(above.get(column, ""))
        while texts and not texts[-1]:
            texts.pop()
        if texts:
            yield " | ".join(texts)


def _notes(package: Package, part: str) -> list[str]:
    root = package.side(package.related(part, "notesSlide"))
    if root is None:
        return []
    bodies = (shape.find(f"{P}txBody") for shape in _shapes(root) if _placeholder(shape) == "body")
    lines = [text for body in bodies if body is not None for text in _paragraphs(body)]
    if not lines:
        return []
    return [("备注：" if _CHINESE.search("".join(lines)) else "Notes: ") + lines[0], *lines[1:]]


def _document(slides: list[_Slide], properties: dict[str, str]) -> Document:
    parts: list[str] = []
    headings: list[Heading] = []
    pages: list[int] = []
    length = 0
    for slide in slides:
        pages.append(length)
        title = slide.title or _first_line(slide)
        if title:
            headings.append(Heading(title, 1, length))
        text = _joined(slide)
        parts.append(text)
        length += len(text)
    text = "".join(parts).removesuffix("\n")
    modified = iso_date(properties.get("modified", ""))
    hidden = [str(at) for at, slide in enumerate(slides, 1) if slide.hidden]
    metadata = {"hidden_slides": ", ".join(hidden)} if hidden else {}
    metadata |= {"modified": modified, "date": modified} if modified else {}
    return Document(
        text=text,
        sections=cut(text, headings),
        title=headings[0].title if headings and slides[0].title else "",
        state="ok" if text else "no_text" if slides else "skipped",
        reason=None if text else "only pictures" if slides else "empty",
        first_line=None,
        pages=tuple(pages) if text else (),
        metadata=metadata,
    )


def _first_line(slide: _Slide) -> str:
    return slide.lines[0] if slide.lines and len(slide.lines[0]) <= MAX_TITLE else ""


def _joined(slide: _Slide) -> str:
    """The text of a slide; rows of a table follow each other without a blank line."""
    lines = [line for line in (slide.title, *slide.lines) if line]
    out: list[str] = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        rows = " | " in line and " | " in following
        out.append(line + ("\n" if rows else "\n\n"))
    return "".join(out)
