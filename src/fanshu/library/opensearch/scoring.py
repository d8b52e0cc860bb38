"""BM25 as SQLite's FTS5 reckons it, from the terms of a chunk.

score = Σ idf(phrase) · f·(k1 + 1) / (f + k1·(1 − b + b·D/avgdl)), with k1 = 1.2 and b = 0.75; f is
how often the phrase stands in the chunk, each time as much as its column weighs, D how many terms
the chunk has, idf = ln((N − n + 0.5) / (n + 0.5)) and at least 10⁻⁶ (SQLite, fts5_aux.c).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log

from fanshu.library.columns import WEIGHTS, Columns
from fanshu.library.opensearch.queries import Every, Expression, Leaf

K1, B = 1.2, 0.75
LEAST_IDF = 1e-6


@dataclass(frozen=True, slots=True)
class Totals:
    """What all chunks come to: how many there are, and how many terms in all of them."""

    chunks: int
    terms: int

    @property
    def average(self) -> float:
        """Terms of a chunk."""
        return max(self.terms, 1) / max(self.chunks, 1)


def idf(chunks: int, holding: int) -> float:
    """What a phrase tells, from how many of the chunks hold it."""
    value = log((chunks - holding + 0.5) / (holding + 0.5))
    return value if value > 0 else LEAST_IDF


def engine_idf(chunks: int, holding: int) -> float:
    """What the engine takes a term to tell (Lucene's BM25Similarity)."""
    return log(1 + (max(chunks - holding, 0) + 0.5) / (holding + 0.5))


def score(
    expression: Expression, columns: Columns, idfs: Mapping[Leaf, float], totals: Totals
) -> float:
    """The score of a chunk that matches."""
    size = sum(len(column.split()) for column in columns)
    length = K1 * (1 - B + B * size / totals.average)
    padded = Columns._make(f" {column} " for column in columns)

    def of(leaf: Leaf) -> float:
        frequency = weighted(leaf, padded)
        return idfs[leaf] * frequency * (K1 + 1) / (frequency + length) if frequency else 0.0

    return _sum(expression, of)


def _sum(expression: Expression, of: Callable[[Leaf], float]) -> float:
    """The sum over phrases; what belongs to an `Every` that does not hold counts nothing."""
    if isinstance(expression, Leaf):
        return of(expression)
    parts = [_sum(part, of) for part in expression.parts]
    if isinstance(expression, Every) and not all(parts):
        return 0.0
    return sum(parts)


def weighted(leaf: Leaf, padded: Columns) -> float:
    """How often a phrase stands in columns that have a space on both sides, as they weigh."""
    needle = f" {' '.join(leaf.terms)}{'' if leaf.phrase.prefix else ' '}"
    if leaf.place == "head":
        return WEIGHTS[1] * _count(needle, padded.head)
    if leaf.place == "start":
        return WEIGHTS[1] * padded.head.startswith(needle)
    return sum(w * _count(needle, text) for w, text in zip(WEIGHTS, padded, strict=True))


def _count(needle: str, text: str) -> int:
    """How often a phrase stands in a text, also where two overlap."""
    count, at = 0, text.find(needle)
    while at >= 0:
        count += 1
        at = text.find(needle, at + 1)
    return count
