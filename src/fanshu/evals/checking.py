"""Questions checked against their documents: the evidence stands where it is said to stand."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import groupby
from typing import Any

from fanshu.evals.grading import Gold, Place, gold
from fanshu.evals.literal import has, plain, same_trail, squash, trail_of
from fanshu.evals.question_shapes import UNANSWERABLE
from fanshu.evals.questions import Question
from fanshu.evals.rag.pieces import Text, texts
from fanshu.library.library import Library
from fanshu.types import Chunk

SEVERAL = frozenset({"cross", "multi"})  # kinds that need two places


class Documents:
    """The texts of a library, as questions are checked against them."""

    def __init__(self, library: Library) -> None:
        self.texts: Mapping[str, Text] = {one.path: one for one in texts(library)}

    @cached_property
    def _squashed(self) -> tuple[str, ...]:
        return tuple(squash(one.text).lower() for one in self.texts.values())

    def hold(self, words: str) -> bool:
        """Whether words stand anywhere."""
        wanted = squash(words).lower()
        return any(wanted in text for text in self._squashed)

    def sections(self, place: Place) -> list[str]:
        """The texts of the sections that a place names, headings and file name with them."""
        if place.file not in self.texts:
            return []
        chunks = self.texts[place.file].chunks
        if place.page is not None:
            return [_page(chunks, place.page)]
        parts = groupby(chunks, key=lambda chunk: chunk.section_path)
        return [
            "\n".join((place.file, *trail, "".join(chunk.text for chunk in group)))
            for trail, group in parts
            if _names(place.trail, trail_of(trail))
        ]


def _names(place: tuple[str, ...], trail: tuple[str, ...]) -> bool:
    """Whether a place is this section, or one of which this is a finer part."""
    return same_trail(trail, place) or trail[: len(place)] == place


def _page(chunks: "tuple[Chunk, ...]", page: int) -> str:
    """The sections that reach onto a page."""
    starts = [chunk.page or 1 for chunk in chunks]
    after = [*starts[1:], page + 1]
    pairs = zip(chunks, starts, after, strict=True)
    return "\n".join(chunk.text for chunk, first, last in pairs if first <= page <= last)


def problems(question: Question, documents: Documents) -> Iterator[str]:
    """What is wrong with a question, in words; nothing where it can be asked and graded.

    Raises: ConfigError — its gold has no usable form.
    """
    right = gold(question)
    if right is None:
        yield "it says nothing of what is right: no 'must', no 'gold', and it is answerable"
    elif right.kind == UNANSWERABLE:
        absent = question.fields.get("absent", ())
        yield from (f"{one!r} does occur" for one in absent if documents.hold(one))
    else:
        yield from _evidence(question.fields, right, documents)


def _evidence(fields: Mapping[str, Any], right: Gold, documents: Documents) -> Iterator[str]:
    if not right.must or not right.places:
        yield "an answerable question has 'must' and 'gold'"
        return
    evidence: list[str] = []
    for place in (one for each in right.places for one in each):
        found = [one for one in documents.sections(place) if squash(place.quote) in squash(one)]
        evidence += found
        if not found:
            yield _missing(place, documents)
    yield from _must(fields, right, plain("\n".join(evidence)))
    if right.kind in SEVERAL and len(right.places) < 2:
        yield f"a {right.kind} question has two places at least"


def _missing(place: Place, documents: Documents) -> str:
    if place.file not in documents.texts:
        return f"there is no file {place.file!r}"
    if not documents.sections(place):
        return f"no section {' > '.join(place.trail)!r} in {place.file}"
    return f"{place.quote!r} does not stand there in {place.file}"


def _must(fields: Mapping[str, Any], right: Gold, evidence: str) -> Iterator[str]:
    asked, answer = plain(fields["question"]), plain(fields.get("answer") or "")
    computed = fields.get("computed", ())
    for item in right.must:
        shown = item[0] if len(item) == 1 else list(item)
        if item[0] not in computed and not has(item, evidence):
            yield f"'must' {shown!r} stands in no place of 'gold'"
        if answer and not has(item, answer):
            yield f"'must' {shown!r} is not in 'answer'"
        if has(item, asked):
            yield f"the question gives {shown!r} away"
    yield from (f"'trap' {one[0]!r} is in 'answer'" for one in right.trap if has(one, answer))
