"""Documents made by chance, Chinese and English, with the statistics of real vocabularies.

Words are drawn by Zipf's law in Mandelbrot's form, p(rank) ~ 1 / (rank + b)^s; each document
repeats a few words of its own (words come in bursts), each word is often followed by one of a few
(so that neighbours make phrases), and names come up that hardly any other document has, so that
the vocabulary grows with the collection as Heaps' law wants it. Document `n` is the same whatever
else is made: the first thousand documents of a million are those of a thousand.
"""

import itertools
import random
import string
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from fanshu.library.chunks import Piece, text_hash
from fanshu.library.store import DocumentRecord

SEED = 2026
EXPONENT, SHIFT = 1.1, 2.7  # of Zipf and Mandelbrot, about those of English texts
VOCABULARY = 60_000  # words that any document may use; names come on top
FUNCTION = {  # the most frequent words are real ones, so that stop words are stop words
    "en": "the of and to in a is for that on with as are be by it or this from at an not can if"
    " when will which has have server data system value file user default set use",
    "zh": "的 在 是 和 了 中 为 对 不 可以 进行 使用 数据 系统 或 以 上 时 与 用户 需要 如果 一个"
    " 配置 服务 默认 通过 文件 支持 应当 规定",
}
FREQUENT = 600  # Chinese characters that most words are made of, of 3,755
TOPIC = 30  # words of a document's own
BURST = 0.3  # share of words that are drawn from them
FOLLOWED, FOLLOWERS = 0.5, 3  # share of words that one of so many usual ones comes after
NAMED = 0.004  # share of words that are names of this document alone
AREAS = 50  # top-level folders
MEAN_CHUNKS = 13
SENTENCES = (4, 12)  # of a chunk

# Of the real sets: 840 bytes a chunk, 13 chunks a document (docs/performance.md).


@dataclass(frozen=True, slots=True)
class Made:
    """A document as a store takes it."""

    number: int
    language: str
    record: DocumentRecord
    pieces: tuple[Piece, ...]


class Vocabulary:
    """The words of a language by rank, and how they are drawn."""

    def __init__(self, language: str) -> None:
        self.language = language
        draw = random.Random(f"{SEED} {language}")
        first = FUNCTION[language].split()
        made = _chinese(draw) if language == "zh" else _latin(draw)
        unique = dict.fromkeys(itertools.chain(first, itertools.islice(made, VOCABULARY)))
        self.words = list(unique)
        weights = ((rank + SHIFT) ** -EXPONENT for rank in range(1, len(self.words) + 1))
        self._sums = list(itertools.accumulate(weights))
        after = self.draw(draw, len(self.words) * FOLLOWERS)
        self.after = {
            w: after[at * FOLLOWERS : (at + 1) * FOLLOWERS] for at, w in enumerate(self.words)
        }

    def draw(self, source: random.Random, count: int) -> list[str]:
        return source.choices(self.words, cum_weights=self._sums, k=count)

    def topical(self, source: random.Random, count: int) -> list[str]:
        """Words that say what a document is about: none of the most frequent ones."""
        drawn = self.draw(source, count * 4)
        rank = {word: at for at, word in enumerate(self.words[:200])}
        return [word for word in drawn if word not in rank][:count] or drawn[:count]


def _latin(draw: random.Random) -> Iterator[str]:
    """Words of one to four syllables; short ones come first, as in every language."""
    heads = [*"bcdfghjklmnprstvw", "st", "tr", "pl", "ch", "sh", "gr", "cl", ""]
    tails = ["", "n", "r", "s", "t", "l", "nd", "st", "ck", "m"]
    for number in itertools.count():
        longest = 2 if number < 500 else 3 if number < 20_000 else 4
        count = draw.randint(max(1, longest - 2), longest)
        yield "".join(
            draw.choice(heads) + draw.choice("aeiou") + draw.choice(tails) for _ in range(count)
        )


def _chinese(draw: random.Random) -> Iterator[str]:
    """Words of one to four characters of GB 2312's first level; most have two."""
    cells = ((row, cell) for row in range(0xB0, 0xD8) for cell in range(0xA1, 0xFF))
    coded = (bytes(cell).decode("gb2312", "ignore") for cell in cells)
    characters = [one for one in coded if one]
    draw.shuffle(characters)
    sums = list(itertools.accumulate((at + 20) ** -0.9 for at in range(len(characters))))
    for number in itertools.count():
        size = draw.choices((1, 2, 3, 4), (4, 70, 16, 10))[0]
        some = characters[:FREQUENT] if number < 2_000 else characters
        yield "".join(draw.choices(some, cum_weights=sums[: len(some)], k=size))


