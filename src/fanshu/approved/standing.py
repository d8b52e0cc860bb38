"""What became of a passage that was cited: does it still stand, and where?

    ground = Ground(library)
    today = stand(1, citation, ground)
    today.standing.state        # unchanged, moved, changed or gone

The same passage counts as moved only where it means the same: under the same heading, in the same
text, or when it names its own subject. "The default is 30 seconds." under another heading is
another statement.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Literal

from fanshu.agent.citing import Place, cite
from fanshu.agent.evidence import find
from fanshu.approved.contexts import same_context, same_trail
from fanshu.errors import LibraryError
from fanshu.library.library import Library
from fanshu.library.passages import passages
from fanshu.library.terms import fold
from fanshu.types import EVERYTHING, Chunk, Citation, Lines, Scope

ELSEWHERE = 5  # hits looked at for a passage that left its file; a copy is among the first
ALIKE = 0.5  # of the characters in order: an edited sentence keeps more, another one keeps less
State = Literal["unchanged", "moved", "changed", "gone"]


@dataclass(frozen=True, slots=True)
class Standing:
    """What became of a citation, numbered from 1.

    `unchanged`: the passage stands where it stood. `moved`: word for word at `now`. `changed`:
    the text at `now` is `passage_now`. `gone`: nothing like it is there. `newer_version` is one
    that the answer did not know of.
    """

    number: int
    state: State
    chunk_id: str
    passage: str
    now: str | None = None
    file_path: str | None = None
    section_path: tuple[str, ...] = ()
    lines: Lines | None = None
    page: int | None = None
    passage_now: str | None = None
    newer_version: str | None = None

    @property
    def holds(self) -> bool:
        """Whether the passage can still be cited as it was."""
        return self.state in ("unchanged", "moved") and not self.newer_version


@dataclass(frozen=True, slots=True)
class Today:
    """A citation today: its standing, the chunk that holds the passage or what took its place,
    and the citation as it would be made there, where the quote stands.
    """

    standing: Standing
    chunk: Chunk | None = None
    citation: Citation | None = None


class Ground:
    """A library as it is now. Each file is looked through once, however many citations ask.

    `fresh`: the hashes of the chunks that were not there when the answers were looked at last,
    where that is known: only such a chunk can hold what became of a passage.
    """

    def __init__(self, library: Library, scope: Scope = EVERYTHING) -> None:
        self.library, self.scope = library, scope
        self.fresh: frozenset[str] | None = None
        self._files: dict[str, tuple[Chunk, ...]] = {}
        self.reads = 0

    def read(self, chunk_id: str) -> Chunk | None:
        """A chunk, None when there is none of this id."""
        self.reads += 1
        try:
            return self.library.read(chunk_id, scope=self.scope)
        except LibraryError:
            return None

    def file(self, file_path: str) -> tuple[Chunk, ...]:
        """The chunks of a file in order, none when it is gone: their texts, no dates."""
        if file_path not in self._files:
            self._files[file_path] = tuple(self._chunks(file_path))
        return self._files[file_path]

    def _chunks(self, file_path: str) -> Iterator[Chunk]:
        record = self.library.view(self.scope).documents.get(file_path)
        for number in range(1, record.chunks + 1 if record else 1):
            if chunk := self.library.store.chunk(file_path, number):
                yield chunk

    def is_fresh(self, chunk: Chunk) -> bool:
        """Whether a chunk may be new."""
        return self.fresh is None or chunk.hash in self.fresh

    def elsewhere(self, words: str, file_path: str) -> Iterator[Chunk]:
        """Chunks of other files that hold words."""
        for hit in self.library.search(words, k=ELSEWHERE, scope=self.scope).hits:
            if hit.file_path != file_path and (chunk := self.read(hit.chunk_id)):
                yield chunk


def stand(
    number: int,
    cited: Citation,
    ground: Ground,
    section: str = "",
    last: Citation | None = None,
) -> Today:
    """What became of a citation. `section`: the text of its chunk then, where that is known, so
    that what stood beside the passage is not taken for what became of it. `last`: where the
    passage was found when it was looked for last.
    """
    chunk = _today(cited, ground, section, last or cited)
    if chunk is None:
        return Today(Standing(number, "gone", cited.chunk_id, cited.passage))
    now = cited_from(cited, chunk)
    place = Standing(
        number,
        "changed",
        cited.chunk_id,
        cited.passage,
        now=chunk.chunk_id,
        file_path=chunk.file_path,
        section_path=chunk.section_path,
        lines=now.lines if now else chunk.lines,
        page=chunk.page,
        newer_version=None if chunk.newer_version == cited.newer_version else chunk.newer_version,
    )
    if now is None:
        became = successor(cited, chunk, section)
        return Today(replace(place, passage_now=became.passage if became else None), chunk)
    if not _same_passage(cited, chunk) or not same_context(cited, chunk):
        return Today(replace(place, passage_now=now.passage), chunk, now)
    stays = chunk.chunk_id == cited.chunk_id and chunk.section_path == cited.section_path
    return Today(replace(place, state="unchanged" if stays else "moved"), chunk, now)


def _today(cited: Citation, ground: Ground, section: str, last: Citation) -> Chunk | None:
    """The chunk that holds the passage today, or what took its place; None when it is gone.

    While its section is there and holds something of the kind, no copy elsewhere counts; while
    its file does, only one that is new: then it was taken there.
    """
    wanted = squashed(cited.quote)
    nearest: Chunk | None = None
    for chunk in _in_its_file(cited, ground, last):
        if wanted in squashed(chunk.text):
            whole = ground.read(chunk.chunk_id)
            if whole and _same_passage(cited, whole) and same_context(cited, whole):
                return whole
        if nearest is None and ground.is_fresh(chunk) and _took_its_place(cited, chunk, section):
            nearest = chunk
    if nearest and same_trail(nearest.section_path, cited.section_path):
        return ground.read(nearest.chunk_id)
    for chunk in ground.elsewhere(cited.quote, cited.file_path):
        taken_there = nearest is None or ground.is_fresh(chunk)
        if taken_there and _same_passage(cited, chunk) and same_context(cited, chunk):
            return chunk
    return ground.read(nearest.chunk_id) if nearest else None


def _took_its_place(cited: Citation, chunk: Chunk, section: str) -> bool:
    """Whether a chunk holds the quote in another passage, or something that was made of it."""
    return bool(cited_from(cited, chunk)) or alike(cited.passage, chunk.text, section) is not None


def _in_its_file(cited: Citation, ground: Ground, last: Citation) -> Iterator[Chunk]:
    """Where to look, in order: its id, its section, the rest of its file; first where it was."""
    for place in dict.fromkeys((last.chunk_id, cited.chunk_id)):
        if own := ground.read(place):
            yield own
    for path in dict.fromkeys((last.file_path, cited.file_path)):
        chunks = ground.file(path)
        yield from sorted(
            chunks, key=lambda one: not same_trail(one.section_path, cited.section_path)
        )


def _same_passage(cited: Citation, chunk: Chunk) -> bool:
    """Whether a chunk says what was cited. Where its text is the same, it does, although another
    version of fanshu may see a passage end elsewhere.
    """
    now = cited_from(cited, chunk)
    return now is not None and (
        chunk.hash == cited.hash or squashed(now.passage) == squashed(cited.passage)
    )


def cited_from(cited: Citation, chunk: Chunk) -> Citation | None:
    """The citation that the same quote would make of a chunk, if it stands there."""
    found = find(cited.quote, chunk)
    return cite(Place(chunk, found), cited.verified) if found else None


def successor(cited: Citation, chunk: Chunk, section: str = "") -> Citation | None:
    """The citation of what took the place of a passage that stands in a chunk no more."""
    piece = alike(cited.passage, chunk.text, section)
    return cited_from(replace(cited, quote=piece), chunk) if piece else None


def squashed(text: str) -> str:
    """A text as it is compared: folded, without white space."""
    return "".join(fold(text).split())


def alike(passage: str, text: str, before: str = "") -> str | None:
    """The passage of a text that is most like another one, if any is alike at all.

    What stood in the section `before` already is no new form of the passage.
    """
    last = passage.rpartition("\n")[2]  # what leads in to a passage stands in lines before it
    stood = {squashed(before[one.start : one.end]) for one in passages(before)}
    pieces = [text[one.start : one.end] for one in passages(text)]
    rated = [
        (SequenceMatcher(None, last, piece, autojunk=False).ratio(), piece)
        for piece in pieces
        if squashed(piece) not in stood
    ]
    ratio, best = max(rated, default=(0.0, ""))
    return best if ratio >= ALIKE else None
