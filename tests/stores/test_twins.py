"""The same documents in SQLite and on a server: the same ids, scores and results, all of them."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fanshu.errors import UnknownPath
from fanshu.library.library import Library
from fanshu.library.store import AllOf, AnyOf, Query, Store
from fanshu.library.terms import CJK, phrase
from fanshu.types import EVERYTHING, Scope, SearchResult
from tests.stores.conftest import MakePlace, in_file
from tests.stores.places import CAP, Place, piece, record_of
from tests.stores.test_hostile import ANY, SYNTAX

pytestmark = pytest.mark.cluster
SEED = 2_026
DRAWN = 60
LIMIT = 60  # candidates that a search ranks
SCOPES = (EVERYTHING, Scope(("制度/*", "operations/*")))
_RUN = re.compile(f"[{CJK}]+|[A-Za-z][\\w.-]*[A-Za-z0-9]|\\d+")


@dataclass(frozen=True, slots=True)
class Twins:
    """A library in SQLite and the same on a server, over the same folder."""

    place: Place
    reference: Library
    other: Library

    @property
    def both(self) -> tuple[Library, Library]:
        return self.reference, self.other

    def sync(self) -> None:
        for one in self.both:
            one.sync()

    def texts(self) -> list[str]:
        return [self.reference.read(entry.chunk_id).text for entry in self.reference.outline()]


def twins_over(docs: Path, folder: Path, on_server: MakePlace) -> Iterator[Twins]:
    first, second = in_file(folder / "file"), on_server(folder / "server")
    made = Twins(replace(first, docs=docs), first.library(docs), second.library(docs))
    made.sync()
    yield made
    for one in made.both:
        one.close()
    second.clear()


@pytest.fixture(scope="module")
def twins(
    examples: Path, on_server: MakePlace, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Twins]:
    """Over the example library, which nobody changes."""
    yield from twins_over(examples, tmp_path_factory.mktemp("twins"), on_server)


@pytest.fixture
def own(on_server: MakePlace, tmp_path: Path) -> Iterator[Twins]:
    """Over an empty folder of the test's own."""
    (tmp_path / "docs").mkdir()
    yield from twins_over(tmp_path / "docs", tmp_path, on_server)


def drawn(texts: Sequence[str], size: int) -> list[str]:
    """Queries out of the texts themselves: words, pieces of Chinese, lines, several words."""
    choice = random.Random(SEED)
    words = [word for text in texts for word in _RUN.findall(text)]
    lines = [line.strip() for text in texts for line in text.splitlines() if line.strip()]
    queries = []
    for number in range(size):
        word = choice.choice(words)
        start = choice.randrange(len(word))
        queries.append(
            (
                word,
                word[start : start + choice.randint(1, 6)],
                " ".join(choice.sample(words, 3)),
                choice.choice(lines)[:80],
                f'"{word}" {choice.choice(words)}',
                f"{choice.choice(words)}|{choice.choice(words)}",
            )[number % 6]
        )
    return queries


def same(one: SearchResult, other: SearchResult) -> None:
    """Every field; scores to the last place that is shown."""
    scores = [[hit.score for hit in result.hits] for result in (one, other)]
    assert scores[0] == pytest.approx(scores[1], abs=1.5e-4)
    plain = [replace(r, hits=tuple(replace(h, score=0.0) for h in r.hits)) for r in (one, other)]
    assert plain[0] == plain[1]


def scored(store: Store, query: Query, limit: int, most: int = CAP) -> list[tuple[str, float]]:
    found = store.candidates(query, None, limit, most)
    chunks = store.chunks([one.row for one in found])
    return [(chunk.chunk_id, one.score) for chunk, one in zip(chunks, found, strict=True)]


def alike(one: Sequence[tuple[str, float]], other: Sequence[tuple[str, float]]) -> None:
    """The same scores to 1e-6, and the same chunks but for those that share the last score."""
    assert [score for _, score in one] == pytest.approx([score for _, score in other], rel=1e-6)
    last = one[-1][1] if one else 0.0
    for mine, theirs in ((one, dict(other)), (other, dict(one))):
        assert {chunk for chunk, score in mine if score > last * (1 + 1e-6)} <= set(theirs)


# ------------------------------------------------------------ a library that nobody changes


def test_documents_outlines_and_digests_are_the_same(twins: Twins) -> None:
    one, other = twins.both
    for scope in SCOPES:
        assert one.outline(scope=scope) == other.outline(scope=scope)
        assert one.status(scope=scope).files == other.status(scope=scope).files
        assert one.folders(scope=scope) == other.folders(scope=scope)
        assert one.digest(scope=scope) == other.digest(scope=scope)
    records = [library.store.documents().values() for library in twins.both]
    known, others = ([record._replace(id=0) for record in some] for some in records)
    assert known == others
    for entry in one.outline():
        assert one.read(entry.chunk_id) == other.read(entry.chunk_id)


@pytest.mark.parametrize("question", [False, True])
def test_searches_drawn_from_the_texts_give_the_same(twins: Twins, question: bool) -> None:
    for number, words in enumerate(drawn(twins.texts(), DRAWN)):
        scope = SCOPES[number % len(SCOPES)]
        one, other = (lib.search(words, k=5, scope=scope, question=question) for lib in twins.both)
        same(one, other)


