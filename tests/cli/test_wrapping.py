"""Wrapping by columns, of words and of wide characters."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanshu.cli.screen import QUOTE, Line, wrapped
from fanshu.cli.wrapping import CLOSING, columns, wrap


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


def text(lines: list[Line]) -> list[str]:
    return ["".join(span for span, _ in line) for line in lines]


def test_lines_go_on_below_their_beginning() -> None:
    line = (("    ", ""), ("节点重启后，元数据缓存", QUOTE), ("是空的，头 10 分钟变慢。", ""))
    lines = list(wrapped(line, 20))
    assert text(lines) == [
        "    节点重启后，元数",
        "    据缓存是空的，头",
        "    10 分钟变慢。",
    ]
    assert [span for line in lines for span, style in line if style == QUOTE] == [
        "节点重启后，元数",
        "据缓存",
    ]


def test_each_line_of_a_text_has_its_own_indent() -> None:
    assert text(list(wrapped((("一二三四五六七\n\n  - 八九十", ""),), 12))) == [
        "一二三四五六",
        "七",
        "",
        "  - 八九十",
    ]


@pytest.mark.parametrize("width", [10, 17, 40])
@given(prose=st.text(alphabet="词语，。：）》”（“ab1% ", max_size=80))
def test_no_line_begins_with_what_closes(width: int, prose: str) -> None:
    if any(len(run) > 3 for run in re.findall(r"[，。：）》”%（“]+|[ab1%]+", prose)):
        return  # longer than anybody writes; it has to be cut somewhere
    lines = list(wrap(prose, width))
    assert all(columns(line) <= width for line in lines)
    assert all(line[0] not in CLOSING for line in lines[1:] if width > 10)


def test_a_word_longer_than_a_line_is_cut() -> None:
    assert list(wrap("见 https://example.org/a/b 等", 10)) == [
        "见 https:/",
        "/example.o",
        "rg/a/b 等",
    ]
    assert list(wrap("x" * 10 + "。", 10)) == ["x" * 9, "x。"]


def test_a_percent_sign_stays_with_its_number() -> None:
    lines = list(wrap("111 111。。1。。 %", 17))
    assert all(line[0] not in CLOSING for line in lines[1:])
    assert list(wrap("usage is at 50 % now", 14)) == ["usage is at", "50 % now"]
