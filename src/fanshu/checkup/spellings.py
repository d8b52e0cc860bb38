"""Terms that documents spell in several ways: 登录 and 登陆, Wi-Fi and WiFi, max_conn and max-conn.

Only where one spelling is clearly the usual one; a folder that is split evenly has two words.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fanshu.library.passages import Span

MOST = 200_000  # different spellings kept of a library
PLACES = 3  # kept of each spelling
USUAL = 3  # times the usual spelling must stand for each time of the rarer one
LEAST_USUAL = 2  # places of the usual spelling
SURE, LIKELY = 0.55, 0.35

# (usual, mistaken): one is wrong in written Chinese, or not used beside the other.
_PAIRS = (
    ("登录", "登陆"),
    ("账号", "帐号"),
    ("账户", "帐户"),
    ("账单", "帐单"),
    ("阈值", "阀值"),
    ("部署", "布署"),
    ("按钮", "按纽"),
    ("作为", "做为"),
    ("缓存", "缓冲存储"),
    ("宕机", "当机"),
    ("默认", "缺省"),
    ("回滚", "回卷"),
    ("图像", "图象"),
    ("身份", "身分"),
    ("签订", "签定"),
    ("其他", "其它"),
)
STYLE = frozenset({"缓冲存储", "缺省", "其它", "回卷", "身分"})  # a matter of style
_CHINESE = re.compile("|".join(word for pair in _PAIRS for word in pair))
_LATIN = re.compile(r"(?<![\w./@#-])[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*(?![\w/@]|[-_.]\w|\()")
_CODE = re.compile(
    r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)|\]\([^)\n]*\)|https?://\S+|<[^<>\n]{1,300}>"
)


@dataclass(frozen=True, slots=True)
class Spelling:
    """A way to write a term, where it stands."""

    term: str
    written: str
    span: Span


@dataclass(frozen=True, slots=True)
class Mixed:
    """A term in several spellings, the usual first: (written, how often, chunk and span)."""

    forms: tuple[tuple[str, int, tuple[str, Span]], ...]
    sure: float


def spellings(text: str) -> Iterator[Spelling]:
    """The first place in a chunk of each word that could be written in another way."""
    said = _CODE.sub(lambda code: " " * len(code[0]), text)
    seen: set[str] = set()
    for match in _CHINESE.finditer(said):
        if match[0] not in seen:
            seen.add(match[0])
            yield Spelling(_term(match[0]), match[0], match.span())
    for match in _LATIN.finditer(said):
        written = match[0]
        if written not in seen and _telling(written):
            seen.add(written)
            yield Spelling(re.sub("[-_]", "", written).lower(), written, match.span())


def _term(word: str) -> str:
    return next(usual for usual, other in _PAIRS if word in (usual, other))


def _telling(word: str) -> bool:
    """Whether a word has an inner mark or capital, or begins with one, and is no abbreviation."""
    return (
        len(word) > 3
        and not word.isupper()
        and (word != word.lower() or "-" in word or "_" in word)
    )


class Spellings:
    """All spellings of a library, counted by the chunks that hold them."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._places: dict[tuple[str, str], tuple[str, Span]] = {}

    def add(self, chunk_id: str, found: Iterable[Spelling]) -> None:
        """Take in those of a chunk."""
        for one in found:
            key = one.term, one.written
            if key in self._counts or len(self._counts) < MOST:
                self._counts[key] += 1
                self._places.setdefault(key, (chunk_id, one.span))

    def mixed(self) -> Iterator[Mixed]:
        """The terms that are written in several ways."""
        forms: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for (term, written), count in self._counts.items():
            forms[term].append((written, count))
        for term, found in forms.items():
            if len(found) > 1:
                yield from self._judged(term, sorted(found, key=lambda one: (-one[1], one[0])))

    def _judged(self, term: str, found: list[tuple[str, int]]) -> Iterator[Mixed]:
        usual, count = found[0]
        rare = [one for one in found[1:] if one[1] * USUAL <= count and _confusable(usual, one[0])]
        if count < LEAST_USUAL or not rare:
            return
        sure = SURE if not usual.isascii() and not STYLE & {w for w, _ in rare} else LIKELY
        yield Mixed(
            tuple((word, times, self._places[term, word]) for word, times in [found[0], *rare]),
            sure,
        )


def _confusable(usual: str, other: str) -> bool:
    """Whether a spelling is a slip: not one that begins a sentence, nor a constant or flag."""
    if not usual.isascii():
        return True
    if "_" in usual + other:
        # A flag is written with dashes where the setting has none: only names without capitals.
        return usual.islower() and other.islower() and "_" in usual and "_" in other
    if usual.lower() == other.lower():
        inner = usual[1:] != usual[1:].lower()
        return inner and other != other.lower() and other[:1] == usual[:1]
    return usual[:1].isupper() and other[:1].isupper()
