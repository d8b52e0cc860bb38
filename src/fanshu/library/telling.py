"""Which titles tell what a folder is about, and apart from other folders.

Words that many titles of the folder share, and few of other folders, make its theme. Titles are
chosen one after another so that each adds as much theme as it can for its length.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import log

from fanshu.library.terms import CJK

CONSIDERED = 500  # titles in all; more change little and cost 0.1 ms each
AT_LEAST = 12  # of each folder
ALONE = 0.3  # weight of a word that only one title has
OVERHEAD = 8  # characters that any title costs, so that one of two words does not always win

_WORD = re.compile(rf"[{CJK}]+|[^\W\d_{CJK}]{{2,}}")
_NUMBER = r"(?:[0-9]+|[a-z](?=\.))(?:\.[0-9a-z]+)*"
_NUMBERING = re.compile(
    rf"^\s*(?:(?:chapter|appendix|part|section) +{_NUMBER}\.? +|{_NUMBER}\. +|[0-9]+(?:\.[0-9]+)+ +"
    r"|第 ?[0-9一二三四五六七八九十百零]+ ?[章节篇编条][ \u3000]+)(?=\S)",
    re.IGNORECASE,
)


def telling(folders: Mapping[str, Sequence[str]], limit: int) -> dict[str, tuple[str, ...]]:
    """For each folder, up to `limit` of its titles, the most telling first."""
    share = max(AT_LEAST, CONSIDERED // max(len(folders), 1))
    words = {
        folder: {title: set(_words(title)) for title in _some(titles, share)}
        for folder, titles in folders.items()
    }
    counts = {f: Counter(w for found in by.values() for w in found) for f, by in words.items()}
    everywhere: Counter[str] = Counter()
    for count in counts.values():
        everywhere.update(count)
    return {
        folder: tuple(_chosen(by, _weights(counts[folder], everywhere, len(by)), limit))
        for folder, by in words.items()
    }


def unnumbered(title: str) -> str:
    """A title without the number of its chapter or section."""
    return _NUMBERING.sub("", title).strip() or title


def _some(titles: Sequence[str], limit: int) -> list[str]:
    """Different titles, spread over the list when there are too many."""
    unique = list(dict.fromkeys(map(unnumbered, filter(None, titles))))
    step = max(len(unique) / limit, 1.0)
    return [unique[int(at * step)] for at in range(min(limit, len(unique)))]


def _words(title: str) -> Iterator[str]:
    """Latin words, and pairs of Chinese characters."""
    for word in _WORD.findall(title.lower()):
        if word.isascii():
            yield word
        else:
            yield from (word[at : at + 2] for at in range(len(word) - 1))


def _weights(here: Counter[str], everywhere: Counter[str], titles: int) -> dict[str, float]:
    """Frequent here, rare elsewhere; a word that every title has tells them not apart."""

    def weight(word: str, count: int) -> float:
        inner = count * log(1 + titles / count) if count > 1 else ALONE
        return inner * count / everywhere[word]

    return {word: weight(word, count) for word, count in here.items()}


def _chosen(
    titles: Mapping[str, set[str]], weights: Mapping[str, float], limit: int
) -> Iterator[str]:
    left, covered = dict(titles), set[str]()
    for _ in range(min(limit, len(titles))):
        best = max(left, key=lambda title: _gain(title, left[title] - covered, weights))
        yield best
        covered |= left.pop(best)


def _gain(title: str, new: set[str], weights: Mapping[str, float]) -> float:
    return sum(weights[word] for word in new) / (OVERHEAD + len(title))
