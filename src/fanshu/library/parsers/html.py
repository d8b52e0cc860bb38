"""HTML → sections. What is page furniture goes by tag and role, never by guessing what is main.

Extractors of "main content" lose most headings of real manuals; rules of tag and role keep
nearly every word.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser

from selectolax.lexbor import LexborHTMLParser, LexborNode

from fanshu.library.parsers.confluence import WikiPage, wiki_page
from fanshu.library.parsers.dates import iso_date
from fanshu.library.parsers.encoding import Decoded
from fanshu.library.parsers.htmltext import HtmlHeading, extract
from fanshu.library.parsers.sections import Heading, cut, line_starts
from fanshu.types import Document, Section

MAIN_CHARS = 200  # a `main` with less text than this is not where the page's text is
MAX_DEPTH = 30_000  # of elements in elements: one second
# Elements that nest: not the empty ones, nor those whose end is implied by the next.
_TAG = re.compile(
    r"<(/?)(?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|wbr|p|li|td|th|tr|dt|dd"
    r"|option|thead|tbody|tfoot|h[1-6])\b)[a-z]",
    re.IGNORECASE,
)
_NEVER = "script, style, template, noscript, iframe, object, svg, textarea"
_FURNITURE = (
    "nav, button, select, dialog, [hidden], [role=navigation], [role=banner], "
    "[role=contentinfo], [role=search], "
    # What DocBook, Publican, Sphinx, Bootstrap and AsciiDoc call their bars and footers.
    ".navheader, .navfooter, .docnav, .sphinxsidebar, .breadcrumb, .breadcrumbs, .skip-link, "
    "div#footer:not(.section)"
)
_KEPT_ASIDE = re.compile(
    r"footnote|admonition|callout|note|tip|warning|caution|important", re.IGNORECASE
)
_HIDDEN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_HEADING_TAGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_UNRENDERED = "script|style|textarea|title|template|noscript|xmp|iframe"
_POSITION = re.compile(
    rf"<!--.*?(?:-->|\Z)|<({_UNRENDERED})\b.*?(?:</\1\s*>|\Z)|<(h[1-6])(?=[\s/>])",
    re.IGNORECASE | re.DOTALL,
)
_DATE_NAMES = frozenset(
    ("date", "dcterms.date", "dc.date", "article:modified_time", "article:published_time")
)
_CHARSET = re.compile(
    rb"(?:<meta[^>]+?charset|<\?xml[^>]+?encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE
)
_CLOSING = re.compile(r"(?:\s|</[^>]*>)*\Z")


def declared_encoding(data: bytes) -> str | None:
    """The encoding that the page names in its `<meta>`."""
    match = _CHARSET.search(data[:4096])
    return match[1].decode("ascii", "replace") if match else None


def parse_html(decoded: Decoded) -> Document:
    """The document of a page: its text block by block, without menus and other furniture.

    A page of nothing but furniture is taken as it is: no word may be hidden.
    """
    if _too_deep(decoded.text):
        return Document("", (), "", decoded.encoding, "failed", "nested too deep", None)
    document = _parse(decoded, furniture=False)
    return document if document.text.strip() else _parse(decoded, furniture=True)


def _parse(decoded: Decoded, *, furniture: bool) -> Document:
    tree = LexborHTMLParser(decoded.text)
    title = _page_title(tree)
    metadata = _metadata(tree)
    for node in tree.css(_NEVER):
        node.decompose()
    page = wiki_page(tree)
    lines = _heading_lines(tree, decoded.text)
    body = tree.body
    if body is None:
        return Document("", (), title, decoded.encoding, first_line=None)
    found = extract(body if furniture else _content(tree, body))
    text = found.text
    headings = [_heading(item, lines) for item in found.headings]
    if page:
        title = page.title
        metadata |= {"date": page.date} if page.date else {}
        headings = _below_title(headings, page)
    first_line = 1 if not headings or headings[0].line else None
    sections = cut(text, headings, first_line, _last_line(decoded.text, headings, found.last))
    return Document(
        text=text,
        sections=_below(sections, page.ancestors) if page else sections,
        title=title or next((h.title for h in headings if h.rank == 1), ""),
        encoding=decoded.encoding,
        first_line=None,
        metadata=metadata,
        images=tuple(found.images),
    )


def _too_deep(source: str) -> bool:
    """Whether a page nests so deep that the tree parser, quadratic in depth, would hang."""
    if source.count("<") - 2 * source.count("</") <= MAX_DEPTH:
        return False
    depth = deepest = 0
    for match in _TAG.finditer(source):
        depth = max(0, depth - 1) if match[1] else depth + 1
        deepest = max(deepest, depth)
    return deepest > MAX_DEPTH


def _heading(item: HtmlHeading, lines: dict[int, int]) -> Heading:
    line = lines.get(item.node_id)
    return Heading(item.title, item.level, item.start, line, item.level, anchor=item.anchor)


def _below_title(headings: list[Heading], page: WikiPage) -> list[Heading]:
    """The headings of a wiki's page, all of them below its title."""
    if not headings or headings[0].title != page.shown:
        return headings
    return [replace(headings[0], title=page.title, rank=0), *headings[1:]]


