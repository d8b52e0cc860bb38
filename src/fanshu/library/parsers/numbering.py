"""The ways in which Chinese and technical texts number their parts: patterns and numerals."""

import re
import unicodedata

NUMERAL = "0-9０-９〇零○一二三四五六七八九十百千两兩廿"
_DIGITS = {"〇": 0, "零": 0, "○": 0, "两": 2, "兩": 2}
_DIGITS |= {char: value for value, char in enumerate("一二三四五六七八九", 1)}
_UNITS = {"十": 10, "百": 100, "千": 1000}

ARTICLE = re.compile(rf"第\s*([{NUMERAL}]+)\s*[条條](?:之([{NUMERAL}]+))?")
CHAPTER = re.compile(rf"第\s*([{NUMERAL}]+)\s*(分[编編]|[编編]|章|[节節]|部分|篇)(.*)$")
ANNEX = re.compile(
    rf"(?:附\s*[件錄录表]|附\s*[则則](?=\s*$))\s*([{NUMERAL}]*|[A-Z]?)(?![{NUMERAL}A-Za-z])(.*)$"
)
ENGLISH = re.compile(
    r"(Part|Chapter|Appendix|Annex)\s+(\d{1,3}|[IVXLC]{1,6}|[A-Z])\b(.*)$", re.IGNORECASE
)
FIRST_LEVEL = re.compile(r"([一二三四五六七八九十百]+)、\s*(.*)$")
SECOND_LEVEL = re.compile(r"[（(]([一二三四五六七八九十百]+)[)）]\s*(.*)$")
THIRD_LEVEL = re.compile(r"(\d{1,2})[.．、](?!\d)\s*(.*)$")
DECIMAL = re.compile(r"(\d{1,3}(?:[.．]\d{1,3}){0,5})([.．、]?)([\s\u3000]*)(.*)$")
CONTENTS = re.compile(r"(?:目\s*[录錄次]|(?:table of )?contents)$", re.IGNORECASE)
_LEADER = re.compile(r"(?:\.{3,}|…+|·{3,}|(?:\. ?){4,}|\t)\s*[\divxlc]*$", re.IGNORECASE)
_PAGE = re.compile(r"\s[\divxlc]{1,5}$", re.IGNORECASE)

CHAPTER_RANKS = {"部分": 1, "篇": 1, "编": 1, "分编": 2, "章": 3, "节": 4}
ARTICLE_RANK, FIRST_RANK, SECOND_RANK, THIRD_RANK, DECIMAL_RANK = 5, 6, 7, 8, 10
ANNEX_RANK = 0
TAIL = 200  # characters at the end of a line in which its leader is looked for
MAX_TITLE = 70  # characters of a line that may be a chapter heading

_ENDS = tuple("。；，、;,")
_REFERS = re.compile(
    r"[的之、，,；;。）)】》]|规定|規定|所[列称述规]|以[上下内外]|[和或及至]第|中的|第"
)


def numeral(text: str) -> int | None:
    """The number that a numeral stands for: 十二, １２, 一百零二, and 一〇二 digit by digit."""
    text = unicodedata.normalize("NFKC", text).replace("廿", "二十")
    if text.isdecimal():
        return int(text)
    if not any(char in _UNITS for char in text):
        return _positional(text)
    total = digit = 0
    for char in text:
        if char in _UNITS:
            total += (digit or 1) * _UNITS[char]
            digit = 0
        elif char in _DIGITS:
            digit = _DIGITS[char]
        else:
            return None
    return total + digit


def _positional(text: str) -> int | None:
    values = [int(char) if char.isdecimal() else _DIGITS.get(char) for char in text]
    known = [value for value in values if value is not None]
    if not values or len(known) < len(values):
        return None
    return known[0] if len(known) == 1 else int("".join(map(str, known)))


def has_leader(line: str) -> bool:
    """Whether a line ends in the dots and page number of a table of contents."""
    return bool(_LEADER.search(line[-TAIL:]))


def is_numbered(line: str) -> bool:
    """Whether a line begins with a number of any of the kinds above."""
    kinds = (ARTICLE, CHAPTER, ENGLISH, FIRST_LEVEL, SECOND_LEVEL, THIRD_LEVEL, DECIMAL)
    return any(kind.match(line) for kind in kinds)


def contents_key(line: str) -> str:
    """What a line of a table of contents and the heading it names have in common."""
    tail = _PAGE.sub("", _LEADER.sub("", line[-TAIL:]))
    return "".join((line[:-TAIL] + tail).split())


def is_bare_chapter(line: str) -> bool:
    """Whether a chapter line is a number alone, so that its title stands on the next."""
    match = CHAPTER.match(line) or ENGLISH.match(line)
    return match is not None and not match[3].strip(" .:：\u3000")


def chapter_rank(line: str) -> int | None:
    """The rank of a line that is a heading 第N编/章/节 and nothing else, or None."""
    if len(line) > MAX_TITLE or line.endswith(_ENDS):
        return None
    if match := CHAPTER.match(line):
        if _REFERS.match(match[3]) or numeral(match[1]) is None:
            return None
        return CHAPTER_RANKS[match[2].replace("編", "编").replace("節", "节")]
    if match := ENGLISH.match(line):
        rest = match[3].lstrip()
        if match[1][0].islower() or (rest and rest[0].islower()) or line.endswith("."):
            return None
        return 1 if match[1].lower() == "part" else 3
    return None


def is_annex(line: str) -> bool:
    """Whether a line opens an annex, and with it a numbering of its own."""
    if len(line) > MAX_TITLE or line.endswith(_ENDS) or line[:1] != "附":
        return False
    match = ANNEX.match(line)
    if not match:
        return False
    rest = match[2]
    if not rest.strip("：: \u3000"):
        return True
    if _REFERS.match(rest) or rest[0] in "中和及或所" or re.match(r"\s*[：:]\s*\d", rest):
        return False  # 附件：1.… announces a list, 附件的… speaks of one
    return bool(match[1]) or rest[0] in "：: \u3000\t"
