import pytest

from fanshu.library.parsers import parse
from fanshu.library.parsers.numbering import numeral


def _trails(text: str) -> list[tuple[str, ...]]:
    return [section.trail for section in parse("a.txt", text.encode()).sections]


@pytest.mark.parametrize(
    ("text", "number"),
    [("一", 1), ("十", 10), ("十二", 12), ("二十", 20), ("一百零二", 102), ("一百一十", 110),
     ("一〇二", 102), ("一千二百六十", 1260), ("１２", 12), ("7", 7), ("两", 2), ("廿三", 23),
     ("〇", 0), ("", None)],
)  # fmt: skip
def test_numeral(text: str, number: int | None) -> None:
    assert numeral(text) == number


def test_positional_numerals_go_on_after_units() -> None:
    lines = [f"第{n}条 内容。" for n in ("九十九", "一百", "一〇一", "一〇二")]
    assert _trails("\n".join(lines)) == [
        (f"第{n}条",) for n in ("九十九", "一百", "一〇一", "一〇二")
    ]


def test_articles_without_a_space() -> None:
    text = (
        "第一条为规范管理，制定本办法。\n第二条规定设备的范围。\n第三条本办法自发布之日起施行。\n"
    )
    assert _trails(text) == [("第一条",), ("第二条",), ("第三条",)]


def test_branches_and_titles_of_articles() -> None:
    text = "第一条【目的】为了管理。\n第一条之一 补充。\n第二条（范围）\n适用于设备。\n第三条 （一）甲；\n"
    assert _trails(text) == [("第一条【目的】",), ("第一条之一",), ("第二条（范围）",), ("第三条",)]


def test_article_may_begin_with_a_word_like_a_reference() -> None:
    text = (
        "第一条 项目由企业申请。\n第二条 和解协议应当书面。\n第三条 及时报告。\n第四条 至少两人。\n"
    )
    assert len(_trails(text)) == 4


def test_extract_with_large_gaps() -> None:
    text = "第一条 甲。\n\n第十一条 乙。\n\n第四十三条 丙。\n\n第六十四条 丁。\n"
    assert _trails(text) == [("第一条",), ("第十一条",), ("第四十三条",), ("第六十四条",)]


def test_part_chapter_section_article() -> None:
    text = "第一编 总则\n第一章 基本\n第一节 范围\n第一条 甲。\n第二章 主体\n第二条 乙。\n"
    assert _trails(text)[-3:] == [
        ("第一编 总则", "第一章 基本", "第一节 范围", "第一条"),
        ("第一编 总则", "第二章 主体"),
        ("第一编 总则", "第二章 主体", "第二条"),
    ]


def test_reference_to_a_chapter_is_no_heading() -> None:
    assert _trails("第一章 总则\n第一条 依照\n第二章规定的程序\n办理。\n第二条 完。\n") == [
        ("第一章 总则",), ("第一章 总则", "第一条"), ("第一章 总则", "第二条"),
    ]  # fmt: skip


def test_decimal_numbers_are_told_from_figures() -> None:
    text = (
        "1 概述\n1.1 背景\n1.5 亿元投资已到位。\n3.14 是圆周率\n1.2 目标\n10.0.0.1 是地址\n"
        "2024.3.1 发布\n2 安装\n2.1 准备\n2.1.1 工具\n3 维护\n"
    )
    assert _trails(text) == [
        ("1 概述",), ("1 概述", "1.1 背景"), ("1 概述", "1.2 目标"), ("2 安装",),
        ("2 安装", "2.1 准备"), ("2 安装", "2.1 准备", "2.1.1 工具"), ("3 维护",),
    ]  # fmt: skip


def test_decimal_clause_is_named_by_its_number() -> None:
    text = "1 总则\n1.1 甲方应当按时付款，逾期按日计息。\n1.2 乙方应当按时交货。\n2 违约\n"
    assert _trails(text) == [("1 总则",), ("1 总则", "1.1"), ("1 总则", "1.2"), ("2 违约",)]


def test_decimals_run_on_through_chapters() -> None:
    text = "第一章 概述\n1.1 背景\n甲。\n1.2 目标\n乙。\n第二章 安装\n2.1 准备\n丙。\n"
    assert _trails(text) == [
        ("第一章 概述",), ("第一章 概述", "1.1 背景"), ("第一章 概述", "1.2 目标"),
        ("第二章 安装",), ("第二章 安装", "2.1 准备"),
    ]  # fmt: skip


