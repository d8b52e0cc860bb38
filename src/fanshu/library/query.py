"""Words that people and models write → queries of terms, with what the library knows of them.

User text is literal: nothing in it is query syntax but white space between words, `|`
between wordings, and quotation marks around words that belong together. A run of Chinese
without spaces is cut into words by asking the index itself what occurs (longest first), so
no dictionary is needed and a word of the documents is never cut differently in a query.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import log
from typing import NamedTuple

from fanshu.library.quantities import joined, quantities, spellings
from fanshu.library.store import AllOf, AnyOf, DocIds, Query, Store
from fanshu.library.terms import CJK, Phrase, camel_words, fold, is_cjk, phrase, terms
from fanshu.types import COUNTED

COUNT_CAP = COUNTED + 1
UNCOUNTED = -1  # of a particle, which nobody asks for
MAX_QUERY_CHARS = 2_000  # a longer query is a pasted text; its beginning says what is meant
MAX_WORD = 12  # characters of the longest word tried in a run without spaces
SEGMENT_CAP = 2_001
GROUP = 25  # words that are looked for together, when few of them may occur
WORD_ENDS = 0.05  # of the places; 0.1 to 0.3 did a little worse on real questions
MAX_UNKNOWN = 4  # a longer stretch of which nothing occurs is a clause, no word to report
MIN_STEM = 3
VARIANTS = 6  # inflections of one word that are tried

_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”|「([^」]+)」|(\S+)')
_RUN = re.compile(rf"[{CJK}]+|[^\s{CJK}]+")
_STOP_CJK = re.compile(
    "为什么|是什么|什么|怎么样|怎么办|怎么|怎样|如何|多少|多久|多长|多大|多高|大约|哪几个|哪几|哪些|哪个|哪里|哪儿|哪一|几个"
    "|是否|能否|请问|请说明|一共|分别|以及|应该|应当|可以|需要|各是|各为|各按|各留"
    "|只答|只回答|列全|请列出|列出|请给出|给出|这一项|这一个|这个数|这个值|的话|的|吗|呢|吧"
)
PARTICLES = frozenset(
    "a an and any are as at be been being but by can could did do does done for from get "
    "give had has have how i if in into is it its just many may me much must my no not of "
    "often on one or our own please shall should so some such tell than that the their them "
    "then there these they this those to up us was we were what when where which who whom "
    "whose why will with would you your".split()
)
_EDGES = (  # characters that a stretch without meaning begins or ends with
    "的了是在和与及或把被对从到给里上下中时后前之其该此它我你他们有没不也就还都又再能会要想请让用做"
    "个些这那哪几么呢吗吧啊着过地得很最说"
)
_PUNCTUATION = ".,;:!?'\"()[]{}<>…，。；：！？、（）【】《》“”‘’「」"
_SUFFIXES = ("ings", "ing", "ies", "ied", "ed", "es", "s", "e", "y")


_PART_ENDS = re.compile(r"(?<=[？?；;。：])\s*|(?<=[.:])\s+(?=\S)")
MAX_PARTS = 6
LEAST_PART = 4  # characters; what is shorter asks for nothing of its own


class Literal(NamedTuple):
    """A piece of a wording; `exact`: it stood in quotation marks, and counts only as it stands."""

    text: str
    exact: bool


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a query: as written, how to find it, how many chunks in the scope hold it.

    `stop`: it carries no meaning of its own. `forms`: the texts that count as this word, where
    it is not only the word as written. `left_over`: characters of a run that make no word.
    """

    text: str
    query: Query
    count: int
    stop: bool = False
    forms: tuple[str, ...] = ()
    left_over: bool = False

    @property
    def found(self) -> bool:
        return self.count > 0


