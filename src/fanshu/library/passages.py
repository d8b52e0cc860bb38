"""Text → passages: the smallest pieces that say something on their own, with their places.

A passage is a whole sentence, a list item, a table row, a heading or a line of code. Search
shows the passage that matches best; a quote is widened to the passage around it. Markdown
marks are understood, and so are the `a | b` rows and （一） items of extracted text.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

PassageKind = Literal["sentence", "item", "row", "code", "heading"]
Span = tuple[int, int]

LONG_SENTENCE = 200  # a sentence of more characters than this also ends at semicolons
LISTED_LINES = 4  # so many short lines without sentences are a list, not one wrapped text
LISTED_CHARS = 60  # wrapped text has lines of 70 characters and more
LONG_ITEM = 400  # an item of more characters is shown sentence by sentence

_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?=[ \t]|\r?\n|\Z)")
_LINK_DEFINITION = re.compile(r" {0,3}\[[^\]\n]+\]:[ \t]*\S+")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})\s*\Z")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}\s*\Z")
_TAG = re.compile(r"\s*</?[A-Za-z][^<>\n]{0,300}>\s*\Z")
_DELIMITER = re.compile(r"\s*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?\s*\Z")
_DIGITS = "一二三四五六七八九十百"
_ITEM = re.compile(
    r"(?P<indent>[ \t\u3000>]*)(?:"
    r"[-*+•·▪◦●○■][ \t\u3000]+"
    rf"|(?:\d{{1,3}}|[A-Za-z])[.)．](?=\s)|\d{{1,3}}[、）)](?!\d)|[{_DIGITS}]{{1,4}}、"
    rf"|[（(](?:\d{{1,3}}|[{_DIGITS}]{{1,4}}|[A-Za-z])[)）]"
    r"|[\u2460-\u2473\u3251-\u325f])"
)
_PARAGRAPH = re.compile(rf"[ \t]*(?:\u3000|第[{_DIGITS}零〇千\d]{{1,8}}[编章节条])")
_INDENT = re.compile(r"[ \t\u3000>]*")

_CLOSERS = "\"'”’」』）)】》]*_`"
_SENTENCE_END = re.compile(
    rf"[。！？]++[{re.escape(_CLOSERS)}。！？]*+"
    rf"|(?<![.!?])[.!?]++[{re.escape(_CLOSERS)}]*+(?=\s|\Z|[\u3000-\u9fff])"
)
_STOPS = tuple("。！？；，、.!?;,")
_SEMICOLON = re.compile(r"；|;(?=\s)")
_ABBREVIATION = re.compile(
    r"e\.?g|i\.?e|etc|vs|cf|approx|resp|in?cl|excl|figs?|nos?|nr|sect?|ch|chap|vol|pp|al|mr|mrs|ms"
    r"|dr|prof|st|inc|ltd|co|corp|dept|est|min|max|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
    r"|[a-hj-z]",
    re.IGNORECASE,
)
_LAST_WORD = re.compile(r"[\w.]+\Z")
_FIGURE_CELL = re.compile(r"\|?\s*[~≈<>≤≥+-]?\d[\d.,]*\s*[^\s|]{0,4}\s*(?:\||\Z)")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a text from offset `start` to `end`, white space at its ends left out.

    `lead` is the span of what must be read with it: for an item the sentence that announces
    its list, or the item it is nested in; for a table row the header row.
    """

    start: int
    end: int
    kind: PassageKind
    lead: Span | None = None


@dataclass(slots=True)
class _Block:
    """Lines that belong together, before they are cut into sentences."""

    start: int
    end: int
    kind: PassageKind
    lines: int = 1
    indent: int = 0
    after_gap: bool = False

    @property
    def is_title(self) -> bool:
        """Whether a line of dashes below would make it a heading."""
        return self.kind == "sentence" and self.lines == 1


