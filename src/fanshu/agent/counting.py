"""Numbers that an answer takes from its own list: "six alerts: A, B, C, D, E and F"."""

import re

from fanshu.agent.amounts import Figure

_ITEM = re.compile(r"[ \t>]*(?:[-*+•]|\d{1,2}[.)、])\s*\S")
_STOP = re.compile(r"[。\n]|[.](?=\s|\Z)")
_COMMA = re.compile(r"[、，,;；]| and | or |和|及|与")
_NOUN = re.compile(r" [A-Za-z]{2,}")
_IN_ALL = re.compile(r"[,，;；]?\s*(?:一共|总共|共计|共有?|合计|in all|altogether)\s*\Z")
MOST = 50  # things that somebody counts in an answer


def counted(claim: Figure, text: str) -> str | None:
    """The things listed in a plain text, if they are as many as a claim says: its arithmetic."""
    if claim.kind != "number" or not 2 <= claim.value <= MOST or not _counts(claim, text):
        return None
    for things in (_named_after(claim, text), _named_before(claim, text), _below(claim, text)):
        if len(things) == claim.value:
            return " + ".join(things)
    return None


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