class Lexicon:
    """What occurs in some documents of a store. Counts are kept: one search asks often."""

    def __init__(self, store: Store, docs: DocIds, chunks: int) -> None:
        self.store = store
        self.docs = docs
        self.searched = chunks
        self.chunks = max(chunks, 1)
        self._counts: dict[Query, int] = {}
        self._begun: dict[tuple[str, int], Sequence[tuple[str, int]]] = {}

    def count(self, query: Query) -> int:
        """Chunks that match, up to `COUNT_CAP`."""
        return self.counts([query])[0]

    def counts(self, queries: Sequence[Query]) -> list[int]:
        """`count` of each, on one journey to the store."""
        asked = [one for one in dict.fromkeys(queries) if one not in self._counts]
        if asked:
            self._counts |= zip(asked, self.counted(asked, COUNT_CAP), strict=True)
        return [self._counts[one] for one in queries]

    def counted(self, queries: Sequence[Query], cap: int) -> Iterator[int]:
        """Chunks that match each, up to `cap`, as they are taken; what was counted to its end is
        kept.
        """
        asked = [one for one in queries if self._counts.get(one, COUNT_CAP) >= COUNT_CAP]
        counts = iter(self.store.counts(asked, self.docs, cap) if asked else ())
        new = frozenset(asked)
        for one in queries:
            count = next(counts) if one in new else min(cap, self._counts[one])
            if one in new and count < min(cap, COUNT_CAP):
                self._counts[one] = count
            yield count

    def files(self, query: Query, cap: int) -> Mapping[str, int]:
        """Chunks that match, by file, over the first `cap` of them."""
        return self.store.files(query, self.docs, cap)

    def occurring(self, words: Iterable[str]) -> list[str]:
        """Those words that stand anywhere in these documents."""
        found = [(word, query) for word in words if (query := phrase(word))]
        counts = self.counts([query for _, query in found])
        return [word for (word, _), count in zip(found, counts, strict=True) if count]

    def first_occurring(self, words: Iterable[str], at_most: int) -> list[str]:
        """The first so many of `occurring`, for words hardly any of which does."""
        asked = [(word, query) for word in words if (query := phrase(word))]
        groups = [asked[at : at + GROUP] for at in range(0, len(asked), GROUP)]
        anywhere = [AnyOf(tuple(query for _, query in group)) for group in groups]
        found: list[str] = []
        for group, there in zip(groups, self.counted(anywhere, 1), strict=False):
            if len(found) >= at_most:
                break
            if there:
                found += self.occurring(word for word, _ in group)
        return found[:at_most]

    def vocabulary(self, prefix: str, limit: int) -> Sequence[tuple[str, int]]:
        """`Store.vocabulary`, asked once: it counts every term that begins so."""
        if (prefix, limit) not in self._begun:
            self._begun[prefix, limit] = self.store.vocabulary(prefix, limit)
        return self._begun[prefix, limit]

    def weight(self, count: int) -> float:
        """How much a word tells, by how few chunks hold it (inverse document frequency)."""
        return log(1 + self.chunks / max(count, 1))

    def word(self, literal: str) -> Word | None:
        """A literal as one word; None when nothing in it can be searched."""
        found = phrase(literal)
        if found is None:
            return None
        stop = fold(literal) in PARTICLES
        if forms := self.occurring(spellings(literal)):
            return self.any_of(literal, (literal, *forms))
        if not self.count(found) and (forms := self.occurring(self.variants(literal, found))):
            return self.any_of(literal, forms)
        return Word(literal, found, self.count(found), stop)

    def any_of(self, literal: str, forms: Sequence[str]) -> Word:
        """A word that stands wherever one of the forms does."""
        query = AnyOf(tuple(found for form in forms if (found := phrase(form))))
        return Word(literal, query, self.count(query), forms=tuple(forms))

    def variants(self, literal: str, word: Phrase) -> Iterator[str]:
        """What an absent Latin word may be written as: inflected, in one word or in several."""
        if all(term.isascii() and term.isalpha() for term in word.terms):
            if len(word.terms) == 1:
                yield from filter(None, [camel_words(literal)])
                yield from self._inflections(word.terms[0])
                yield from _in_two(word.terms[0])
            elif len(word.terms) == 2 and " " not in literal:
                yield "".join(word.terms)
                yield from self._inflections("".join(word.terms))

    def _inflections(self, word: str) -> Iterator[str]:
        """Other forms of a Latin word: timeout for timeouts."""
        root = stem(word)
        near = self.vocabulary(root[: max(len(root) - 1, MIN_STEM)], 200)
        forms = (term for term, _ in near if term != word and stem(term) == root)
        yield from islice(forms, VARIANTS)

    def segments(self, piece: Literal) -> Iterator[Word]:
        """A piece cut where scripts change, and runs of Chinese cut into words that occur.

        What is exact stays whole, and so do quantities.
        """
        literal, at = piece.text, 0
        if piece.exact:
            yield from filter(None, [self.word(literal)])
            return
        for start, end in quantities(literal):
            yield from self._runs(literal[at:start])
            if word := self.word(literal[start:end]):
                yield word
            at = end
        yield from self._runs(literal[at:])

    def _runs(self, literal: str) -> Iterator[Word]:
        for run in _RUN.findall(literal):
            if not is_cjk(run):
                yield from self._latin(run)
                continue
            at = 0
            for match in _STOP_CJK.finditer(run):
                yield from self._cjk(run[at : match.start()])
                if stop := self._stop(match[0]):
                    yield stop
                at = match.end()
            yield from self._cjk(run[at:])

    def _stop(self, literal: str) -> Word | None:
        """A word without meaning. A lone character is not counted: it costs most of a search."""
        found = phrase(literal)
        if found is None:
            return None
        return Word(literal, found, UNCOUNTED if found.prefix else self.count(found), stop=True)

    def _latin(self, run: str) -> Iterator[Word]:
        """A Latin run is one word if it occurs, else its parts (`[un]restrict`, a/b)."""
        whole = self.word(run.strip(_PUNCTUATION))
        if whole is None:
            return
        if whole.found or len(terms(run)) == 1:
            yield whole
            return
        parts = [self.word(part) for part in re.findall(r"\w+", run)]
        yield from (part for part in parts if part) if len(parts) > 1 else [whole]

    def _cjk(self, run: str) -> Iterator[Word]:
        """Longest match against the index; what no word covers is put together as unknown."""
        at = unknown = 0
        while at < len(run):
            size = self._longest(run[at : at + MAX_WORD])
            if not size:
                at += 1
                continue
            yield from self._unknown(run[unknown:at])
            if word := self.word(run[at : at + size]):
                yield word
            at = unknown = at + size
        yield from self._unknown(run[unknown:])

    def _longest(self, text: str) -> int:
        """The length of the word that a run begins with, 0 when its first pair never occurs.

        A beginning grows while it occurs, and while most of its places allow it to: when the
        next character leaves only few of them, a word has ended before it.
        """
        size = before = 0
        begun = [(end, found) for end in range(2, len(text) + 1) if (found := phrase(text[:end]))]
        counts = self.counted([found for _, found in begun], SEGMENT_CAP)
        for (end, _), count in zip(begun, counts, strict=False):
            if count == 0 or count < before * WORD_ENDS:
                break
            size, before = end, count
        return size

    def _unknown(self, text: str) -> Iterator[Word]:
        """Characters between words: a missing word when they are as long as one."""
        kept = text.strip(_EDGES) or text
        if text and (word := self.word(kept)):
            stop = not 2 <= len(kept.strip(_EDGES)) <= MAX_UNKNOWN
            yield replace(word, stop=stop, left_over=kept not in _EDGES)