def passages(text: str) -> tuple[Passage, ...]:
    """All passages of a text in order. They never overlap; rules and blank lines are in none.

    Time grows with the length of the text, however long its lines are.
    """
    out: list[Passage] = []
    items: list[tuple[int, Span]] = []  # indent and span of the items that are still open
    list_lead: Span | None = None
    blocks = list(_blocks(text))
    headers = _headers(text, blocks)
    for at, block in enumerate(blocks):
        if block.kind == "item":
            items = [item for item in items if item[0] < block.indent]
            if not items and (at == 0 or not _in_list(blocks[at - 1], list_lead)):
                list_lead = _announcement(text, out)
            lead = items[-1][1] if items else list_lead
            items.append((block.indent, (block.start, block.end)))
        else:
            lead = headers.get(at)
            if block.indent == 0 or block.kind == "heading":
                items, list_lead = [], None
        out.extend(Passage(a, b, block.kind, lead) for a, b in _pieces(text, block))
    return tuple(out)


def carried(before: str, text: str) -> str:
    """The lead of the first passage of a text where it stands in the text before it, else ""."""
    head = _LINE.match(text.lstrip("\n"))
    if not head or not (
        _ITEM.match(head[0]) or head[0].lstrip().startswith("|") or " | " in head[0]
    ):
        return ""
    found = passages(before + text[: len(text) - len(text.lstrip()) + len(head[0])])
    lead = found[-1].lead if found else None
    return before[slice(*lead)] if lead and lead[1] <= len(before) else ""


def passage_at(found: Sequence[Passage], start: int, end: int) -> Span:
    """The span from the first to the last passage that `start`..`end` touches."""
    first = bisect_right(found, start, key=lambda passage: passage.end)
    last = bisect_left(found, end, key=lambda passage: passage.start) - 1
    if first > last:
        return start, end
    return min(start, found[first].start), max(end, found[last].end)


def _in_list(before: _Block, list_lead: Span | None) -> bool:
    return before.kind == "item" or (list_lead is not None and before.indent > 0)


def _announcement(text: str, before: Sequence[Passage]) -> Span | None:
    """The passage just before a list, if it ends as one that announces something."""
    if not before or before[-1].kind not in ("sentence", "item"):
        return None
    last = before[-1]
    ending = text[max(last.start, last.end - 8) : last.end].rstrip("*_` ")
    return (last.start, last.end) if ending.endswith(("：", ":")) else None


def _headers(text: str, blocks: Sequence[_Block]) -> dict[int, Span]:
    """For each row of a table, by number of block, its header row."""
    headers: dict[int, Span] = {}
    first: int | None = None
    for at, block in enumerate(blocks):
        if block.kind != "row":
            first = None
        elif first is None or block.after_gap:
            first = at
        elif _is_header(text, blocks[first], blocks[first + 1]) and not _is_delimiter(text, block):
            headers[at] = (blocks[first].start, blocks[first].end)
    return headers


def _is_header(text: str, first: _Block, second: _Block) -> bool:
    """Markdown says so by a line of dashes; elsewhere a row of names, without lone figures."""
    if _is_delimiter(text, second):
        return True
    return not text.startswith("|", first.start) and not any(
        _FIGURE_CELL.match(cell) for cell in text[first.start : first.end].split(" | ")
    )


def _is_delimiter(text: str, block: _Block) -> bool:
    return bool(_DELIMITER.match(text[block.start : block.end]))


# ---------------------------------------------------------------- lines → blocks


def _blocks(text: str) -> Iterator[_Block]:
    lines = [match.span() for match in _LINE.finditer(text)]
    piped = [text.find(" | ", *span) >= 0 for span in lines]
    in_table = [a or b for a, b in zip(_both(piped), _both(piped[::-1])[::-1], strict=True)]
    fence = ""
    gap = False
    block: _Block | None = None
    for (start, end), row in zip(lines, in_table, strict=True):
        line = text[start:end]
        kind, fence = _classify(line, fence, row)
        if block and not gap and block.is_title and _UNDERLINE.match(line):
            block.kind, block.end = "heading", _stripped(text, start, end)[1]
            yield block
            block, gap = None, True
            continue
        if kind == "text" and block and not gap and not _PARAGRAPH.match(line):
            block.end, block.lines = _stripped(text, start, end)[1], block.lines + 1
            continue
        if kind is None:
            gap = True
            continue
        if block:
            yield block
        block = _open(text, start, end, kind, gap)
        gap = False
        if kind not in ("text", "item"):
            yield block
            block = None
    if block:
        yield block