class Collection:
    """Documents by number; what is asked of them."""

    @cached_property
    def languages(self) -> tuple[Vocabulary, Vocabulary]:
        return Vocabulary("zh"), Vocabulary("en")

    def document(self, number: int) -> Made:
        source = random.Random(f"{SEED} {number}")
        vocabulary = self.languages[number % 2]
        writer = _Writer(vocabulary, source)
        title = writer.heading(3)
        path = f"{area(self, number % AREAS)}/{writer.heading(2)}-{_letters(number)}.md"
        count = max(1, min(200, round(source.lognormvariate(2.25, 0.8))))
        pieces = tuple(_pieces(writer, title, count))
        size = sum(len(piece.text.encode()) for piece in pieces)
        record = DocumentRecord(
            path, size, 1_700_000_000_000_000_000 + number, text_hash(path), "ok", "synthetic",
            title=title, chunks=len(pieces), characters=sum(len(one.text) for one in pieces),
        )  # fmt: skip
        return Made(number, vocabulary.language, record, pieces)

    def documents(self, first: int = 0) -> Iterator[Made]:
        return (self.document(number) for number in itertools.count(first))


class _Writer:
    """Writes in one language about one topic."""

    def __init__(self, vocabulary: Vocabulary, source: random.Random) -> None:
        self._vocabulary, self._source = vocabulary, source
        self._topic = vocabulary.topical(source, TOPIC)
        self._zh = vocabulary.language == "zh"

    def words(self, count: int) -> list[str]:
        source = self._source
        drawn = self._vocabulary.draw(source, count)
        for at in range(count):
            chance = source.random()
            if chance < BURST:
                drawn[at] = source.choice(self._topic)
            elif chance < BURST + FOLLOWED and at:
                usual = self._vocabulary.after.get(drawn[at - 1])
                drawn[at] = source.choice(usual) if usual else drawn[at]
            elif chance > 1 - NAMED:
                drawn[at] = self.name()
        return drawn

    def name(self) -> str:
        """An identifier, a version, a figure or an error code: what only few documents hold."""
        source = self._source
        kind = source.randrange(4)
        if kind == 0:
            return "_".join(_letters(source.randrange(26**4)) for _ in range(2))
        if kind == 1:
            return ".".join(str(source.randrange(30)) for _ in range(3))
        if kind == 2:
            return str(source.randrange(10, 100_000))
        return f"{_letters(source.randrange(26**2)).upper()}-{source.randrange(100, 9_999)}"

    def heading(self, count: int) -> str:
        return ("" if self._zh else " ").join(self._source.choices(self._topic, k=count))

    def sentence(self) -> str:
        if self._zh:
            words = self.words(self._source.randint(8, 22))
            return "".join(map(_spaced, words)).strip() + "。"
        words = self.words(self._source.randint(6, 20))
        return " ".join(words).capitalize() + ". "

    def text(self) -> str:
        sentences = self._source.randint(*SENTENCES)
        return "".join(self.sentence() for _ in range(sentences))


def _spaced(word: str) -> str:
    return f" {word} " if word.isascii() else word


def _letters(number: int) -> str:
    """A number in letters, so that names of files are no versions of each other."""
    out = ""
    while True:
        number, rest = divmod(number, 26)
        out = string.ascii_lowercase[rest] + out
        if not number:
            return out.rjust(3, "q")


def _pieces(writer: _Writer, title: str, count: int) -> Iterator[Piece]:
    start, line = 0, 1
    chapter = writer.heading(2)
    for number in range(1, count + 1):
        if number % 5 == 0:
            chapter = writer.heading(2)
        trail = (title,) if number == 1 else (title, chapter, writer.heading(2))
        text = f"{'#' * len(trail)} {trail[-1]}\n\n{writer.text()}\n\n"
        yield Piece(
            number, trail, len(trail), text, start, (line, line + 3), None, (1, 1), text_hash(text)
        )
        start, line = start + len(text), line + 4


def area(collection: Collection, number: int) -> str:
    """The folder at the top that every fiftieth document lies in."""
    return f"{collection.languages[1].words[300 + number]}-{_letters(number)}"
