"""Queries drawn from what a library holds, by a fixed seed, and a brute-force reader to check them.

The reader knows nothing of the index: it folds every text and looks for each word of a query
in it, Chinese anywhere, Latin words and numbers at their borders.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from fanshu.library.sqlite import SqliteStore
from fanshu.library.terms import CJK, Phrase, fold, phrase

SEED = 42
SAMPLED = 4_000  # chunks that queries are drawn from
STRATA = ((1, 3), (4, 30), (31, 300), (301, 3_000), (3_001, 10**9))  # chunks that hold a word
RARE = (1, 3)
KNOWN_ROWS = (5, 400)  # chunks that hold a word of a known-item query from a body
CAP = 1_000_000
SEPARATED = r"[\W_]{0,3}"  # what may stand between the parts of a word

_CJK_RUN = re.compile(rf"[{CJK}]{{4,}}")
_CJK_GAP = re.compile(rf"(?<=[{CJK}])[ \t]*\n?[ \t]*(?=[{CJK}])")  # no paragraph ends in a word
_PARAMETER = re.compile(r"(?<![\w-])[a-z]+(?:(?:_[a-z]+)+|(?:-[a-z]+){2,})(?![\w-])")
_VERSION = re.compile(r"(?<![\w.])v?\d+\.\d+(?:\.\d+)+(?![\w.])")
_CODE = re.compile(r"(?<![\w-])[A-Z]{2,}[-_]?\d{2,}(?!\w)|(?<![\d.,-])\d{4,5}(?![\d.,-])")
_ENGLISH = re.compile(r"(?<![\w-])[A-Za-z][a-z]{3,11}(?![\w-])")
_PARTS = re.compile(rf"[{CJK}]+|\d+|[^\W\d_{CJK}]+")
_SENTENCE = re.compile(r"[^。；！？.!?\n|]{12,80}")


@dataclass(frozen=True, slots=True)
class Row:
    """A chunk as it is indexed: where it stands, its heading, all its text."""

    id: int
    path: str
    trail: tuple[str, ...]
    text: str
    name: str

    @property
    def all(self) -> str:
        return "\n\n".join((self.name, *self.trail, self.text))


@dataclass(frozen=True, slots=True)
class Known:
    """A query made from one chunk, and the chunks that answer it."""

    query: str
    wanted: frozenset[int]


@dataclass(slots=True)
class Drawn:
    """Queries by class."""

    classes: dict[str, list[str]] = field(default_factory=dict)

    def all(self) -> list[str]:
        return [query for queries in self.classes.values() for query in queries]


def rows(store: SqliteStore, ids: Iterable[int] | None = None) -> list[Row]:
    """Chunks of a store, all of them or some."""
    sql = (
        "SELECT c.id, d.path, d.title, c.trail, t.text FROM chunk c"
        " JOIN doc d ON d.id = c.doc_id JOIN content t ON t.id = c.id"
    )
    values: tuple[object, ...] = ()
    if ids is not None:
        sql += " WHERE c.id IN (SELECT value FROM json_each(?))"
        values = (json.dumps(list(ids)),)
    return [
        Row(row, path, tuple(json.loads(trail)), text, _name(path, title))
        for row, path, title, trail, text in store._find(sql, values)
    ]


def _name(path: str, title: str) -> str:
    name = PurePosixPath(path)
    return f"{' '.join(name.parts[:-1])} {name.stem} {title}"


def sample(store: SqliteStore, draw: random.Random) -> list[Row]:
    ids = [row for (row,) in store._find("SELECT id FROM chunk", ())]
    return rows(store, draw.sample(ids, min(SAMPLED, len(ids))))


def drawn(store: SqliteStore) -> Drawn:
    """215 queries in ten classes (notes of the design, §0)."""
    draw = random.Random(SEED)
    some = sample(store, draw)
    count = _counter(store)
    out = Drawn()
    pairs = _pieces(some, 2, draw)
    out.classes["two characters"] = _strata(pairs, count, 8)
    out.classes["four characters"] = _pieces(some, 4, draw)[:30]
    out.classes["parameter names"] = _matches(_PARAMETER, some, draw)[:25]
    out.classes["versions"] = _matches(_VERSION, some, draw)[:15]
    out.classes["error codes"] = _matches(_CODE, some, draw)[:15]
    english = _matches(_ENGLISH, some, draw)
    out.classes["mixed"] = _together(some, draw, 20, (_ENGLISH, 2))
    out.classes["very common"] = _commonest(some, count)
    out.classes["English words"] = english[:25]
    out.classes["several words"] = _together(some, draw, 18, (_ENGLISH, 0), (_ENGLISH, 0))
    rare = [w for w in (*pairs, *english) if RARE[0] <= count(w) <= RARE[1]]
    out.classes["rare"] = draw.sample(rare, min(15, len(rare)))
    return out


def _counter(store: SqliteStore) -> Callable[[str], int]:
    def count(word: str) -> int:
        found = phrase(word)
        return store.count(found, None, CAP) if found else 0

    return count


def _pieces(some: Sequence[Row], size: int, draw: random.Random) -> list[str]:
    """Pieces of runs of Chinese, wherever they begin."""
    found: dict[str, None] = {}
    for row in draw.sample(some, len(some)):
        runs = _CJK_RUN.findall(row.text)
        if runs:
            run = draw.choice(runs)
            at = draw.randrange(len(run) - size + 1)
            found[run[at : at + size]] = None
    return list(found)


def _matches(looked_for: re.Pattern[str], some: Sequence[Row], draw: random.Random) -> list[str]:
    found: dict[str, None] = {}
    for row in draw.sample(some, len(some)):
        if words := looked_for.findall(row.text):
            found[draw.choice(words)] = None
    return list(found)


def _strata(words: Sequence[str], count: Callable[[str], int], each: int) -> list[str]:
    groups: list[list[str]] = [[] for _ in STRATA]
    for word in words:
        seen = count(word)
        for group, (low, high) in zip(groups, STRATA, strict=True):
            if low <= seen <= high and len(group) < each:
                group.append(word)
    return [word for group in groups for word in group]


def _together(
    some: Sequence[Row], draw: random.Random, wanted: int, *kinds: tuple[re.Pattern[str], int]
) -> list[str]:
    """Words of one chunk: for each kind a Latin word, and a piece of Chinese if a size is given."""
    found: dict[str, None] = {}
    for row in draw.sample(some, len(some)):
        parts: list[str] = []
        for looked_for, size in kinds:
            words = looked_for.findall(row.text)
            runs = _CJK_RUN.findall(row.text) if size else [""]
            if words and runs:
                parts.append(draw.choice(words))
                parts += [draw.choice(runs)[:size]] if size else []
        if len(set(parts)) == max(2, len(kinds)) and len(found) < wanted:
            found[" ".join(parts)] = None
    return list(found)


def _commonest(some: Sequence[Row], count: Callable[[str], int]) -> list[str]:
    """Twelve words and characters that stand in most chunks."""
    latin: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    single: Counter[str] = Counter()
    for row in some:
        latin.update({word.lower() for word in _ENGLISH.findall(row.text)} | {"the"})
        for run in _CJK_RUN.findall(row.text):
            pairs.update({run[at : at + 2] for at in range(len(run) - 1)})
            single.update(set(run))
    words = [w for c, n in ((latin, 6), (pairs, 5), (single, 1)) for w, _ in c.most_common(n)]
    return sorted(words, key=count, reverse=True)


# ---------------------------------------------------------------- the reader


class Reader:
    """Every chunk of a store, folded once, to be read through for each word."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self._texts = [(row.id, _CJK_GAP.sub("", fold(row.all))) for row in rows(store)]
        self._known: dict[str, frozenset[int]] = {}

    def matches(self, query: str) -> frozenset[int]:
        """The chunks in which every word of a query stands."""
        return frozenset.intersection(*(self._holding(word) for word in query.split()))

    def meant(self, query: str, among: Iterable[int]) -> frozenset[int]:
        """Those chunks in which every word stands as search promises to find it, not only as
        written: its parts side by side (`read_only`, "read only"), or as a part of CamelCase.
        """
        found = [_loose(word) for word in query.split()]
        return frozenset(
            row.id
            for row in rows(self._store, among)
            if all(folded(fold(row.all)) or camel(row.all) for folded, camel in found)
        )

    def _holding(self, word: str) -> frozenset[int]:
        if word not in self._known:
            folded = fold(word)
            bordered = _bordered(folded)
            self._known[word] = frozenset(
                row for row, text in self._texts if folded in text and bordered(text)
            )
        return self._known[word]


