"""Words that occur, for words that do not: near ones by their characters."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches

from fanshu.library.query import Lexicon
from fanshu.library.store import Query
from fanshu.library.terms import is_cjk, phrase, terms

SUGGESTIONS = 5
NEAR = 3  # missing words looked at, and near ones for each
ALIKE = 0.75  # of two words' characters, those that stand in both in one order
FOLLOWERS = 300  # characters tried after another


def near_words(lexicon: Lexicon, missing: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """For missing words, words that occur in the scope and differ by a character or so."""
    near = {}
    left = SUGGESTIONS
    for word in missing[:NEAR]:
        look_alikes = _one_character_off if is_cjk(word) else _spelled_alike
        alike = dict.fromkeys(look_alikes(lexicon, word))
        near[word] = lexicon.first_occurring(alike, min(NEAR, left))
        left -= len(near[word])
    return near


def _one_character_off(lexicon: Lexicon, word: str) -> Iterator[str]:
    """统计表 for 统记表: each inner character replaced by what follows the one before it.

    Not the last: almost any word goes on with 的 or 和.
    """
    for at in range(1, len(word) - 1):
        if not all(map(lexicon.count, _kept(word, at))):
            continue
        for pair, _ in lexicon.vocabulary(word[at - 1], FOLLOWERS):
            if len(pair) == 2:
                yield word[:at] + pair[1] + word[at + 1 :]


def _kept(word: str, at: int) -> list[Query]:
    """What must occur if the word does with another character at a place."""
    sides = (side for side in (word[:at], word[at + 1 :]) if len(side) > 1)
    return [found for one in sides if all(map(is_cjk, one)) and (found := phrase(one))]


def _spelled_alike(lexicon: Lexicon, word: str) -> Iterator[str]:
    for term in (one for one in terms(word) if len(one) > 2):
        known = [found for found, _ in lexicon.vocabulary(term[:2], 3000)]
        yield from get_close_matches(term, list(_maybe_alike(term, known)), 6, ALIKE)


def _maybe_alike(term: str, known: Sequence[str]) -> Iterator[str]:
    """Those that are long enough, and made of its characters enough, to be as much as `ALIKE`.

    It leaves a twentieth of them, and less than half of the time.
    """
    others = dict.fromkeys(map(ord, term))
    for one in known:
        needed = ALIKE * (len(term) + len(one)) / 2
        if len(term) >= needed <= len(one) and len(one) - len(one.translate(others)) >= needed:
            yield one
