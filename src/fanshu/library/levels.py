"""One wording → the chunks that hold it, by ever weaker readings of what it asks for.

Levels: every word as a phrase → every word, runs of Chinese cut into words → most words.
A level answers only when the ones above found nothing. Where a wording finds little, other
words are tried for its own (`widening`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from fanshu.library.query import (
    MAX_UNKNOWN,
    Lexicon,
    Literal,
    Word,
    all_of,
    literals,
    most_of,
)
from fanshu.library.ranking import Ranked, Term, patterns, rank
from fanshu.library.store import Query
from fanshu.library.terms import is_cjk
from fanshu.library.widening import OtherWords, Widened
from fanshu.types import Level

SCORED = 4_000  # chunks that are scored for a few words: about 4 ms
SCORED_FOR_QUESTION = 20_000  # … for a whole question: with fewer, 2 of 36 hard ones find less


@dataclass(frozen=True, slots=True)
class Found:
    """What one wording found. `words` are all of its words, stop words included.

    `widened`: its words with other ones, when those were tried.
    """

    level: Level
    query: Query | None
    ranked: Sequence[Ranked]
    words: Sequence[Word]
    terms: Sequence[Term]
    widened: Widened | None = None

    @property
    def meant(self) -> Sequence[Word]:
        """The words as they were looked for in the end."""
        return self.widened.words if self.widened else self.words


NOT_FOUND = Found("none", None, (), (), ())


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds wordings in the lexicon's documents, `limit` chunks of each at most.

    `question`: a wording is a whole question, of which no chunk holds every word; it is found by
    most of its words at once. With a `limit` of 0 chunks are counted and none is ranked. Readings
    weaker than `weakest` are not tried.
    """

    lexicon: Lexicon
    limit: int
    question: bool
    weakest: Level = "some"

    def find(self, wording: str) -> Found:
        """The strictest reading of a wording that finds anything."""
        pieces = literals(wording)
        # A whole question is not looked for as it is written.
        written = [] if self.question else once(filter(None, map(self._word, pieces)))
        if found := self._every("phrase", written):
            return found
        if self.weakest == "phrase":
            return NOT_FOUND
        words = once(word for piece in pieces for word in self.lexicon.segments(piece))
        # 自行车 is not there because 自行 and 车 are.
        covered = not any(word.left_over for word in words)
        if covered and (found := self._every("all", words)):
            return found
        if self.weakest == "all":
            return NOT_FOUND
        told = words if self.question else _as_written(written, words)
        found = self._most(words)
        if found is None and any(piece.exact for piece in pieces):
            # What stands nowhere as quoted, by its words: something to go on with.
            loose = [piece._replace(exact=False) for piece in pieces]
            found = self._most(once(w for piece in loose for w in self.lexicon.segments(piece)))
        return replace(found, words=told) if found else Found("none", None, (), told, ())

    def _word(self, piece: Literal) -> Word | None:
        return self.lexicon.word(piece.text)

    def widen(self, found: Found, wording: str, others: OtherWords, wanted: int) -> Found:
        """The same with other words for its own, where these found fewer than `wanted` chunks.

        What holds all of the own words stays in front.
        """
        complete = found.level in ("phrase", "all")
        if complete and len(found.ranked) >= wanted:
            return found
        # For whole questions aliases won as many places as they lost, and cost a tenth of a search.
        widened = others.widen(wording, self.lexicon, defined=not self.question)
        if widened is None:
            return found
        words = once(widened.words)
        more = self._every("all", words)
        if more is None and not complete:
            more = self._most(words)
        if more is None:
            return replace(found, widened=widened)
        ranked = widened.in_order(more.ranked)
        if complete:
            # What only holds the own words apart is less than was found already.
            other = [one for one in ranked if widened.via(one)]
            ranked = [*found.ranked, *_under(found.ranked, other)]
        return Found(
            found.level, found.query or more.query, ranked, found.words, more.terms, widened
        )

    def _every(self, level: Level, words: Sequence[Word]) -> Found | None:
        """The chunks with every word, None when there are none."""
        query = None if self.question else all_of(words)
        return self._ranked(level, query, words) if query and self.lexicon.count(query) else None

    def _most(self, words: Sequence[Word]) -> Found | None:
        """The chunks with most of the words, None when none of them occurs."""
        query = most_of(self.lexicon, words, self._scored)
        return self._ranked("some", query, words) if query and self.lexicon.count(query) else None

    @property
    def _scored(self) -> int:
        return SCORED_FOR_QUESTION if self.question else SCORED

    def _ranked(self, level: Level, query: Query, words: Sequence[Word]) -> Found:
        if not self.limit:
            return Found(level, query, (), words, ())
        lexicon, store = self.lexicon, self.lexicon.store
        looked_for = patterns(lexicon, words)
        matches = lexicon.count(query)
        candidates = store.candidates(query, lexicon.docs, self.limit, self._scored, matches)
        chunks = store.chunks([candidate.row for candidate in candidates])
        partly = level == "some"
        ranked = rank(candidates, chunks, looked_for, partly=partly, enough=store.out_of_time)
        return Found(level, query, ranked, words, looked_for)


def once(words: Iterable[Word]) -> list[Word]:
    """Each word once: written a hundred times it tells no more, and costs a hundred times."""
    first: dict[Query, Word] = {}
    for word in words:
        first.setdefault(word.query, word)
    return list(first.values())


def besides(some: Sequence[Ranked], others: Sequence[Ranked]) -> list[Ranked]:
    """The chunks of `some` that are not among `others`."""
    known = {one.chunk.chunk_id for one in others}
    return [one for one in some if one.chunk.chunk_id not in known]


def _under(first: Sequence[Ranked], then: Sequence[Ranked]) -> list[Ranked]:
    """What `first` has not, scored no higher than its last."""
    lowest = first[-1].score
    return [replace(one, score=min(one.score, lowest)) for one in besides(then, first)]


def _as_written(written: Sequence[Word], words: Sequence[Word]) -> Sequence[Word]:
    """What to report of: words as they were written, except runs too long to be one word."""
    whole = [w for w in written if w.found or not is_cjk(w.text) or len(w.text) <= MAX_UNKNOWN]
    kept = "".join(word.text for word in whole)
    return [*whole, *(word for word in words if word.text not in kept)]
