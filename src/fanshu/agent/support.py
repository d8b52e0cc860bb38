"""The evidence of an answer, and whether a figure stands in it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from fanshu.agent.amounts import Figure, plain
from fanshu.agent.figures import figures
from fanshu.agent.sameness import says_same, within
from fanshu.agent.units import kin, stated_units
from fanshu.library.terms import fold

_DIGITS = re.compile(r"\d+")
NUMBERING = re.compile(r"\A\s*\d+(?:\.\d+)*[.、．]\s")
_HYPHEN = re.compile(r"(?<=[a-z])-(?=\d)")
_JOINTS = re.compile(r"[/.:@+=]")


@dataclass(frozen=True, slots=True)
class Quoted:
    """A passage that was quoted, and the text around it, which may say in what unit it counts."""

    passage: str
    around: str = ""


@dataclass(frozen=True)
class Evidence:
    """What an answer may rest on: the passages, and what stands over them.

    `headings` are headings, file names and dates: a bare number there, as in "method 1" or
    `003-retention.md`, is no amount of anything. Of `names` only identifiers count: they
    say what a passage is about.
    """

    passages: tuple[Quoted, ...]
    headings: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(quoted.passage for quoted in self.passages)

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        return tuple(one for figures in self._read for one in figures)

    @cached_property
    def _read(self) -> tuple[tuple[Figure, ...], ...]:
        return tuple(_figures_of(quoted.passage) for quoted in self.passages)

    @cached_property
    def overhead(self) -> tuple[Figure, ...]:
        bare = (NUMBERING.sub("", text) for text in self.headings)
        return tuple(one for text in bare for one in figures(plain(text)))

    @cached_property
    def folded(self) -> str:
        texts = (*(quoted.passage for quoted in self.passages), *self.headings, *self.names)
        return "\n".join(fold(plain(text)) for text in texts)

    @cached_property
    def _unhyphened(self) -> str:
        return _HYPHEN.sub("", self.folded)

    def source(self, claim: Figure) -> Figure | None:
        """The figure in the evidence that says the same as a claim, plainest first."""
        over = [one for one in self.overhead if bool(one.unit) == bool(claim.unit)]
        same = [one for one in over if says_same(claim, one)]
        for quoted, found in zip(self.passages, self._read, strict=True):
            measured = _measured(found, claim, quoted)
            same += [one for one in measured if says_same(claim, one)]
        return min(same, key=lambda one: one.value != claim.value, default=None)

    def supports(self, claim: Figure) -> bool:
        """Whether a claim stands in the evidence, in whatever script, spelling or unit."""
        if claim.kind in ("identifier", "version") and self._holds(claim):
            return True
        if claim.kind == "date":
            return self._supports_date(claim)
        if self.source(claim):
            return True
        return bool(claim.parts) and all(self.supports(part) for part in claim.parts)

    def _supports_date(self, claim: Figure) -> bool:
        everything = (*self.figures, *self.overhead)
        days = [one.day for one in everything if one.kind == "date"]
        if any(within(each.day, day) for each in (claim, *claim.parts) for day in days):
            return True
        year, month, day = claim.day
        if month is None:
            return any(one.value == year and not one.unit for one in everything)
        apart = [(year, None, None), (None, month, day)]
        return year is not None and all(
            self._supports_date(replace(claim, day=part, parts=())) for part in apart
        )

    def _holds(self, claim: Figure) -> bool:
        key = fold(claim.key)
        if self._literal(key):
            return True
        parts = [part for part in _JOINTS.split(key) if part]
        return (
            claim.kind == "identifier"
            and len(parts) > 1
            and not key.startswith(("http", "/"))
            and all(self._literal(part) for part in parts)
        )

    def _literal(self, key: str) -> bool:
        """Whether a name stands there at its borders; a `-` in it may be a space or nothing."""
        pattern = re.escape(key[0]) + re.escape(key[1:]).replace(r"\-", r"[-\s]?")
        border = r"(?<![a-z0-9_.])v?" if key[0].isdigit() else r"(?<![a-z0-9_])"
        whole = re.compile(rf"{border}{pattern}(?![a-z0-9_]|[.]\d)")
        return bool(whole.search(self.folded) or whole.search(self._unhyphened))


def _figures_of(passage: str) -> tuple[Figure, ...]:
    read = figures(plain(passage))
    every = (each for one in read for each in (one, *one.parts, *_digits_of(one)))
    return tuple(dict.fromkeys(map(placeless, every)))


def _measured(found: Sequence[Figure], claim: Figure, quoted: Quoted) -> Sequence[Figure]:
    """The figures of a passage; bare ones in the unit that is stated for them, if any is.

    "Timeout in seconds (default 600)" says 600 seconds, not 600 minutes.
    """
    if claim.kind != "number" or not claim.unit:
        return found
    for text in (quoted.passage, quoted.around):
        stated = [unit for unit in stated_units(text) if kin(unit, claim.unit)]
        if stated:
            bare = [one for one in found if one.kind == "number" and not one.unit]
            others = [one for one in found if one.unit or one.kind != "number"]
            return [*others, *(replace(one, unit=unit) for one in bare for unit in stated)]
    return found


def _digits_of(one: Figure) -> Iterable[Figure]:
    """The numbers inside a name: 30 of `max-30`, 12 of `12:30`."""
    if one.kind != "identifier" or one.key.startswith("第"):
        return
    for match in _DIGITS.finditer(one.key):
        yield from figures(match[0])


def names_in(text: str) -> bool:
    """Whether a text holds an identifier."""
    return any(one.kind == "identifier" for one in figures(plain(text)))


def placeless(figure: Figure) -> Figure:
    """A figure without where it stands, so that it compares equal to others of its kind."""
    return replace(figure, start=0, end=0)
