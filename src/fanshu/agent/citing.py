"""A place in a chunk, and the citation made of it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from fanshu.agent.evidence import Found, before
from fanshu.agent.orders import reads_like_orders
from fanshu.agent.support import Evidence, Quoted, names_in
from fanshu.types import Chunk, Citation, Lines


@dataclass(frozen=True, slots=True)
class Place:
    """Where words stand: a chunk, the span in its text, and the passage around that."""

    chunk: Chunk
    found: Found

    @property
    def quote(self) -> str:
        """The words as they stand in the document."""
        return self.chunk.text[slice(*self.found.quote)]

    @property
    def passage(self) -> str:
        """The passage, with the header of its table where that stands in an earlier part."""
        chunk, text = self.chunk, self.found.passage_text(self.chunk.text)
        is_row = text.startswith("|") or " | " in text
        carried = chunk.carried and is_row and not self.found.leads
        return f"{chunk.carried}\n{text}" if carried else text

    @property
    def paragraph(self) -> str:
        """The passage with all that stands around it up to the next empty lines."""
        return self.found.paragraph_text(self.chunk.text)

    @property
    def above(self) -> Iterator[str]:
        """The passages before it in its chunk, nearest first."""
        return before(self.chunk.text, self.found.passage)

    @property
    def over(self) -> tuple[str, ...]:
        """What stands over it: headings, file, title, date of the document."""
        chunk = self.chunk
        return *chunk.section_path, chunk.file_path, chunk.title, chunk.date or ""


def distinct(places: Iterable[Place]) -> Iterator[Place]:
    """Each place once."""
    seen: set[tuple[str, tuple[int, int]]] = set()
    for one in places:
        key = one.chunk.chunk_id, one.found.quote
        if key not in seen:
            seen.add(key)
            yield one


def evidence_of(places: Sequence[Place], *, whole: bool = False) -> Evidence:
    """What the figures of an answer may rest on; `whole`: the cited chunks, not the passages."""
    texts = (one.chunk.text if whole else one.passage for one in places)
    over = (text for one in places for text in one.over)
    return Evidence(
        passages=tuple(Quoted(t, one.chunk.text) for t, one in zip(texts, places, strict=True)),
        headings=tuple(dict.fromkeys(text for text in over if not reads_like_orders(text))),
        names=tuple(_subject(one) for one in places),
    )


def _subject(place: Place) -> str:
    """Where a passage that names nothing itself takes its subject from: the nearest names above.

    `pg_prewarm.autoprewarm_interval` stands over "The default is 300 seconds."
    """
    if names_in(place.passage):
        return ""
    return next((text for text in place.above if names_in(text)), "")


def cite(place: Place, verified: Literal["quoted", "located"]) -> Citation:
    """The citation of a place."""
    chunk = place.chunk
    return Citation(
        chunk_id=chunk.chunk_id,
        file_path=chunk.file_path,
        section_path=chunk.section_path,
        lines=_lines(chunk, *place.found.quote),
        page=chunk.page,
        quote=place.quote,
        passage=place.passage,
        verified=verified,
        hash=chunk.hash,
        newer_version=chunk.newer_version,
        images=chunk.images or _page_image(chunk),
    )


def _page_image(chunk: Chunk) -> tuple[str, ...]:
    """The page of a PDF as a picture: whoever shows citations can draw it."""
    is_pdf = chunk.page is not None and chunk.file_path.lower().endswith(".pdf")
    return (f"{chunk.file_path}#page={chunk.page}",) if is_pdf else ()


def _lines(chunk: Chunk, start: int, end: int) -> Lines | None:
    """The lines of a quote, where the chunk's text is line by line that of the file."""
    if chunk.lines is None:
        return None
    first, last = chunk.lines
    blank = len(chunk.text) - len(chunk.text.lstrip())  # lines are counted from the first word
    fewest = chunk.text.rstrip().count("\n", blank)
    if not first + fewest <= last <= first + chunk.text.count("\n", blank):
        return chunk.lines
    return (
        first + chunk.text.count("\n", blank, start),
        first + chunk.text.count("\n", blank, end),
    )
