"""One search from words to hits: wordings → levels → ranking → snippets.

Several wordings are searched each for itself (`levels`) and merged by rank; the result tells how
well the best of them did. A question in several sentences brings the best place for each.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from fanshu.library.duplicates import Distinct, distinct
from fanshu.library.levels import Finder, Found, besides
from fanshu.library.nearness import near_words
from fanshu.library.query import Lexicon, Word, is_name, parts, wordings
from fanshu.library.ranking import CANDIDATES, Ranked, Term, newest_first
from fanshu.library.snippets import snippet
from fanshu.library.store import AnyOf, OutOfTime, Query, Store
from fanshu.library.widening import OtherWords
from fanshu.types import (
    COUNTED,
    TOO_MANY,
    TOO_SLOW,
    FileCount,
    Hit,
    Level,
    OtherWord,
    SearchResult,
    WordCount,
)

FUSION = 60  # the constant of reciprocal rank fusion (Cormack et al. 2009)
LEADS = 20  # candidates for the best chunk of a part of a question
OTHER_FILES = 100  # names; all of them, unless it is everywhere
LISTED = 4_000  # chunks whose files are counted, 0.4 us each; nobody goes through more
STRONG = 0.35  # share of the question's weight in the best hit; of 63 answerable questions of the
# evaluation set that reach it, the best or second hit was a right place in 61
_NOTHING: list[Level] = ["none"]
_ORDER: dict[Level, int] = {"phrase": 0, "all": 1, "some": 2, "none": 3}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Findings:
    """What all wordings of a search found; `level` is that of the best.

    `own`: the ids of the chunks that its own words found, without other words for them.
    """

    found: Sequence[Found]
    level: Level
    own: frozenset[str]

    @property
    def words(self) -> list[Word]:
        return [word for one in self.found for word in one.words]

    @property
    def meant(self) -> list[Word]:
        return [word for one in self.found for word in one.meant]

    @property
    def best(self) -> list[Found]:
        return [one for one in self.found if one.level == self.level and one.query is not None]

    @property
    def query(self) -> Query | None:
        """What the wordings of the best level ask for."""
        queries = tuple(one.query for one in self.best if one.query is not None)
        return AnyOf(queries) if len(queries) > 1 else next(iter(queries), None)

    @property
    def ranked(self) -> Sequence[Ranked]:
        """Their chunks, under them those that only other words found."""
        ranked = _merge(self.best)
        if self.level == "none":
            return ranked
        more = _merge([one for one in self.found if one.level == "none" and one.ranked])
        return [*ranked, *besides(more, ranked)]

    @property
    def alike(self) -> bool:
        """Whether every wording that found anything found it by all of its words, the same way."""
        whole = self.level in ("phrase", "all")
        return whole and {one.level for one in self.found} <= {self.level, "none"}


def search(
    store: Store,
    lexicon: Lexicon,
    words: str,
    k: int,
    *,
    question: bool = False,
    outdated: Collection[str] = (),
    others: OtherWords | None = None,
    weakest: Level = "some",
) -> SearchResult:
    """The `k` chunks that match best among the lexicon's documents.

    `others`: where to look for other words when these find fewer than `k`. Chunks of `outdated`
    files rank under equal ones of the versions that replaced them. Readings that are weaker than
    `weakest` are not tried. When the time is up (see
    `Store.within`) the result is what was found until then; for no hits nothing is ranked
    and nothing suggested.
    """
    finder = Finder(lexicon, max(k, CANDIDATES) if k else 0, question, weakest)
    findings = _findings(finder, words, k, outdated, others)
    leads = _leads(lexicon, words) if question and k else []
    chosen = distinct(_led(findings.ranked, [lead.ranked[0] for lead in leads]), k)
    hits = tuple(_hit(one, findings.found) for one in chosen)
    total, files = _extent(lexicon, findings.query)
    missing = tuple(dict.fromkeys(w.text for w in findings.words if not w.found and not w.stop))
    return SearchResult(
        query=words,
        level=findings.level,
        total=total if findings.level != "none" else 0,
        hits=hits,
        other_files=_other_files(files, chosen),
        files=len(files),
        exhaustive=findings.alike and _are_all(hits, total, findings.own),
        missing=missing,
        suggestions=_or((), lambda: _near(lexicon, missing)) if k else (),
        others=_others(findings.found),
        words=_counts(findings.words),
        searched=lexicon.searched,
        strong=bool(chosen)
        and not any(is_name(word) for word in missing)
        and _strong(lexicon, chosen[0].ranked, findings.meant),
        leads=_strong_ones(lexicon, leads),
        complete=not store.out_of_time(),
        warnings=_warnings(store, findings.level, total),
    )


def _findings(
    finder: Finder, words: str, k: int, outdated: Collection[str], others: OtherWords | None
) -> _Findings:
    every = wordings(words)
    found = _in_time(finder.find(one) for one in every)
    own = frozenset(one.chunk.chunk_id for f in found for one in f.ranked)
    if others and k:
        found = [
            _or(one, partial(finder.widen, one, wording, others, k))
            for wording, one in zip(every, found, strict=False)
        ]
    found = [replace(one, ranked=newest_first(one.ranked, words, outdated)) for one in found]
    found = [one for one in found if one.words]
    level = min([f.level for f in found] or _NOTHING, key=_ORDER.__getitem__)
    return _Findings(found, level, own)


# ------------------------------------------------------------ time


def _in_time(found: Iterator[T]) -> list[T]:
    """What comes until the time is up."""
    kept: list[T] = []
    with suppress(OutOfTime):
        kept.extend(found)
    return kept


def _or(otherwise: T, work: Callable[[], T]) -> T:
    """What some work gives, or something else when the time is up."""
    try:
        return work()
    except OutOfTime:
        return otherwise


def _warnings(store: Store, level: Level, total: int) -> tuple[str, ...]:
    if store.out_of_time():
        return (TOO_SLOW,)
    return (TOO_MANY,) if total > COUNTED and level in ("phrase", "all") else ()


# ------------------------------------------------------------ order


def _merge(found: Sequence[Found]) -> Sequence[Ranked]:
    """All wordings' chunks in one order; one that several wordings found rises."""
    if len(found) == 1:
        return found[0].ranked
    fused: dict[str, float] = {}
    by_id: dict[str, Ranked] = {}
    for one in found:
        for place, ranked in enumerate(one.ranked):
            chunk_id = ranked.chunk.chunk_id
            fused[chunk_id] = fused.get(chunk_id, 0.0) + 1 / (FUSION + place)
            by_id.setdefault(chunk_id, ranked)
    order = sorted(fused, key=lambda chunk_id: (-fused[chunk_id], chunk_id))
    return [by_id[chunk_id] for chunk_id in order]


