"""The analyser: index and query agree, every literal is found, folding keeps its offsets."""

import re
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanshu.library.terms import (
    CJK,
    fold,
    fold_map,
    fold_slowly,
    identifier_terms,
    pattern,
    phrase,
    terms,
)

MIXED = st.text(alphabet="鉴权方式超时繁體的a1bZ_-. \n，。+#é①Ａ２０", max_size=40)


def holds(text: str, literal: str) -> bool:
    """Whether the index would find a literal in a text: its phrase among the text's terms."""
    found = phrase(literal)
    if found is None:
        return False
    index, wanted = terms(text), list(found.terms)
    size = len(wanted)
    for at in range(len(index) - size + 1):
        window = index[at : at + size]
        same = window == wanted
        begins = window[:-1] == wanted[:-1] and window[-1].startswith(wanted[-1])
        if same or (found.prefix and begins):
            return True
    return False


@given(st.text(alphabet="鉴权方式超时繁體的签名", min_size=1, max_size=20), st.data())
def test_every_cjk_substring_is_found(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, min(start + 12, len(text))))
    assert holds(f"前 {text}。x", text[start:end])


@given(MIXED, st.from_regex(r"[a-z]{1,5}([._/-][a-z0-9]{1,4}){0,3}", fullmatch=True), MIXED)
def test_every_word_is_found_at_its_borders(before: str, word: str, after: str) -> None:
    assert holds(f"{before} {word} {after}", word)


@given(MIXED, MIXED, MIXED)
def test_pattern_and_index_agree(before: str, literal: str, after: str) -> None:
    text = f"{before} {literal} {after}"
    found = pattern(literal)
    assert (found is None) == (phrase(literal) is None)
    if found:
        assert found.search(fold(text))


@given(st.text(max_size=60))
def test_fold_map_points_into_the_original(text: str) -> None:
    folded, offsets = fold_map(text)
    assert len(offsets) == len(folded) + 1
    assert offsets[-1] == len(text)
    assert offsets == sorted(offsets)
    assert all(0 <= offset <= len(text) for offset in offsets)


@given(st.text(max_size=60))
def test_folding_twice_changes_nothing_more(text: str) -> None:
    once = terms(text)
    assert terms(" ".join(once)) == once or any(
        re.search(rf"[{CJK}\ue000-\uf8ff]", t) for t in once
    )


@pytest.mark.parametrize(
    ("text", "folded"),
    [("ＴｉＤＢ", "tidb"), ("連線逾時", "连线逾时"), ("Café", "cafe"), ("a—b", "a-b"),
     ("“x”", '"x"'), ("ﬁle", "file"), ("co\u00adoperate", "cooperate")],
)  # fmt: skip
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded
    assert fold_map(text)[0] == folded


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("鉴权方式", ["鉴权", "权方", "方式", "式"]),
        ("v5.4.0", ["v", "5", "4", "0"]),
        ("第3条", ["第", "3", "条"]),
        ("东 立\n刻", ["东立", "立刻", "刻"]),
        ("", []),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_terms_of_cpp_are_not_those_of_c() -> None:
    assert terms("C++") != terms("C")
    assert terms("C++")[0] == "c"
    assert not holds("only C here", "C++")
    assert holds("C++ and C", "C")


def test_a_long_run_of_letters_takes_no_quadratic_time() -> None:
    began = process_time()
    assert identifier_terms("h" * 200_000) == []
    assert process_time() - began < 5  # a hundredth of a second; tried from every letter, hours


def test_camel_case_parts() -> None:
    assert identifier_terms("maxRetryCount and HTTPServer, TiDB") == [
        "max",
        "retry",
        "count",
        "http",
        "server",
    ]


def test_a_number_does_not_match_inside_a_longer_one() -> None:
    found = pattern("104")
    assert found
    assert not found.search(fold("10450 and 2104"))
    assert found.search(fold("port 104."))


def test_folding_quickly_is_folding() -> None:
    every = [chr(code) for code in range(0x10000) if not 0xD800 <= code < 0xE000]
    assert [char for char in every if fold(char) != fold_slowly(char)] == []
    letters = [chr(code) for code in (*range(0x41, 0x250), *range(0x1E00, 0x1F00), 0xFF21, 0x304B)]
    marks = [chr(code) for code in (*range(0x300, 0x345), 0x3099, 0x309A, 0x200B, 0xAD)]
    texts = [a + b + c for a in letters for b in marks for c in ("", "\u0301", "\u0323", "字")]
    assert [text for text in texts if fold(text) != fold_slowly(text)] == []
