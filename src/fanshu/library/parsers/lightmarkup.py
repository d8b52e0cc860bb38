"""reStructuredText, AsciiDoc and Org → sections. The document text is the source itself."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fanshu.library.parsers.encoding import Decoded
from fanshu.library.parsers.sections import Heading, cut, line_starts
from fanshu.types import Document

MAX_HEADING = 200  # characters
SHORT = 4  # signs that make an underline, though it is shorter than its title
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1+\s*$")
_ADOC_HEADING = re.compile(r"(={1,6}|#{1,6})\s+(\S.*?)(?:\s+\1)?\s*$")
_ADOC_FENCE = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,}|\|={3,}|={4,}|\*{4,}|_{4,}|--)\s*$")
_ADOC_VERBATIM = "-.+/`"  # delimiters between which no line is a heading
_ADOC_ANCHOR = re.compile(r"\[(?:\[|#)([^\],.%]+)")
_ORG_HEADING = re.compile(
    r"(\*+)\s+(?:(?:TODO|DONE|NEXT|WAITING|CANCELLED)\s+)?(?:\[#[A-Z]\]\s+)?(\S.*?)(?:\s+(:[\w@#%:]+:))?\s*$"
)
_ORG_TITLE = re.compile(r"#\+title:\s*(\S.*?)\s*$", re.IGNORECASE)
_ORG_DATE = re.compile(r"#\+date:\s*[<\[]?\s*(\S.*?)\s*$", re.IGNORECASE)
_ORG_BLOCK = re.compile(r"\s*#\+(begin|end)_(\w+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Mark:
    line: int
    title: str
    level: int
    anchor: str | None = None


_Finder = Callable[[Sequence[str]], Iterator[_Mark]]


def parse_light(suffix: str, decoded: Decoded) -> Document:
    """The document of a .rst, .adoc (.asciidoc) or .org text."""
    if suffix == ".rst":
        return _document(decoded, _rst)
    return _document(decoded, _adoc) if suffix != ".org" else _org_document(decoded)


def _org_document(decoded: Decoded) -> Document:
    document = _document(decoded, _org)
    head = decoded.text[:2000].splitlines()
    title = next((match[1] for line in head if (match := _ORG_TITLE.match(line))), "")
    date = next((match[1] for line in head if (match := _ORG_DATE.match(line))), "")
    return _named(document, title, date)


def _named(document: Document, title: str, date: str) -> Document:
    from dataclasses import replace

    from fanshu.library.parsers.dates import iso_date

    found = iso_date(date)
    return replace(
        document, title=title or document.title, metadata={"date": found} if found else {}
    )


def _document(decoded: Decoded, find: _Finder) -> Document:
    starts = line_starts(decoded.text)
    ends = [*starts[1:], len(decoded.text)]
    lines = [decoded.text[a:b].rstrip() for a, b in zip(starts, ends, strict=True)]
    headings = [
        Heading(one.title, one.level, starts[one.line], one.line + 1, one.level, anchor=one.anchor)
        for one in find(lines)
    ]
    return Document(
        text=decoded.text,
        sections=cut(decoded.text, headings, 1, len(starts)),
        title=headings[0].title if headings and headings[0].rank == 1 else "",
        encoding=decoded.encoding,
    )


def _rst(lines: Sequence[str]) -> Iterator[_Mark]:
    """A line of text over a line of signs at least as long, with or without one above it."""
    styles: dict[tuple[str, bool], int] = {}
    at, after = 1, 0
    while at < len(lines):
        title = lines[at - 1].strip()
        under = _ADORNMENT.match(lines[at])
        if not under or not _is_title(lines, at, after) or len(lines[at]) < min(len(title), SHORT):
            at += 1
            continue
        over = (
            at - 2 >= after
            and bool(_ADORNMENT.match(lines[at - 2]))
            and (lines[at - 2][0] == under[1])
        )
        level = styles.setdefault((under[1], over), len(styles) + 1)
        yield _Mark(at - 2 if over else at - 1, title, level)
        at, after = at + 2, at + 1


def _is_title(lines: Sequence[str], at: int, after: int) -> bool:
    title = lines[at - 1]
    if at - 1 < after or not title.strip() or _ADORNMENT.match(title) or len(title) > MAX_HEADING:
        return False
    over = at >= 2 and bool(_ADORNMENT.match(lines[at - 2]))
    # Only under an upper line may a title be indented; a text line above makes it a paragraph.
    return over or (not title[0].isspace() and (at < 2 or not lines[at - 2].strip()))


def _adoc(lines: Sequence[str]) -> Iterator[_Mark]:
    fence = ""
    for at, line in enumerate(lines):
        marked = _ADOC_FENCE.match(line)
        if fence:
            fence = "" if line.rstrip() == fence else fence
        elif marked and line[0] in _ADOC_VERBATIM and marked[1] != "--":
            fence = line.rstrip()
        elif len(line) <= MAX_HEADING and (found := _ADOC_HEADING.match(line)):
            before = _ADOC_ANCHOR.match(lines[at - 1]) if at else None
            yield _Mark(at, found[2], len(found[1]), before[1] if before else None)


def _org(lines: Sequence[str]) -> Iterator[_Mark]:
    block = ""
    for at, line in enumerate(lines):
        edge = _ORG_BLOCK.match(line)
        if edge:
            opens = edge[1].lower() == "begin"
            block = edge[2].lower() if opens and not block else "" if not opens else block
        elif not block and (found := _ORG_HEADING.match(line)):
            yield _Mark(at, found[2][:MAX_HEADING], len(found[1]))
