"""Whether the figures of an answer stand in its evidence."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from fanshu.agent.amounts import Figure, plain
from fanshu.agent.claims import unmarked
from fanshu.agent.counting import counted
from fanshu.agent.dates import Day
from fanshu.agent.equations import CONSTANTS, Sum, sums
from fanshu.agent.figures import figures
from fanshu.agent.units import kin, same_quantity, stated_units
from fanshu.library.terms import fold
from fanshu.types import Derived

_DIGITS = re.compile(r"\d+")
_NUMBERING = re.compile(r"\A\s*\d+(?:\.\d+)*[.、．]\s")
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

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        return tuple(one for figures in self._read for one in figures)

    @cached_property
    def _read(self) -> tuple[tuple[Figure, ...], ...]:
        return tuple(_figures_of(quoted.passage) for quoted in self.passages)

    @cached_property
    def overhead(self) -> tuple[Figure, ...]:
        bare = (_NUMBERING.sub("", text) for text in self.headings)
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
        if any(_within(each.day, day) for each in (claim, *claim.parts) for day in days):
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
    return tuple(dict.fromkeys(map(_placeless, every)))


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


def says_same(claim: Figure, source: Figure) -> bool:
    """Whether two figures mean the same thing."""
    if claim.kind == "date" and source.kind == "date":
        return _within(claim.day, source.day)
    if claim.kind == "number" and source.kind == "date":
        return not claim.unit and claim.value == source.day[0]
    if claim.kind == "version" or source.kind == "version":
        return _same_version(claim, source)
    if claim.kind == source.kind == "number":
        return same_quantity(
            claim.value, claim.unit, source.value, source.unit
        ) and not _two_releases(claim, source)
    return claim.kind == source.kind and claim.key == source.key


def _within(claim: Day, source: Day) -> bool:
    return all(a is None or a == b for a, b in zip(claim, source, strict=True))


def _same_version(claim: Figure, source: Figure) -> bool:
    a, b = claim.key, source.key
    if not a or not b or "identifier" in (claim.kind, source.kind):
        return False
    if a.endswith(".x"):
        return b.startswith(a[:-1])
    return a == b or a == f"{b}.0" or b == f"{a}.0"


def _two_releases(a: Figure, b: Figure) -> bool:
    """15.2 and 15.20 are one number but two releases; 0.5 and 0.50 are one value."""
    if a.unit or b.unit or "." not in a.key or "." not in b.key:
        return False
    return a.key != b.key and abs(a.value) >= 1


def _digits_of(one: Figure) -> Iterable[Figure]:
    """The numbers inside a name: 30 of `max-30`, 12 of `12:30`."""
    if one.kind != "identifier" or one.key.startswith("第"):
        return
    for match in _DIGITS.finditer(one.key):
        yield from figures(match[0])


# ---------------------------------------------------------------- all figures of an answer


@dataclass(frozen=True, slots=True)
class FigureCheck:
    """What became of an answer's figures; `wrong` are equations that do not hold."""

    unsupported: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    derived: tuple[Derived, ...] = ()


def names_in(text: str) -> bool:
    """Whether a text holds an identifier."""
    return any(one.kind == "identifier" for one in figures(plain(text)))


def check_figures(response: str, evidence: Evidence, question: str) -> FigureCheck:
    """Every figure of a response must stand in the evidence or follow from what does.

    What the question gives may be reckoned with, but is no evidence in itself.
    """
    written = plain(response)
    text = unmarked(written)
    found = figures(text)
    ledger = _Ledger(evidence, Evidence((Quoted(question),)))
    wrong = [one.text for one in sums(text, found) if not ledger.enter(one)]
    claimed = [one for one in found if not one.idle and one.start not in ledger.reckoned_with]
    for claim in claimed:
        ledger.convert(claim)
        if not ledger.stands(claim) and (things := counted(claim, written)):
            ledger.derive(claim, things)
    missing = dict.fromkeys(claim.text for claim in claimed if not ledger.stands(claim))
    return FigureCheck(tuple(missing), tuple(wrong), tuple(ledger.derived.values()))


@dataclass(slots=True)
class _Ledger:
    """What has been shown to stand, while the figures of one answer are gone through."""

    evidence: Evidence
    given: Evidence
    known: dict[Figure, None] = field(default_factory=dict)
    derived: dict[str, Derived] = field(default_factory=dict)
    reckoned_with: set[int] = field(default_factory=set)
    supported: dict[Figure, bool] = field(default_factory=dict)
    waiting: list[Sum] = field(default_factory=list)

    def stands(self, claim: Figure) -> bool:
        claim = _placeless(claim)
        if claim not in self.supported:
            self.supported[claim] = self.evidence.supports(claim)
        return self.supported[claim] or any(says_same(claim, one) for one in self.known)

    def derive(self, claim: Figure, how: str) -> None:
        self.derived.setdefault(claim.text, Derived(claim.text, how))
        self.known[_placeless(claim)] = None

    def enter(self, one: Sum) -> bool:
        """Take in an equation: what comes out of it is derived. False if it does not hold.

        One without any figure of the documents shows nothing about them (45×24÷24=45); it waits
        for another that goes on with its result.
        """
        if one.holds and all(self._may_reckon(figure) for figure in one.operands):
            if any(self.stands(figure) for figure in one.operands):
                self._admit(one)
            else:
                self.waiting.append(one)
        return one.holds

    def _admit(self, one: Sum) -> None:
        for earlier in [each for each in self.waiting if _goes_on(one, each)]:
            self.waiting.remove(earlier)
            self._admit(earlier)
        self.reckoned_with |= {figure.start for figure in one.operands}
        premises = (figure for figure in one.operands if self.given.supports(figure))
        self.known |= dict.fromkeys(map(_placeless, premises))
        for figure in one.results:
            if not self.evidence.supports(figure):
                self.derive(figure, one.text)

    def _may_reckon(self, figure: Figure) -> bool:
        if figure.value in CONSTANTS or self.stands(figure) or self.given.supports(figure):
            return True
        return any(says_same(figure, result) for each in self.waiting for result in each.results)

    def convert(self, claim: Figure) -> None:
        """Note how a claim follows from a figure that is given in another unit."""
        source = self.evidence.source(claim) if claim.kind == "number" else None
        if source and source.kind == "number" and source.value != claim.value:
            how = f"{source.text} = {claim.text}"
            self.derived.setdefault(claim.text, Derived(claim.text, how))


def _goes_on(one: Sum, earlier: Sum) -> bool:
    """Whether an equation reckons with what came out of an earlier one."""
    return any(says_same(figure, result) for figure in one.operands for result in earlier.results)


def _placeless(figure: Figure) -> Figure:
    return replace(figure, start=0, end=0)
