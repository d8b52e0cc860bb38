"""Which lines of a Word document are headings, and which is its title.

Styles and outline levels come first. Chapters, articles (第N条) and annexes are sections even
where they are plain paragraphs. In a document without such styles, or with few for its length, the
numbering of the text decides, as in plain text; without numbering, short bold or larger
lines that stand alone.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fanshu.library.parsers import articles
from fanshu.library.parsers.docxblocks import Line
from fanshu.library.parsers.numbering import ANNEX_RANK, ARTICLE, ARTICLE_RANK, chapter_rank
from fanshu.library.parsers.text import find_marks

MAX_HEADING = 80  # characters; a styled line of more is a paragraph, or an article in one line
MAX_FAKED = 45  # characters of a line that is a heading by its look alone
MAX_TITLE = 60
LARGER = 1.15  # times the size of most text: a difference that is meant to be seen
MIN_NUMBERED = 2
MIN_STYLED = 2  # a single styled line is the title of a document that fakes the rest
MAX_SIZES = 3  # levels by look at most
SPARSE_CHARS = 6_000  # of text for each styled heading: the real headings are faked
_BELOW_STYLES = 100  # ranks of numbered headings, under those of all styles
_SENTENCE_ENDS = tuple("。；，、！？：;,!?:.…")


@dataclass(frozen=True, slots=True)
class Found:
    """A line that is a heading; `rank` as in `sections.Heading`."""

    line: int
    title: str
    rank: int
    level: int | None = None


@dataclass(frozen=True, slots=True)
class Structure:
    """Headings of a document in order, its title, and how many lines at its top are that title."""

    headings: tuple[Found, ...]
    title: str
    title_lines: int


def structure(lines: Sequence[Line]) -> Structure:
    """The headings among the lines of a document."""
    top = _title_lines(lines)
    title = " ".join(one_line(line.text) for line in lines[:top])
    styled = _styled(lines, top)
    numbered = _numbered(lines, styled)
    found = [*styled, *_wanted(lines, styled, numbered)]
    if not found:
        if not top and _looks_like_title(lines):
            title, top = one_line(lines[0].text), 1
        found = _by_look(lines, top)
    if not title and _looks_like_title(lines) and all(one.line for one in found):
        title, top = one_line(lines[0].text), 1
    return Structure(tuple(sorted(found, key=lambda one: one.line)), title, top)


def one_line(text: str) -> str:
    """A text without line ends and double spaces, as headings are named."""
    return " ".join(text.split())


def _title_lines(lines: Sequence[Line]) -> int:
    """How many lines of title style begin the document."""
    top = 0
    while top < len(lines) and lines[top].is_title and len(lines[top].text) <= MAX_HEADING:
        top += 1
    return top


def _styled(lines: Sequence[Line], top: int) -> list[Found]:
    found: list[Found] = []
    for at, line in enumerate(lines[top:], top):
        level = 0 if line.is_title and line.level is None else line.level
        title = _title(line.text) if level is not None else ""
        if level is not None and title:
            found.append(Found(at, title, level, level or 1))
    return found


def _title(text: str) -> str:
    """The title of a styled line; empty for a paragraph that only has the style."""
    text = one_line(text)
    article = articles.candidate(0, text, 0)
    if article and (len(text) > MAX_HEADING or text.endswith(_SENTENCE_ENDS)):
        return article.title
    if len(text) <= MAX_HEADING:
        return text
    first = text.partition("。")[0]
    return first if len(first) <= MAX_HEADING else ""


def _numbered(lines: Sequence[Line], styled: Sequence[Found]) -> list[Found]:
    """The headings by numbering. One of a kind that is styled elsewhere ranks like those."""
    texts = ["" if line.table or line.is_note else one_line(line.text) for line in lines]
    taken = {one.line for one in styled}
    ranks = {ANNEX_RANK: min((one.rank for one in styled), default=_BELOW_STYLES)}
    ranks |= {kind: one.rank for one in styled if (kind := _kind(one.title)) is not None}
    return [
        Found(mark.line, mark.title, ranks.get(mark.rank, _BELOW_STYLES + mark.rank))
        for mark in find_marks(texts)
        if mark.line not in taken
    ]


def _kind(title: str) -> int | None:
    return ARTICLE_RANK if ARTICLE.match(title) else chapter_rank(title)


def _wanted(
    lines: Sequence[Line], styled: Sequence[Found], numbered: Sequence[Found]
) -> list[Found]:
    """Which of the numbered headings count beside the styled ones."""
    if len(numbered) < MIN_NUMBERED:
        return []
    size = sum(len(line.text) for line in lines)
    sparse = size > SPARSE_CHARS * len(styled) and len(numbered) > len(styled)
    if len(styled) < MIN_STYLED or sparse:
        return list(numbered)
    strong = [one for one in numbered if one.rank <= _BELOW_STYLES + ARTICLE_RANK]
    return strong if len(strong) >= MIN_NUMBERED else []


def _body_size(lines: Sequence[Line]) -> int:
    sizes: Counter[int] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return max(sizes, key=lambda size: sizes[size], default=0)


def _looks_like_title(lines: Sequence[Line]) -> bool:
    """Whether the first line stands in the middle, and is bold or larger than the text."""
    if len(lines) < 2:
        return False
    first = lines[0]
    apart = first.bold or first.size > LARGER * _body_size(lines[1:])
    return first.centered and apart and not first.table and _is_short(first, MAX_TITLE)


def _is_short(line: Line, limit: int) -> bool:
    return len(line.text) <= limit and not line.text.endswith(_SENTENCE_ENDS)


def _by_look(lines: Sequence[Line], top: int) -> list[Found]:
    """Bold or larger lines with text below them; the larger, the higher."""
    body = _body_size(lines)
    size = sum(len(line.text) for line in lines)
    bold_body = 2 * sum(len(line.text) for line in lines if line.bold) > size
    looks: list[tuple[int, Line]] = []
    for at, line in enumerate(lines[:-1]):
        apart = line.size > LARGER * body or (line.bold and not bold_body)
        if at >= top and apart and not line.table and _is_short(line, MAX_FAKED):
            looks.append((at, line))
    sizes = sorted({max(line.size, body) for _, line in looks}, reverse=True)
    ranks = {size: min(at, MAX_SIZES - 1) + 1 for at, size in enumerate(sizes)}
    return [
        Found(at, one_line(line.text), ranks[max(line.size, body)])
        for at, line in looks
        if _has_text_below(line, lines[at + 1])
    ]


def _has_text_below(line: Line, following: Line) -> bool:
    """Whether what follows is text or a table, and not a second line of the same look."""
    return bool(following.table) or (following.bold, following.size) != (line.bold, line.size)
