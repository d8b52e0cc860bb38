"""Candidates → order. BM25 alone sinks hits in headings of long sections; a few features
of the chunk itself put them right (measured for heading and body queries alike).
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from fanshu.library.query import Lexicon, Word
from fanshu.library.store import Candidate, OutOfTime, Store
from fanshu.library.terms import fold, pattern
from fanshu.types import Chunk

CANDIDATES = 60

# The balanced weights found on 120 known-item queries, checked by two-fold cross-validation;
# COVERAGE rules only where not every word is asked for.
BM25 = 1.0
LEAF_ALL = 0.5  # every word stands in the last heading
LEAF_SHARE = 0.4  # share of the last heading that the words make up
LEAF_STARTS = 0.6  # the last heading is, or begins with, a word
LITERAL = 0.3  # every word stands there exactly as written
CLOSE = 0.3  # the words stand close together
CLOSE_SPAN = 60  # characters at which closeness has halved
COVERAGE = 1.5
OUTDATED = -0.2  # a later version of the file exists: enough to settle what is about equal
BARE = -0.6  # the chunk is a heading and nothing else
NAME = 0.4  # share of the words' weight that stands in file name or title


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the query as it is looked for in a text, and what it weighs."""

    text: str
    pattern: re.Pattern[str]
    weight: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """A chunk with its score, the words that stand in it, and the share of weight they are.

    `body`: its text, folded.
    """

    chunk: Chunk
    score: float
    matched: tuple[Term, ...]
    coverage: float
    body: str = ""


def patterns(lexicon: Lexicon, words: Sequence[Word]) -> tuple[Term, ...]:
    """The words that occur, weighty ones only unless there are none.

    Raises: OutOfTime — a pattern that is new takes 3 ms to make, and a query may have hundreds.
    """
    found = [word for word in words if word.found]
    weighty = [word for word in found if not word.stop] or found
    unique = {fold(word.text): word for word in weighty}
    return tuple(
        Term(word.text, regex, lexicon.weight(word.count))
        for word in unique.values()
        if (regex := _pattern(word, lexicon.store))
    )


def _pattern(word: Word, store: Store) -> re.Pattern[str] | None:
    if store.out_of_time():
        raise OutOfTime
    if not word.forms:
        return pattern(word.text)
    found = [one.pattern for form in word.forms if (one := pattern(form))]
    return re.compile("|".join(found)) if found else None


def rank(
    candidates: Sequence[Candidate],
    chunks: Sequence[Chunk],
    words: Sequence[Term],
    *,
    partly: bool,
    enough: Callable[[], bool] = lambda: False,
) -> list[Ranked]:
    """Order candidates; `partly`: not every word was asked for, so coverage counts.

    Once there is `enough`, those that were not looked at yet are left out.
    """
    best = max((candidate.score for candidate in candidates), default=1.0) or 1.0
    ranked = [
        _score(chunk, candidate.score / best, words, partly=partly)
        for candidate, chunk in zip(candidates, chunks, strict=True)
        if not enough()
    ]
    return sorted(ranked, key=lambda one: (-one.score, one.chunk.file_path, one.chunk.number))


def newest_first(
    ranked: Sequence[Ranked], words: str, outdated: Collection[str]
) -> Sequence[Ranked]:
    """The same, with chunks of outdated files a little lower, unless the words name their year."""
    if not any(one.chunk.file_path in outdated for one in ranked):
        return ranked

    def score(one: Ranked) -> float:
        year = (one.chunk.date or "")[:4]
        old = one.chunk.file_path in outdated and not (year and year in words)
        return one.score + OUTDATED * old

    return sorted(ranked, key=lambda one: (-score(one), one.chunk.file_path, one.chunk.number))


def _score(chunk: Chunk, bm25: float, words: Sequence[Term], *, partly: bool) -> Ranked:
    leaf = fold(chunk.section_path[-1]) if chunk.section_path else ""
    name = fold(f"{chunk.file_path} {chunk.title}")
    heads = fold(" \n".join(chunk.section_path))
    body = fold(chunk.text)
    total = sum(word.weight for word in words) or 1.0
    at = [word.pattern.search(body) for word in words]
    in_body = [word for word, place in zip(words, at, strict=True) if place]
    in_heads = [word for word in words if word.pattern.search(heads)]
    in_name = [word for word in words if word.pattern.search(name)]
    held = {id(word) for word in (*in_body, *in_heads, *in_name)}
    matched = tuple(word for word in words if id(word) in held)
    coverage = sum(word.weight for word in matched) / total
    score = BM25 * bm25 + _leaf(leaf, words)
    score += NAME * sum(word.weight for word in in_name) / total
    if len(in_body) == len(words):
        score += LITERAL
    score += CLOSE / (1 + _span([place.start() for place in at if place]) / CLOSE_SPAN)
    if partly:
        score += COVERAGE * coverage
    if "\n" not in chunk.text.strip() and chunk.section_path and len(body) <= 2 * len(leaf):
        score += BARE
    return Ranked(chunk, score, matched, coverage, body)


def _leaf(leaf: str, words: Sequence[Term]) -> float:
    if not leaf or not words:
        return 0.0
    found = [match for word in words if (match := word.pattern.search(leaf))]
    if not found:
        return 0.0
    covered = sum(match.end() - match.start() for match in found)
    score = LEAF_SHARE * min(covered / len(leaf), 1.0)
    if len(found) == len(words):
        score += LEAF_ALL
    if any(match.start() == 0 for match in found):
        score += LEAF_STARTS * sum(1 for m in found if m.start() == 0) / len(words)
    return score


def _span(places: Sequence[int]) -> float:
    return float(max(places) - min(places)) if len(places) > 1 else 10.0 * CLOSE_SPAN
