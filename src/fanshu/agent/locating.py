"""Places for an answer that came without usable citations, as weak models send it.

A place is named only where a passage literally holds every figure and identifier of a statement
and most of the weight of its words, and no other passage does nearly as well: never the most
similar one. A bare figure or name ("250") is a statement about what was asked: its place holds it
and words of the question.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

from fanshu.agent.amounts import plain
from fanshu.agent.citing import Place, evidence_of
from fanshu.agent.claims import claims, unmarked
from fanshu.agent.evidence import widen
from fanshu.agent.ledger import check_figures
from fanshu.agent.planted import is_planted
from fanshu.agent.prompts import language_of
from fanshu.library.passages import passages
from fanshu.library.terms import is_cjk, terms
from fanshu.types import Chunk

COVERED = 0.6  # share of the words' weight in the passage, as benchmarks/checker.py measured it
AHEAD = 0.1  # share by which the next best passage has to fall behind; else it is a tie
ASKED = 0.35  # share, with the question's words that occur; see the check in docs/performance.md
FEWEST_WORDS = 3  # terms of a statement; fewer stand in too many places
MOST_STATEMENTS = 20  # of one answer; each is looked for in every passage that was read
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9_.-]+")
_CAPITAL = re.compile(r"(?<=[a-z0-9,;:(] )[A-Z][A-Za-z0-9_.-]+")
_STATEMENT = re.compile(r"[。；;！!？?\n]+|[.](?=\s|\Z)")
_CLAUSE = re.compile(r"[，,](?!\d)|\band\b")


@dataclass(frozen=True)
class _Passage:
    place: Place

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(_words("\n".join((self.place.passage, *self.place.over))))


def locate(response: str, read: Collection[Chunk], question: str = "") -> tuple[Place, ...]:
    """The places that hold each statement of a response, or none unless all have theirs."""
    statements = [one for one in _STATEMENT.split(unmarked(plain(response))) if terms(one)]
    if len(statements) > MOST_STATEMENTS:
        return ()
    known = [_Passage(place) for chunk in read for place in _places(chunk)]
    places = [one for each in statements for one in _placed(each, known, question)]
    return tuple(dict.fromkeys(one for one in places if one)) if all(places) else ()


def _placed(statement: str, known: Sequence[_Passage], question: str) -> list[Place | None]:
    """The place of a statement, or the places of its clauses that name a figure or name."""
    place = _place(statement, known, question)
    clauses = [one for one in _CLAUSE.split(statement) if claims(one) or _names(one)]
    if place or len(clauses) < 2 or not question:
        return [place]
    return [_place(one, known, question) for one in clauses]


def _places(chunk: Chunk) -> Iterator[Place]:
    for one in passages(chunk.text):
        if one.kind != "heading":
            place = Place(chunk, widen(chunk.text, (one.start, one.end)))
            if not is_planted(place):
                yield place


def _place(statement: str, known: Sequence[_Passage], question: str) -> Place | None:
    """The one passage that holds a statement: its words or, of a figure, those of the question.

    Where several say the same figure of what was asked, it is the one that was read first.
    """
    words = _words(statement)
    holding = [one for one in known if _holds(one, statement)]
    best = _best(words, holding, known, COVERED) if len(words) >= FEWEST_WORDS else []
    if best and _same(best):
        return best[0].place
    asked = {word for word in _words(question) if any(word in one.words for one in known)}
    if not asked or not (claims(statement) or _names(statement)):
        return None
    best = _best(words | asked, holding, known, ASKED)
    return best[0].place if best else None


def _best(
    words: Collection[str], holding: Sequence[_Passage], known: Sequence[_Passage], least: float
) -> list[_Passage]:
    """The passages with most of the weight of some words, none well ahead of another."""
    weights = {word: _weight(word, known) for word in words}
    total = sum(weights.values())
    shares = [(sum(weights[w] for w in one.words & weights.keys()) / total, one) for one in holding]
    best = max((share for share, _ in shares), default=0.0)
    return [one for share, one in shares if share >= least and share > best - AHEAD]


def _same(found: Sequence[_Passage]) -> bool:
    """Whether all are the same text of one file."""
    first, *others = (one.place for one in found)
    return all(
        one.passage == first.passage and one.chunk.file_path == first.chunk.file_path
        for one in others
    )


def _words(text: str) -> frozenset[str]:
    """The words of a text as the index has them; single characters say too little."""
    return frozenset(one for one in terms(text) if len(one) > 1 and not one.isdigit())


def _names(statement: str) -> frozenset[str]:
    """The words of a statement that are names: Latin ones among Chinese, or with a capital."""
    chinese = is_cjk(statement.lstrip()) or language_of(statement) == "zh"
    found = _LATIN.findall(statement) if chinese else _CAPITAL.findall(statement)
    return _words(" ".join(found))


def _weight(word: str, known: Sequence[_Passage]) -> float:
    """How much a word tells, by how few of the passages read hold it."""
    holding = sum(word in one.words for one in known)
    return log(1 + len(known) / max(holding, 1))


def _holds(one: _Passage, statement: str) -> bool:
    """Whether a passage holds every figure and name of a statement."""
    if not _names(statement) <= one.words:
        return False
    if not claims(statement):
        return True
    return not check_figures(statement, evidence_of([one.place]), "").unsupported
