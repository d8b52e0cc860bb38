"""Numbers that an answer takes from its own list: "six alerts: A, B, C, D, E and F"."""

import re
from collections.abc import Sequence

from fanshu.agent.amounts import Figure, plain
from fanshu.agent.figures import figures
from fanshu.agent.units import COUNTERS

_ITEM = re.compile(r"[ \t>]*(?:[-*+•]|\d{1,2}[.)、])\s*\S")
_STOP = re.compile(r"[。\n]|[.](?=\s|\Z)")
_COMMA = re.compile(r"[、，,;；]| and | or |和|及|与")
_NOUN = re.compile(r" [A-Za-z]{2,}")
_IN_ALL = re.compile(r"[,，;；]?\s*(?:一共|总共|共计|共有?|合计|in all|altogether)\s*\Z")
_HAN = re.compile(r"\s*[\u4e00-\u9fff]{2}")
TELLING = "次级层台份件页户辆倍"  # counters that say by themselves what is counted
MOST = 50  # things that somebody counts in an answer


def counted(claim: Figure, text: str) -> str | None:
    """The things listed in a plain text, if they are as many as a claim says: its arithmetic."""
    if claim.kind != "number" or not 2 <= claim.value <= MOST or not _counts(claim, text):
        return None
    for things in (_named_after(claim, text), _named_before(claim, text), _below(claim, text)):
        if len(things) == claim.value:
            return " + ".join(things)
    return None


def tallies(text: str) -> frozenset[int]:
    """How many things each line of a plain text names, and how many items it lists: for sums."""
    lines = [line for line in text.split("\n") if line.strip()]
    named = (len(_names(re.split(r"[:：]", line, maxsplit=1)[1:])) for line in lines)
    return frozenset({*named, sum(bool(_ITEM.match(line)) for line in lines)} - {0})


def miscounted(claim: Figure, text: str, passages: Sequence[str]) -> bool:
    """Whether passages count the same things, and never as many: 三次 where they say 5 次.

    What is said in passing otherwise claims nothing: 三种情况.
    """
    things = _things(claim, text)
    if not things:
        return False
    every = [(one, ready) for ready in map(plain, passages) for one in figures(ready)]
    same = [one for one, ready in every if _things(one, ready) == things]
    return bool(same) and not any(one.value == claim.value for one in same)


def _things(one: Figure, text: str) -> str:
    """What a small number counts: its counter, and the word behind it where that alone says it."""
    counter = one.text[-1:]
    if one.kind != "number" or one.value > MOST or counter not in COUNTERS:
        return ""
    behind = _HAN.match(text, one.end)
    return counter if counter in TELLING else f"{counter}{behind[0]}" if behind else ""


def _counts(claim: Figure, text: str) -> bool:
    if claim.unit:
        return any(sense.dimension == "count" for sense in claim.unit)
    return bool(_NOUN.match(text, claim.end))


def _named_after(claim: Figure, text: str) -> list[str]:
    """Six alerts: A, B, C, D, E and F."""
    sentence = _STOP.split(text[claim.end :], maxsplit=1)[0]
    return _names(re.split(r"[:：]", sentence, maxsplit=1)[1:])


def _named_before(claim: Figure, text: str) -> list[str]:
    """A、B、C 共 3 个。"""
    sentence = _STOP.split(text[: claim.start])[-1]
    listed = _IN_ALL.search(sentence)
    return _names([sentence[: listed.start()]]) if listed else []


def _below(claim: Figure, text: str) -> list[str]:
    """A line with the claim that announces a list, and the items of that list."""
    rest = text[claim.end :].split("\n")
    if not rest[0].rstrip().endswith((":", "：")):
        return []
    lines = [line for line in rest[1:] if line.strip()]
    return [line.strip(" -*+•") for line in lines if _ITEM.match(line)]


def _names(listed: list[str]) -> list[str]:
    return [name.strip() for part in listed for name in _COMMA.split(part) if name.strip()]
