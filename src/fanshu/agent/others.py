"""The check of an answer that somebody else gave: any agent, or a person.

Nothing was read in a run here, so that the places cited are opened first, as they stand now. A
place is a chunk id, or a file in which the quote is looked for.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from fanshu.agent.answer import Strictness, Verdict, check, status_of
from fanshu.agent.draft import Draft, DraftCitation
from fanshu.agent.evidence import find
from fanshu.agent.nearest import beside
from fanshu.agent.objections import say, shortened
from fanshu.agent.prompts import language_of
from fanshu.errors import ChunkChanged, LibraryError, UnknownChunk, UnknownPath
from fanshu.library.library import Library
from fanshu.types import EVERYTHING, Chunk, Citation, Derived, Language, Scope, Status

SEARCHED_CHARS = 200  # of a quote that is looked for in a file; the rest is compared afterwards
SEARCHED_HITS = 10
# Chunks that are gone through for one answer, where the search does not help: a second or two,
# which anybody may ask for who may ask for a check.
MOST_CHUNKS = 1_000
MOST_COMPARED = 20  # chunks in which the nearest text is looked for
_ID = re.compile(r"#\d{1,9}\s*\Z")


@dataclass(frozen=True, slots=True)
class Cited:
    """A `place` as somebody cites it, a chunk id or the path of a file; the `quote` from there.

    `hash`: that of the chunk's text when it was read, where it is known.
    """

    place: str
    quote: str
    hash: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """A citation that does not count, its `place` and `quote` as given, and the `reason`."""

    place: str
    quote: str
    reason: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What the check found of somebody's answer.

    `citations` hold, `refused` do not. `unsupported` figures and claims stand in no quoted passage,
    `derived` figures follow from some by arithmetic that the answer shows.

    `status`: `answered` — every check passed; `partial` — something failed one; `not_found` — no
    citation counts, or the answer claims nothing (`claims` is false then, and nothing was checked).
    `objections` say what is wrong and what to do about it, `remarks` are doubts that a reader
    should know of.
    """

    status: Status
    citations: tuple[Citation, ...] = ()
    refused: tuple[Refused, ...] = ()
    unsupported: tuple[str, ...] = ()
    derived: tuple[Derived, ...] = ()
    objections: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    claims: bool = True


class Within(NamedTuple):
    """Where what is cited may lie: a `library`, and what of it may be seen."""

    library: Library
    scope: Scope


def check_answer(
    response: str,
    cited: Sequence[Cited],
    places: Library | Sequence[Within],
    *,
    question: str = "",
    found: bool = True,
    strictness: Strictness = "strict",
) -> Checked:
    """Check an answer and what it cites against the documents as they are now, without a model.

    `response`: its text. `cited`: what it rests on. `places`: a library, or several with what of
    them may be seen; the first that has what is cited counts. `question`: what it gives may be
    reckoned with, and what the answer is about should be its. `found`: whether the answer claims
    anything. `strictness`: a `lenient` check takes figures from anywhere in the cited chunks.

    Raises: LibraryError — a library cannot be read at all.
    """
    language = language_of(question or response)
    within = [Within(places, EVERYTHING)] if isinstance(places, Library) else places
    room = iter(range(MOST_CHUNKS))
    opened = [_open(one, within, language, room) for one in cited]
    held = [one for one in opened if isinstance(one, _Opened)]
    lost = [one for one in opened if isinstance(one, Refused)]
    read = {chunk.chunk_id: chunk for one in held for chunk in one.chunks}
    draft = Draft(response, tuple(one.draft for one in held), found, question)
    verdict = check(draft, read=read, question=question, language=language, strictness=strictness)
    told = [_reason(one, read, language) for one in verdict.rejected]
    said = {short: one.reason for short, one in told}
    reasons = (*(one.reason for one in lost), *(said.get(one, one) for one in verdict.objections))
    return Checked(
        status=_status(draft, verdict, lost),
        citations=verdict.citations,
        refused=(*lost, *(one for _, one in told)),
        unsupported=verdict.unsupported,
        derived=verdict.derived,
        objections=tuple(dict.fromkeys(reasons)) if found else (),
        remarks=verdict.remarks,
        claims=found,
    )


def _status(draft: Draft, verdict: Verdict, lost: Sequence[Refused]) -> Status:
    """As of any answer, but that a refused citation always counts, even if code found a place."""
    status = status_of(draft, verdict)
    refused = verdict.rejected or lost
    return "partial" if status == "answered" and refused else status


