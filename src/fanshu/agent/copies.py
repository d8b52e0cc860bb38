"""Words that an answer takes from a passage with a "not" put in or left out.

Only runs of words that are the same in both are compared: what an answer says in its own words
is not judged here.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fanshu.agent.amounts import plain

_TOKEN = re.compile(
    r"(?P<no>不(?![同仅但断管论过少错满足])|未(?![来])|无(?![论线人])|勿|毋|没有?(?!错)|严?禁止"
    r"|(?<![a-z])(?:not|never|no|cannot)(?![a-z])|(?<=[a-z])n't)"
    r"|(?P<end>[。；;！!？?\n])|(?P<pause>[，,:：(（])|(?P<also>或者?|、|以及|和|及|(?<![a-z])n?or(?![a-z]))"
    r"|[\u4e00-\u9fff]|[a-z0-9_]+?(?=n't)|[a-z0-9_]+(?:[.'-][a-z0-9_]+)*"
)
_MODAL = frozenset("得能会可以应当该被需要必须宜再予") | set(
    "be been is are can could may must shall should to will would do does".split()
)  # 不得延长 denies what 应当延长 says, so these are no part of the words compared
SHAPES = ((0, 4), (2, 2), (1, 3), (0, 3))  # tokens before the one that "not" is about, and from it
SHOWN = 7  # words on each side of the one in question
LEAST_WEIGHT = 4  # of a run; a Chinese character weighs 1, a Latin word 2

_Run = tuple[str, ...]
_Said = frozenset[bool]  # whether with a "not", or without, or what can be read either way
_WITH, _WITHOUT, _EITHER = frozenset({True}), frozenset({False}), frozenset({True, False})


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int
    said: _Said

    @property
    def weight(self) -> int:
        return 2 if self.text.isascii() else 1


def turned_over(response: str, passages: Sequence[str]) -> tuple[str, ...]:
    """Runs of words in an answer that the passages have with, where it has them without a "not"."""
    known: dict[_Run, _Said] = {}
    for passage in passages:
        tokens = list(_tokens(plain(passage)))
        for at, token in enumerate(tokens):
            for run in _runs(tokens, at):
                known[run] = known.get(run, frozenset()) | token.said
    return tuple(_turned(plain(response), known))


def _tokens(text: str) -> Iterator[_Token]:
    """The words of a plain text, each with whether a "not" is about it."""
    negated = denied = also = False
    for match in _TOKEN.finditer(text.lower()):
        if match["no"]:
            negated = denied = True
        elif match["also"]:
            also = denied
        elif match["pause"]:
            denied = False
        elif match["end"]:
            negated = denied = also = False
            yield _Token(".", *match.span(), _WITHOUT)
        elif match[0] not in _MODAL:
            said = _WITH if negated else _WITHOUT
            yield _Token(match[0], *match.span(), _EITHER if also else said)  # 不得 A 或者 B
            negated = also = False


def _turned(text: str, known: Mapping[_Run, _Said]) -> Iterator[str]:
    tokens = list(_tokens(text))
    end = 0
    for at, token in enumerate(tokens):
        found = [known[run] for run in _runs(tokens, at) if run in known]
        if found and not any(token.said & one for one in found) and token.start >= end:
            if _contrasted(tokens, at):
                continue
            shown = _around(tokens, at)
            end = shown[-1].end
            yield text[shown[0].start : end]


def _around(tokens: Sequence[_Token], at: int) -> Sequence[_Token]:
    """The words that an objection shows: those around a word, in its sentence."""
    before = [one.text for one in tokens[max(0, at - SHOWN) : at]]
    after = [*(one.text for one in tokens[at : at + SHOWN]), "."]
    back = before[::-1].index(".") if "." in before else len(before)
    return tokens[at - back : at + after.index(".")]


def _contrasted(tokens: Sequence[_Token], at: int) -> bool:
    """Whether the answer sets both cases side by side: 不启用时 10 个，启用后 40 个."""
    pair = [one.text for one in tokens[at : at + 2]]
    return any(
        [one.text for one in tokens[i : i + 2]] == pair and tokens[i].said != tokens[at].said
        for i in range(len(tokens) - 1)
    )


def _runs(tokens: Sequence[_Token], at: int) -> Iterator[_Run]:
    for number, (before, after) in enumerate(SHAPES):
        if at < before:
            continue
        piece = tokens[at - before : at + after]
        texts = tuple(one.text for one in piece)
        whole = len(piece) == before + after and "." not in texts
        if whole and sum(one.weight for one in piece) >= LEAST_WEIGHT:
            yield (str(number), *texts)
