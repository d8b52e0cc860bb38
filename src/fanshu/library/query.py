"""Words that people and models write → queries of terms, with what the library knows of them.

User text is literal: nothing in it is query syntax but white space between words, `|`
between wordings, and quotation marks around words that belong together. A run of Chinese
without spaces is cut into words by asking the index itself what occurs (longest first), so
no dictionary is needed and a word of the documents is never cut differently in a query.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log

from fanshu.library.store import AllOf, AnyOf, DocIds, Query, Store
from fanshu.library.terms import CJK, Phrase, fold, is_cjk, phrase, terms

COUNT_CAP = 20_001  # counts beyond this say "very common", and cost time
MAX_QUERY_CHARS = 2_000  # a longer query is a pasted text; its beginning says what is meant
MAX_WORD = 12  # characters of the longest word tried in a run without spaces
SEGMENT_CAP = 2_001
WORD_ENDS = 0.05  # of the places; 0.1 to 0.3 did a little worse on real questions
MAX_UNKNOWN = 4  # a longer stretch of which nothing occurs is a clause, no word to report
MIN_STEM = 3
VARIANTS = 6  # inflections of one word that are tried

_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”|「([^」]+)」|(\S+)')
_RUN = re.compile(rf"[{CJK}]+|[^\s{CJK}]+")
_STOP_CJK = re.compile(
    "为什么|是什么|什么|怎么样|怎么办|怎么|怎样|如何|多少|多久|多长|多大|多高|大约|哪几个|哪几|哪些|哪个|哪里|哪儿|哪一|几个"
    "|是否|能否|请问|请说明|一共|分别|以及|应该|应当|可以|需要|的话|的|吗|呢|吧"
)
_STOP_LATIN = frozenset(
    "a an and any are as at be been being but by can could did do does done for from get had has "
    "have how i if in into is it its many may me much must my no not of often on one or our own "
    "shall should so some such than that the their them then there these they this those to up us "
    "was we were what when where which who whom whose why will with would you your".split()
)
_EDGES = (  # characters that a stretch without meaning begins or ends with
    "的了是在和与及或把被对从到给里上下中时后前之其该此它我你他们有没不也就还都又再能会要想请让用做"
    "个些这那哪几么呢吗吧啊着过地得很最说"
)
_PUNCTUATION = ".,;:!?'\"()[]{}<>…，。；：！？、（）【】《》“”‘’「」"
_SUFFIXES = ("ings", "ing", "ies", "ied", "ed", "es", "s", "e", "y")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a query: as written, how to find it, how many chunks in the scope hold it.

    `stop`: it carries no meaning of its own. `literal` is the text that was looked for.
    """

    text: str
    query: Query
    count: int
    stop: bool = False

    @property
    def found(self) -> bool:
        return self.count > 0


class Lexicon:
    """What occurs in some documents of a store. Counts are kept: one search asks often."""

    def __init__(self, store: Store, docs: DocIds, chunks: int) -> None:
        self.store = store
        self.docs = docs
        self.chunks = max(chunks, 1)
        self._counts: dict[Query, int] = {}

    def count(self, query: Query) -> int:
        """Chunks that match, up to `COUNT_CAP`."""
        if query not in self._counts:
            self._counts[query] = self.store.count(query, self.docs, COUNT_CAP)
        return self._counts[query]

    def weight(self, count: int) -> float:
        """How much a word tells, by how few chunks hold it (inverse document frequency)."""
        return log(1 + self.chunks / max(count, 1))

    def word(self, literal: str) -> Word | None:
        """A literal as one word; None when nothing in it can be searched."""
        found = phrase(literal)
        if found is None:
            return None
        count = self.count(found)
        query: Query = found
        if not count:
            variants = self.inflections(found)
            if variants:
                query = AnyOf(variants)
                count = self.count(query)
        return Word(literal, query, count, fold(literal) in _STOP_LATIN)

    def inflections(self, word: Phrase) -> tuple[Phrase, ...]:
        """Other forms of a Latin word that occur: timeout for timeouts."""
        if len(word.terms) != 1 or not word.terms[0].isascii() or not word.terms[0].isalpha():
            return ()
        root = stem(word.terms[0])
        near = self.store.vocabulary(root[: max(len(root) - 1, MIN_STEM)], 200)
        forms = [term for term, _ in near if term != word.terms[0] and stem(term) == root]
        return tuple(Phrase((form,)) for form in forms[:VARIANTS] if self.count(Phrase((form,))))

    def segments(self, literal: str) -> Iterator[Word]:
        """A literal cut where scripts change, and runs of Chinese cut into words that occur."""
        for run in _RUN.findall(literal):
            if not is_cjk(run):
                yield from self._latin(run)
                continue
            at = 0
            for match in _STOP_CJK.finditer(run):
                yield from self._cjk(run[at : match.start()])
                if stop := self.word(match[0]):
                    yield replace(stop, stop=True)
                at = match.end()
            yield from self._cjk(run[at:])

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
        for end in range(2, len(text) + 1):
            found = phrase(text[:end])
            count = self.store.count(found, self.docs, SEGMENT_CAP) if found else 0
            if count == 0 or count < before * WORD_ENDS:
                break
            size, before = end, count
        return size

    def _unknown(self, text: str) -> Iterator[Word]:
        """Characters between words: a missing word when they are as long as one."""
        kept = text.strip(_EDGES) or text
        if text and (word := self.word(kept)):
            yield replace(word, stop=not 2 <= len(kept.strip(_EDGES)) <= MAX_UNKNOWN)


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


def literals(wording: str) -> list[str]:
    """The words of a wording; quotation marks keep words together."""
    found = ("".join(groups).strip(_PUNCTUATION) for groups in _QUOTED.findall(wording))
    return [literal for literal in found if terms(literal)]


def most_of(lexicon: Lexicon, words: Sequence[Word]) -> Query | None:
    """A query for chunks with as many of the words as possible, None when none occurs.

    Long words are also looked for by their pairs of characters, so that a word which the
    documents write a little differently still counts for something. Very common words are
    left out beside selective ones: they cost time and decide nothing.
    """
    found = [word for word in words if word.found and not word.stop]
    if not found and all(word.found for word in words):
        found = list(words)  # a query of particles only is meant as it stands
    selective = [word for word in found if word.count * 3 < lexicon.chunks] or found
    parts: dict[Query, None] = {}
    for word in selective:
        parts[word.query] = None
        if isinstance(word.query, Phrase) and is_cjk(word.query.terms[0]):
            pairs = (Phrase((term,)) for term in word.query.terms if len(term) > 1)
            parts |= dict.fromkeys(pair for pair in pairs if lexicon.count(pair))
    return AnyOf(tuple(parts)) if parts else None


def all_of(words: Sequence[Word]) -> Query | None:
    """A query for chunks with every one of the words."""
    if not words or not all(word.found for word in words):
        return None
    return AllOf(tuple(word.query for word in words))
