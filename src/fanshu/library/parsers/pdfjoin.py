"""Lines of a page → paragraphs: which line ends are only there because the line was full."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from statistics import median

from fanshu.library.parsers.pdfpages import HYPHEN, Line

FULL = 2.5  # font sizes that a full Chinese line may lack at its end
INDENT = 1.0  # font sizes by which a new paragraph is set in
HANGING = 3.0  # font sizes by which text hangs behind its bullet or number
LOOSE = 1.3  # times the usual line pitch: a wider one parts paragraphs
MAX_PITCH = 2.2  # times the font size, where a page tells no pitch
LATIN_WIDTH = 0.5  # width of a Latin letter, of the font size

_WIDE = "\u2e80-\u9fff\uf900-\ufaff\U00020000-\U000323af"  # characters written without spaces
_CJK = re.compile(rf"[{_WIDE}\u3000-\u303f\uff01-\uff5e“”‘’…—]")
_SPACED = re.compile(rf"(?<![{_WIDE}])[{_WIDE}](?: [{_WIDE}]){{2,}}(?![{_WIDE}])")
_SPACED_LINE = re.compile(rf"[{_WIDE}] +[{_WIDE}]")
_SPACED_CHAPTER = re.compile(rf"(?<=[章节節编編] )[{_WIDE}] +[{_WIDE}]$")
_BULLET = re.compile(
    r"[•·●○◦■□▪▶►※*–—-] ?|第\s*[0-9〇零一二三四五六七八九十百千]+\s*[条條章节節编編款]"
    r"|[一二三四五六七八九十]+、|[（(][一二三四五六七八九十\d]{1,3}[)）]|\d{1,2}[)）.．、](?!\d)"
    r"|\d{1,2}(?:\.\d{1,2}){1,4}\s|附[件录錄表]|[a-zA-Z][.)] |[①-⑳]|[图表]\s*\d"
)
_LEADER = re.compile(r"\s?(?:\.\s?){5,}")
_END = tuple("。！？!?.：:；;")
_BROKEN = re.compile(rf"([A-Za-z]+)[{HYPHEN}\u00ad]([A-Za-z]*)")
_OPEN_END = re.compile(r"([A-Za-z]+)-$")
_BEGINNING = re.compile(r"[a-z]+")
_WORD = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)*")
# First words of compounds. Behind the sure ones a hyphen is nearly always meant; behind the
# likely ones only when what follows is a word of the file, and no ending (state-ment, soft-ware).
_SURE = frozenset("well self non multi cross semi quasi two three half built".split())
_LIKELY = frozenset(
    "high low long short full real first second third user read write state open end client server "
    "command large small single double hard soft fast time left right top bottom far near old new "
    "pre post fine coarse".split()
)
_ENDINGS = frozenset("ment ing er ed ly ware age s ness able ize ise est ance ary al ion".split())


def words_of(lines: Iterable[Line]) -> frozenset[str]:
    """The words of a file that are not broken at a line end, in lower case."""
    words: set[str] = set()
    for line in lines:
        text = _BROKEN.sub(" ", line.text)
        words.update(word.lower() for word in _WORD.findall(text))
    return frozenset(words)


def clean(text: str, words: Set[str]) -> str:
    """A line with its line-end hyphens decided and letter-spaced Chinese drawn together."""
    if HYPHEN in text or "\u00ad" in text:
        text = _BROKEN.sub(lambda match: _mend(match[1], match[2], words), text)
        text = text.replace(HYPHEN, "-").replace("\u00ad", "")
    text = _LEADER.sub(" … ", text)
    text = _SPACED.sub(lambda match: match[0].replace(" ", ""), text.replace("\xa0", " ").strip())
    if _SPACED_LINE.fullmatch(text):
        return text.replace(" ", "")
    return _SPACED_CHAPTER.sub(lambda match: match[0].replace(" ", ""), text)


def _mend(one: str, two: str, words: Set[str]) -> str:
    """A word broken at a line end: whole, or with the hyphen it always had."""
    whole, hyphened = one + two, f"{one}-{two}"
    if whole.lower() in words:
        return whole
    if hyphened.lower() in words or one.lower() in _SURE or not two[:1].islower():
        return hyphened
    follows = two.lower() in words and two.lower() not in _ENDINGS
    return hyphened if one.lower() in _LIKELY and follows else whole


def pitch_of(lines: Sequence[Line]) -> float:
    """The usual distance of two lines of a page, in points; 0 when there is none."""
    steps = [
        one.y - two.y
        for one, two in itertools.pairwise(lines)
        if 0 < one.y - two.y < MAX_PITCH * one.size and abs(one.size - two.size) < 1
    ]
    if not steps:
        return 0.0
    common, count = Counter(round(step) for step in steps).most_common(1)[0]
    return float(common) if count > 1 else float(median(steps))


def continues(one: Line, two: Line, right: float, pitch: float, measure: float) -> bool:
    """Whether the second line goes on with the paragraph of the first.

    `right`: where lines of the page end; `measure`: where full lines of the file end.
    """
    if one.mono or two.mono or abs(one.size - two.size) > 0.6 or one.bold != two.bold:
        return False
    step = one.y - two.y
    near = 0 < step <= (LOOSE * pitch if pitch else MAX_PITCH * one.size)
    if not near and one.page == two.page:
        return False
    if one.gaps or two.gaps or _BULLET.match(two.text) or one.text.endswith(("：", ":")):
        return False
    hanging = HANGING if _BULLET.match(one.text) else INDENT
    if not -4 * one.size <= two.left - one.left <= hanging * one.size:
        return False
    edge = measure if one.text.endswith(_END) or one.page != two.page else right
    return one.right + _first_word(two) >= edge


def _first_word(line: Line) -> float:
    """The width that the next line's beginning would have needed, in points."""
    if _CJK.match(line.text):
        return FULL * line.size
    word = re.split(rf"[\s{_WIDE}]", line.text, maxsplit=1)[0]
    return (len(word) + 1) * LATIN_WIDTH * line.size + line.size


def join(texts: Sequence[str], words: Set[str]) -> str:
    """The lines of a paragraph as one: Chinese without a space, Latin with one."""
    pieces = [texts[0]]
    for text in texts[1:]:
        broken = _OPEN_END.search(pieces[-1]) if pieces[-1].endswith("-") else None
        rest = _BEGINNING.match(text)
        if broken and rest:
            mended = _mend(broken[1], rest[0], words)
            pieces[-1] = pieces[-1][: broken.start()] + mended + text[rest.end() :]
        elif _CJK.match(pieces[-1][-1]) and _CJK.match(text):
            pieces.append(text)
        else:
            pieces += [" ", text]
    return "".join(pieces)
