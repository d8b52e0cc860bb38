"""Literal recall is 1.0: whatever stands in a document is found, over every document we have.

Expected counts come from a scan of the chunks' texts, not from the index.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fanshu.library.library import Library, Root
from fanshu.library.terms import CJK, fold, pattern, phrase, terms
from tests.conftest import ROOT
from tests.library.test_terms import holds
from tests.waiting import PATIENCE

SEARCHES = 150  # drawn for whole searches; the store is asked for every literal
CAP = 100_000
LONGEST = 12
SEED = 20_240_601

_RUN = re.compile(f"[{CJK}]+")
_ACCENTED = "\u00c0-\u024f\u0300-\u036f"  # `caf` is no word of `café`
_WORD = re.compile(
    rf"(?<![{_ACCENTED}A-Za-z])[A-Za-z]+(?![{_ACCENTED}A-Za-z])"
    rf"|(?<![{_ACCENTED}A-Za-z])[A-Za-z][\w.-]*[A-Za-z0-9](?![{_ACCENTED}A-Za-z])",
    re.ASCII,
)


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """Every document of this repository, through its own parser."""
    roots = [
        Root(ROOT / "examples", "examples"),
        Root(ROOT / "tests" / "cases", "cases"),
        Root(ROOT / "docs", "docs"),
    ]
    library = Library(roots, tmp_path_factory.mktemp("index") / "index.db", search_seconds=PATIENCE)
    library.sync()
    yield library
    library.close()


@pytest.fixture(scope="module")
def texts(everything: Library) -> list[str]:
    store = everything.store
    places = (entry.chunk_id.rpartition("#") for entry in everything.outline())
    chunks = [store.chunk(path, int(number)) for path, _, number in places]
    return [chunk.text for chunk in chunks if chunk]


def cjk_substrings(text: str) -> set[str]:
    """Every piece of 1 to 12 characters of the runs of a text."""
    return {
        run[start:end]
        for run in _RUN.findall(text)
        for start in range(len(run))
        for end in range(start + 1, min(start + LONGEST, len(run)) + 1)
    }


def latin_words(text: str) -> set[str]:
    """Runs of letters, and identifiers that begin and end where letters do."""
    return set(_WORD.findall(text))


def missed(library: Library, expected: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """The literals that the index finds in fewer chunks than hold them: (found, there)."""
    wrong = {}
    for literal, there in expected.items():
        query = phrase(literal)
        found = library.store.count(query, None, CAP) if query else 0
        if found < there:
            wrong[literal] = (found, there)
    return wrong


def drawn(counts: Counter[str], size: int) -> dict[str, int]:
    """Some of them by a fixed seed."""
    some = random.Random(SEED).sample(sorted(counts), min(size, len(counts)))
    return {literal: counts[literal] for literal in some}


def test_the_documents_are_worth_testing(texts: list[str]) -> None:
    assert len(texts) > 200
    assert len({piece for text in texts for piece in cjk_substrings(text)}) > 10_000


@pytest.mark.slow
def test_every_cjk_substring_is_found(everything: Library, texts: list[str]) -> None:
    counts = Counter(piece for text in texts for piece in cjk_substrings(text))
    assert missed(everything, counts) == {}


def test_every_latin_word_is_found(everything: Library, texts: list[str]) -> None:
    counts = Counter(word for text in texts for word in latin_words(text))
    assert len(counts) > 1_000
    assert missed(everything, counts) == {}


def test_a_search_shows_what_it_counts(everything: Library, texts: list[str]) -> None:
    """Through the whole of `search`, not only the store: each literal is in a hit it shows."""
    counts = Counter(piece for text in texts for piece in cjk_substrings(text) | latin_words(text))
    rare = Counter({piece: count for piece, count in counts.items() if count <= 3})
    for literal, there in drawn(rare, SEARCHES).items():
        result = everything.search(f'"{literal}"', k=20)
        assert result.level == "phrase", literal
        assert result.total >= there, literal
        if len(result.hits) < result.total:
            continue  # a name of the file or a heading, which is in the index of every chunk
        looked_for = pattern(literal)
        assert looked_for
        holding = [hit for hit in result.hits if looked_for.search(fold(hit.text))]
        assert len(holding) >= there, literal


# ---------------------------------------------------------------- any text at all

SCRIPTS = st.sampled_from(
    ["鉴权方式", "超时重试", "繁體連線", "かなカナ", "한국어", "tidb_gc", "GET", "v5.4.0", "96MiB", "C++", "C#",
     "naïve", "Straße", "Ωmega", "Привет", "１２３", "①", "²", "(", ")", "-", "_", "/", "@", "。", "，",
     " ", "\n", "\u3000", "\t", "|", '"', "'", "#", "+", "*", ":", "İ", "ﬁ", "㎡", "😀"]
)  # fmt: skip
MIXED = st.lists(SCRIPTS, min_size=1, max_size=12).map("".join)


def kind(char: str) -> str:
    """What a character is to somebody who reads: neighbours of one kind belong together."""
    if _RUN.match(char):
        return "cjk"
    return "digit" if char.isdecimal() else "letter" if char.isalpha() else "other"


def borders(text: str) -> list[int]:
    """Where a literal may begin or end: between kinds of characters, and anywhere in CJK.

    Signs are no borders: those of C++ and a#b belong to what they stand beside.
    """
    inner = [
        at
        for at in range(1, len(text))
        if text[at - 1].isspace()
        or text[at].isspace()
        or (
            "cjk" in (kind(text[at - 1]), kind(text[at]))
            and "other" not in (kind(text[at - 1]), kind(text[at]))
        )
    ]
    return [0, *inner, len(text)]


@given(MIXED, st.data())
def test_index_and_query_agree_on_every_slice(text: str, data: st.DataObject) -> None:
    places = borders(text)
    start = data.draw(st.integers(0, len(places) - 1))
    end = data.draw(st.integers(start, len(places) - 1))
    literal = text[places[start] : places[end]]
    looked_for = pattern(literal)
    assert (looked_for is None) == (phrase(literal) is None)
    if looked_for:
        assert holds(text, literal)
        assert looked_for.search(fold(text))


@given(MIXED)
def test_a_text_finds_itself(text: str) -> None:
    if phrase(text):
        assert holds(text, text)


# ---------------------------------------------------------------- any query at all

ANY = st.text(st.characters(), max_size=60)  # all of Unicode: controls, lone surrogates
SYNTAX = st.lists(
    st.sampled_from(
        ["AND", "OR", "NOT", "NEAR(", "NEAR/2", "(", ")", '"', "'", "*", "^", ":", "-", "--", "+", "{", "}",
         "body:", "{name head}:", "fts", ";", "DROP TABLE doc", "\x00", "\ud800", "%", "_", "\\", "|", "||",
         "超时", "timeout", "\ue02b", "\ufeff", "\u202e"]
    ),
    max_size=12,
).map(" ".join)  # fmt: skip


@given(st.one_of(ANY, SYNTAX), st.booleans())
@example("\ud800", False)
@example("NEAR(", True)
def test_any_text_is_a_safe_query(everything: Library, query: str, question: bool) -> None:
    result = everything.search(query, k=3, question=question)
    assert result.total >= len(result.hits)
    assert result.level != "none" or not result.hits


@given(ANY)
def test_any_text_has_terms(text: str) -> None:
    assert all(term and '"' not in term for term in terms(text))
