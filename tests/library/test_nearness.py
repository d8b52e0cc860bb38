"""Near words: what is spared changes nothing of what is found."""

from difflib import get_close_matches
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanshu.library.nearness import ALIKE, _maybe_alike
from fanshu.library.query import GROUP, Lexicon
from fanshu.library.sqlite import SqliteStore
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
