"""Text laid out for a reader: on one line, tidied, cut."""

import re
from collections.abc import Sequence

from fanshu.library.terms import CJK

HEADING_CHARS = 60  # of one heading in a line; longer ones are whole sentences set as headings
SNIPPET_CHARS = 240  # of one hit; the library's snippets come shorter

_SPACE = re.compile(r"\s+")
_WIDE = re.compile(f"[{CJK}]")
_BROKEN_END = re.compile(r"(?<=\s)[A-Za-z]+\Z")
_BROKEN_START = re.compile(r"\A[A-Za-z]+(?=\s)")
_BLANK_LINES = re.compile(r"\n(?:[ \t\u3000]*\n)+")
_PADDING = re.compile(r"(?<=\S)[ \t\u3000]{2,}")
_LINK_INSIDE = re.compile(r"!?\[([^\]\n]*)\]\((?:[./#][^)\s]*|[^):\s]+\.\w+(?:#[^)\s]*)?)\)")
_TAGS = re.compile(r"<a (?:name|id)=[^<>]*></a>|<br\s*/?>", re.IGNORECASE)
_FENCE = ("```", "~~~")
_MARKS = re.compile(r"<[^<>\n]*>|[`*#=\s]")
_TABLE_RULE = re.compile(r"^\s*\|?(?:\s*:?-{2,}:?\s*\|)+(?:\s*:?-{2,}:?)?\s*$")


def one_line(text: str, limit: int = SNIPPET_CHARS) -> str:
    """A text on one line, cut at its end when it is longer than `limit` characters."""
    line = _SPACE.sub(" ", text).strip()
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def without_middle(text: str, limit: int) -> str:
    """A text on one line, cut in its middle when it is wider than `limit` Latin letters.

    A Chinese character is as wide as two. Names that begin alike mostly end differently.
    """
    line = _SPACE.sub(" ", text).strip()
    if _width(line) <= limit:
        return line
    head, tail = line, line
    while _width(head) > limit * 2 // 3:
        head = head[:-1]
    while _width(tail) > limit - limit * 2 // 3 - 1:
        tail = tail[1:]
    head, tail = _BROKEN_END.sub("", head), _BROKEN_START.sub("", tail)
    return f"{head.rstrip()}…{tail.lstrip()}"


def _width(text: str) -> int:
    return len(text) + len(_WIDE.findall(text))


def tidy(text: str) -> str:
    """A text with its lines and indents, without column padding and rows of blank lines.

    Links within the library lose their targets: long, and quotes are found without them.
    """
    lines, code = [], False
    for line in text.splitlines():
        code ^= line.lstrip().startswith(_FENCE)
        lines.append(line.rstrip() if code else _tidy_line(line))
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip("\n")


def body(text: str, section_path: Sequence[str]) -> str:
    """A chunk's text, tidy, without its heading line when that says no more than its trail."""
    first, _, rest = tidy(text).partition("\n")
    if section_path and _MARKS.sub("", first) == _MARKS.sub("", section_path[-1]):
        return rest.strip("\n")
    return f"{first}\n{rest}".rstrip("\n")


def _tidy_line(line: str) -> str:
    if _TABLE_RULE.match(line):
        return re.sub(r"-+", "-", _SPACE.sub("", line))
    line = _TAGS.sub(" ", _LINK_INSIDE.sub(r"\1", line))
    gap = " " if line.lstrip().startswith("|") else "  "
    return _PADDING.sub(gap, line.rstrip())


def heading(section_path: Sequence[str]) -> str:
    """The last heading of a trail, on one line."""
    return one_line(section_path[-1], HEADING_CHARS) if section_path else ""


def trail(section_path: Sequence[str]) -> str:
    """A whole heading trail on one line."""
    return " > ".join(one_line(part, HEADING_CHARS) for part in section_path)