def _bordered(word: str) -> Callable[[str], object]:
    """Whether a folded word stands in a text at its borders: letters end where others begin."""
    before = _border(word[0], "(?<!{})")
    after = _border(word[-1], "(?!{})")
    return re.compile(before + re.escape(word) + after).search


def _loose(word: str) -> tuple[Callable[[str], object], Callable[[str], object]]:
    """Whether a word stands in a folded text part by part; in a text, as a part of CamelCase."""
    parts = _PARTS.findall(fold(word))
    before, after = _border(parts[0][0], "(?<!{})"), _border(parts[-1][-1], "(?!{})")
    title, upper = word.capitalize(), word.upper()
    camel = f"(?<=[A-Za-z]){title}(?![a-z])|(?<![A-Za-z]){word.lower()}(?=[A-Z])"
    camel += f"|(?<![A-Za-z]){title}(?=[A-Z])|(?<=[a-z]){upper}(?![a-z])|{upper}(?=[A-Z][a-z])"
    never = "(?!)"
    return (
        re.compile(before + SEPARATED.join(map(re.escape, parts)) + after).search,
        re.compile(camel if word.isascii() and word.isalpha() else never).search,
    )


def _border(char: str, form: str) -> str:
    if re.match(rf"[{CJK}]", char) or not char.isalnum():
        return ""
    return form.format(r"\d" if char.isdigit() else rf"[^\W\d_{CJK}]")


