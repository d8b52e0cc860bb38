"""Markdown → sections. Headings as CommonMark sees them; those in lists and quotes are text."""

import re
from collections.abc import MutableMapping
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from fanshu.library.parsers.encoding import Decoded
from fanshu.library.parsers.frontmatter import front_matter
from fanshu.library.parsers.mdimages import images
from fanshu.library.parsers.sections import Heading, cut, line_starts
from fanshu.types import Document

MAX_ANCHOR = 200  # characters at the end of a heading in which `{#id}` is looked for
_MARKUP = re.compile(r"[\\`*_\[\]<>&!{]")
# {#id}, {: #id .class }, { #id }, { data-toc-label="…" }: after a heading they name it.
_ANCHOR = re.compile(r"\s*\{\s*(?:#|:|data-[\w-]+=)[^{}]*\}\s*$")
_ANCHOR_ID = re.compile(r"#([^\s}]+)")
_COMMENT = re.compile(r"\{/\*[^{}]*\*/\}")  # of MDX
_ANCHOR_LINE = re.compile(r"""[ \t]*(?:<a (?:name|id)=["']?([^"'\s>]+)["']?\s*>\s*</a>\s*)+$""")
# What MDX fetches at the top of a page is no text.
_IMPORT = r"""import\s+(?:[\w$*{},\s]{1,300}?\sfrom\s+)?["'][^"'\n]+["'];?[ \t]*(?:\r\n|\n|\r)"""
_IMPORTS = re.compile(rf"(?:\s*^{_IMPORT})+\s*^", re.MULTILINE)
_ID = re.compile(r"""<[a-z]+\b[^>]*?\b(?:id|name)\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)
_NO_SLUG = re.compile(r"[^\w\- ]")


def parse_markdown(decoded: Decoded) -> Document:
    """The document of a Markdown text; its front matter becomes metadata."""
    matter = front_matter(decoded.text)
    imports = _IMPORTS.match(decoded.text, matter.end)
    begin = imports.end() if imports else matter.end
    text = decoded.text[begin:]
    first_line = 1 + len(line_starts(decoded.text[:begin])) if begin else 1
    starts = line_starts(text)
    env: MutableMapping[str, Any] = {}
    tokens = _blocks().parse(text, env)
    headings = _headings(text, starts, first_line, tokens, env)
    title = matter.metadata.get("title") or next((h.title for h in headings if h.rank == 1), "")
    return Document(
        text=text,
        sections=cut(text, headings, first_line, first_line + len(starts) - 1),
        title=title,
        encoding=decoded.encoding,
        first_line=first_line,
        metadata=matter.metadata,
        images=images(text, starts, tokens, env),
    )


@cache
def _blocks() -> MarkdownIt:
    # Without inline rules parsing takes less than half the time; only titles need them.
    return MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])


@cache
def _inline() -> MarkdownIt:
    return MarkdownIt("commonmark")


def _headings(
    text: str,
    starts: list[int],
    first_line: int,
    tokens: list[Token],
    env: MutableMapping[str, Any],
) -> list[Heading]:
    slugs: dict[str, int] = {}
    headings: list[Heading] = []
    for at, token in enumerate(tokens):
        if token.type != "heading_open" or token.level or token.map is None:
            continue
        title, anchor = _title(tokens[at + 1].content, env)
        line, level = token.map[0], int(token.tag[1])
        # An anchor in the line above, as Yuque writes it, belongs to the heading.
        above = (
            _ANCHOR_LINE.match(text, starts[line - 1], starts[line])
            if 0 < line < len(starts)
            else None
        )
        if above:
            line, anchor = line - 1, anchor or above[1]
        start = starts[line] if line < len(starts) else len(text)
        anchor = anchor or _slug(title, slugs)
        headings.append(Heading(title, level, start, first_line + line, level, anchor=anchor))
    return headings


def _title(source: str, env: MutableMapping[str, Any]) -> tuple[str, str | None]:
    """The heading as plain text, and the anchor written in it."""
    source = _COMMENT.sub("", source).rstrip()
    marked = _ANCHOR.search(source, max(0, len(source) - MAX_ANCHOR))
    written = _ANCHOR_ID.search(marked[0]) if marked else None
    anchor = written[1] if written else None
    source = source[: marked.start()] if marked else source
    if not _MARKUP.search(source):
        return " ".join(source.split()), anchor
    children = _inline().parseInline(source, env)[0].children or []
    if anchor is None:
        ids = (_ID.match(child.content) for child in children if child.type == "html_inline")
        anchor = next((found[1] for found in ids if found), None)
    return " ".join("".join(map(_plain, children)).split()) or source.strip(), anchor


def _plain(token: Token) -> str:
    if token.type in ("text", "code_inline", "image"):
        return token.content
    return " " if token.type in ("softbreak", "hardbreak") else ""


def _slug(title: str, seen: dict[str, int]) -> str:
    """The anchor that GitHub gives a heading; repeats get -1, -2, ..."""
    slug = _NO_SLUG.sub("", title.strip().lower()).replace(" ", "-")
    count = seen.get(slug, 0)
    seen[slug] = count + 1
    return f"{slug}-{count}" if count else slug
