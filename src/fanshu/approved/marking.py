"""Two texts side by side, with the words that differ marked."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from fanshu.library.terms import CJK

Marked = tuple[tuple[str, bool], ...]
"""A text in pieces, each with whether the other text lacks it."""

MOST_WORDS = 2_000  # of a text; longer ones are marked whole
_WORD = re.compile(rf"[{CJK}]|[^\W{CJK}]+(?:[._-][^\W{CJK}]+)*|\s+|.", re.DOTALL)


def side_by_side(before: str, after: str) -> tuple[Marked, Marked]:
    """Both texts in pieces; joined, the pieces are the texts."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    if max(len(old), len(new)) > MOST_WORDS:
        return ((before, True),), ((after, True),)
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    left = [("".join(old[a:b]), kind != "equal") for kind, a, b, _, _ in blocks]
    right = [("".join(new[a:b]), kind != "equal") for kind, _, _, a, b in blocks]
    return _joined(left), _joined(right)


def _joined(pieces: Sequence[tuple[str, bool]]) -> Marked:
    return tuple(piece for piece in pieces if piece[0])
