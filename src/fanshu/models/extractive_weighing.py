"""How well a unit of text answers a part of a question.

It is worth the weight of the asked words that stand in it, in what leads in to it, in its headings,
in its chunk, less from each to the next; more when it holds the kind of thing that is asked for,
near the words. No model, no statistics beyond how many chunks hold a word.

The worths were set by hand on questions about the example library, and kept where two other sets
of questions did not get worse (docs/performance.md, docs/log.md).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from fanshu.library.terms import CJK, fold, is_cjk
from fanshu.models.extractive_asked import Asked
from fanshu.models.extractive_units import Source, Unit, first_cell, units_of
from fanshu.models.extractive_words import Word, words_of
from fanshu.types import SearchResult

LEAD = 0.9  # what a word is worth that stands in the header or lead-in only
LEAF = 0.6  # … in the section's own heading only
LEAF_OF_GROUP = 0.9  # … which names what a list or table is about
HEADING = 0.5  # … in the headings above, or the file's name
NEARBY = 0.25  # … elsewhere in the chunk
HALF = 0.5  # of that, for a word in a single piece of a list
CONTEXT = 0.3  # all words of the question's other parts together
VALUE = 0.2  # for a unit that holds what is asked for, as much again when it is near the words
UNIT = 0.1  # … in the unit that was named
NEAR = 40  # characters at which nearness has halved
GROUP = 0.15  # for a list when a list or procedure is asked for, and against it when not
MEANING = 0.2  # for "X is …" or a row about X when it is asked what X is
RANK = 0.2  # for the rank of the hit, so that the search's judgement breaks ties
NAMED = 0.15  # for the row or the section that is about the name asked for
COLUMN = 0.1  # for the row of a table that has a column for what is asked
CODE = -0.1  # for a line of code without what is asked for: it is part of something
ANNOUNCES = -0.15  # for what only leads in to something else
STALE = -0.15  # for what a folder or file calls old, unless the old is asked for
ABOUT = -0.25  # for a sentence that only says what the text is about
UNNAMED = 0.6  # times, for a unit that has nothing to do with the names asked for
SUBJECT = 6  # characters before a Chinese question word that say what is asked for
BEGINNING = 20  # characters of a sentence in which its subject begins

_TOKEN = re.compile(rf"[^\s'\"(){CJK}（），。：]+")
_STALE = re.compile(
    r"历史|旧版|归档|废止|作废|(?<![a-z])(?:archived?|legacy|obsolete|deprecated|old)(?![a-z])"
)
_ABOUT = re.compile(
    r"本(?:篇|文|章|节|手册|文档|指南|页)[^，。]{0,6}(?:说明|介绍|描述|讲述|列出|包括|包含)"
    r"|详见|^[^，。]{0,12}见[《“].{2,30}[》”]。?$"
    r"|\bthis (?:document|guide|page|section|chapter|manual)[^.]{0,20} "
    r"(?:describes?|explains?|covers?|shows?|lists?|is about)|^see (?:also|the|chapter"
    r"|section)\b"
)
_MEANS = re.compile(
    r"\s*[`*\"”）)']*\s*(?:，?(?:是|指|即|称|表示|用于|用来)|[:：]|——|-{1,2} "
    r"|(?:is|are|means|stands for|refers to|denotes)\b)"
)


@dataclass(frozen=True, slots=True)
class Fitting:
    """A unit with how well it fits: `fit` is the share of the words' weight, `score` decides.

    `holds`: it has what is asked for. `words`: those that stand in it or over it. `over`: the
    heading that holds what is asked for, where the unit itself does not.
    """

    unit: Unit
    score: float
    fit: float
    holds: bool
    words: frozenset[str]
    over: str = ""


class Weighing:
    """The words of a part of a question, and how well units fit them."""

    def __init__(
        self, asked: Asked, result: SearchResult, context: SearchResult | None = None
    ) -> None:
        self.asked = asked
        words = words_of(asked, result)
        said = fold(asked.text)
        self.words = [word for word in words if word.folded in said] or words
        own = {word.text for word in self.words}
        others = [*words, *(words_of(asked, context) if context else [])]
        self.context = [word for word in others if word.text not in own and word.occurs]
        if all(word.general for word in self.words):  # "and how many of them?"
            self.words, self.context = [*self.words, *self.context], []
        self.total = sum(word.weight for word in self.words) or 1.0
        self.names = [word for word in self.words if word.name]

    def fit_of_known(self, one: Fitting) -> float:
        """How well a unit fits the words that occur at all."""
        return one.fit / (self.known or 1.0)

    @property
    def known(self) -> float:
        """The share of the weight that belongs to words which occur at all."""
        return sum(word.weight for word in self.words if word.occurs) / self.total

    @property
    def lacks_subject(self) -> bool:
        """Whether what a value is asked of, a word just before the asking, stands nowhere."""
        said = fold(self.asked.text)
        signs = [at for sign in self.asked.signs if (at := said.find(sign)) > 0]
        if not (self.asked.value and signs and is_cjk(said[min(signs) - 1])):
            return False
        before = said[max(0, min(signs) - SUBJECT) : min(signs)]
        return any(word.folded[-2:] in before for word in self.words if not word.occurs)

    def fittings(self, sources: Iterable[Source]) -> list[Fitting]:
        """Every unit of the sources, the best first."""
        every = (one for source in sources for one in self._fit(source))
        return sorted(every, key=lambda one: -one.score)

    def _fit(self, source: Source) -> Iterator[Fitting]:
        over = _Over(source)
        return (self._fitting(_Text(unit, over)) for unit in units_of(source))

    def _fitting(self, text: "_Text") -> Fitting:
        unit = text.unit
        shares = {word.text: text.share(word) for word in self.words}
        fit = sum(word.weight * shares[word.text] for word in self.words) / self.total
        score = fit + RANK * unit.source.score + self._in_context(text)
        value, over = self._value(text)
        score += value + self._form(text, holds=value > 0) + _manner(text, self.asked)
        if self.names and not any(shares[name.text] >= HEADING for name in self.names):
            score *= UNNAMED
        held = frozenset(word for word, share in shares.items() if share >= HEADING)
        return Fitting(unit, score, fit, value > 0, held, over)

    def _form(self, text: "_Text", *, holds: bool) -> float:
        """What its form is worth: a list, a row with the right column, the place of a name."""
        unit, asked = text.unit, self.asked
        worth = 0.0
        if unit.members:
            worth += GROUP if asked.group else -GROUP
        elif "definition" in asked.kinds and self._defines(text):
            worth += MEANING
        if unit.kind == "row" and asked.named_in(text.lead):
            worth += COLUMN
        if unit.kind == "code" and not holds:
            worth += CODE
        return worth + (NAMED if any(map(text.is_about, self.names)) else 0.0)

    def _in_context(self, text: "_Text") -> float:
        """What the words of the question's other parts are worth: what it is about."""
        weight = sum(word.weight for word in self.context) or 1.0
        return CONTEXT * sum(word.weight * text.share(word) for word in self.context) / weight

    def _value(self, text: "_Text") -> tuple[float, str]:
        """What a unit is worth for holding the kind of thing asked for; the heading that does."""
        shape, unit = self.asked.shape, self.asked.unit
        if shape is None:
            return 0.0, ""
        if text.unit.members and self.asked.value:
            return self._dated(text)
        places = [match.start() for match in shape.finditer(text.own)]
        if not places and text.unit.kind == "row" and self.asked.named_in(text.lead):
            places = [len(text.own)]
        if places:
            worth = VALUE + VALUE * text.nearness(places, self.words)
            return worth + (UNIT if unit and unit.search(text.own) else 0.0), ""
        return self._dated(text)

    def _dated(self, text: "_Text") -> tuple[float, str]:
        """What it is worth that the heading names the date or version that is asked for."""
        shape = self.asked.shape
        asked = shape and self.asked.kinds & {"date", "version"}
        dated = bool(asked and shape and shape.search(text.over.leaf))
        return (2 * VALUE, text.unit.source.leaf) if dated else (0.0, "")

    def _defines(self, text: "_Text") -> bool:
        """Whether it says what one of the weightiest words is."""
        for word in sorted(self.words, key=lambda word: -word.weight)[:2]:
            if text.unit.kind == "row" and word.part_in(text.cell):
                return True
            match = word.search(text.own)
            if match and match.start() < BEGINNING and _MEANS.match(text.own, match.end()):
                return True
        return False


