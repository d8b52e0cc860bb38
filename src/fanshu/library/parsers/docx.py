"""Word → document: blocks to text, a blank line between them, sections by heading.

Small files are read here, large ones by the child process, whose memory is limited.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from xml.etree import ElementTree as ET

from fanshu.library.dating import FIRST_CHARS, find_date
from fanshu.library.parsers.charts import chart_rows
from fanshu.library.parsers.child import read_apart
from fanshu.library.parsers.dates import iso_date
from fanshu.library.parsers.docxblocks import Blocks, Line
from fanshu.library.parsers.docxheadings import Structure, structure
from fanshu.library.parsers.docxnames import W
from fanshu.library.parsers.docxnumbering import Numbering
from fanshu.library.parsers.docxstyles import Styles
from fanshu.library.parsers.package import Package, Unreadable, core_properties
from fanshu.library.parsers.sections import Heading, cut
from fanshu.library.pictures import INSIDE, named
from fanshu.types import Document, Image

APART_FROM_BYTES = 16 << 20  # of XML, which takes some ten times as much memory as a tree
SECONDS = 60.0
_TEMPLATE_DAY = "2013-12-23"  # of the template that python-docx puts under its files
_NO_TITLE = re.compile(
    r"untitled|word 文档|(?:microsoft )?word document|^(?:document|文档)\s*\d*$|\.\w{2,4}$",
    re.IGNORECASE,
)


def parse_docx(data: bytes) -> Document:
    """The document of a Word file of the zipped kind. Broken files are states, not errors."""
    try:
        package = Package(data)
        if package.xml_bytes > APART_FROM_BYTES:
            return read_apart("docx", data, SECONDS)
        return _read(package)
    except Unreadable as error:
        return error.document()
    except RecursionError:
        return Unreadable("failed", "nested too deep").document()


def read_docx(data: bytes) -> Document:
    """The same, in this process whatever the size."""
    try:
        return _read(Package(data))
    except Unreadable as error:
        return error.document()
    except RecursionError:
        return Unreadable("failed", "nested too deep").document()


def _read(package: Package) -> Document:
    part = package.related("", "officeDocument") or "word/document.xml"
    root = package.xml(part)
    if root is None:
        raise Unreadable("failed", "corrupt: no document in the file")
    blocks = Blocks(
        Styles(package.side(package.related(part, "styles"))),
        Numbering(package.side(package.related(part, "numbering"))),
        _notes(package, part),
        lambda relation: _attached(package, part, relation),
    )
    blocks.read(root)
    return _document(blocks, package, part)


def _notes(package: Package, part: str) -> dict[tuple[str, str], ET.Element]:
    found: dict[tuple[str, str], ET.Element] = {}
    for kind in ("footnote", "endnote"):
        root = package.side(package.related(part, f"{kind}s"))
        if root is not None:
            found |= {(kind, one.get(f"{W}id", "")): one for one in root.iter(W + kind)}
    return found


def _attached(package: Package, part: str, relation: str) -> list[str]:
    """The lines of what is put into the text: a chart, or a page of HTML as exports do."""
    from fanshu.library.parsers.encoding import decode
    from fanshu.library.parsers.html import declared_encoding, parse_html

    found = package.relations(part).get(relation)
    if found and found.kind == "chart":
        chart = package.side(found.target)
        return list(chart_rows(chart)) if chart is not None else []
    data = package.read(found.target) if found and not found.external else None
    decoded = decode(data, declared_encoding(data)) if data else None
    if decoded is None or "<" not in decoded.text[:1000]:
        return []
    return [line for line in parse_html(decoded).text.split("\n") if line.strip()]


def _document(blocks: Blocks, package: Package, part: str) -> Document:
    lines = blocks.lines
    text, starts = _joined(lines)
    if not text:
        pictures = len(blocks.images)
        return Document(
            "", (), state="no_text" if pictures else "skipped",
            reason=f"only pictures: {pictures}" if pictures else "empty", first_line=None,
        )  # fmt: skip
    found = structure(lines)
    properties = core_properties(package)
    title = found.title or _given_title(properties) or _first_heading(found)
    return Document(
        text=text,
        sections=cut(text, _headings(found, starts)),
        title=title,
        first_line=None,
        metadata=_metadata(properties, title, text),
        images=tuple(_images(blocks, starts, package, part)),
    )


def _joined(lines: Sequence[Line]) -> tuple[str, list[int]]:
    """The document text, and where each line begins in it."""
    parts: list[str] = []
    starts = [0] if lines else []
    for line, following in pairwise(lines):
        close = line.table and line.table == following.table
        parts.append(line.text + ("\n" if close else "\n\n"))
        starts.append(starts[-1] + len(parts[-1]))
    parts += [lines[-1].text + "\n"] if lines else []
    return "".join(parts), starts


def _headings(found: Structure, starts: Sequence[int]) -> list[Heading]:
    headings = [
        Heading(one.title, one.rank, starts[one.line], level=one.level) for one in found.headings
    ]
    if headings and 0 < found.headings[0].line <= found.title_lines:
        # The title alone is no section: it stands above the first one, and belongs to it.
        first = headings[0]
        headings[0] = Heading(first.title, first.rank, 0, level=first.level)
    return headings


def _first_heading(found: Structure) -> str:
    first = found.headings[0] if found.headings else None
    return first.title if first and first.line == 0 else ""


def _given_title(properties: dict[str, str]) -> str:
    title = " ".join(properties.get("title", "").split())
    return "" if _NO_TITLE.search(title) else title


def _metadata(properties: dict[str, str], title: str, text: str) -> dict[str, str]:
    """A date that the text itself names at its top is better than the day of the last change."""
    modified = iso_date(properties.get("modified") or properties.get("created", ""))
    if not modified or modified == _TEMPLATE_DAY:
        return {}
    named = find_date(title) or find_date(text[:FIRST_CHARS])
    return {"modified": modified} if named else {"modified": modified, "date": modified}


def _images(blocks: Blocks, starts: Sequence[int], package: Package, part: str) -> Iterator[Image]:
    relations = package.relations(part)
    for picture in blocks.images:
        found = relations.get(picture.relation)
        if found and (kept := named(("" if found.external else INSIDE) + found.target)):
            yield Image(starts[max(picture.line, 0)], kept, picture.alt)