def _reason(one: DraftCitation, read: dict[str, Chunk], language: Language) -> tuple[str, Refused]:
    """What the check says of a citation that it refused; and that with the nearest text."""
    alone = Draft(one.quote or one.chunk_id, (one,), found=True)
    short = check(alone, read=read, question="", language=language).objections[0]
    reason = short
    if one.quote and not any(find(one.quote, chunk) for chunk in read.values()):
        reason = _not_there(one.chunk_id, one.quote, [read[one.chunk_id]], language)
    return short, Refused(one.chunk_id, one.quote, reason)


def _not_there(place: str, quote: str, near: Iterable[Chunk], language: Language) -> str:
    fields = {"chunk_id": place, "quote": shortened(quote)}
    return say("not there", language, **fields, elsewhere=beside(quote, near, language))


# ---------------------------------------------------------------- opening what is cited


class _Opened(NamedTuple):
    """A citation by chunk id, and the chunks to check it against."""

    draft: DraftCitation
    chunks: tuple[Chunk, ...]


def _open(
    one: Cited, places: Sequence[Within], language: Language, room: Iterator[int]
) -> _Opened | Refused:
    """The chunk that is cited, in the first library that has it, or why there is none.

    `room`: an item for each chunk that may still be gone through.
    """
    reasons: list[Exception] = []
    for place in places:
        try:
            if _ID.search(one.place):
                return _by_id(one, place, room)
            return _by_path(one, place, language, room)
        except (UnknownChunk, UnknownPath, ChunkChanged, _NotThere) as error:
            reasons.append(error)
    return Refused(one.place, one.quote, str(most_telling(reasons)))


def most_telling(errors: Sequence[Exception]) -> Exception:
    """Of what several libraries say: that of the one which has the file, if any has."""
    return max(errors, key=lambda error: not (isinstance(error, UnknownPath) or _no_file(error)))


def _no_file(error: Exception) -> bool:
    detail = str(error.fields.get("detail")) if isinstance(error, UnknownChunk) else ""
    return detail.startswith(("Closest files", "No such file"))


def _by_id(one: Cited, place: Within, room: Iterator[int]) -> _Opened:
    """Raises: UnknownChunk, ChunkChanged."""
    library, scope = place
    try:
        chunk = library.read(one.place, scope=scope, expect=one.hash or None)
    except ChunkChanged as error:
        if not error.now:
            raise
        chunk = library.read(error.now, scope=scope)
    draft = DraftCitation(chunk.chunk_id, one.quote)
    if not one.quote or find(one.quote, chunk):
        return _Opened(draft, (chunk,))
    # The check says where else in the file it stands.
    elsewhere = _in_file(one.quote, chunk.file_path, place, room)
    return _Opened(draft, (chunk, elsewhere) if elsewhere else (chunk,))


class _NotThere(Exception):
    """A file does not hold a quote."""


def _by_path(one: Cited, place: Within, language: Language, room: Iterator[int]) -> _Opened:
    """Raises: UnknownPath, _NotThere."""
    if not one.place.strip():
        raise UnknownPath(path=one.place, closest="-")
    chunk = _in_file(one.quote, one.place, place, room) if one.quote else None
    if chunk is None:
        place.library.contents(one.place, scope=place.scope, at_most=1)  # else: no such file
        if not one.quote:
            raise _NotThere(say("no quote", language, chunk_id=one.place))
        near = islice(_likely(one.quote, one.place, place, room), MOST_COMPARED)
        raise _NotThere(_not_there(one.place, one.quote, near, language))
    return _Opened(DraftCitation(chunk.chunk_id, one.quote), (chunk,))


def _in_file(quote: str, path: str, place: Within, room: Iterator[int]) -> Chunk | None:
    """The first chunk of a file or folder that holds a quote. Raises: UnknownPath."""
    return next((chunk for chunk in _likely(quote, path, place, room) if find(quote, chunk)), None)


def _likely(quote: str, path: str, place: Within, room: Iterator[int]) -> Iterator[Chunk]:
    """The chunks where a quote may stand, those that the search finds first."""
    library, scope = place
    words = quote[:SEARCHED_CHARS].replace("|", " ")
    hits = library.search(words, k=SEARCHED_HITS, path=path, scope=scope).hits
    tried = [hit.chunk_id for hit in hits]
    yield from _chunks(tried, place)
    entries = library.contents(path, scope=scope, at_most=MOST_CHUNKS).entries or ()
    others = (one.chunk_id for one in entries if one.chunk_id not in tried)
    yield from _chunks((one for _, one in zip(room, others, strict=False)), place)


def _chunks(ids: Iterable[str], place: Within) -> Iterator[Chunk]:
    for chunk_id in ids:
        try:
            yield place.library.read(chunk_id, scope=place.scope)
        except LibraryError:
            continue  # changed this very moment
