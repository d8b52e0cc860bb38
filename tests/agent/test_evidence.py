"""Quotes are found where a reader would find them, and widened to whole passages."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fanshu.agent.evidence import left_out, locate, widen


def found(quote: str, text: str) -> str | None:
    span = locate(quote, text)
    return span and text[slice(*span)]


@pytest.mark.parametrize(
    ("quote", "text", "want"),
    [
        ("小于10G时", "剩余小于 10G 时告警", "小于 10G 时"),
        ("FULL width", "Ｆｕｌｌ　ｗｉｄｔｈ", "Ｆｕｌｌ　ｗｉｄｔｈ"),
        ("汉字", "繁體漢字", "漢字"),
        ("a b", "x a\n   b y", "a\n   b"),
        ("file size", "the ﬁle size", "ﬁle size"),
        ("默认 30 秒", "`gc` 默认 **30** 秒", "默认 **30** 秒"),
        ("tidb_gc 默认", "`tidb_gc` 默认", "tidb_gc` 默认"),
        ("乙 105", "| 甲 | 10 |\n| 乙 | 105 |", "乙 | 105"),
        ("见文档第 3 页", "见[文档](http://a.b/c_d)第 3 页", "见[文档](http://a.b/c_d)第 3 页"),
        ("“好的。”", "他说好的，然后", "好的"),
        (
            "开头很长……结尾在这里",
            "开头很长，中间也长，结尾在这里。",
            "开头很长，中间也长，结尾在这里",
        ),
        ("the limit ... per user", "Here the limit is 5 per user.", "the limit is 5 per user"),
        ("30", "1.30 或 30 秒", "30"),
        ("3", "30 与 3G", "3"),
        ("x", "max x", "x"),
        ("| 名 | 值 |\n| 乙 | 4 |", "| 名 | 值 |\n|--|--|\n| 甲 | 3 |\n| 乙 | 4 |", "乙 | 4"),
        ("的，罚款：（二）超载", "有下列情形的，罚款：\n（一）甲\n（二）超载", "（二）超载"),
        ("甲", "乙甲", None),
    ],
)
def test_quotes_that_stand_there(quote: str, text: str, want: str | None) -> None:
    assert found(quote, text) == want


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("", "x"),
        ("  \n", "x"),
        ("超时为3", "超时为30秒"),
        ("0秒", "超时为30秒"),
        ("30", "1.30"),
        ("30", "30,000"),
        ("105", "10 | 5"),
        ("105", "10 5"),
        ("105", "| 10 | 5 |"),
        ("甲不同", "甲同"),
        ("处罚：（二）超载", "有下列情形的，罚款：\n（一）甲\n（二）超载"),
        ("开头……结尾", "开头。\n\n另一段结尾。"),
        ("结尾……开头", "开头，结尾"),
        ("...", "x"),
        ("timeout is 60", "timeout is 30"),
        ("a b c", "a b"),
    ],
)
def test_quotes_that_do_not_stand_there(quote: str, text: str) -> None:
    assert locate(quote, text) is None


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_every_piece_of_a_text_is_found_in_it(data: st.DataObject) -> None:
    text = data.draw(st.text(alphabet="甲乙丙漢ab*`|_[]() \n.。…", min_size=2, max_size=40))
    start = data.draw(st.integers(0, len(text) - 2))
    quote = text[start : data.draw(st.integers(start + 2, len(text)))]
    span = locate(quote, text)
    if sum(not char.isspace() for char in quote) >= 2:
        assert span is not None
    if span:
        assert 0 <= span[0] < span[1] <= len(text)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=30), st.text(max_size=60))
def test_no_quote_makes_the_search_fail(quote: str, text: str) -> None:
    span = locate(quote, text)
    if span:
        widen(text, span).passage_text(text)


def passage(quote: str, text: str) -> str:
    span = locate(quote, text)
    assert span
    return widen(text, span).passage_text(text)


def test_a_quote_is_widened_to_its_sentence() -> None:
    assert passage("30 秒", "甲。默认 30 秒，可改。乙。") == "默认 30 秒，可改。"


def test_an_item_brings_its_lead_in() -> None:
    text = "有下列情形的，罚款：\n（一）无证，一千元；\n（二）超载，\n二千元。"
    assert passage("超载", text) == "有下列情形的，罚款：\n（二）超载，\n二千元。"


def test_a_nested_item_brings_all_above_it() -> None:
    text = "要求：\n- 生产环境\n  - 内存 32 GB\n- 测试环境\n  - 内存 16 GB"
    assert passage("内存 16", text) == "要求：\n- 测试环境\n- 内存 16 GB"


def test_a_row_brings_its_header() -> None:
    text = "| 组件 | 内存 |\n|---|---|\n| DM | 16 GB |\n| TiKV | 32 GB |"
    assert passage("TiKV", text) == "| 组件 | 内存 |\n| TiKV | 32 GB |"


def test_a_quote_over_two_sentences_brings_both() -> None:
    assert passage("秒。重", "超时 30 秒。重试 3 次。完。") == "超时 30 秒。重试 3 次。"


@pytest.mark.parametrize(
    ("text", "quote", "word"),
    [
        ("该功能不支持校验。", "支持校验", "不"),
        ("室温**不**低于 18 度。", "低于 18 度", "不"),
        ("不得低于十八摄氏度。", "低于十八摄氏度", "不得"),
        ("未经批准，不得开工。", "经批准", "未"),
        ("处五百元罚款，但情节轻微的除外。", "处五百元罚款", "但情节轻微的除外"),
        ("除法律另有规定外，应当在30日内答复。", "应当在30日内答复", "除法律另有规定外，"),
        ("Do not set it above 5.", "set it above 5", "not"),
        ("It isn't allowed to exceed 5.", "allowed to exceed 5", "isn't"),
        ("The limit is 5, except for admins.", "The limit is 5", "except"),
        ("The limit is 5 unless set.", "The limit is 5", "unless"),
    ],
)
def test_a_negation_beside_a_quote_is_seen(text: str, quote: str, word: str) -> None:
    span = locate(quote, text)
    assert span
    assert left_out(widen(text, span), text) == word


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("支持 A，不支持 B。", "支持 A"),
        ("无论大小，应当备案。", "大小，应当备案"),
        ("与上文不同。默认 5。", "默认 5"),
        ("不用。默认 5。不用。", "默认 5"),
        ("This is notable: 5 at most.", "5 at most"),
        ("休假10天，法定休假日不计入。", "休假10天"),
        ("删除文件。", "文件"),
    ],
)
def test_what_is_no_negation_of_the_quote(text: str, quote: str) -> None:
    span = locate(quote, text)
    assert span
    assert left_out(widen(text, span), text) is None


@pytest.mark.parametrize("quote", ["读超\n" * 20_000, "读超…" * 20_000, "读超时" * 100_000])
def test_babble_is_no_quote_and_takes_no_time(quote: str) -> None:
    text = "读超时时间为 30 秒。\n" * 20
    began = time.process_time()
    assert locate(quote, text * 40) is None
    assert locate(quote[:2000], text) is None
    assert time.process_time() - began < 5  # seconds; it once was many minutes