def _below(sections: tuple[Section, ...], ancestors: tuple[str, ...]) -> tuple[Section, ...]:
    return tuple(replace(one, trail=(*ancestors, *one.trail)) for one in sections)


def _page_title(tree: LexborHTMLParser) -> str:
    node = tree.css_first("head title") or tree.css_first("title")
    return " ".join(node.text(deep=True).split()) if node else ""


def _metadata(tree: LexborHTMLParser) -> dict[str, str]:
    for node in tree.css("meta[content]"):
        attributes = node.attributes
        name = (attributes.get("name") or attributes.get("property") or "").lower()
        if name in _DATE_NAMES and (date := iso_date(attributes.get("content") or "")):
            return {"date": date}
    return {}


def _content(tree: LexborHTMLParser, body: LexborNode) -> LexborNode:
    """The node that holds the page's text, with furniture taken out of it."""
    for node in tree.css(f"{_FURNITURE}, header, footer, aside, form, [style]"):
        if _is_furniture(node):
            node.decompose()
    mains = tree.css("main, [role=main]")
    if len(mains) == 1 and len(mains[0].text(deep=True).strip()) > MAIN_CHARS:
        return mains[0]
    return body


def _is_furniture(node: LexborNode) -> bool:
    attributes = node.attributes
    if node.tag in ("header", "footer"):
        kept = attributes.get("id") == "title-block-header" or _inside(node, ("article", "main"))
        return not kept
    if node.tag == "aside":
        role, name = attributes.get("role") or "", attributes.get("class") or ""
        return not (role.startswith("doc-") or role == "note" or _KEPT_ASIDE.search(name))
    if node.tag == "form":
        return node.css_first("h1, h2, h3, p, table") is None
    if "style" in attributes and not node.css_matches(_FURNITURE):
        return bool(_HIDDEN.search(attributes.get("style") or ""))
    return True


def _inside(node: LexborNode, tags: tuple[str, ...]) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.tag in tags:
            return True
        parent = parent.parent
    return False


def _heading_lines(tree: LexborHTMLParser, source: str) -> dict[int, int]:
    """The source line of every heading node; nothing when source and tree disagree."""
    nodes = [(tag, node.mem_id) for tag in _HEADING_TAGS for node in tree.css(tag)]
    counts = Counter(tag for tag, _ in nodes)
    places = list(_positions(source))
    if Counter(tag for tag, _ in places) != counts:
        places = _parsed_positions(source)
    if Counter(tag for tag, _ in places) != counts:
        return {}
    by_tag: dict[str, list[int]] = {tag: [] for tag in _HEADING_TAGS}
    for tag, line in places:
        by_tag[tag].append(line)
    ordered = {tag: iter(found) for tag, found in by_tag.items()}
    return {node_id: next(ordered[tag]) for tag, node_id in nodes}


def _positions(source: str) -> Iterator[tuple[str, int]]:
    line, at = 1, 0
    for match in _POSITION.finditer(source):
        if match[2]:
            line += len(re.findall(r"\r\n|\n|\r", source[at : match.start()]))
            at = match.start()
            yield match[2].lower(), line


class _HeadingFinder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, int]] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag in ("template", "noscript", "iframe"):
            self.hidden += 1
        elif tag in _HEADING_TAGS and not self.hidden:
            self.found.append((tag, self.getpos()[0]))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("template", "noscript", "iframe"):
            self.hidden = max(0, self.hidden - 1)


def _parsed_positions(source: str) -> list[tuple[str, int]]:
    finder = _HeadingFinder()
    finder.feed(source)
    finder.close()
    return finder.found


def _last_line(source: str, headings: list[Heading], last: str) -> int:
    """The line on which the page's last piece of text stands, at best guess."""
    starts = line_starts(source)
    end = len(source) - len(_trailing(source))
    known = [heading.line for heading in headings if heading.line]
    after = starts[known[-1] - 1] if known else 0
    found = source.rfind(last, after, end) if last else -1
    return _source_line(starts, found if found >= 0 else max(end - 1, 0))


def _trailing(source: str) -> str:
    match = _CLOSING.search(source, max(0, len(source) - 4096))
    return match[0] if match else ""


def _source_line(starts: list[int], offset: int) -> int:
    """The line, from 1, that holds an offset."""
    return bisect_right(starts, offset)