def _leads(lexicon: Lexicon, words: str) -> list[Found]:
    """What each part of a question in several sentences finds."""
    finder = Finder(lexicon, LEADS, question=True)
    return [one for one in _in_time(finder.find(part) for part in parts(words)) if one.ranked]


def _led(ranked: Sequence[Ranked], leads: Sequence[Ranked]) -> list[Ranked]:
    """The best chunk of a whole question, the best of each of its parts, then the rest.

    A question in several sentences finds what they share; the place of one of them may be far
    down (of 36 hard questions, all places in the first ten: 22 instead of 20).
    """
    by_id = {one.chunk.chunk_id: one for one in ranked}
    first = [*ranked[:1], *(by_id.get(lead.chunk.chunk_id, lead) for lead in leads)]
    unique = {one.chunk.chunk_id: one for one in (*first, *ranked)}
    return list(unique.values())


def _strong(lexicon: Lexicon, best: Ranked, words: Sequence[Word]) -> bool:
    """Whether a chunk covers so much of what was asked that its text is worth showing unasked."""
    return best.coverage * _known(lexicon, words) >= STRONG


def _strong_ones(lexicon: Lexicon, leads: Sequence[Found]) -> tuple[str, ...]:
    strong = (one.ranked[0] for one in leads if _strong(lexicon, one.ranked[0], one.words))
    return tuple(dict.fromkeys(one.chunk.chunk_id for one in strong))


def _known(lexicon: Lexicon, words: Sequence[Word]) -> float:
    """The share of the weighty words' weight that belongs to words which occur at all."""
    weights = [(lexicon.weight(word.count), word.found) for word in words if not word.stop]
    known = sum(weight for weight, found in weights if found)
    return known / (sum(weight for weight, _ in weights) or 1.0)


# ------------------------------------------------------------ hits


def _hit(one: Distinct, found: Sequence[Found]) -> Hit:
    ranked, chunk = one.ranked, one.ranked.chunk
    heading = chunk.section_path[-1] if chunk.section_path else ""
    shown = snippet(chunk.text, _terms(found), heading)
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
        same=one.same,
        second=shown.second,
        via=_via(ranked, found),
    )


def _terms(found: Iterable[Found]) -> tuple[Term, ...]:
    unique = {term.pattern: term for one in found for term in one.terms}
    return tuple(unique.values())


def _via(ranked: Ranked, found: Sequence[Found]) -> tuple[OtherWord, ...]:
    every = (one for f in found if f.widened for one in f.widened.via(ranked))
    return tuple(dict.fromkeys(every))


def _others(found: Sequence[Found]) -> tuple[OtherWord, ...]:
    return tuple(dict.fromkeys(o for one in found if one.widened for o in one.widened.others))


# ------------------------------------------------------------ how much there is


def _extent(lexicon: Lexicon, query: Query | None) -> tuple[int, Mapping[str, int]]:
    """How many chunks match, and by file, unless there are too many to count."""
    if query is None:
        return 0, {}
    total = _or(0, lambda: lexicon.count(query))
    nowhere: Mapping[str, int] = {}
    if not 0 < total <= LISTED:
        return total, nowhere
    return total, _or(nowhere, lambda: lexicon.files(query, LISTED))


def _other_files(counts: Mapping[str, int], hits: Sequence[Distinct]) -> tuple[FileCount, ...]:
    shown = {hit.ranked.chunk.file_path for hit in hits}
    shown |= {same.rpartition("#")[0] for hit in hits for same in hit.same}
    others = sorted(
        (item for item in counts.items() if item[0] not in shown), key=lambda i: (-i[1], i[0])
    )
    return tuple(FileCount(path, count) for path, count in others[:OTHER_FILES])


def _are_all(hits: Sequence[Hit], total: int, own: Collection[str]) -> bool:
    """Whether no chunk that the query's own words found is left out."""
    shown = {chunk_id for hit in hits for chunk_id in (hit.chunk_id, *hit.same)}
    return 0 < total <= len(shown & frozenset(own))


def _counts(words: Sequence[Word]) -> tuple[WordCount, ...]:
    weighty = {word.text: word.count for word in words if not word.stop}
    return tuple(WordCount(text, count) for text, count in weighty.items())


def _near(lexicon: Lexicon, missing: Sequence[str]) -> tuple[str, ...]:
    return tuple(one for near in near_words(lexicon, missing).values() for one in near)
