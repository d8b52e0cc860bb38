"""One search from words to hits: wordings → levels → ranking → snippets.

Levels: every word as a phrase → every word, runs of Chinese cut into words → most words.
A level answers only when the ones above found nothing, and the result says which it was.
Several wordings are searched each for itself and merged by rank.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from fanshu.library.query import (
    COUNT_CAP,
    MAX_UNKNOWN,
    Lexicon,
    Word,
    all_of,
    literals,
    most_of,
    wordings,
)
from fanshu.library.ranking import CANDIDATES, Ranked, Term, newest_first, patterns, rank
from fanshu.library.snippets import snippet
from fanshu.library.store import AnyOf, Query, Store
from fanshu.library.terms import is_cjk, phrase, terms
from fanshu.types import FileCount, Hit, Level, SearchResult, WordCount

FUSION = 60  # the constant of reciprocal rank fusion (Cormack et al. 2009)
OTHER_FILES = 12
SUGGESTIONS = 5
NEAR = 3  # missing words looked at, and near ones for each
FOLLOWERS = 300  # characters tried after another
STRONG = 0.35  # share of the question's weight in the best hit; of 63 answerable questions of the
# evaluation set that reach it, the best or second hit was a right place in 61
_NOTHING: list[Level] = ["none"]
_ORDER: dict[Level, int] = {"phrase": 0, "all": 1, "some": 2, "none": 3}


@dataclass(frozen=True, slots=True)
class _Found:
    """What one wording found. `words` are all of its words, stop words included."""

    level: Level
    query: Query | None
    ranked: Sequence[Ranked]
    words: Sequence[Word]
    terms: Sequence[Term]


def search(
    store: Store,
    lexicon: Lexicon,
    words: str,
    k: int,
    *,
    question: bool = False,
    outdated: Collection[str] = (),
) -> SearchResult:
    """The `k` chunks that match best among the lexicon's documents.

    Chunks of `outdated` files rank under equal ones of the versions that replaced them.
    """
    found = [_wording(store, lexicon, one, question=question) for one in wordings(words)]
    found = [replace(one, ranked=newest_first(one.ranked, words, outdated)) for one in found]
    found = [one for one in found if one.words]
    level = min([one.level for one in found] or _NOTHING, key=_ORDER.__getitem__)
    best = [one for one in found if one.level == level and one.query is not None]
    every = [word for one in found for word in one.words]
    hits = _merge(best, k)
    query = AnyOf(tuple(one.query for one in best if one.query is not None))
    missing = tuple(dict.fromkeys(w.text for w in every if not w.found and not w.stop))
    return SearchResult(
        query=words,
        level=level,
        total=lexicon.count(query) if best else 0,
        hits=tuple(_hit(one, _terms(best)) for one in hits),
        other_files=_other_files(store, lexicon, query, hits) if best else (),
        missing=missing,
        suggestions=_suggestions(store, lexicon, missing),
        words=_counts(every),
        searched=lexicon.chunks,
        strong=bool(hits) and hits[0].coverage * _known(lexicon, every) >= STRONG,
    )


def _wording(store: Store, lexicon: Lexicon, wording: str, *, question: bool) -> _Found:
    written = _once(word for literal in literals(wording) if (word := lexicon.word(literal)))
    query = None if question else all_of(written)
    if query and lexicon.count(query):
        return _ranked(store, lexicon, "phrase", query, written)
    words = _once(word for literal in literals(wording) for word in lexicon.segments(literal))
    told = words if question else _as_written(written, words)
    query = None if question else all_of(words)
    if query and lexicon.count(query):
        return _ranked(store, lexicon, "all", query, words)
    query = most_of(lexicon, words)
    if query and lexicon.count(query):
        return replace(_ranked(store, lexicon, "some", query, words), words=told)
    return _Found("none", None, (), told, ())


def _once(words: Iterable[Word]) -> list[Word]:
    """Each word once: written a hundred times it tells no more, and costs a hundred times."""
    first: dict[Query, Word] = {}
    for word in words:
        first.setdefault(word.query, word)
    return list(first.values())


def _as_written(written: Sequence[Word], words: Sequence[Word]) -> Sequence[Word]:
    """What to report of: words as they were written, except runs too long to be one word."""
    whole = [w for w in written if w.found or not is_cjk(w.text) or len(w.text) <= MAX_UNKNOWN]
    kept = "".join(word.text for word in whole)
    return [*whole, *(word for word in words if word.text not in kept)]


def _ranked(
    store: Store, lexicon: Lexicon, level: Level, query: Query, words: Sequence[Word]
) -> _Found:
    looked_for = patterns(lexicon, words)
    candidates = store.candidates(query, lexicon.docs, CANDIDATES)
    chunks = store.chunks([candidate.row for candidate in candidates])
    ranked = rank(candidates, chunks, looked_for, partly=level == "some")
    return _Found(level, query, ranked, words, looked_for)


def _merge(found: Sequence[_Found], k: int) -> list[Ranked]:
    """The best `k` of all wordings; one that several wordings found rises."""
    if len(found) == 1:
        return list(found[0].ranked[:k])
    fused: dict[str, float] = {}
    by_id: dict[str, Ranked] = {}
    for one in found:
        for place, ranked in enumerate(one.ranked):
            chunk_id = ranked.chunk.chunk_id
            fused[chunk_id] = fused.get(chunk_id, 0.0) + 1 / (FUSION + place)
            by_id.setdefault(chunk_id, ranked)
    order = sorted(fused, key=lambda chunk_id: (-fused[chunk_id], chunk_id))
    return [by_id[chunk_id] for chunk_id in order[:k]]


def _terms(found: Iterable[_Found]) -> tuple[Term, ...]:
    unique = {term.pattern: term for one in found for term in one.terms}
    return tuple(unique.values())


def _hit(ranked: Ranked, words: Sequence[Term]) -> Hit:
    chunk = ranked.chunk
    shown = snippet(chunk.text, words, chunk.section_path[-1] if chunk.section_path else "")
    return Hit(
        chunk_id=chunk.chunk_id,
        file_path=chunk.file_path,
        section_path=chunk.section_path,
        lines=chunk.lines,
        page=chunk.page,
        snippet=shown.text,
        text=chunk.text,
        score=round(ranked.score, 4),
        complete=shown.complete,
        hash=chunk.hash,
        images=chunk.images,
        matched=tuple(term.text for term in ranked.matched),
    )


def _other_files(
    store: Store, lexicon: Lexicon, query: Query, hits: Sequence[Ranked]
) -> tuple[FileCount, ...]:
    shown = {hit.chunk.file_path for hit in hits}
    counts = store.files(query, lexicon.docs, COUNT_CAP)
    others = sorted(
        (item for item in counts.items() if item[0] not in shown), key=lambda i: (-i[1], i[0])
    )
    return tuple(FileCount(path, count) for path, count in others[:OTHER_FILES])


def _known(lexicon: Lexicon, words: Sequence[Word]) -> float:
    """The share of the weighty words' weight that belongs to words which occur at all."""
    weights = [(lexicon.weight(word.count), word.found) for word in words if not word.stop]
    known = sum(weight for weight, found in weights if found)
    return known / (sum(weight for weight, _ in weights) or 1.0)


