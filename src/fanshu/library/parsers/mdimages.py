"""Pictures of a Markdown text: `![alt](target)`, `![alt][name]`, `<img>`, `![[file.png]]`."""

import re
from collections.abc import Iterator, MutableMapping, Sequence
from functools import cache
from html import unescape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from fanshu.library.pictures import named
from fanshu.types import Image

MAX_INLINE = 20_000  # characters of a paragraph; more is no paragraph that somebody wrote
_MAY_HOLD = re.compile(r"!\[|<img\b", re.IGNORECASE)
_TAG = re.compile(r"<img\b[^<>]*>", re.IGNORECASE)
# MDX writes src={require('./a.png').default} and src={useBaseUrl('img/a.png')} as well.
_NAMED = r"(?<![\w-]){}\s*=\s*"
_VALUE = r"""(?:"([^"]*)"|'([^']*)'|\{(?:\w+\()?\s*["']([^"']*)|([^\s"'>{]+))"""
_SRC = re.compile(_NAMED.format("src") + _VALUE, re.IGNORECASE)
_ALT = re.compile(_NAMED.format("alt") + _VALUE, re.IGNORECASE)
_WIKI = re.compile(
    r"!\[\[([^\]|\n]+\.(?:png|jpe?g|gif|svg|webp|bmp|avif))(?:\|[^\]\n]*)?\]\]", re.IGNORECASE
)


def images(
    text: str, starts: Sequence[int], tokens: Sequence[Token], env: MutableMapping[str, Any]
) -> tuple[Image, ...]:
    """The pictures in the blocks of a text, in order. Those in code are none.

    `starts` are the offsets of its lines, `env` holds the references of its links.
    """
    if not _MAY_HOLD.search(text):
        return ()
    return tuple(
        image
        for token in tokens
        if token.type in ("inline", "html_block") and token.map and _MAY_HOLD.search(token.content)
        for image in _in_block(text, _from(starts, token.map[0], len(text)), token, env)
    )


def _from(starts: Sequence[int], line: int, end: int) -> int:
    return starts[line] if line < len(starts) else end


@cache
def _inline() -> MarkdownIt:
    markdown = MarkdownIt("commonmark")
    # Targets as written, whatever they are: nothing here follows them.
    markdown.normalizeLink = lambda url: url  # type: ignore[method-assign]
    markdown.validateLink = lambda url: bool(url)  # type: ignore[method-assign]
    return markdown


def _in_block(text: str, at: int, block: Token, env: MutableMapping[str, Any]) -> Iterator[Image]:
    for written, target, alt in _pictures(block, env):
        found = text.find(written, at)
        at = at if found < 0 else found
        if kept := named(target):
            yield Image(at, kept, alt)


def _pictures(block: Token, env: MutableMapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """(how it begins in the text, target, alt) of each picture of a block."""
    if block.type == "html_block":
        yield from _tags(block.content)
        return
    if len(block.content) > MAX_INLINE:
        return
    for token in _all(_inline().parseInline(block.content, env)[0].children or []):
        if token.type == "image":
            yield f"![{token.content}", str(token.attrs["src"]), token.content
        elif token.type == "html_inline":
            yield from _tags(token.content)
        elif token.type == "text":
            yield from _tags(token.content)  # those of MDX are no HTML
            for wiki in _WIKI.finditer(token.content):
                yield wiki[0], wiki[1], ""


def _all(tokens: Sequence[Token]) -> Iterator[Token]:
    """Tokens, and the pictures that stand in the alt text of others."""
    for token in tokens:
        yield token
        if token.type == "image":
            yield from (child for child in token.children or [] if child.type == "image")


def _tags(source: str) -> Iterator[tuple[str, str, str]]:
    for tag in _TAG.finditer(source):
        src, alt = (pattern.search(tag[0]) for pattern in (_SRC, _ALT))
        if src:
            yield tag[0], _value(src), _value(alt) if alt else ""


def _value(match: re.Match[str]) -> str:
    return unescape(match[match.lastindex or 0])