class Remainder(Lexicon):
    """What occurs in all documents of a lexicon but a part of them, whose paths are `paths`.

    Told by what is in all and in the part: a store finds both sooner than all but a part.
    """

    def __init__(
        self, whole: Lexicon, part: Lexicon, docs: frozenset[int], paths: frozenset[str]
    ) -> None:
        super().__init__(whole.store, docs, whole.searched - part.searched)
        self._whole, self._part, self._paths = whole, part, paths
        self._begun = part._begun

    def counted(self, queries: Sequence[Query], cap: int) -> Iterator[int]:
        """Chunks that match each, up to `cap`."""
        if cap <= SEGMENT_CAP:  # few are taken of those that are asked for
            every = self._whole.counted(queries, 2 * cap)
            pairs = zip(every, self._part.counted(queries, cap), strict=True)
        else:
            inside = list(self._part.counted(queries, cap))
            further = cap + max((count for count in inside if count < cap), default=0)
            pairs = zip(self._whole.counted(queries, further), inside, strict=True)
        for one, (count, there) in zip(queries, pairs, strict=True):
            if there < cap:
                yield min(cap, count - there)
            else:  # both were cut off, and cannot be compared
                yield from self.store.counts([one], self.docs, cap)

    def files(self, query: Query, cap: int) -> Mapping[str, int]:
        """Chunks that match, by file, over the first `cap` of them."""
        if self._whole.count(query) > cap:
            return super().files(query, cap)
        found = self._whole.files(query, cap)
        return {path: count for path, count in found.items() if path not in self._paths}


