"""Links of documents: where they lead, and which places and files are not there."""

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from fanshu.library.passages import Span
from fanshu.library.pictures import SITE_FOLDERS
from fanshu.library.terms import fold

MOST = 500  # links of one chunk
MOST_TARGET = 1_000  # characters; a longer target is data
MARKDOWN = (".md", ".markdown", ".mdx")
SUFFIXES = ("", ".md", ".html", ".mdx", "/index.md", "/index.html", "/README.md", "/_index.md")

_CODE = re.compile(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)|`[^`\n]{1,400}`|<!--.*?-->")
_LINK = re.compile(
    r"(?P<image>!?)\[(?:[^\[\]\n]|\[[^\[\]\n]*\]|\n(?!\n)){0,300}\]\(\s*<?(?P<target>[^()\s<>]{1,1000}(?:\([^()\s]*\)[^()\s<>]*)?)>?"
    r"(?:\s+[\"'(][^\"'\n]*[\"')])?\s*\)"
    r"|(?m:^[ ]{0,3}\[(?!\^)[^\]\n]{1,100}\]:[ \t]*<?(?P<defined>[^\s<>]{1,1000})>?)"
    r"|<a\b[^<>]{0,300}?\bhref\s*=\s*[\"'](?P<href>[^\"'<>\s]{1,1000})"
    r"|<img\b[^<>]{0,300}?\bsrc\s*=\s*[\"'](?P<src>[^\"'<>\s]{1,1000})"
)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|\{\{|\{%|\$\{|<%|%7B", re.IGNORECASE)
_ANCHOR = re.compile(
    r"<[a-z][a-z0-9]*\b[^<>]{0,200}?\b(?:id|name)\s*=\s*[\"']?([^\"'<>\s]{1,200})|\{[^{}\n]{0,60}?#([\w.:-]{1,200})",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"(?m)^[ ]{0,3}#{1,6}[ \t]+(.{1,400}?)[ \t]*#*$|^(?=\S)(.{1,200})\n(?:=+|-+)[ \t]*$"
)
_SLUG_NOISE = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Link:
    """A link as written, with its place in the chunk."""

    target: str
    span: Span
    image: bool


def links(text: str) -> Iterator[Link]:
    """The links of a Markdown chunk; those that lead out of the library left out."""
    if "](" not in text and "]:" not in text and "<" not in text:
        return
    said = _CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)
    for count, match in enumerate(_LINK.finditer(said)):
        if count >= MOST:
            return
        target = match["target"] or match["defined"] or match["href"] or match["src"]
        image = bool(match["image"] or match["src"])
        if not is_elsewhere(target):
            yield Link(target, match.span(), image)


def is_elsewhere(target: str) -> bool:
    """Whether a link leads out of the library, or is filled in by a template."""
    return len(target) > MOST_TARGET or bool(_ELSEWHERE.match(target)) or "{{" in target


def anchors(text: str) -> frozenset[str]:
    """The places of a Markdown chunk that links can name, in the form of `anchor`."""
    named = {one for match in _ANCHOR.finditer(text) for one in match.groups() if one}
    headings = {match[1] or match[2] for match in _HEADING.finditer(text)}
    shown = {_unmarked(one) for one in headings}
    return frozenset(filter(None, map(anchor, named | headings | shown)))


def anchor(name: str) -> str:
    """A place in a form that all makers of anchors agree on: its letters and digits."""
    return _SLUG_NOISE.sub("", fold(unquote(name)).removeprefix("user-content-"))


def _unmarked(heading: str) -> str:
    """A heading as it is shown: without targets of links, tags, and a name of its own."""
    heading = re.sub(r"\]\([^)\n]*\)", "]", heading)
    return re.sub(r"<[^<>\n]{1,200}>|\{#[^{}\n]*\}", "", heading)


def resolved(target: str, file_path: str, root: str) -> tuple[list[str], str]:
    """(paths that a target may mean, the anchor) of a link in a file; the paths may be empty.

    `root` begins the paths of the file's root (empty, or `NAME/`). No paths: the file itself,
    or a path that leads out of the root.
    """
    path, _, place = target.partition("#")
    path = unquote(path.partition("?")[0]).replace("\\", "/")
    if not path:
        return [file_path], place
    if path.startswith("/"):
        bases = [f"{root}{folder}{path.lstrip('/')}" for folder in SITE_FOLDERS]
    else:
        folder = posixpath.dirname(file_path.removeprefix(root))
        below = posixpath.normpath(posixpath.join(folder, path))
        bases = [] if below.startswith("../") else [root + below.removeprefix("./")]
    return [base.rstrip("/") for base in bases], place


def existing(paths: list[str], exists: Callable[[str], bool]) -> str | None:
    """The first file that some paths mean, with the endings that site generators leave out."""
    for path in paths:
        for suffix in SUFFIXES:
            if exists(path + suffix):
                return path + suffix
        stem, ending = posixpath.splitext(path)
        if ending in (".html", ".htm") and exists(f"{stem}.md"):
            return f"{stem}.md"
    return None