def _manner(text: "_Text", asked: Asked) -> float:
    """What is held against a unit for what it talks about: itself, what follows, the past."""
    worth = ABOUT if _ABOUT.search(text.own) else 0.0
    if text.own.endswith((":", "：")) and not text.unit.members:
        worth += ANNOUNCES
    return worth + (STALE if text.over.stale and not asked.old else 0.0)


class _Text:
    """The folded texts of a unit: itself, and what leads in to it."""

    def __init__(self, unit: Unit, over: "_Over") -> None:
        self.unit, self.over = unit, over
        self.own = fold(unit.quote)
        self.lead = fold(unit.lead)

    @cached_property
    def cell(self) -> str:
        """What a row is about: its first cell."""
        return fold(first_cell(self.unit.quote)) if self.unit.kind == "row" else ""

    @cached_property
    def _pieces(self) -> list[str]:
        return [fold(one.quote) for one in self.unit.members]

    def share(self, word: Word) -> float:
        """What a word is worth by where it stands best.

        A word of a single piece of a list is that piece's, not the list's.
        """
        within, leaf, above = self.over.shares(word)
        own = word.part_in(self.own) if within else 0.0
        if own and self.unit.members:
            held = sum(bool(word.part_in(piece)) for piece in self._pieces)
            own *= 1.0 if held > 1 else HALF
        if own == 1.0:
            return own
        lead = LEAD * word.part_in(self.lead) if within and self.lead else 0.0
        if leaf:
            leaf *= LEAF_OF_GROUP if self.unit.members or self.is_about(word) else LEAF
        return max(own, lead, leaf, above, NEARBY * within)

    def is_about(self, name: Word) -> bool:
        """Whether a name is the subject: the first cell of the row, the section's own heading."""
        return bool(self.cell and name.part_in(self.cell)) or name.folded in self.over.tokens

    def nearness(self, places: Sequence[int], words: Sequence[Word]) -> float:
        """How near one of the places is to one of the words, from 0 to 1."""
        ends = [match.end() for word in words if (match := word.search(self.own))]
        if not ends:
            return 0.5
        return max(1 / (1 + abs(place - end) / NEAR) for place in places for end in ends)


class _Over:
    """What stands over and around the units of one source, and what it holds of each word."""

    def __init__(self, source: Source) -> None:
        self.leaf = fold(source.leaf)
        self.tokens = frozenset(_TOKEN.findall(self.leaf))
        self.heads = fold(f"{source.file_path} {' '.join(source.section_path)}")
        self.text = fold(f"{source.carried}\n{source.text}")
        self.stale = bool(_STALE.search(fold(source.file_path)))
        self._shares: dict[str, tuple[float, float, float]] = {}

    def shares(self, word: Word) -> tuple[float, float, float]:
        """How much of a word stands in the text and in the own heading; its worth above."""
        if word.text not in self._shares:
            above = HEADING * word.part_in(self.heads)
            leaf = word.part_in(self.leaf) if self.leaf and above else 0.0
            self._shares[word.text] = word.part_in(self.text), leaf, above
        return self._shares[word.text]