def without_particles(text: str) -> str:
    """A text without question words and the characters that carry no meaning of their own."""
    return "".join(" " if char in _EDGES else char for char in _STOP_CJK.sub(" ", fold(text)))


def _in_two(word: str) -> Iterator[str]:
    """A word as two: time out for timeout."""
    yield from (f"{word[:at]} {word[at:]}" for at in range(MIN_STEM, len(word) - MIN_STEM + 1))


def is_name(word: str) -> bool:
    """Whether a word is the name of a thing: an identifier, a version, an abbreviation."""
    return word.isascii() and not word.isdecimal() and not (word.isalpha() and word[1:].islower())


def stem(word: str) -> str:
    """A rough stem of an English word, good enough to see that two forms are one word."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= MIN_STEM:
            word = word.removesuffix(suffix)
            break
    return word[:-1] if len(word) > MIN_STEM and word[-1] == word[-2] else word


def wordings(text: str) -> list[str]:
    """The wordings of a query, separated by `|`."""
    return [wording for part in text[:MAX_QUERY_CHARS].split("|") if (wording := part.strip())]


def parts(question: str) -> list[str]:
    """The questions of a text that asks several; none of one that asks a single question."""
    pieces = (piece.strip() for piece in _PART_ENDS.split(question[:MAX_QUERY_CHARS]))
    asked = [piece for piece in pieces if piece.endswith(("?", "？"))]
    several = [piece for piece in asked if len(piece) > LEAST_PART][:MAX_PARTS]
    return several if len(several) > 1 else []


def literals(wording: str) -> list[Literal]:
    """The pieces of a wording between white space; quotation marks keep words together."""
    found = []
    for *quoted, bare in _QUOTED.findall(joined(wording)):
        text = ("".join(quoted) or bare).strip(_PUNCTUATION)
        if terms(text):
            found.append(Literal(text, exact=not bare))
    return found


def most_of(lexicon: Lexicon, words: Sequence[Word], rows: int) -> Query | None:
    """A query for chunks with as many of the words as possible, None when none occurs.

    Long words are also looked for by their pairs of characters, so that a word which the
    documents write a little differently still counts for something. Very common words are
    left out beside selective ones: they cost time and decide nothing. So are, of many words,
    the most common, once the others match in about so many `rows`.
    """
    found = [word for word in words if word.found and not word.stop]
    if not found and all(word.found for word in words):
        found = list(words)  # a query of particles only is meant as it stands
    selective = [word for word in found if word.count * 3 < lexicon.chunks] or found
    parts: dict[Query, None] = {}
    for word in selective:
        parts[word.query] = None
        if isinstance(word.query, Phrase) and is_cjk(word.query.terms[0]):
            pairs = [Phrase((term,)) for term in word.query.terms if len(term) > 1]
            counts = lexicon.counts(pairs)
            parts |= {pair: None for pair, count in zip(pairs, counts, strict=True) if count}
    kept = _affordable(lexicon, list(parts), rows)
    return AnyOf(tuple(part for part in parts if part in kept)) if parts else None


def _affordable(lexicon: Lexicon, parts: Sequence[Query], rows: int) -> set[Query]:
    """The rarest queries, at least one, whose matches together are about so many `rows`."""
    kept: set[Query] = set()
    matches = 0
    for part in sorted(parts, key=lexicon.count):
        matches += lexicon.count(part)
        if kept and matches > rows:
            break
        kept.add(part)
    return kept


def all_of(words: Sequence[Word]) -> Query | None:
    """A query for chunks with every one of the words that are counted."""
    needed = [w for w in words if w.count != UNCOUNTED and (w.found or not w.stop)]
    if not needed or not all(word.found for word in needed):
        return None
    return needed[0].query if len(needed) == 1 else AllOf(tuple(word.query for word in needed))
