"""A tree of HTML nodes → text: a line for a block, a row or a `br`; `pre` as it is.

Paragraphs, items and other boxes stand apart by a blank line, since nothing else tells where
one ends: what follows a line break may belong to the same sentence, what follows a box never.
"""

import re
from dataclasses import dataclass, field

from selectolax.lexbor import LexborNode

from fanshu.library.pictures import named
from fanshu.types import Image

BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu ol "
    "optgroup option p section summary table tbody tfoot thead tr ul".split()
)
_TOGETHER = frozenset(("dt", "option", "optgroup", "tr", "tbody", "thead", "tfoot"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_LAYOUT = "pre, table, h1, h2, h3, h4, h5, h6"  # in a cell: the table lays out, it lists nothing
_SPACE = re.compile(r"[ \t\n\r\f\xa0]+")
_LINK_MARKS = frozenset(("", "¶", "#", "§", "🔗", "permalink"))
_UNSEEN = frozenset(("0", "1", "0px", "1px"))
_SIGNS = frozenset(("emoticon", "emoji"))
# Icons that DocBook puts beside admonitions and into its bars.
_ICON = re.compile(r"(?:^|/)(?:tip|note|warning|caution|important|prev|next|up|home)\.\w+$")
MAX_ANCHOR_CLIMB = 4  # DocBook wraps a heading in three boxes inside the section that has the id


@dataclass(frozen=True, slots=True)
class HtmlHeading:
    node_id: int
    title: str
    level: int
    start: int
    anchor: str | None


@dataclass(frozen=True, slots=True)
class HtmlText:
    """The text below a node, what is in it, and the last piece of text as written."""

    text: str
    headings: list[HtmlHeading]
    images: list[Image]
    last: str


def extract(root: LexborNode) -> HtmlText:
    """A node as text."""
    writer = _Writer()
    _walk(root, writer)
    writer.end_line()
    return HtmlText("".join(writer.out), writer.headings, writer.images, writer.last)


@dataclass(slots=True)
class _Writer:
    out: list[str] = field(default_factory=list)
    length: int = 0
    line: list[str] = field(default_factory=list)
    headings: list[HtmlHeading] = field(default_factory=list)
    images: list[Image] = field(default_factory=list)
    last: str = ""
    apart: bool = False

    def write(self, text: str) -> None:
        self.line.append(text)
        piece = text.strip()
        if piece:
            self.last = piece.splitlines()[-1].strip()

    def picture(self, node: LexborNode) -> None:
        """Note a picture: in the line that is being written, else in the text so far."""
        target = named(_address(node))
        if target and not _is_sign(node):
            at = self.length if self.line else max(self.length - 1, 0)
            alt = " ".join((node.attributes.get("alt") or "").split())
            self.images.append(Image(at, target, alt))

    def pictures(self, node: LexborNode) -> None:
        """Note the pictures in a node."""
        for image in node.css("img"):
            self.picture(image)

    def end_line(self) -> None:
        if self.line:
            text = _SPACE.sub(" ", "".join(self.line)).strip()
            self.line.clear()
            if text:
                self.put(text + "\n")

    def end_box(self, tag: str) -> None:
        """End a line, and keep what follows apart from it."""
        self.end_line()
        self.apart = self.apart or tag not in _TOGETHER

    def put(self, text: str) -> None:
        self.leave_gap()
        self.out.append(text)
        self.length += len(text)

    def leave_gap(self) -> None:
        """The blank line that is due, if any."""
        if self.apart and self.out:
            self.out.append("\n")
            self.length += 1
        self.apart = False


def _address(image: LexborNode) -> str:
    """Where a picture is; pages that load it late keep that beside a placeholder."""
    places = [(image.attributes.get(name) or "").strip() for name in ("src", "data-src")]
    late = places[1] and (not places[0] or places[0].startswith("data:"))
    return places[1] if late else places[0]


def _is_sign(image: LexborNode) -> bool:
    """Whether a picture stands for a sign or counts visits, and shows nothing."""
    attributes = image.attributes
    sizes = {attributes.get("width"), attributes.get("height")}
    classes = (attributes.get("class") or "").split()
    return bool(sizes & _UNSEEN or _SIGNS.intersection(classes) or _ICON.search(_address(image)))


def _walk(root: LexborNode, writer: _Writer) -> None:
    """Depth first without recursion: pages nest deeper than Python's stack."""
    node = root.first_child
    while node is not None:
        entered = _enter(node, writer)
        child = node.first_child if entered else None
        if child is not None:
            node = child
            continue
        node = _following(node, root, writer, entered=entered)


def _following(
    node: LexborNode, root: LexborNode, writer: _Writer, *, entered: bool
) -> LexborNode | None:
    current: LexborNode | None = node
    # Nodes compare by their whole HTML, which is slow; their addresses tell them apart.
    while current is not None and current.mem_id != root.mem_id:
        if entered and current.tag in BLOCKS:
            writer.end_box(current.tag)
        if current.next is not None:
            return current.next
        current, entered = current.parent, True
    return None


def _enter(node: LexborNode, writer: _Writer) -> bool:
    """Write a node's beginning; whether its children are still to be written."""
    tag = node.tag or ""
    if tag == "-text":
        writer.write(node.text_content or "")
        return False
    if tag == "br":
        writer.end_line()
        return False
    if tag == "img":
        writer.picture(node)
        return False
    if tag == "pre":
        _write_pre(node, writer)
        return False
    if tag in _HEADINGS:
        _write_heading(node, tag, writer)
        return False
    if tag == "tr" and node.css_first(_LAYOUT) is None:
        _write_row(node, writer)
        return False
    if tag == "dd":
        writer.end_line()  # a definition stays with its term
    elif tag in BLOCKS:
        writer.end_box(tag)
    return bool(tag) and tag[:1] not in ("-", "!")


def _write_pre(node: LexborNode, writer: _Writer) -> None:
    writer.end_line()
    text = node.text(deep=True).strip("\r\n").rstrip()
    if text:
        writer.put(text + "\n")
        writer.last = text.splitlines()[-1].strip()


def _write_heading(node: LexborNode, tag: str, writer: _Writer) -> None:
    writer.end_line()
    anchor = _anchor(node)
    for link in node.css("a"):
        if _is_permalink(link):
            link.decompose()
    title = _SPACE.sub(" ", node.text(deep=True)).strip()
    if title:
        level = int(tag[1])
        writer.leave_gap()
        writer.headings.append(HtmlHeading(node.mem_id, title, level, writer.length, anchor))
        writer.write(title)
        writer.end_line()
    writer.pictures(node)


def _is_permalink(link: LexborNode) -> bool:
    classes = (link.attributes.get("class") or "").split()
    text = link.text(deep=True).strip().strip("\u200b").lower()
    return "headerlink" in classes or (text in _LINK_MARKS and bool(link.attributes.get("href")))


def _anchor(node: LexborNode) -> str | None:
    """The heading's own id, else one inside it, else that of the box it opens."""
    if node.id:
        return node.id
    for inner in node.css("a[name], [id]"):
        name = inner.attributes.get("id") or inner.attributes.get("name")
        if name:
            return name
    box = node
    for _ in range(MAX_ANCHOR_CLIMB):
        parent = box.parent
        if parent is None or parent.tag == "body" or not _opens(box):
            return None
        if parent.id:
            return parent.id
        box = parent
    return None


def _opens(node: LexborNode) -> bool:
    before = node.prev
    while before is not None:
        if before.is_element_node or (before.text_content or "").strip():
            return False
        before = before.prev
    return True


def _write_row(row: LexborNode, writer: _Writer) -> None:
    writer.end_line()
    cells: list[str] = []
    cell = row.first_child
    while cell is not None:
        if cell.tag in ("td", "th"):
            cells.append(_cell_text(cell))
        cell = cell.next
    filled = [text for text in cells if text]
    if filled:
        writer.write(" | ".join(cells) if len(filled) > 1 else filled[0])
        writer.end_line()
        writer.last = filled[-1]
    writer.pictures(row)


def _cell_text(cell: LexborNode) -> str:
    inner = _Writer()
    _walk(cell, inner)
    inner.end_line()
    return " ".join("".join(inner.out).split())
