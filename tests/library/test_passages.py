import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fanshu.library.passages import passage_at, passages
from tests.timing import least_seconds


def pieces(text: str) -> list[str]:
    return [text[p.start : p.end] for p in passages(text)]


def kinds(text: str) -> list[str]:
    return [p.kind for p in passages(text)]


def leads(text: str) -> list[str | None]:
    return [p.lead and text[slice(*p.lead)] for p in passages(text)]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("小于 10G 时告警。恢复后消失。", ["小于 10G 时告警。", "恢复后消失。"]),
        ("他说：“可以。”然后走了？好！", ["他说：“可以。”", "然后走了？", "好！"]),
        ("甲罚一百元；乙罚二百元。", ["甲罚一百元；乙罚二百元。"]),
        ("v5.4.0 起为 3.5 秒。见 a.txt。", ["v5.4.0 起为 3.5 秒。", "见 a.txt。"]),
        ("Use e.g. Foo 1.2.3 here. Then stop.", ["Use e.g. Foo 1.2.3 here.", "Then stop."]),
        ("See Fig. 3 and J. Smith. Done? Yes!", ["See Fig. 3 and J. Smith.", "Done?", "Yes!"]),
        ("It ran in no. 5 of v6. it went on.", ["It ran in no. 5 of v6. it went on."]),
        ("Edit main.rs. Save it.", ["Edit main.rs.", "Save it."]),
        ("Removed in 2020. Came back.", ["Removed in 2020.", "Came back."]),
        ("Wait... Now go.", ["Wait...", "Now go."]),
        ("It is\nwrapped here. New one\nagain.", ["It is\nwrapped here.", "New one\nagain."]),
        ("用 dmctl. 然后重启。", ["用 dmctl.", "然后重启。"]),
        ("", []),
        (" \n\n\u3000\n", []),
    ],
)
def test_sentences_end_where_a_reader_would_say(text: str, want: list[str]) -> None:
    assert pieces(text) == want
    assert set(kinds(text)) <= {"sentence"}


def test_a_long_sentence_also_ends_at_semicolons() -> None:
    text = "甲" * 120 + "；" + "乙" * 120 + "。"
    assert pieces(text) == ["甲" * 120 + "；", "乙" * 120 + "。"]


def test_items_know_the_line_that_announces_them() -> None:
    text = "有下列情形之一的，罚款：\n（一）甲；\n（二）乙，\n丙。\n\n另一段。\n- 孤"
    assert pieces(text)[1:] == ["（一）甲；", "（二）乙，\n丙。", "另一段。", "- 孤"]
    assert leads(text) == [None, pieces(text)[0], pieces(text)[0], None, None]


def test_nested_items_know_the_item_above() -> None:
    text = "支持：\n\n- JSON\n  - 最多 3 层\n    - 深\n- 文本\n\n1. one"
    assert leads(text) == [
        None,
        "支持：",
        "- JSON",
        "- 最多 3 层",
        "支持：",
        "支持：",
    ]


@pytest.mark.parametrize(
    "line", ["- a", "* a", "1. a", "12) a", "3、a", "①a", "二、甲", "（十一）甲", "(a) b", "· a"]
)
def test_list_markers(line: str) -> None:
    assert kinds(line) == ["item"]


@pytest.mark.parametrize("line", ["1.5 倍。", "2024 年。", "-5 度", "**粗**", "e.g. a", "十天"])
def test_what_only_looks_like_a_marker(line: str) -> None:
    assert kinds(line) == ["sentence"]


def test_an_item_is_one_passage_unless_it_is_long() -> None:
    assert len(passages("- One. Two. Three.")) == 1
    long = "Intro:\n- " + "A fairly long sentence stands here. " * 20
    assert len(passages(long)) == 21
    assert set(leads(long)[1:]) == {"Intro:"}


def test_markdown_rows_know_their_header() -> None:
    text = "| 名 | 值 |\n|---|:-:|\n| 甲 | 3 |\n| 乙 | 4 |\n\n| x | y |"
    assert kinds(text) == ["row"] * 5
    assert leads(text) == [None, None, "| 名 | 值 |", "| 名 | 值 |", None]


def test_extracted_rows_know_their_header_if_it_holds_no_figures() -> None:
    assert leads("名 | 值\n甲 | 3\n乙 | 4") == [None, "名 | 值", "名 | 值"]
    assert leads("甲 | 3\n乙 | 4") == [None, None]


def test_a_lone_pipe_in_prose_is_no_table() -> None:
    assert kinds("Run ps | grep x\nand look.") == ["sentence"]


def test_code_goes_line_by_line_and_is_never_prose() -> None:
    text = "```yaml\n# not a heading\nrows: 32000. No\n\n- x\n~~~\n```\n# A\n"
    assert pieces(text) == [
        "```yaml",
        "# not a heading",
        "rows: 32000. No",
        "- x",
        "~~~",
        "```",
        "# A",
    ]
    assert kinds(text) == ["code"] * 6 + ["heading"]


def test_headings() -> None:
    text = "# A\nText\n\nTitle\n=====\nMore\n----\n\n---\n#tag"
    assert kinds(text) == ["heading", "sentence", "heading", "heading", "sentence"]


def test_articles_and_indented_paragraphs_begin_anew() -> None:
    text = "第一章 总则\n第一条 为了规范\n　　本条例所称"
    assert pieces(text) == ["第一章 总则", "第一条 为了规范", "本条例所称"]


def test_passage_at_widens_to_whole_passages() -> None:
    text = "一二三。四五六。\n\n七八九。"
    found = passages(text)
    assert passage_at(found, 1, 2) == (0, 4)
    assert passage_at(found, 3, 5) == (0, 8)
    assert passage_at(found, 5, 12) == (4, 14)
    assert passage_at(found, 8, 9) == (8, 9)
    assert passage_at((), 2, 3) == (2, 3)


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="a甲1 \n.。：:；|-#`*>（一）!=<>\u3000", max_size=80))
def test_passages_are_in_order_apart_and_stripped(text: str) -> None:
    found = passages(text)
    at = 0
    for p in found:
        assert at <= p.start < p.end
        assert text[p.start : p.end].strip() == text[p.start : p.end]
        assert p.lead is None or p.lead[1] <= p.start
        at = p.end


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="a甲1 \n.。：；|#`（一）", max_size=80))
def test_nothing_but_white_space_is_left_out(text: str) -> None:
    assert "".join("".join(pieces(text)).split()) == "".join(text.split())


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["字。", "a. ", "..", "; ", "- - ", "`", "a\n", "| a | b\n", "A. b"]
)
def test_time_grows_with_length_only(piece: str) -> None:
    # ten times the text: about 10 times the time, and 100 where it grew with the square
    most = 40 * max(least_seconds(lambda: passages(piece * 2_000)), 0.002)
    assert least_seconds(lambda: passages(piece * 20_000), enough=most) < most


def test_short_lines_without_sentences_are_each_a_passage() -> None:
    text = "".join(f"srv{n} 10.0.0.{n} rack {n % 7} backup yes\n" for n in range(30))
    assert [text[p.start : p.end] for p in passages(text)] == text.splitlines()
    wrapped = (
        "This is one sentence of a text that somebody has wrapped\nat some column of theirs,\n"
    )
    assert len(passages(wrapped * 3 + "and here it ends.\n")) == 1


def test_link_definitions_are_no_passages() -> None:
    text = (
        "See [the pact][pact].\n\n[pact]: https://example.org/pact\n[other]: https://example.org\n"
    )
    assert [text[p.start : p.end] for p in passages(text)] == ["See [the pact][pact]."]
