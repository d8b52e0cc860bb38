"""E-books → document: the pages of the spine in order, each read as HTML."""

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote
from xml.etree import ElementTree as ET

from fanshu.library.parsers.dates import iso_date
from fanshu.library.parsers.encoding import decode
from fanshu.library.parsers.html import declared_encoding, parse_html
from fanshu.library.parsers.package import Package, Unreadable
from fanshu.library.parsers.sections import Heading, cut
from fanshu.types import Document

CONTAINER = "META-INF/container.xml"
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")
_FONTS_ONLY = ("font", "ttf", "otf", "woff")


@dataclass(frozen=True, slots=True)
class _Book:
    title: str
    date: str
    pages: tuple[str, ...]
    contents: Mapping[str, str]  # page → its title in the table of contents


def parse_epub(data: bytes) -> Document:
    """The document of an e-book. Broken and locked books are states, not errors."""
    try:
        package = Package(data)
        _check_lock(package)
        book = _book(package)
    except Unreadable as error:
        return error.document()
    parts: list[str] = []
    headings: list[Heading] = []
    length = 0
    for page in book.pages:
        document = _page(package, page)
        if document is None or not document.text:
            continue
        headings += _headings(document, length, book.contents.get(page, ""))
        parts.append(document.text + ("" if document.text.endswith("\n\n") else "\n"))
        length += len(parts[-1])
    text = "".join(parts).removesuffix("\n")
    return Document(
        text=text,
        sections=cut(text, headings),
        title=book.title,
        state="ok" if text else "no_text",
        reason=None if text else "only pictures",
        first_line=None,
        metadata={"date": book.date} if book.date else {},
    )


def _check_lock(package: Package) -> None:
    root = package.side("META-INF/encryption.xml")
    for item in root.iter() if root is not None else ():
        address = item.get("URI", "").lower()
        if address and not address.endswith(_FONTS_ONLY):
            raise Unreadable("encrypted", "encrypted")


def _book(package: Package) -> _Book:
    container = package.xml(CONTAINER)
    found = (item.get("full-path") for item in (container.iter() if container is not None else ()))
    name = next(filter(None, found), None)
    root = package.xml(name) if name else None
    if name is None or root is None:
        raise Unreadable("failed", "corrupt: no contents in the book")
    folder = posixpath.dirname(name)
    items = {item.get("id", ""): item for item in _all(root, "item")}
    ordered = [
        items[ref] for one in _all(root, "itemref") if (ref := one.get("idref", "")) in items
    ]
    pages = [item for item in ordered if item.get("media-type") in _PAGES and not _is_nav(item)]
    return _Book(
        title=_first_text(root, "title"),
        date=iso_date(_first_text(root, "date")) or "",
        pages=tuple(_path(folder, item.get("href", "")) for item in pages),
        contents=_contents(package, folder, list(items.values())),
    )


def _all(root: ET.Element, name: str) -> Iterator[ET.Element]:
    return (item for item in root.iter() if item.tag.rpartition("}")[2] == name)


def _first_text(root: ET.Element, name: str) -> str:
    return next((" ".join((item.text or "").split()) for item in _all(root, name)), "")


def _is_nav(item: ET.Element) -> bool:
    return "nav" in item.get("properties", "").split()


def _path(folder: str, address: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(address.partition("#")[0])))


def _contents(package: Package, folder: str, items: list[ET.Element]) -> dict[str, str]:
    """The title that the table of contents, new kind or old, first gives each page."""
    titles: dict[str, str] = {}
    for item in items:
        is_old = item.get("media-type") == "application/x-dtbncx+xml"
        if not is_old and not _is_nav(item):
            continue
        name = _path(folder, item.get("href", ""))
        root = package.side(name)
        entries = _old_entries(root) if is_old else _new_entries(root)
        for address, title in entries:
            titles.setdefault(_path(posixpath.dirname(name), address), title)
    return titles


def _old_entries(root: ET.Element | None) -> Iterator[tuple[str, str]]:
    for point in _all(root, "navPoint") if root is not None else ():
        address = next((one.get("src", "") for one in _all(point, "content")), "")
        yield address, _first_text(point, "text")


def _new_entries(root: ET.Element | None) -> Iterator[tuple[str, str]]:
    for link in _all(root, "a") if root is not None else ():
        yield link.get("href", ""), " ".join("".join(link.itertext()).split())


def _page(package: Package, name: str) -> Document | None:
    try:
        data = package.read(name)
    except Unreadable:
        return None  # one broken chapter does not take the others with it
    decoded = decode(data, declared_encoding(data)) if data else None
    return parse_html(decoded) if decoded else None


def _headings(page: Document, offset: int, title: str) -> list[Heading]:
    """The headings of a page. One without any is headed by its title in the contents."""
    found = [
        Heading(one.trail[-1], one.level, offset + one.start, level=one.level, anchor=one.anchor)
        for one in page.sections
        if one.trail
    ]
    if not found and title:
        return [Heading(title, 1, offset, level=1)]
    return found
