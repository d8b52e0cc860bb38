"""Which questions an approved answer answers: its own, and the wordings that people added.

A question is recognised as the cache recognises it (see `agent.asked`): politeness, width and
punctuation do not count, everything else does. Nothing is guessed: a wording that is merely like
another one is another question.
"""

import re

from fanshu.agent.asked import content
from fanshu.library.terms import fold

# What turns a question into another one, whatever its wording.
_FIGURE = re.compile(r"\d+(?:[.:/,-]\d+)*%?")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_.-][A-Za-z0-9]+)+|[A-Za-z]*\d\w*|\b[A-Z]{2,}\b")
_NOT = re.compile(
    r"不|未|没|无(?!线)|非(?!常)|勿|除|\b(?:not?|never|without|except|unless)\b|n't\b"
)
# What says that a question goes on from another one.
_BACK = re.compile(
    r"^(?:那|那么|然后|还有|另外|再|其中)|^(?:and|but|then|also|what about|how about)\b"
    r"|它|这[个些里种样]?|那[个些里种样]|上述|上面|前面|前者|后者|该(?=[\u4e00-\u9fff])|此(?=[\u4e00-\u9fff])"
    r"|其(?!他|它|中|余|实)|刚才|第[一二三四五六七八九十\d]+[个步条项种]"
    r"|\b(?:it|its|this|that|these|those|they|them|their|there|former|latter|above|previous"
    r"|same|other|first|second|third|last|one)\b",
    re.IGNORECASE,
)


def form(question: str) -> str:
    """What must be equal for two questions to be one; empty when nothing is asked."""
    return content(question)


def marks(question: str) -> tuple[str, ...]:
    """The figures, names and negations of a question, in no order."""
    said = content(question)
    names = [fold(name) for name in _NAME.findall(said)]
    return tuple(sorted((*_FIGURE.findall(said), *names, *_NOT.findall(said.lower()))))


def stands_alone(question: str) -> bool:
    """Whether a question means the same without what was said before it."""
    return not _BACK.search(content(question))
