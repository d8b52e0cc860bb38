"""Quantities in their spellings: found whichever a document uses."""

from collections.abc import Callable

import pytest

from fanshu.library.library import Library
from fanshu.library.quantities import joined, quantities, spellings, written_out

MakeLibrary = Callable[..., Library]


@pytest.mark.parametrize(
    ("written", "looked_for"),
    [
        ("limit 96 MiB", "96M"),
        ("limit 96MB", "96 MiB"),
        ("limit 96M", "96 MB"),
        ("超时 30秒", "30s"),
        ("timeout 30 s", "30秒"),
        ("timeout of 30 seconds", "30 s"),
        ("三十日内提交", "30天"),
        ("30 日内提交", "三十日"),
        ("应在30天内", "三十日"),
        ("比例为百分之三十", "30%"),
        ("比例为30%", "百分之三十"),
    ],
)
def test_a_quantity_is_found_in_other_spellings(
    library: MakeLibrary, written: str, looked_for: str
) -> None:
    noise = "# B\n\n960 MB, 96 GB, 300 秒, 3 日, 十日, 三百日, 130 天, 百分之十三"
    result = library({"a.md": f"# A\n\n{written}。", "b.md": noise}).search(looked_for)
    assert [hit.chunk_id for hit in result.hits] == ["a.md#1"]
    assert result.level == "phrase"


def test_a_quantity_in_a_question_stays_whole(library: MakeLibrary) -> None:
    made = library({"a.md": "复核期限为三十日。", "b.md": "复核 30 个样本，逐日登记。"})
    assert made.search("复核期限30天吗", question=True).hits[0].chunk_id == "a.md#1"


@pytest.mark.parametrize("literal", ["10", "v5", "5s1", "m", "E-4012", "96Mx", "五年级", "1.2.3"])
def test_what_is_no_quantity_has_no_spellings(literal: str) -> None:
    assert spellings(literal) == ()


def test_quantities_in_a_run() -> None:
    text = "超时为30秒吗五年级三十日内"
    assert [text[a:b] for a, b in quantities(text)] == ["30秒", "三十日"]


def test_number_and_unit_are_one_word() -> None:
    assert joined("set 96 MB or 5 masters") == "set 96MB or 5 masters"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "零"), (10, "十"), (12, "十二"), (20, "二十"), (101, "一百零一"), (110, "一百一十"),
     (1001, "一千零一"), (1010, "一千零一十"), (2300, "二千三百"), (9999, "九千九百九十九")],
)  # fmt: skip
def test_written_out(value: int, text: str) -> None:
    assert written_out(value) == text
