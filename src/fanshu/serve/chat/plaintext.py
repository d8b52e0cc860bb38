"""Text of documents and models inside Markdown that a chat client draws.

Whoever writes a document writes what an answer quotes. It must not load pictures from elsewhere
(which would tell there what was asked), nor look like part of the answer's own layout.
"""

import re

from markdown_it import MarkdownIt

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#|~$!&]")
_AUTOLINK = re.compile(r"(?i)\b(https?|ftp)://|\bwww\.")
_ACTIVE = frozenset({"html_block", "html_inline", "image"})
_TAG = re.compile(r"<(?=[a-zA-Z/!?])")
_READER = MarkdownIt("commonmark")


def literal(text: str) -> str:
    """A text on one line that Markdown shows as it stands, without links and pictures."""
    line = " ".join(text.split())
    escaped = _SPECIAL.sub(lambda match: "\\" + match[0], line)
    return _AUTOLINK.sub(_without_link, escaped)


def _without_link(match: re.Match[str]) -> str:
    return match[0].replace(":", "&#58;").replace(".", "&#46;")


def code(text: str) -> str:
    """A name as a code span, which lasts whatever stands in it."""
    line = " ".join(text.split()).replace("`", "'")
    return f"`{line}`"


def harmless(text: str) -> str:
    """The Markdown of a model's answer, without anything that a client would fetch or run."""
    if not _active(text):
        return text
    return _TAG.sub("&lt;", text).replace("![", "!\\[")


def _active(text: str) -> bool:
    tokens = _READER.parse(text)
    return any(
        one.type in _ACTIVE or any(child.type in _ACTIVE for child in one.children or ())
        for one in tokens
    )
