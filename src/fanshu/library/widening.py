"""Other words for the words of a query: synonyms of a file, aliases that documents define.

A query is widened only where its own words find too little. What is found only by another
word says so, and ranks under what holds the query's own.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fanshu.library.query import Lexicon, Word, literals
from fanshu.library.ranking import Ranked
from fanshu.library.synonyms import FORMS, Synonyms
from fanshu.library.terms import CJK, fold, pattern, phrase
from fanshu.types import OtherWord, WordSource

KEY_UNITS = 12  # Chinese characters, or words, of the longest word that is looked up
PENALTY: Mapping[WordSource, float] = {"synonyms": 0.3, "documents": 0.5}  # of a score; a whole
# heading that matches is worth 1.5, so these settle what is about equal

_UNIT = re.compile(rf"[{CJK}]|[^\W_{CJK}]+")
_QUOTES = '"“「'


@dataclass(frozen=True, slots=True)
class Widened:
    """A query's words, some of them with other words that they may stand for."""

    words: Sequence[Word]
    others: Sequence[OtherWord]

    def in_order(self, ranked: Sequence[Ranked]) -> list[Ranked]:
        """The same, what holds only other words a little lower."""

        def lowered(one: Ranked) -> Ranked:
            penalty = max((PENALTY[other.source] for other in self.via(one)), default=0.0)
            return replace(one, score=one.score - penalty)

        order = map(lowered, ranked)
        return sorted(order, key=lambda one: (-one.score, one.chunk.file_path, one.chunk.number))

    def via(self, ranked: Ranked) -> tuple[OtherWord, ...]:
        """The other words by which alone a chunk answers to one of the words."""
        chunk = ranked.chunk
        name = f"{chunk.file_path} {chunk.title}"
        text = fold(f"{name}\n{' '.join(chunk.section_path)}\n{chunk.text}")
        other = {one.other for one in self.others}
        own = {
            word.text
            for word in self.words
            if any(_stands(form, text) for form in word.forms if form not in other)
        }
        return tuple(one for one in self.others if one.word not in own and _stands(one.other, text))


class OtherWords:
    """Where other words come from: the files of synonyms, and the documents that may be seen."""

    def __init__(self, synonyms: Sequence[Synonyms], seen: Lexicon) -> None:
        self._synonyms = [one for one in synonyms if one.groups]
        self._seen = seen

    def widen(self, wording: str, lexicon: Lexicon, *, defined: bool = True) -> Widened | None:
        """The words of a wording with other words for them; None when there are none.

        `defined`: also with those that documents define. What stands in quotation marks is meant
        as it stands.
        """
        if any(quote in wording for quote in _QUOTES):
            return None
        text = fold(wording)
        known = self._known(text, defined=defined)
        words: list[Word] = []
        others: list[OtherWord] = []
        at = 0
        for start, end, key in _leftmost_longest(text, known):
            found = list(_occurring(lexicon, known[key]))
            if not found:
                continue
            words += _plain(lexicon, text[at:start])
            words.append(_standing_for(lexicon, key, found))
            others += found
            at = end
        if not others:
            return None
        return Widened([*words, *_plain(lexicon, text[at:])], tuple(dict.fromkeys(others)))

    def _known(self, text: str, *, defined: bool) -> Mapping[str, Sequence[OtherWord]]:
        """Other words for whatever stands in a text, synonyms first."""
        if not defined and not self._synonyms:
            return {}
        keys = {key for _, _, key in _spans(text)}
        known: dict[str, list[OtherWord]] = {}
        for one in self._synonyms:
            for key in keys & one.groups.keys():
                found = [OtherWord(key, other, "synonyms") for other in one.of(key)]
                known.setdefault(key, []).extend(found)
        for key, other in self._seen.store.aliases(keys, self._seen.docs) if defined else ():
            found = known.setdefault(key, [])
            if len(found) < FORMS and other not in (one.other for one in found):
                found.append(OtherWord(key, other, "documents"))
        return known


def _spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Every piece of a text that might be a word somebody has another word for."""
    units = [match.span() for match in _UNIT.finditer(text)]
    for first, (start, _) in enumerate(units):
        for _, end in units[first : first + KEY_UNITS]:
            yield start, end, " ".join(text[start:end].split())


def _leftmost_longest(
    text: str, known: Mapping[str, Sequence[OtherWord]]
) -> Iterator[tuple[int, int, str]]:
    at = 0
    spans = sorted(_spans(text), key=lambda span: (span[0], -span[1])) if known else []
    for start, end, key in spans:
        if start >= at and key in known:
            yield start, end, key
            at = end


def _plain(lexicon: Lexicon, text: str) -> Iterator[Word]:
    """Words that have no other: whole where they occur, else cut into what does."""
    for piece in literals(text):
        word = lexicon.word(piece.text)
        if word and word.found:
            yield word
        else:
            yield from lexicon.segments(piece)


def _occurring(lexicon: Lexicon, others: Sequence[OtherWord]) -> Iterator[OtherWord]:
    asked = [(one, query) for one in others if (query := phrase(one.other))]
    counts = lexicon.counts([query for _, query in asked])
    for (one, _), count in zip(asked, counts, strict=True):
        if count:
            yield replace(one, count=count)


def _standing_for(lexicon: Lexicon, key: str, found: Sequence[OtherWord]) -> Word:
    own = lexicon.word(key)
    forms = (own and own.forms) or (key,)
    return lexicon.any_of(key, (*forms, *(one.other for one in found)))


def _stands(word: str, text: str) -> bool:
    found = pattern(word)
    return found is not None and found.search(text) is not None