def test_numerals_after_the_mark_are_no_list() -> None:
    text = "关于审判的说明\n一、二审程序不同。\n二、三季度数据如下\n一、总体情况\n平稳。\n二、下步安排\n加强。\n"
    assert _trails(text) == [(), ("一、总体情况",), ("二、下步安排",)]


def test_long_items_are_named_by_their_first_sentence() -> None:
    long = "各部门应当结合实际情况，认真落实各项要求，并于每年年底之前报告完成的情况。"
    text = f"关于工作的通知\n一、加强领导。{long}\n二、落实责任。{long}\n"
    assert _trails(text) == [(), ("一、加强领导",), ("二、落实责任",)]


def test_short_sentences_in_a_list_are_no_headings() -> None:
    assert _trails("守则\n一、按时上班。\n二、不得迟到。\n三、保持整洁。\n") == [()]


def test_steps_without_text_of_their_own_stay_in_their_section() -> None:
    text = "一、准备\n1.打开电源\n2.等待绿灯\n3.关上盖子\n二、使用\n按下按钮。\n"
    assert _trails(text) == [("一、准备",), ("二、使用",)]


def test_annex_begins_a_numbering_of_its_own() -> None:
    text = "第一条 甲。\n第二条 乙。\n附件2：标准\n一、范围\n全部。\n二、期限\n一年。\n"
    assert _trails(text)[-3:] == [
        ("附件2：标准",), ("附件2：标准", "一、范围"), ("附件2：标准", "二、期限"),
    ]  # fmt: skip


def test_list_of_annexes_is_no_annex() -> None:
    assert _trails("第一条 甲。\n第二条 乙。\n附件：1.收费表\n附件的效力同正文。\n") == [
        ("第一条",), ("第二条",),
    ]  # fmt: skip


def test_contents_with_dots_and_page_numbers() -> None:
    text = (
        "手册\n目录\n第一章 概述........1\n第二章 安装……2\n第一章 概述\n甲。\n第二章 安装\n乙。\n"
    )
    assert _trails(text) == [(), ("第一章 概述",), ("第二章 安装",)]


def test_contents_with_other_wording_end_above_the_first_article() -> None:
    text = "目录\n第一章 总则\n第二章 罚则\n\n第一章 总则（一般规定）\n第一条 甲。\n第二条 乙。\n"
    assert _trails(text)[1:] == [
        ("第一章 总则（一般规定）",),
        ("第一章 总则（一般规定）", "第一条"),
        ("第一章 总则（一般规定）", "第二条"),
    ]


def test_contents_that_nothing_follows_hide_nothing() -> None:
    assert _trails("目录\n第一章 概述\n甲。\n第二章 安装\n乙。\n")[1:] == [
        ("第一章 概述",), ("第二章 安装",),
    ]  # fmt: skip


def test_lines_count_all_three_line_ends() -> None:
    document = parse("a.txt", "第一条 甲。\r\n续。\r第二条 乙。\n".encode())
    assert [section.lines for section in document.sections] == [(1, 2), (3, 3)]
    assert document.text == "第一条 甲。\r\n续。\r第二条 乙。\n"


def test_blank_lines_before_the_first_heading_are_no_section() -> None:
    document = parse("a.txt", "\n\n第一条 甲。\n第二条 乙。\n".encode())
    assert [(s.start, s.lines) for s in document.sections] == [(0, (3, 3)), (9, (4, 4))]


def test_chapter_whose_title_stands_on_the_next_line() -> None:
    text = "第一章\n总则\n第一条 甲。\n第二章\n第二条 乙。\nChapter 3\nFirst steps\n"
    trails = [trail[-1] for trail in _trails(text)]
    assert trails == ["第一章 总则", "第一条", "第二章", "第二条", "Chapter 3 First steps"]


def test_contents_with_bare_page_numbers() -> None:
    text = "Contents\n1 Start 1\n1.1 Parts 2\n1.2 Tools 3\n1 Start\na\n1.1 Parts\nb\n1.2 Tools\nc\n"
    assert _trails(text) == [(), ("1 Start",), ("1 Start", "1.1 Parts"), ("1 Start", "1.2 Tools")]


def test_english_chapters() -> None:
    text = "Manual\nChapter 1 Start\nSee below.\nChapter 2 describes it.\nChapter 2: Use\nPress.\n"
    assert _trails(text) == [(), ("Chapter 1 Start",), ("Chapter 2: Use",)]
