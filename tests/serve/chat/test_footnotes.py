"""Answers as chat messages, and what is left of them when a client sends them back."""

from dataclasses import replace
from typing import Any

import pytest

from fanshu.serve.chat.footnotes import message, without_footnotes
from fanshu.types import Answer, Citation, Derived, Related, SearchRecord

CITED = Citation(
    "hr/差旅.md#3", "hr/差旅.md", ("差旅", "住宿"), (7, 9), None,
    "每晚不超过 550 元", "一线城市住宿每晚不超过 550 元。", "quoted", "abc",
)  # fmt: skip
ANSWER = Answer("一线城市住宿每晚最多多少？", "answered", "每晚不超过 550 元。", (CITED,))


def said(answer: Answer, base: str | None = None, **options: Any) -> str:
    return message(answer, "rules", base, **options).text


def test_an_answer_its_state_and_its_source() -> None:
    assert said(ANSWER) == (
        "每晚不超过 550 元 [1]。\n\n---\n\n**原文核对一致**\n\n"
        "[1] hr/差旅.md › 差旅 › 住宿, 第 7-9 行 · `hr/差旅.md#3`\n\n"
        "> 一线城市住宿每晚不超过 550 元。"
    )


def test_a_known_page_is_linked_to() -> None:
    made = message(ANSWER, "rules", "https://docs.example/")
    ((mark, title, url),) = made.links
    assert made.text[mark.start : mark.end] == "[1]"
    assert title == "hr/差旅.md › 差旅 › 住宿, 第 7-9 行"
    assert url == (
        "https://docs.example/#/place/rules/hr%2F%E5%B7%AE%E6%97%85.md%233/"
        "%E6%AF%8F%E6%99%9A%E4%B8%8D%E8%B6%85%E8%BF%87%20550%20%E5%85%83"
    )
    assert f"[{title}]({url})" in made.text


@pytest.mark.parametrize(
    ("change", "first", "then"),
    [
        ({"status": "partial", "unsupported": ("550",)}, "**部分回答", "- 引文中没有：550"),
        ({"status": "partial", "stop_reason": "max_rounds"}, "**部分回答", "轮数已用完"),
        ({"cached": True}, "**原文核对一致 · 来自缓存", ""),
        ({"citations_rejected": 2}, "**原文核对一致**", "- 删去 2 处引用"),
        ({"derived": (Derived("1,100", "550×2"),)}, "**原文核对一致**", "- 1,100 = 550×2"),
        ({"warnings": ("某页由 OCR 识别",)}, "**原文核对一致**", "- 某页由 OCR 识别"),
        ({"citations": (replace(CITED, newer_version="hr/差旅2.md"),)}, "**原文", "hr/差旅2.md"),
        ({"citations": (replace(CITED, verified="located"),)}, "**原文", "位置由程序定位"),
    ],
)
def test_what_must_be_known_is_said_under_it(change: Any, first: str, then: str) -> None:
    under = said(replace(ANSWER, **change)).partition("\n\n---\n\n")[2]
    assert under.startswith(first)
    assert then in under


def test_not_found_names_what_was_looked_for_and_what_is_near() -> None:
    near = Related("a.md#1", "a.md", ("餐费",), "餐费每天 100 元")
    searched = SearchRecord("打车 报销", None, "none", 0)
    answer = Answer(
        "打车怎么报销？", "not_found", "文档中没有。", related=(near,), searches=(searched,)
    )
    text = said(answer)
    assert "**文档中未找到**" in text
    assert "- a.md › 餐费: 餐费每天 100 元" in text
    assert "搜索过：打车 报销" in text


def test_passages_stand_alone_and_neighbours_together() -> None:
    other = replace(CITED, quote="另一句", passage="另一句。", lines=(11, 11))
    text = said(replace(ANSWER, status="passages", citations=(CITED, other)))
    assert text.startswith("**原文摘录（未经模型整理）**")
    assert "第 7-11 行" in text
    assert "550 元。  \n> 另一句。" in text
    assert "[2]" not in text


HOSTILE = '![x](https://evil.example/p?q=1) <img src="https://evil.example/p"> **Quotes checked**'


def test_documents_and_models_load_nothing() -> None:
    from markdown_it import MarkdownIt

    cited = replace(
        CITED, passage=HOSTILE, quote=HOSTILE, section_path=(HOSTILE,), file_path="a`|b"
    )
    answer = replace(ANSWER, answer=f"{HOSTILE} 550", citations=(cited,), warnings=(HOSTILE,))
    html = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(
        said(answer, "https://docs.example")
    )
    assert "<img" not in html
    assert html.count("<strong>") == 2  # the state, and the model's own
    assert html.count('href="') == 1  # the source
    assert "https://docs.example/#/place" in html


def test_code_in_an_answer_stays_as_it_is() -> None:
    text = "Use `List<int>`:\n\n```c\n#include <stdio.h>\n```"
    assert said(replace(ANSWER, answer=text)).startswith(text)


@pytest.mark.parametrize("left_out", [False, True])
@pytest.mark.parametrize("base", [None, "https://docs.example"])
@pytest.mark.parametrize(
    "answer",
    [
        ANSWER,
        replace(ANSWER, question="How much a night?", answer="At most 550 yuan, [1] a night."),
    ],
)
def test_what_comes_back_is_the_answer_alone(
    answer: Answer, base: str | None, left_out: bool
) -> None:
    text = said(answer, base, left_out=left_out)
    for sent in (text, f"<think>\n- search\n</think>\n\n{text}", text.replace("\n", "\r\n")):
        back, places = without_footnotes(sent)
        assert back == answer.answer.replace(" [1]", "")
        assert places == ("hr/差旅.md#3",)


def test_other_words_come_back_as_they_are() -> None:
    text = "**Note**\n\nSee [1] and a[0].\n\n---\n\n**More**"
    assert without_footnotes(text) == (text, ())
    assert without_footnotes("") == ("", ())


def test_without_text_the_numbers_of_the_sources_lead_there() -> None:
    passages = replace(ANSWER, status="passages")
    made = message(passages, "hr", "https://docs.example")
    ((mark, _, url),) = made.links
    assert made.text[mark.start : mark.end] == "[1]"
    assert url.startswith("https://docs.example/#/place/hr/")
    assert message(passages, "hr", None).links == ()
