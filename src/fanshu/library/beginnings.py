"""Names grouped by how they begin: `sql-*`, `2024-*`, `青岛市*`.

A folder of a thousand files cannot be listed, but its names mostly fall into families, and the
beginning of a name can be given as a path.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from fanshu.library.terms import CJK
from fanshu.types import NameGroup

LEAST = 4  # names that make a family
SHARE = 1 / 100  # … of all the names; smaller ones are noise beside the large ones
NEARLY_ALL = 0.8  # of a family that share a longer beginning: the longer one names it better
HALF = 0.5  # a family that holds so much of everything is better told by its parts, or not at all
DEPTH = 4  # pieces of a name that are looked at
CJK_WORD = range(2, 7)  # Chinese has no borders inside names; a word is hardly ever longer

_BORDER = re.compile(r"[-_. @+~()]+|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")
_CJK_RUN = re.compile(f"[{CJK}]+")


def families(names: Sequence[str], most: float = HALF) -> tuple[NameGroup, ...]:
    """The beginnings that many of the names share, disjoint, those of most names first.

    `most`: the share of all names beyond which a beginning says nothing.
    """
    least = max(LEAST, round(len(names) * SHARE))
    chains = [list(_beginnings(name)) for name in names]
    counts = Counter(beginning for chain in chains for beginning in chain)
    inside: dict[str, dict[str, None]] = {}
    for chain in chains:
        above = ""
        for beginning in chain:
            if counts[beginning] >= least:
                inside.setdefault(above, {})[beginning] = None
                above = beginning
    told = [b for top in inside.get("", ()) for b in _told(top, counts, inside, len(names))]
    groups = [NameGroup(f"{b}*", counts[b]) for b in told if counts[b] <= len(names) * most]
    return tuple(sorted(groups, key=lambda group: (-group.files, group.name)))


def _beginnings(name: str) -> Iterator[str]:
    """Where a name could be cut, shortest first: at signs, at digits, inside Chinese."""
    stem = name.rpartition(".")[0] or name
    run = _CJK_RUN.match(stem)
    if run:
        yield from (stem[:end] for end in CJK_WORD if end < len(run[0]))
        return
    for count, border in enumerate(_BORDER.finditer(stem)):
        if count == DEPTH:
            return
        if 0 < border.end() < len(stem):
            yield stem[: border.end()]


def _told(
    beginning: str, counts: Counter[str], inside: dict[str, dict[str, None]], total: int
) -> Iterator[str]:
    """The beginning itself, or the longer ones that say more."""
    longer = inside.get(beginning, {})
    covered = sum(counts[one] for one in longer)
    size = counts[beginning]
    same = any(counts[one] >= size * NEARLY_ALL for one in longer)
    if same or (size > total * HALF and covered >= size * HALF):
        for one in longer:
            yield from _told(one, counts, inside, total)
    else:
        yield beginning
