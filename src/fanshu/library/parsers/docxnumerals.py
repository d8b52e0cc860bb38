"""Numbers in the formats that Word's automatic numbering knows."""

from collections.abc import Callable

_DIGITS = "〇一二三四五六七八九"
_LEGAL = "零壹贰叁肆伍陆柒捌玖"
_LEGAL_OLD = "零壹貳參肆伍陸柒捌玖"
_STEMS = "甲乙丙丁戊己庚辛壬癸"
_BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
    (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip
_MAX_ROMAN = 3999
_MAX_LETTERS = 780  # Word repeats the letter: aa, bb, … thirty times at most


def numeral(value: int, form: str) -> str:
    """`value` as the number format `form` (ST_NumberFormat) writes it; else in digits."""
    write = _FORMS.get(form)
    return write(value) if write and value >= 0 else str(value)


def _roman(value: int) -> str:
    if not 0 < value <= _MAX_ROMAN:
        return str(value)
    out = ""
    for size, sign in _ROMAN:
        out += sign * (value // size)
        value %= size
    return out


def _letters(value: int) -> str:
    if not 0 < value <= _MAX_LETTERS:
        return str(value)
    return chr(ord("A") + (value - 1) % 26) * ((value - 1) // 26 + 1)


def _positional(value: int) -> str:
    return "".join(_DIGITS[int(digit)] for digit in str(value))


def _counting(value: int) -> str:
    """十, 十一, 二十 up to 99, digit by digit above: Word's chineseCounting."""
    return _thousands(value) if value < 100 else _positional(value)


def _thousands(value: int, digits: str = "零一二三四五六七八九", units: str = "十百千万") -> str:
    """一百零一: words for units. Ten to nineteen leave their 一 out, but for the legal digits."""
    if value == 0:
        return "零" if digits[1] != "一" else "〇"
    if value >= 100_000:
        return str(value)
    written = _with_units(value, digits, units)
    tens = digits[1] + units[0]
    return written[1:] if digits[1] == "一" and written.startswith(tens) else written


def _with_units(value: int, digits: str, units: str) -> str:
    out, text = "", str(value)
    for at, digit in enumerate(text):
        place = len(text) - at - 1
        if digit != "0":
            out += digits[int(digit)] + (units[place - 1] if place else "")
        elif out and not out.endswith(digits[0]):
            out += digits[0]
    return out.rstrip(digits[0])


def _ordinal(value: int) -> str:
    ending = "th" if value % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(value % 10)
    return f"{value}{ending or 'th'}"


def _of(signs: str) -> Callable[[int], str]:
    return lambda value: signs[value - 1] if 0 < value <= len(signs) else str(value)


def _run(first: int, count: int) -> Callable[[int], str]:
    return _of("".join(chr(first + step) for step in range(count)))


def _circled(value: int) -> str:
    if 0 < value <= 20:
        return chr(0x245F + value)
    return chr(0x3251 + value - 21) if 20 < value <= 35 else str(value)


def _stem_and_branch(value: int) -> str:
    return _STEMS[(value - 1) % 10] + _BRANCHES[(value - 1) % 12] if 0 < value <= 60 else str(value)


def _full_width(value: int) -> str:
    return "".join(chr(0xFF10 + int(digit)) for digit in str(value))


_FORMS: dict[str, Callable[[int], str]] = {
    "decimalZero": lambda value: f"{value:02}",
    "upperRoman": _roman,
    "lowerRoman": lambda value: _roman(value).lower(),
    "upperLetter": _letters,
    "lowerLetter": lambda value: _letters(value).lower(),
    "ordinal": _ordinal,
    "chineseCounting": _counting,
    "taiwaneseCounting": _counting,
    "japaneseCounting": _thousands,
    "koreanCounting": _thousands,
    "chineseCountingThousand": _thousands,
    "taiwaneseCountingThousand": _thousands,
    "chineseLegalSimplified": lambda value: _thousands(value, _LEGAL, "拾佰仟萬"),
    "ideographLegalTraditional": lambda value: _thousands(value, _LEGAL_OLD, "拾佰仟萬"),
    "japaneseLegal": lambda value: _thousands(value, _LEGAL_OLD, "拾佰仟萬"),
    "ideographDigital": _positional,
    "japaneseDigitalTenThousand": _positional,
    "koreanDigital": _positional,
    "koreanDigital2": _positional,
    "taiwaneseDigital": _positional,
    "ideographTraditional": _of(_STEMS),
    "ideographZodiac": _of(_BRANCHES),
    "ideographZodiacTraditional": _stem_and_branch,
    "decimalEnclosedCircle": _circled,
    "decimalEnclosedCircleChinese": _circled,
    "decimalEnclosedParen": _run(0x2474, 20),
    "decimalEnclosedFullstop": _run(0x2488, 20),
    "ideographEnclosedCircle": _run(0x3280, 10),
    "decimalFullWidth": _full_width,
    "decimalFullWidth2": _full_width,
    "numberInDash": lambda value: f"- {value} -",
    "hex": lambda value: f"{value:X}",
    "none": lambda _value: "",
}