def _counts(words: Sequence[Word]) -> tuple[WordCount, ...]:
    weighty = {word.text: word.count for word in words if not word.stop}
    return tuple(WordCount(text, count) for text, count in weighty.items())


def _suggestions(store: Store, lexicon: Lexicon, missing: Sequence[str]) -> tuple[str, ...]:
    """Words that occur in the scope and differ from a missing one by a character or so."""
    near: dict[str, None] = {}
    for word in missing[:NEAR]:
        look_alikes = _one_character_off if is_cjk(word) else _spelled_alike
        found = look_alikes(store, word)
        near |= dict.fromkeys([one for one in found if _occurs(lexicon, one)][:NEAR])
    return tuple(near)[:SUGGESTIONS]


def _occurs(lexicon: Lexicon, word: str) -> bool:
    found = phrase(word)
    return found is not None and lexicon.count(found) > 0


def _one_character_off(store: Store, word: str) -> Iterator[str]:
    """统计表 for 统记表: each inner character replaced by what follows the one before it.

    Not the last: almost any word goes on with 的 or 和.
    """
    for at in range(1, len(word) - 1):
        for pair, _ in store.vocabulary(word[at - 1], FOLLOWERS):
            if len(pair) == 2:
                yield word[:at] + pair[1] + word[at + 1 :]


def _spelled_alike(store: Store, word: str) -> Iterator[str]:
    for term in (one for one in terms(word) if len(one) > 2):
        known = [found for found, _ in store.vocabulary(term[:2], 3000)]
        yield from get_close_matches(term, known, 6, 0.75)
