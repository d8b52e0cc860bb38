"""Where a quote that stands nowhere parts from the text, and what the text has there.

Not for the loop: its words of documents would stand outside of the fence around results.
"""

from collections.abc import Iterable
from typing import NamedTuple

from fanshu.agent.evidence import squash
from fanshu.types import Chunk, Language

MIN_COMMON = 8  # characters that quote and text begin with alike; fewer are alike by chance
COMPARED = 400  # characters of a quote that are gone through
BEFORE = 20  # characters shown before the place, and …
BEHIND = 40  # … behind it


class Parting(NamedTuple):
    """The words around the place where the two part, as quoted and as the text has them."""

    quoted: str
    there: str
    common: int


def nearest(quote: str, chunks: Iterable[Chunk]) -> Parting | None:
    """The longest beginning of a quote that stands in one of the chunks, and what follows there."""
    shown = (found for chunk in chunks if (found := _parting(quote[:COMPARED], chunk.text)))
    return max(shown, key=lambda one: one.common, default=None)


def beside(quote: str, chunks: Iterable[Chunk], language: Language) -> str:
    """The parting as an aside to go into an objection; nothing where nothing is near."""
    found = nearest(quote, chunks)
    if found is None:
        return ""
    if language == "zh":
        return f"（引文写作“{found.quoted}”，原文是“{found.there}”）"
    return f" (the quote has “{found.quoted}”, the text “{found.there}”)"


def _parting(quote: str, text: str) -> Parting | None:
    said, said_at, _ = squash(quote, bare=True)
    there, there_at, _ = squash(text, bare=True)
    at, common = _common(said, there)
    if common < MIN_COMMON:
        return None
    place = [*said_at, len(quote)][common], [*there_at, len(text)][at + common]
    return Parting(_around(quote, place[0]), _around(text, place[1]), common)


def _common(quote: str, text: str) -> tuple[int, int]:
    """Where the longest common beginning stands in the text, and its length."""
    low, high, at = 0, len(quote), -1
    while low < high:  # every beginning of a beginning that stands there does so too
        middle = (low + high + 1) // 2
        place = text.find(quote[:middle])
        low, high, at = (middle, high, place) if place >= 0 else (low, middle - 1, at)
    return at, low


def _around(text: str, at: int) -> str:
    """Some words before a place and behind it, in one line."""
    start, end = max(0, at - BEFORE), min(len(text), at + BEHIND)
    words = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{words}{'…' if end < len(text) else ''}"
