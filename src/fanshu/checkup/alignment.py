"""Two passages laid side by side: which figures face each other, and what else differs.

A word in place of another (一类 for 二类, primary for secondary) means another subject, and
then the passages do not face each other at all. A word more on one side may be a detail.
"""

from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher

from fanshu.checkup.tokens import Tokens, weight
from fanshu.checkup.values import comparable, differ

LEAST_SHARED = 8  # weight of words; passages that share fewer are alike by chance
LEAST_SHARE = 0.7  # of the words of the shorter one


@dataclass(frozen=True, slots=True)
class Alignment:
    """`facing`: numbers of figures (mine, theirs) that stand at one place; `mine`, `theirs`: how
    many words only this side has, or only the other.
    """

    facing: tuple[tuple[int, int], ...]
    mine: int
    theirs: int


def align(one: Tokens, other: Tokens) -> Alignment | None:
    """Two passages side by side; None when they speak of different things."""
    if not _alike(one, other):
        return None
    facing: list[tuple[int, int]] = []
    mine = theirs = shared = 0
    matcher = SequenceMatcher(None, one.words, other.words, autojunk=False)
    for tag, a0, a1, b0, b1 in matcher.get_opcodes():
        if tag == "replace":
            return None
        if tag != "equal":
            mine, theirs = mine + a1 - a0, theirs + b1 - b0
            continue
        shared += weight(one.words[a0:a1])
        facing.extend(
            (number, other.marks.index(place - a0 + b0))
            for number, place in enumerate(one.marks)
            if a0 <= place < a1
        )
    return Alignment(tuple(facing), mine, theirs) if shared >= LEAST_SHARED else None


def _alike(one: Tokens, other: Tokens) -> bool:
    """Cheaply, whether two passages can share enough words."""
    short, long = sorted((one.words, other.words), key=len)
    common = Counter(short) & Counter(long)
    enough = sum(common.values()) >= LEAST_SHARE * len(short)
    return enough and weight(common.elements()) >= LEAST_SHARED


def differing(one: Tokens, other: Tokens, found: Alignment) -> list[tuple[int, int]]:
    """The facing figures that cannot both be right; all of them, comparable or not."""
    pairs = ((mine, theirs) for mine, theirs in found.facing)
    return [
        (mine, theirs)
        for mine, theirs in pairs
        if not comparable(one.figures[mine], other.figures[theirs])
        or differ(one.figures[mine], other.figures[theirs])
    ]
