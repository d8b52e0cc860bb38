"""The words of a question as the extractive reader weighs them: by how rare they are, names more,
words about the asking less, and each found inflected, in part, or in the other language.
"""

import re
from collections.abc import Sequence
from math import log

from fanshu.library.query import stem, without_particles
from fanshu.library.terms import CJK, fold, is_cjk, pattern
from fanshu.models.extractive_asked import Asked, alike, is_general
from fanshu.types import SearchResult

GENERAL = 0.3  # the weight of a word about the asking, as a share of what its rarity makes it
NAME = 1.5  # … of an identifier, a version, a code
ABSENT = 0.8  # … of a word that stands nowhere: often the documents say it otherwise
PARTLY = 0.4  # share of a Chinese word's pairs from which it counts as partly there
LONG = 3  # characters of Chinese that stand nowhere and weigh as much as one rare word

_WORD = re.compile(r"[a-z]+")
_YEAR = re.compile(r"(?:19|20)\d\d年?")
_CHINESE = re.compile(rf"[{CJK}]+")


class Word:
    """A word of the question and its `weight`.

    `name`: it names one thing and no other. `general`: it only says what is asked. `occurs`: it
    stands somewhere.
    """

    def __init__(self, text: str, rarity: float, asked: Asked, *, occurs: bool) -> None:
        self.text, self.folded = text, fold(text)
        self.general = is_general(text) or asked.only_asks(text)
        self.name = not self.general and _is_name(text)
        self.occurs = occurs or self.general
        share = GENERAL if self.general else NAME if self.name else 1.0
        self.weight = rarity * share * (1.0 if self.occurs or self.name else ABSENT)
        same = (text.rstrip("年"),) if _YEAR.fullmatch(text) else (text, *alike(text))
        self._patterns = [one for wording in same if (one := pattern(wording))]
        self._pairs = [text[at : at + 2] for at in range(len(text) - 1)] if is_cjk(text) else []
        plain = text.isascii() and text.isalpha()
        self._stem = stem(text.lower()) if plain else ""

    def search(self, text: str) -> re.Match[str] | None:
        """Where it stands in a folded text, as it is or in a wording that means the same."""
        for one in self._patterns:
            if match := one.search(text):
                return match
        return None

    def part_in(self, text: str) -> float:
        """How much of it stands in a folded text, from 0 to 1: inflected, or in part."""
        if self.search(text):
            return 1.0
        if len(self._pairs) > 1:
            share = sum(pair in text for pair in self._pairs) / len(self._pairs)
            return share if share >= PARTLY else 0.0
        if not self._stem or self._stem not in text:
            return 0.0
        return float(any(stem(one) == self._stem for one in _WORD.findall(text)))


def words_of(asked: Asked, result: SearchResult) -> list[Word]:
    """The words of a part of a question, and what of it stands nowhere at all."""
    rarest = log(1 + result.searched)
    words = [
        Word(
            one.word,
            log(1 + result.searched / max(one.count, 1)),
            asked,
            occurs=one.count > 0 or _names_a_file(one.word, result),
        )
        for one in result.words
    ]
    left = left_over(result.query, [one.word for one in result.words])
    lost = (Word(one, rarest * max(1, len(one) // LONG), asked, occurs=False) for one in left)
    return [*words, *(word for word in lost if not word.general)]


def _names_a_file(word: str, result: SearchResult) -> bool:
    """Whether a word is the year of a file that was found: many stand in names only."""
    year = word.rstrip("年")
    return bool(_YEAR.fullmatch(word)) and any(year in hit.file_path for hit in result.hits)


def left_over(query: str, words: Sequence[str]) -> list[str]:
    """The Chinese of a query that is in none of its words, since no document holds it."""
    text = fold(query)
    for word in sorted(words, key=len, reverse=True):
        text = text.replace(fold(word), " ")
    return [piece for piece in _CHINESE.findall(without_particles(text)) if len(piece) > 1]


def _is_name(word: str) -> bool:
    """Whether a word is an identifier, a version or a code: E-5031, read_timeout, 3.1.4, SEV1."""
    if not word.isascii() or word.isalpha() or word.isdecimal():
        return False
    return len(word) > 2
