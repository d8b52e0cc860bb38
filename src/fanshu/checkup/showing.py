"""From claims, mentions and spans to the passages that a finding shows."""

import re
from collections.abc import Callable

from fanshu.agent.amounts import Figure
from fanshu.checkup.claims import Claim
from fanshu.checkup.findings import Side
from fanshu.library.passages import Span, passage_at, passages
from fanshu.library.terms import fold_map
from fanshu.types import Chunk, Lines

MOST_SHOWN = 400  # characters of a passage; of more a window around what is marked

Read = Callable[[str], Chunk | None]
_NUMBER = re.compile(r"[\d.,:]*\d|[一二三四五六七八九十百千万]+")


class Shower:
    """Makes sides; `read` gives the chunk of an id."""

    def __init__(self, read: Read) -> None:
        self._read = read

    def claim(self, claim: Claim) -> Side:
        """The passage of a claim, its value marked."""
        chunk = self._read(claim.chunk_id)
        if chunk is None:
            return Side(claim.file_path, claim.chunk_id, claim.section_path)
        start, end = claim.passage
        earlier = claim.tokens.figures[: claim.at]
        nth = sum(one.text == claim.value.text for one in earlier)
        marked = spot(chunk.text[start:end], claim.value, nth)
        return _side(
            chunk,
            claim.passage,
            [marked] if marked else [],
            _written(chunk, start, marked, claim.value),
        )

    def span(self, chunk_id: str, span: Span, value: str = "") -> Side:
        """The passage around a span, which is marked."""
        chunk = self._read(chunk_id)
        if chunk is None:
            return Side(chunk_id.rpartition("#")[0], chunk_id)
        around = passage_at(passages(chunk.text), *span)
        inside = (span[0] - around[0], span[1] - around[0])
        return _side(chunk, around, [inside], value or chunk.text[slice(*span)])

    def section(self, chunk_id: str, value: str = "") -> Side:
        """The beginning of a chunk."""
        chunk = self._read(chunk_id)
        if chunk is None:
            return Side(chunk_id.rpartition("#")[0], chunk_id)
        lead = len(chunk.text) - len(chunk.text.lstrip())
        line = chunk.text.find("\n", lead)
        return _side(chunk, (lead, line if line > 0 else len(chunk.text)), [], value)


def _written(chunk: Chunk, start: int, marked: Span | None, value: Figure) -> str:
    if marked is None:
        return value.text.strip()
    return chunk.text[start + marked[0] : start + marked[1]]


def _side(chunk: Chunk, passage: Span, marked: list[Span], value: str) -> Side:
    start, end = passage
    if end - start > MOST_SHOWN:
        middle = marked[0][0] if marked else 0
        cut = max(0, min(middle - MOST_SHOWN // 2, end - start - MOST_SHOWN))
        start, end = start + cut, start + cut + MOST_SHOWN
        marked = [(max(0, a - cut), min(MOST_SHOWN, b - cut)) for a, b in marked if b > cut]
    return Side(
        chunk.file_path,
        chunk.chunk_id,
        chunk.section_path,
        _lines(chunk, start, end),
        chunk.page,
        chunk.text[start:end],
        tuple(marked),
        value,
    )


def _lines(chunk: Chunk, start: int, end: int) -> Lines | None:
    if chunk.lines is None:
        return None
    first = chunk.lines[0] + chunk.text.count("\n", 0, start)
    return first, first + chunk.text.count("\n", start, end)


def spot(text: str, value: Figure, nth: int = 0) -> Span | None:
    """Where a value stands in a passage: as written, folded, or its number alone."""
    number = _NUMBER.search(value.text)
    wanted = [value.text.strip(), number[0] if number else ""]
    folded, offsets = fold_map(text)
    for one in filter(None, wanted):
        found = _nth(folded, one.lower(), nth)
        if found is not None:
            return offsets[found], offsets[found + len(one)]
    return None


def _nth(text: str, wanted: str, nth: int) -> int | None:
    """Where a word stands for the nth time on its own, or else the last time before that."""
    after = r"(?!\d)" if wanted[-1:].isdigit() else ""  # 2024年9月29日18:00 holds 2024年9月29日
    pattern = re.compile(rf"(?<![\d.]){re.escape(wanted)}{after}")
    places = [match.start() for match in pattern.finditer(text)]
    if not places:
        return None
    return places[min(nth, len(places) - 1)]
