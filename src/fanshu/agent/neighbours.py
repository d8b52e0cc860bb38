"""Asked for `write_timeout`, answered from `read_timeout`: names that are nearly those asked for.

Only names written with joints (`_`, `-`, `.`) are compared. That the wrong one was taken shows
where the cited text does not hold the name asked for, but holds one with a part of it.
"""

import re
from collections.abc import Iterator, Sequence

from fanshu.agent.citing import Place

_NAME = re.compile(r"(?<![a-z0-9_.-])-{0,2}[a-z][a-z0-9]*(?:[_.-][a-z0-9]+)+")
_JOINT = re.compile(r"[_.-]")
_SHORTEST = 3  # letters of a part that says something


def neighbours(response: str, question: str, places: Sequence[Place]) -> Iterator[tuple[str, str]]:
    """Pairs of a name asked for and the one that the passages have in its place.

    An answer that says which name it is about knows what it does.
    """
    said = response.lower()
    held = "\n".join(text for one in places for text in (one.chunk.text, *one.over)).lower()
    instead = sorted({name for one in places for name in _names(one.passage)})
    for asked in sorted(_names(question)):
        near = next((name for name in instead if _alike(asked, name)), "")
        if near and asked not in held and near not in said:
            yield asked, near


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip("-") for name in _NAME.findall(text.lower()))


def _alike(asked: str, name: str) -> bool:
    """Whether two names share a part and are about as long."""
    some, others = _JOINT.split(asked), _JOINT.split(name)
    shared = {part for part in some if len(part) >= _SHORTEST} & {*others}
    return bool(shared) and abs(len(some) - len(others)) <= 1
