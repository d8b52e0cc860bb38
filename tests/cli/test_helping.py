"""Wrapping by columns, of words and of wide characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanshu.cli.helping import columns, wrap


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("one two three", 7, ["one two", "three"]),
        ("查找含有这些词的位置。", 8, ["查找含有", "这些词的", "位置。"]),
        ("随 auto 系统", 7, ["随 auto", "系统"]),
        ("", 10, []),
    ],
)
def test_wrap(text: str, width: int, lines: list[str]) -> None:
    assert list(wrap(text, width)) == lines


@given(st.text(alphabet="ab 词语。，", max_size=60))
def test_nothing_is_lost(text: str) -> None:
    assert "".join("".join(wrap(text, 10)).split()) == "".join(text.split())


@given(st.text(alphabet="词语文档", max_size=60))
def test_wide_text_fits(text: str) -> None:
    assert all(columns(line) <= 10 for line in wrap(text, 10))
