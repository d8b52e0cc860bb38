"""When two questions are one: what of a question's wording does not count, and what always does.

The cache answers a question only from one that is the same but for politeness, width, spaces,
punctuation at its ends and the like. Everything else stays, in its order: numbers, signs, units,
negations, comparators, question words. A question that is wrongly taken for new costs tokens; one
that is wrongly taken for known costs a wrong answer, so in doubt two questions are two.
"""

import re
import unicodedata
from collections.abc import Iterable

from fanshu.library.terms import CJK, fold

_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_DASHES = dict.fromkeys(range(0x2010, 0x2016), "-") | {0x2212: "-"}
_QUOTES = dict.fromkeys(map(ord, "“”「」『』《》"), None) | {0x2019: "'"}
_IDEOGRAPHS = re.compile(f"[{CJK}]+")
_WORD = re.compile(r"[A-Za-z]+")
# Lower case they are common words, in capitals they are names (WHO, IT, US): never made equal.
_FUNCTION = frozenset("all and are can for has may not now off one out set the was who why".split())
_SHORTEST = 3  # letters; shorter words are units and names too: 10 Mb is not 10 MB, IT is not it

_SKIP = r"[\s,，、:：!！。.~]*"
_POLITE_ZH = (
    r"(?:请问(?:一下|下)?|你好|您好|大家好|麻烦(?:你|您)?(?=请问|问|告诉|帮)|请?(?:帮我|帮忙)?(?:查|问|看)(?:一下|下)"
    r"|请?告诉我(?:一下|下)?|我?想(?:请问|问|知道|了解)(?:一下|下)?)"
)
_POLITE_EN = (
    r"(?:hi|hello|hey|excuse me|please|(?:could|can|would) you (?:please )?tell me"
    r"|(?:i would|i'd) like to know|i want to know)(?![a-z0-9_'-])"
)
_BEFORE = re.compile(rf"^{_SKIP}(?:{_POLITE_ZH}|{_POLITE_EN}){_SKIP}", re.IGNORECASE)
_AFTER = re.compile(
    rf"(?:(?<=[{CJK}])(?:吗|呢|啊|呀|嘛|(?<![网酒茶贴])吧)"
    r"|[,，\s!！。]*(?:谢谢(?:你|您|了)?|多谢)|(?:[,，!！。?？]\s*|\s)(?:please|thanks|thank you)"
    r"|[?？。，；：…~]|(?<![\d+])[!！]|(?<![\d.])\.(?!\d)|\s)+$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"(?<![\w'-])the (?=\S)")
_AT_IDEOGRAPH = re.compile(rf"(?<=[{CJK}，。、；：？！])\s+|\s+(?=[{CJK}，。、；：？！])")
# Said either way the question is the same one.
_EQUAL = (
    (re.compile("如何|怎样(?!的)"), "怎么"),
    (re.compile("多长时间"), "多久"),
    (re.compile("是(?=多少|多久)"), ""),
    (re.compile(r"\b(what|who|where|when|how)'s\b"), r"\1 is"),
)

# What a summary must repeat of its question: signs of negation, comparison, extent, time, order
# and of what is asked for; numbers; words in Latin letters that are names or turn the meaning.
_HARD = re.compile(
    "[不未没无非][，,、；;]|[不未没无非勿别除否比超大小高低少至最前后内外仅只都每上下左右再又各谁哪几多何怎咋什能可应须必需]"
    r"|\d[\w.,:%/+-]*|[<>=≤≥≠±+*/%$€¥°-]+(?=\d)|[a-z]*[A-Z_\d][\w.-]*"
    r"|\b(?:not?|nor|never|none|without|except|unless|only|before|after|over|under|above|below"
    r"|more|less|fewer|least|most|min\w*|max\w*|between|until|since|from|to|all|each|every|any"
    r"|who|when|where|why|how|which|if|can\w*|may|must|should|n't)\b"
)


def content(question: str) -> str:
    """What a question asks, in a form that is equal for two questions that are one.

    Empty when nothing is left of it.
    """
    text = unicodedata.normalize("NFC", question)
    text = text.translate(_WIDE).translate(_DASHES).translate(_QUOTES)
    text = _IDEOGRAPHS.sub(lambda run: fold(run[0]), " ".join(text.split()))
    text = _without_politeness(text)
    text = _WORD.sub(_cased, _sentence(text))
    text = _AT_IDEOGRAPH.sub("", _ARTICLE.sub("", text))
    for pattern, equal in _EQUAL:
        text = pattern.sub(equal, text)
    return text.strip()


def stands_for(summary: str, question: str, weighty: Iterable[str]) -> bool:
    """Whether whoever asks the summary asks nothing else than the question did.

    `weighty`: the words of the question that a search looked for. The summary must hold all of
    them, and the same numbers, names, negations, comparators and question words, in their order:
    it may explain the question, not make it wider.
    """
    said, asked = content(summary), content(question)
    words = [fold(word) for word in weighty]
    folded = fold(said)
    kept = bool(words) and all(word in folded for word in words)
    return kept and _HARD.findall(said) == _HARD.findall(asked)


def _without_politeness(text: str) -> str:
    """Stripped only at the ends, where it cannot be part of a name; never down to nothing."""
    before = None
    while before != text:
        before = text
        text = _BEFORE.sub("", text, count=1) or text
        text = _AFTER.sub("", text, count=1) or text
    return text


def _sentence(text: str) -> str:
    """Without the capital that a sentence begins with: only of a word that is no name."""
    first = _WORD.match(text)
    begins = first and first[0].istitle() and text[first.end() : first.end() + 1] in ("", " ", "'")
    return text[:1].lower() + text[1:] if begins and first and len(first[0]) > 1 else text


def _cased(word: re.Match[str]) -> str:
    """Case does not count in ordinary words; it does in short ones, and inside of a word."""
    text = word[0]
    lower = text.lower()
    ordinary = len(text) >= _SHORTEST and (text.istitle() or text.isupper())
    return lower if ordinary and not (text.isupper() and lower in _FUNCTION) else text
