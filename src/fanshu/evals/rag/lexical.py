"""BM25 over texts, in its plain form: k1 = 1.2, b = 0.75."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from heapq import nlargest
from math import log

from fanshu.library.terms import terms

K1, B = 1.2, 0.75


class Lexical:
    """An index of texts in memory; Chinese by pairs of characters, as our own index has it."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._rows: dict[str, array[int]] = defaultdict(lambda: array("I"))
        self._counts: dict[str, array[int]] = defaultdict(lambda: array("I"))
        self._lengths: list[int] = []
        for row, text in enumerate(texts):
            found = Counter(terms(text))
            self._lengths.append(found.total())
            for term, count in found.items():
                self._rows[term].append(row)
                self._counts[term].append(count)
        self._mean = sum(self._lengths) / len(self._lengths) if self._lengths else 0.0

    def rank(self, question: str, most: int) -> list[int]:
        """The rows that fit best, best first."""
        scores: dict[int, float] = defaultdict(float)
        for term in set(terms(question)) & self._rows.keys():
            rows, counts = self._rows[term], self._counts[term]
            weight = log(1 + (len(self._lengths) - len(rows) + 0.5) / (len(rows) + 0.5))
            for row, count in zip(rows, counts, strict=True):
                norm = K1 * (1 - B + B * self._lengths[row] / self._mean)
                scores[row] += weight * count * (K1 + 1) / (count + norm)
        return nlargest(most, scores, key=lambda row: (scores[row], -row))