def test_candidates_have_the_same_scores(twins: Twins) -> None:
    stores = [library.store for library in twins.both]
    for words in drawn(twins.texts(), DRAWN):
        parts = tuple(found for word in words.split()[:8] if (found := phrase(word)))
        for query in (AnyOf(parts), AllOf(parts)) if parts else ():
            alike(*(scored(store, query, LIMIT) for store in stores))


def test_outlines_by_words_suggestions_and_vocabulary_are_the_same(twins: Twins) -> None:
    for words in drawn(twins.texts(), DRAWN // 2):
        one, other = (library.outline(words=words) for library in twins.both)
        assert one == other
        found = [library.suggest(words) for library in twins.both]
        assert found[0] == found[1], words
        terms = [dict(library.store.vocabulary(words[:2].lower(), 1_000)) for library in twins.both]
        assert terms[0] == terms[1]


def test_a_path_narrows_them_the_same_way(twins: Twins) -> None:
    paths = list(twins.reference.store.documents())
    for number, words in enumerate(drawn(twins.texts(), DRAWN // 3)):
        path = paths[number % len(paths)]
        for inside in (path, path.partition("/")[0]):
            same(*(library.search(words, path=inside) for library in twins.both))


@settings(max_examples=60)
@given(st.one_of(ANY, SYNTAX), st.booleans())
def test_any_string_finds_the_same(twins: Twins, words: str, question: bool) -> None:
    same(*(library.search(words, k=3, question=question) for library in twins.both))


@settings(max_examples=20)
@given(ANY)
def test_any_string_is_the_same_path_or_none(twins: Twins, path: str) -> None:
    said: list[object] = []
    for library in twins.both:
        try:
            said.append(library.outline(path))
        except UnknownPath as error:
            said.append(str(error))
    assert said[0] == said[1]


# ------------------------------------------------------------ one that changes


def test_after_a_long_series_of_edits_both_are_the_same(own: Twins) -> None:
    choice = random.Random(SEED)
    words = "超时 重试 缓存 连接池 timeout retry gc v5.4 E-4012 C++ maxRetry 国家金库（以下简称国库）".split()
    names = [f"{folder}/{n}.md" for folder in ("甲", "b") for n in range(5)]
    there: set[str] = set()
    for _ in range(8):
        for name in choice.sample(names, 4):
            path = own.place.docs / name
            if name in there and choice.random() < 0.3:
                path.unlink()
                there.discard(name)
            elif name in there and choice.random() < 0.3:
                target = own.place.docs / f"新{choice.randrange(99)}.md"
                path.replace(target)
                there.discard(name)
            else:
                body = "\n\n".join(" ".join(choice.choices(words, k=12)) for _ in range(3))
                heads = [f"{'#' * (1 + n)} {choice.choice(words)}\n\n{body}\n\n" for n in range(3)]
                own.place.write({name: "".join(heads[: choice.randint(0, 3)])})
                there.add(name)
        own.sync()
        one, other = own.both
        assert one.digest() == other.digest()
        assert one.outline() == other.outline()
        assert one.status().chunks == other.store.size()[0]
        for asked in (
            "超时",
            "timeout retry",
            "国库",
            "maxRetry",
            "超时 gc C++|E-4012",
            "重试缓存",
        ):
            same(*(library.search(asked, k=20) for library in own.both))
            same(*(library.search(asked, k=20, question=True) for library in own.both))


def test_of_more_matches_than_are_scored_the_same_ones_are(own: Twins) -> None:
    """Those with the words in their headings first, then the first of the others."""
    stores = [library.store for library in own.both]
    choice = random.Random(SEED)
    documents = []
    for number in range(20):  # so few that all are scored exactly
        heads = [("超时",), ("关于超时",), ("其他", "超时"), (), ("其他",)]
        pieces = [
            piece(n, "超时 " * choice.randint(1, 3) + f"填充 {n * number}", choice.choice(heads))
            for n in range(1, 6)
        ]
        documents.append((record_of(f"{number:02}.md", pieces), pieces))
    for store in stores:
        with store.write() as writer:
            for record, pieces in documents:
                writer.put(record, pieces)
    query = phrase("超时")
    assert query
    for limit in (40, 60):
        for most in (1_000, 99, 60, 40, 20, 10, 1):
            one, other = (scored(store, query, limit, most) for store in stores)
            alike(one, other)
            both = AllOf((query, AnyOf((phrase("填充") or query, query))))
            alike(*(scored(store, both, limit, most) for store in stores))


def test_a_corpus_of_the_evaluation_set_gives_the_same(
    shared: Path, on_server: MakePlace, tmp_path: Path
) -> None:
    corpora = sorted((shared / "eval" / "corpora").iterdir())
    smallest = min(corpora, key=lambda one: sum(1 for _ in one.rglob("*")))
    for twins in twins_over(smallest, tmp_path, on_server):
        one, other = twins.both
        assert one.digest() == other.digest()
        for words in drawn(twins.texts(), DRAWN):
            same(*(library.search(words, question=len(words) > 20) for library in twins.both))
