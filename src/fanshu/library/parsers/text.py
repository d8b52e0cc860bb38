"""Plain text → sections, by its numbering: 编 章 节 条, annexes, 一、（一）1., and 1.1.

Strong headings (chapters, annexes, articles) are found over the whole text first. Lists
一、（一）1. count as headings only where no article is open, since inside an article they are
its items.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fanshu.library.parsers import articles, decimals, lists
from fanshu.library.parsers.encoding import Decoded
from fanshu.library.parsers.numbering import (
    ANNEX_RANK,
    ARTICLE_RANK,
    CHAPTER_RANKS,
    CONTENTS,
    DECIMAL_RANK,
    chapter_rank,
    contents_key,
    has_leader,
    is_annex,
    is_bare_chapter,
    is_numbered,
)
from fanshu.library.parsers.sections import Heading, cut, line_starts
from fanshu.types import Document

MAX_CHAPTER_TITLE = 30
MAX_DOCUMENT_TITLE = 60  # characters; a longer first line is a sentence
_NUMBERED = frozenset("第附目编編章一二三四五六七八九十（(0123456789０１２３４５６７８９CcPpAaTt")
_SENTENCE_ENDS = tuple("。；，、！？：;,!?:")


@dataclass(frozen=True, slots=True)
class Mark:
    """A line found to be a heading."""

    line: int
    title: str
    rank: int


def parse_text(decoded: Decoded) -> Document:
    """The document of a plain text."""
    starts = line_starts(decoded.text)
    lines = _lines(decoded.text, starts)
    marks = find_marks(lines)
    headings = [
        Heading(
            mark.title, mark.rank, starts[mark.line], mark.line + 1,
            least=2 if mark.rank == ARTICLE_RANK else 1,
        )
        for mark in marks
    ]  # fmt: skip
    return Document(
        text=decoded.text,
        sections=cut(decoded.text, headings, 1, len(starts)),
        title=_title(lines, marks),
        encoding=decoded.encoding,
    )


def _lines(text: str, starts: Sequence[int]) -> list[str]:
    ends = [*starts[1:], len(text)]
    return [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]


def _title(lines: Sequence[str], marks: Sequence[Mark]) -> str:
    """The first line, when it looks like a title and is no numbered heading."""
    at, first = next(((at, line) for at, line in enumerate(lines) if line), (0, ""))
    if any(mark.line == at for mark in marks) or first.endswith(_SENTENCE_ENDS):
        return ""
    return first if len(first) <= MAX_DOCUMENT_TITLE else ""


def find_marks(lines: Sequence[str]) -> list[Mark]:
    """The headings among stripped lines, in order."""
    numbered = [at for at, line in enumerate(lines) if line and line[0] in _NUMBERED]
    annexes = {at for at in numbered if is_annex(lines[at])}
    found = _articles(lines, numbered, annexes)
    chapters = _chapters(lines, numbered, found)
    strong = _strong(lines, annexes, found, chapters)
    skipped = _contents(lines, numbered, strong)
    strong = {at: mark for at, mark in strong.items() if at not in skipped}
    weak = _weak(lines, tuple(_open_spans(lines, strong, skipped)))
    return sorted([*strong.values(), *weak], key=lambda mark: mark.line)


def _articles(
    lines: Sequence[str], numbered: Sequence[int], annexes: set[int]
) -> dict[int, articles.Candidate]:
    candidates: list[articles.Candidate] = []
    scope = 0
    for at in numbered:
        scope += at in annexes
        found = articles.candidate(at, lines[at], scope) if lines[at][0] == "第" else None
        if found and not has_leader(lines[at]):
            candidates.append(found)
    return {found.line: found for found in articles.chain(candidates)}


def _chapters(
    lines: Sequence[str], numbered: Sequence[int], found: dict[int, articles.Candidate]
) -> dict[int, int]:
    ranks: dict[int, int] = {}
    for at in numbered:
        rank = chapter_rank(lines[at]) if at not in found else None
        if rank is not None and not has_leader(lines[at]):
            ranks[at] = rank
    return ranks


def _strong(
    lines: Sequence[str],
    annexes: set[int],
    found: dict[int, articles.Candidate],
    chapters: dict[int, int],
) -> dict[int, Mark]:
    marks = {at: Mark(at, lines[at].rstrip("：:"), _annex_rank(lines[at])) for at in annexes}
    marks |= {at: Mark(at, _chapter_title(lines, at), rank) for at, rank in chapters.items()}
    return marks | {at: Mark(at, item.title, ARTICLE_RANK) for at, item in found.items()}


def _chapter_title(lines: Sequence[str], at: int) -> str:
    """A chapter's line, with the next one when it is a number alone: `第一章` / `总则`."""
    following = next((line for line in lines[at + 1 : at + 3] if line), "")
    titled = (
        0 < len(following) <= MAX_CHAPTER_TITLE
        and is_bare_chapter(lines[at])
        and not following.endswith((*_SENTENCE_ENDS, "."))
        and not is_numbered(following)
    )
    return f"{lines[at]} {following}" if titled else lines[at]


def _annex_rank(line: str) -> int:
    return CHAPTER_RANKS["章"] if line.startswith("附") and line[-1] in "则則" else ANNEX_RANK


def _contents(lines: Sequence[str], numbered: Sequence[int], strong: dict[int, Mark]) -> set[int]:
    """Lines of a table of contents: from 目录 to the first heading that repeats, or 条."""
    at = next((at for at, line in enumerate(lines) if CONTENTS.match(line)), None)
    if at is None:
        return set()
    seen: set[str] = set()
    inside = [line for line in numbered if line > at]
    for place, line in enumerate(inside):
        key = contents_key(lines[line])
        rank = strong[line].rank if line in strong else DECIMAL_RANK
        if key in seen or rank == ARTICLE_RANK:
            return set(range(at, _first_above(inside[: place + 1], rank, strong)))
        seen.add(key)
    return set()


def _first_above(inside: Sequence[int], rank: int, strong: dict[int, Mark]) -> int:
    """The line of the outermost heading that stands right above the last of these lines."""
    first = inside[-1]
    for line in reversed(inside[:-1]):
        if line not in strong or not ANNEX_RANK < strong[line].rank < rank:
            break
        first, rank = line, strong[line].rank
    return first


@dataclass(frozen=True, slots=True)
class _Span:
    """Lines under no article, `scope` counting the annexes before them."""

    lines: tuple[int, ...]
    headed: bool  # a heading stands above them
    scope: int


def _open_spans(
    lines: Sequence[str], strong: dict[int, Mark], skipped: set[int]
) -> Iterator[_Span]:
    borders = sorted(strong)
    scope = 0
    for at, following in zip([-1, *borders], [*borders, len(lines)], strict=True):
        scope += at >= 0 and strong[at].rank == ANNEX_RANK
        if at < 0 or strong[at].rank != ARTICLE_RANK:
            inside = (n for n in range(at + 1, following) if lines[n] and n not in skipped)
            yield _Span(tuple(inside), at >= 0, scope)


def _weak(lines: Sequence[str], spans: Sequence[_Span]) -> Iterator[Mark]:
    """Headings of the list kinds, and decimal ones, whose numbers run on through chapters."""
    free: dict[int, list[int]] = {}
    for span in spans:
        items = lists.find(lines, span.lines, headed=span.headed)
        taken = {line for line, _, _ in items}
        free.setdefault(span.scope, []).extend(n for n in span.lines if n not in taken)
        yield from (Mark(*item) for item in items)
    for inside in free.values():
        yield from (Mark(*item) for item in decimals.find(lines, inside))
