"""Numbers written in words, Chinese (三千五百万, 二〇二四, 半) and English (ninety-nine, half)."""

import re
from fractions import Fraction

CHINESE = "〇零一二两三四五六七八九十百千万亿"
_DIGIT = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_TENS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10**4, "亿": 10**8}

LONGEST = 40  # characters of a number; what is longer is no amount, and may be too long for int()

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_BY_TEN = "twenty thirty forty fifty sixty seventy eighty ninety"
_ENGLISH = {word: value for value, word in enumerate(_SMALL.split(" "))}
_ENGLISH |= {word: value * 10 for value, word in enumerate(_BY_TEN.split(" "), 2)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_WORD = "|".join(sorted([*_ENGLISH, *_SCALES], key=len, reverse=True))
ENGLISH = rf"(?:{_WORD})(?:(?:[ -]|[ ]and[ ])(?:{_WORD})){{0,12}}"


def chinese(text: str) -> int | None:
    """The value of a Chinese numeral; None for what is none (万, 三三, 百千)."""
    if len(text) > LONGEST:
        return None
    if len(text) == 2 and text[0] in "零〇":
        text = text[1]  # 一年零六个月
    if all(char in _DIGIT for char in text):
        value = int("".join(str(_DIGIT[char]) for char in text))
        return value if len(text) == 1 or len(text) >= 4 else None
    return _in_myriads(text)


def _in_myriads(text: str) -> int | None:
    total = section = digit = 0
    scale = 1  # of the last scale word, for a digit that stands right after it: 三万五, 两百五
    seen_digit = False
    for char in text:
        if char in _DIGIT:
            digit, seen_digit = _DIGIT[char], True
            scale = scale if digit else 1
        elif char in _TENS:
            section += (digit or 1) * _TENS[char]
            seen_digit, digit, scale = seen_digit or char == "十", 0, _TENS[char]
        else:
            whole = total + section + digit
            kept = total // _MYRIADS[char] * _MYRIADS[char]  # 一亿二千万: the 亿 is counted already
            total = kept + (whole - kept) * _MYRIADS[char]
            section, digit, scale = 0, 0, _MYRIADS[char]
    shortened = len(text) > 2 and scale >= 100 and text[-1] in _DIGIT and text[-2] not in _DIGIT
    return total + section + digit * (scale // 10 if shortened else 1) if seen_digit else None


def english(text: str) -> int:
    """The value of an English number word or of several (`two hundred and five`)."""
    total = section = 0
    for word in re.split(r"[ -]+", text.lower()):
        if word in _ENGLISH:
            section += _ENGLISH[word]
        elif word == "hundred":
            section = (section or 1) * 100
        elif word in _SCALES:
            total, section = total + (section or 1) * _SCALES[word], 0
    return total + section


def decimal(text: str) -> Fraction:
    """The value of figures with grouping marks: 1,000 · 7 322 000 · 0.5."""
    return Fraction(re.sub(r"[,\s]", "", text))
