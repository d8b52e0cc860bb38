"""Where a line may end on a terminal: by columns, for words and for wide characters alike.

Between wide characters a line may end anywhere, but none begins with punctuation that
closes, nor ends with punctuation that opens.
"""

import unicodedata
from collections.abc import Callable, Iterator

Columns = Callable[[str], int]

NARROWEST = 20  # columns beside a name in which text can be read
INDENT = 4  # columns, of text under its name
WIDEST = 2  # columns of one character
CLOSING = frozenset("，。；：！？、…）》」』】〕〉”’·›,.;:!?)]}%'\"％℃°～—")
TIED = frozenset("·›…”’%℃°")  # to what stands before the space: 50 %, 20 °C
OPENING = frozenset("（《「『【〔〈“‘([{")


def wide(character: str) -> bool:
    """Whether a character takes two columns."""
    return unicodedata.east_asian_width(character) in "WF"


def columns(text: str) -> int:
    """How many columns a text takes."""
    return sum(1 + wide(character) for character in text)


def wrap(text: str, width: int) -> Iterator[str]:
    """Text in lines of at most `width` columns, its white space collapsed."""
    text = " ".join(text.split())
    for start, end in rows(text, width):
        yield text[start:end]


def beside(name: str, text: str, width: int, left: int) -> Iterator[str]:
    """A name and, from column `left`, its text, in as many lines as it needs.

    Where that leaves no room, the text stands under the name.
    """
    if width - left < NARROWEST:
        left = min(left, INDENT)
    lines = list(wrap(text, max(width - left, 1)))
    if columns(name) < left and lines:
        name += " " * (left - columns(name)) + lines.pop(0)
    yield name.rstrip()
    for line in lines:
        yield " " * left + line


def rows(text: str, width: int, measure: Columns = columns) -> Iterator[tuple[int, int]]:
    """The lines of a text as (start, end): at most `width` columns, spaces around them left out.

    What has no place to break and is longer than a line is cut. An empty text has no lines.
    """
    start = end = used = 0  # of the line in the making; `end` is where its last piece ends
    for first, last in _pieces(text):
        shown = first + len(text[first:last].rstrip())
        size = measure(text[first:shown])
        if used + size > width and (size <= width or width - used < WIDEST):
            if text[start:end].strip():
                yield start, start + len(text[start:end].rstrip())
            start, used = first, 0
        while used + measure(text[first:shown]) > width and shown - first > 1:
            first = _cut(text, first, shown, width - used, measure)
            yield start, first
            start, used = first, 0
        used += measure(text[first:last])
        end = last
    if text[start:].strip():
        yield start, start + len(text[start:].rstrip())


def _cut(text: str, first: int, last: int, width: int, measure: Columns) -> int:
    """Where a piece that is longer than a line is cut, if possible not before what closes."""
    at = first + 1
    used = measure(text[first])
    while at < last and used + measure(text[at]) <= width:
        used += measure(text[at])
        at += 1
    better = at
    while better > first + 1 and text[better] in CLOSING:
        better -= 1
    return at if text[better] in CLOSING else better


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """What stays on one line, with the spaces after it."""
    start = 0
    for at in range(1, len(text)):
        if _may_break(text[at - 1], text[at]):
            yield start, at
            start = at
    if text:
        yield start, len(text)


def _may_break(before: str, after: str) -> bool:
    if after == " ":
        return False
    if before == " ":  # a word may begin with any mark of its own, .gitignore or "this"
        return not (after in CLOSING and (wide(after) or after in TIED))
    if after in CLOSING:
        return False
    return before not in OPENING and (wide(before) or wide(after))