def _both(flags: list[bool]) -> list[bool]:
    """Where a flag and the next one are both up."""
    return [a and b for a, b in pairwise([*flags, False])]


def _classify(line: str, fence: str, row: bool) -> tuple[PassageKind | Literal["text"] | None, str]:
    """What a line is (None: nothing to read) and the fence that is open after it."""
    mark = _FENCE.match(line)
    if fence:
        closes = mark and mark[1].startswith(fence) and not line[mark.end() :].strip()
        return ("code" if line.strip() else None), ("" if closes else fence)
    if mark:
        return "code", mark[1]
    if not line.strip() or _RULE.match(line) or _LINK_DEFINITION.match(line):
        return None, ""
    if _HEADING.match(line):
        return "heading", ""
    if row or (line.lstrip().startswith("|") and line.count("|") > 1):
        return "row", ""
    if _ITEM.match(line):
        return "item", ""
    return ("sentence" if _TAG.match(line) else "text"), ""


def _open(
    text: str, start: int, end: int, kind: PassageKind | Literal["text"], gap: bool
) -> _Block:
    indent = _INDENT.match(text, start, end)
    width = len(indent[0].replace("\t", "    ")) if indent else 0
    begin, end = _stripped(text, start, end)
    return _Block(begin, end, "sentence" if kind == "text" else kind, 1, width, gap)


def _stripped(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


# ---------------------------------------------------------------- blocks → sentences


def _pieces(text: str, block: _Block) -> Iterator[Span]:
    whole = (block.start, block.end)
    if block.kind == "sentence" and block.lines >= LISTED_LINES and _is_listing(text, block):
        yield from _each_line(text, block)
        return
    if block.kind == "sentence" or (block.kind == "item" and block.end - block.start > LONG_ITEM):
        yield from _sentences(text, *whole)
    elif block.end > block.start:
        yield whole


def _is_listing(text: str, block: _Block) -> bool:
    """Whether lines say something each, as in a list of hosts: short, and no sentences."""
    lines = text[block.start : block.end].split("\n")
    ended = sum(line.rstrip().endswith(_STOPS) for line in lines)
    return max(map(len, lines)) <= LISTED_CHARS and ended * 4 <= len(lines)


def _each_line(text: str, block: _Block) -> Iterator[Span]:
    for match in _LINE.finditer(text, block.start, block.end):
        start, end = _stripped(text, *match.span())
        if end > start:
            yield start, end


def _sentences(text: str, start: int, end: int) -> Iterator[Span]:
    begin = start
    for match in _SENTENCE_END.finditer(text, start, end):
        if _ends_sentence(text, begin, match):
            yield from _clauses(text, begin, match.end())
            begin = match.end()
    yield from _clauses(text, begin, end)


def _ends_sentence(text: str, begin: int, match: re.Match[str]) -> bool:
    """Whether a mark really ends a sentence: not after `e.g.` or `1.`, not before lower case."""
    if not text.startswith(".", match.start()) or text.startswith("..", match.start()):
        return True
    word = _LAST_WORD.search(text, max(begin, match.start() - 12), match.start())
    if word and (_ABBREVIATION.fullmatch(word[0]) or _only_number(text, begin, match.start())):
        return False
    following = text[match.end() : match.end() + 3].lstrip()
    return not (following[:1].isascii() and following[:1].islower())


def _only_number(text: str, start: int, end: int) -> bool:
    return end - start < 12 and text[start:end].replace(".", "").strip().isdigit()


def _clauses(text: str, start: int, end: int) -> Iterator[Span]:
    start, end = _stripped(text, start, end)
    begin = start
    if end - start > LONG_SENTENCE:
        for match in _SEMICOLON.finditer(text, start, end):
            yield _stripped(text, begin, match.end())
            begin = match.end()
    begin, end = _stripped(text, begin, end)
    if end > begin:
        yield begin, end
