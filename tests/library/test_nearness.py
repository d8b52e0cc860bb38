"""Near words: what is spared changes nothing of what is found."""

from contextlib import closing
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanshu.library.nearness import ALIKE, _maybe_alike, near_words
from fanshu.library.query import GROUP, Lexicon
from fanshu.library.sqlite import SqliteStore
from fanshu.library.terms import is_cjk
from tests.stores.places import piece, record_of

WORDS = st.text(st.sampled_from("abcde"), max_size=9)


@given(WORDS.filter(bool), st.lists(WORDS, max_size=20))
def test_words_that_cannot_be_alike_are_not_compared(term: str, known: list[str]) -> None:
    some = list(_maybe_alike(term, known))
    assert get_close_matches(term, some, 6, ALIKE) == get_close_matches(term, known, 6, ALIKE)


def test_words_that_have_nothing_in_common_are_not_compared() -> None:
    assert list(_maybe_alike("timeout", ["timeouts", "timber", "tint", "time", "outtime"])) == [
        "timeouts",
        "outtime",
    ]


@pytest.mark.parametrize(
    "there", [(), (0,), (3, 4, 5, 6), (GROUP, 3 * GROUP + 1), (4 * GROUP - 1,)]
)
def test_the_first_that_occur_are_found_in_groups(tmp_path: Path, there: tuple[int, ...]) -> None:
    words = [f"w{number}" for number in range(4 * GROUP)]
    store = SqliteStore(tmp_path / "index.db")
    pieces = [piece(at, words[number]) for at, number in enumerate(there, 1)]
    with store.write() as writer:
        writer.put(record_of("a.md", pieces), pieces)
    lexicon = Lexicon(store, None, len(pieces))
    for at_most in (0, 1, 3, 9):
        assert lexicon.first_occurring(words, at_most) == lexicon.occurring(words)[:at_most]
    store.close()


TEXT = st.text(st.sampled_from("统计表记ab"), min_size=1, max_size=8)


@given(st.lists(TEXT, min_size=1, max_size=6), TEXT.filter(lambda word: is_cjk(word[0])))
def test_what_cannot_occur_is_not_looked_for(texts: list[str], word: str) -> None:
    with TemporaryDirectory() as folder, closing(SqliteStore(Path(folder) / "index.db")) as store:
        pieces = [piece(at, text) for at, text in enumerate(texts, 1)]
        with store.write() as writer:
            writer.put(record_of("x.md", pieces), pieces)
        every = [
            word[:at] + pair[1] + word[at + 1 :]
            for at in range(1, len(word) - 1)
            for pair, _ in store.vocabulary(word[at - 1], 300)
            if len(pair) == 2
        ]
        lexicon = Lexicon(store, None, len(pieces))
        expected = lexicon.occurring(dict.fromkeys(every))[:3]
        assert near_words(lexicon, [word])[word] == expected
