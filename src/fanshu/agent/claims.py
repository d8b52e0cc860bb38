"""Which figures an answer claims: all but those that number its own lists and citations."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from fanshu.agent.amounts import Figure
from fanshu.agent.figures import figures

_MARKS = re.compile(
    r"\[\^?\d{1,2}\]|【\d{1,2}】|(?:\b[Ss]tep|步骤)\s?\d{1,2}(?!\d)|第\s?\d{1,2}\s?步"
    r"|(?:[^\s()]{0,200}\.[A-Za-z]{1,5})?#\d+"  # a chunk id
)
_LIST_STARTS = r"(?:^[ \t>]*(?:[-*+•][ \t]+)?|(?<=[;。:])[ \t]*)"
_NUMBERED = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        rf"{_LIST_STARTS}(\d{{1,2}})[.](?=[ \t]|[^\x00-\x7f\s])",
        rf"{_LIST_STARTS}(\d{{1,2}})[)](?!\d)",
        rf"{_LIST_STARTS}(\d{{1,2}})、(?!\d)",
        r"[(](\d{1,2})[)]",
    )
)


def claims(text: str) -> tuple[Figure, ...]:
    """The figures that an answer claims: those of `plain(text)` less markers and idle words."""
    return tuple(found for found in figures(unmarked(text)) if not found.idle)


def unmarked(text: str) -> str:
    """A plain text with list and citation marks blanked, so that offsets stay."""
    runs = (run for pattern in _NUMBERED for run in _runs(list(pattern.finditer(text))))
    for mark in chain(_MARKS.finditer(text), *runs):
        text = text[: mark.start()] + " " * len(mark[0]) + text[mark.end() :]
    return text


def _runs(found: Sequence[re.Match[str]]) -> Iterator[list[re.Match[str]]]:
    """Marks that count 1, 2, 3 …; a lone `(1)` or `99.` may be a value."""
    run: list[re.Match[str]] = []
    for mark in found:
        number = int(mark[1])
        if number == 1:
            if len(run) > 1:
                yield run
            run = [mark]
        elif run and number == int(run[-1][1]) + 1:
            run.append(mark)
    if len(run) > 1:
        yield run
