"""All figures of an answer: which stand in the evidence, which follow from what does."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from fanshu.agent.amounts import Figure, plain
from fanshu.agent.bounds import between
from fanshu.agent.claims import unmarked
from fanshu.agent.counting import counted, miscounted, tallies
from fanshu.agent.equations import CONSTANTS, Sum, sums
from fanshu.agent.figures import figures
from fanshu.agent.sameness import says_same
from fanshu.agent.support import NUMBERING, Evidence, Quoted, placeless
from fanshu.types import Derived

_OTHER_SIGN = re.compile(r"[×*÷/^-]")
_SENTENCE = re.compile(r"[。；;！!？?\n]|[.](?=\s|\Z)")


@dataclass(frozen=True, slots=True)
class FigureCheck:
    """What became of an answer's figures; `wrong` are equations that do not hold."""

    unsupported: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    derived: tuple[Derived, ...] = ()


def check_figures(response: str, evidence: Evidence, question: str) -> FigureCheck:
    """Every figure of a response must stand in the evidence or follow from what does.

    What the question gives may be reckoned with, or restated as the case that a passage decides;
    it is no evidence in itself.
    """
    written = plain(response)
    text = _without_numbering(unmarked(written), evidence.headings)
    found = figures(text)
    ledger = _Ledger(evidence, Evidence((Quoted(question),)))
    equations = sums(text, found)
    ledger.take([one for one in equations if one.holds])
    ledger.add_up(equations, tallies(written))
    claimed = [one for one in found if one.start not in ledger.reckoned_with]
    claimed = [one for one in claimed if not one.idle or miscounted(one, text, evidence.texts)]
    for claim in claimed:
        ledger.convert(claim)
        if not ledger.stands(claim) and (things := counted(claim, written)):
            ledger.derive(claim, things)
    for sentence in _sentences(text, claimed):
        ledger.apply(sentence)
    missing = dict.fromkeys(claim.text for claim in claimed if not ledger.stands(claim))
    wrong = [one.text for one in equations if not one.holds]
    return FigureCheck(tuple(missing), tuple(wrong), tuple(ledger.derived.values()))


def _without_numbering(text: str, headings: Sequence[str]) -> str:
    """A text with the numbers blanked that belong to headings it names: 8.4. 网络."""
    for heading in map(plain, headings):
        number = NUMBERING.match(heading)
        at = text.find(heading) if number else -1
        while number and at >= 0:
            text = text[:at] + " " * len(number[0]) + text[at + len(number[0]) :]
            at = text.find(heading)
    return text


def _sentences(text: str, found: Sequence[Figure]) -> Iterator[list[Figure]]:
    """The figures of each sentence."""
    ends = [*(match.start() for match in _SENTENCE.finditer(text)), len(text)]
    begin = 0
    for end in ends:
        yield [one for one in found if begin <= one.start < end]
        begin = end


@dataclass(slots=True)
class _Ledger:
    """What has been shown to stand, while the figures of one answer are gone through."""

    evidence: Evidence
    given: Evidence
    known: dict[Figure, None] = field(default_factory=dict)
    derived: dict[str, Derived] = field(default_factory=dict)
    reckoned_with: set[int] = field(default_factory=set)
    supported: dict[Figure, bool] = field(default_factory=dict)

    def stands(self, claim: Figure) -> bool:
        claim = placeless(claim)
        if claim not in self.supported:
            self.supported[claim] = self.evidence.supports(claim)
        return self.supported[claim] or any(says_same(claim, one) for one in self.known)

    def derive(self, claim: Figure, how: str) -> None:
        self.derived.setdefault(claim.text, Derived(claim.text, how))
        self.known[placeless(claim)] = None

    def take(self, equations: Sequence[Sum]) -> None:
        """Take in equations that hold, in whatever order: what comes out of them is derived.

        One without any figure of the documents shows nothing about them (45×24÷24=45), unless
        another that has one goes on with its result.
        """
        sound = self._sound(equations)
        while fresh := next((one for one in sound if self._rests_on_documents(one)), None):
            self._admit(fresh, sound)

    def add_up(self, equations: Sequence[Sum], tallies: Collection[int]) -> None:
        """Take in sums of how many things the answer itself has listed: 3+1+2=6."""
        for one in equations:
            counts = all(figure.value in tallies for figure in one.operands)
            if one.holds and counts and not _OTHER_SIGN.search(one.text):
                self.reckoned_with |= {figure.start for figure in one.operands}
                for figure in one.results:
                    self.derive(figure, one.text)

    def _sound(self, equations: Sequence[Sum]) -> list[Sum]:
        """Those whose figures all come from somewhere: evidence, question, earlier results."""
        sound: list[Sum] = []
        left = list(equations)
        while fresh := [one for one in left if self._may_reckon(one, sound)]:
            sound += fresh
            left = [one for one in left if one not in fresh]
        return sound

    def _may_reckon(self, one: Sum, sound: Sequence[Sum]) -> bool:
        results = [result for each in sound for result in each.results]
        return all(
            figure.value in CONSTANTS
            or self.stands(figure)
            or self.given.supports(figure)
            or any(says_same(figure, result) for result in results)
            for figure in one.operands
        )

    def _rests_on_documents(self, one: Sum) -> bool:
        return any(self.stands(figure) for figure in one.operands)

    def _admit(self, one: Sum, sound: list[Sum]) -> None:
        sound.remove(one)
        for earlier in [each for each in sound if _goes_on(one, each)]:
            if earlier in sound:
                self._admit(earlier, sound)
        self.reckoned_with |= {figure.start for figure in one.operands}
        premises = (figure for figure in one.operands if self.given.supports(figure))
        self.known |= dict.fromkeys(map(placeless, premises))
        for figure in one.results:
            if not self.evidence.supports(figure):
                self.derive(figure, one.text)

    def convert(self, claim: Figure) -> None:
        """Note how a claim follows from a figure that is given in another unit."""
        source = self.evidence.source(claim) if claim.kind == "number" else None
        if source and source.kind == "number" and source.value != claim.value:
            how = f"{source.text} = {claim.text}"
            self.derived.setdefault(claim.text, Derived(claim.text, how))

    def apply(self, sentence: Sequence[Figure]) -> None:
        """Restating the case of the question is right where a passage decides cases like it.

        17 degrees of the question lie between the 16 and 18 of a passage, and the same sentence
        says what then holds, in another figure of the passages.
        """
        cases = [one for one in sentence if not self.stands(one) and self.given.supports(one)]
        outcome = any(self.stands(one) and not self.given.supports(one) for one in sentence)
        for case in cases if outcome else ():
            if how := next((h for t in self.evidence.texts if (h := between(case, t))), None):
                self.derive(case, how)


def _goes_on(one: Sum, earlier: Sum) -> bool:
    """Whether an equation reckons with what came out of an earlier one."""
    return any(says_same(figure, result) for figure in one.operands for result in earlier.results)