# ---------------------------------------------------------------- known items


def known_items(store: SqliteStore, each: int) -> dict[str, list[Known]]:
    """Queries from headings and from sentences of bodies, with the chunks they were made of."""
    draw = random.Random(SEED + 1)
    some = sample(store, draw)
    count = _counter(store)
    heads = (_of_heading(row, count, store) for row in some)
    bodies = (_of_body(row, count, draw) for row in some)
    return {
        "headings": [one for one in heads if one][:each],
        "bodies": [one for one in bodies if one][:each],
    }


def _of_heading(row: Row, count: Callable[[str], int], store: SqliteStore) -> Known | None:
    """The heading of a chunk, where few chunks have it: without numbers, as one would type it."""
    leaf = row.trail[-1] if row.trail else ""
    words = re.sub(r"[^\w\s.-]+|^\W*\d[\d.]*\W*", " ", leaf).split()[:4]
    query = " ".join(words)
    found = phrase(query)
    if not 3 <= len(query) <= 30 or not isinstance(found, Phrase) or not 1 <= count(query) <= 40:
        return None
    sql = "SELECT id FROM chunk WHERE json_extract(trail, '$[#-1]') = ?"
    same = frozenset(one for (one,) in store._find(sql, (leaf,)))
    return Known(query, same) if len(same) <= 3 else None


def _of_body(row: Row, count: Callable[[str], int], draw: random.Random) -> Known | None:
    """Two words of one sentence, neither common nor unique."""
    sentences = [s for s in _SENTENCE.findall(row.text) if s.strip() not in row.trail]
    if not sentences:
        return None
    sentence = draw.choice(sentences)
    words = _ENGLISH.findall(sentence) + [
        run[at : at + 2] for run in _CJK_RUN.findall(sentence) for at in range(0, len(run) - 1, 2)
    ]
    fit = [w for w in dict.fromkeys(words) if KNOWN_ROWS[0] <= count(w) <= KNOWN_ROWS[1]]
    if len(fit) < 2:
        return None
    return Known(
        " ".join(draw.sample(fit, min(len(fit), draw.choice((2, 2, 3))))), frozenset({row.id})
    )
