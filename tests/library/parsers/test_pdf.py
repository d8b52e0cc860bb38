import subprocess
import sys

import pytest

from fanshu import extras
from fanshu.library.parsers import parse
from fanshu.library.parsers.pdf import parse_pdf
from fanshu.library.parsers.pdfjoin import clean
from fanshu.types import Document
from tests.library.parsers.pdfs import Mark, Text, pdf


def _trails(document: Document) -> list[tuple[str, ...]]:
    return [section.trail for section in document.sections]


def _section(document: Document, *trail: str) -> str:
    section = next(s for s in document.sections if s.trail == trail)
    return document.text[section.start : section.end]


def _body(words: str, count: int, top: float = 700.0) -> list[Text]:
    return [Text(60, top - 14 * n, f"{words} line {n}.") for n in range(count)]


def test_two_bookmarks_give_path_and_page() -> None:
    pages = [[Text(60, 800, "Cover of it")], [Text(60, 760, "1 Setup"), *_body("Alpha", 3)],
             [Text(60, 760, "1.1 Wires"), *_body("Beta", 3)]]  # fmt: skip
    document = parse("a.pdf", pdf(pages, [Mark("1", 1, 772), Mark("1.1", 2, 772, 1)]))
    assert _trails(document) == [(), ("1",), ("1", "1.1")]
    assert [section.page for section in document.sections] == [1, 2, 3]
    assert _section(document, "1", "1.1").startswith("1.1 Wires\n")


def test_bookmark_without_target_stays_above_its_children() -> None:
    pages = [[Text(60, 760, f"Chapter {n}"), *_body("Text", 2)] for n in range(3)]
    marks = [Mark("Part A", None), *(Mark(f"Chapter {n}", n, 770, 1) for n in range(3))]
    document = parse("a.pdf", pdf(pages, marks))
    assert _trails(document) == [("Part A", f"Chapter {n}") for n in range(3)]


def test_stray_bookmark_does_not_end_the_outline() -> None:
    pages = [[Text(60, 760, f"Chapter {n}"), *_body("Text", 2)] for n in range(4)]
    marks = [Mark("Index", 3), *(Mark(f"Chapter {n}", n, 770) for n in range(4))]
    document = parse("a.pdf", pdf(pages, marks))
    assert _trails(document) == [(f"Chapter {n}",) for n in range(4)]


def test_bookmark_that_points_at_the_base_line_or_the_page() -> None:
    lines = [Text(60, 760, "Old text ends"), Text(60, 600, "Second"), Text(60, 580, "New text")]
    pages = [[Text(60, 760, "First"), Text(60, 740, "Its text")], lines, [Text(60, 760, "Third")]]
    marks = [Mark("First", 0), Mark("Second", 1, 599.5), Mark("Third", 2)]
    document = parse("a.pdf", pdf(pages, marks))
    assert _section(document, "First").endswith("Old text ends\n")
    assert _section(document, "Second") == "Second\nNew text\n"


def test_running_header_is_no_text_but_stays_in_the_metadata() -> None:
    pages = [[Text(60, 810, "公司内部", font="F4"), *_body(f"Page {n} says", 4)] for n in range(8)]
    document = parse("a.pdf", pdf(pages))
    assert "公司内部" not in document.text
    assert document.metadata["running_lines"] == "公司内部"


def test_a_line_at_the_top_of_two_pages_is_kept() -> None:
    pages = [[Text(60, 810, "Warning: hot"), *_body("Text", 3)] for _ in range(2)]
    assert parse("a.pdf", pdf(pages)).text.count("Warning: hot") == 2


def test_large_numbered_chapters_at_the_top_are_headings() -> None:
    pages = [[Text(60, 800, f"Chapter {n}", 18, "F2"), *_body("Text", 6)] for n in range(1, 5)]
    document = parse("a.pdf", pdf(pages))
    assert _trails(document) == [(f"Chapter {n}",) for n in range(1, 5)]


def test_sizes_give_levels() -> None:
    page = [
        Text(60, 800, "Pump manual", 24, "F2"),
        Text(60, 760, "Safety", 16, "F2"), *_body("Wear gloves and", 3, 740),
        Text(60, 680, "Electricity", 13, "F2"), *_body("Cut the power and", 3, 660),
        Text(60, 600, "Use", 16, "F2"), *_body("Press the button and", 3, 580),
    ]  # fmt: skip
    document = parse("a.pdf", pdf([page]))
    assert _trails(document) == [(), ("Safety",), ("Safety", "Electricity"), ("Use",)]
    assert document.title == "Pump manual"


@pytest.mark.parametrize(
    ("given", "title"), [("print.html", ""), ("手册.docx", ""), ("Use of HTML", "Use of HTML")]
)
def test_the_name_of_a_file_is_no_title(given: str, title: str) -> None:
    assert parse("a.pdf", pdf([_body("Text", 3)], title=given)).title == title


def test_chinese_numbering_in_one_size() -> None:
    texts = ["第一章 总 则", "第一条 为规范管理，制定本办法。", "第二条 设备分为两类。",
             "第二章 罚 则", "第三条 违者处罚款。"]  # fmt: skip
    page = [Text(60, 760 - 20 * n, text, font="F4") for n, text in enumerate(texts)]
    document = parse("a.pdf", pdf([page]))
    assert _trails(document) == [
        ("第一章 总则",), ("第一章 总则", "第一条"), ("第一章 总则", "第二条"),
        ("第二章 罚则",), ("第二章 罚则", "第三条"),
    ]  # fmt: skip


def test_wrapped_chinese_lines_are_joined_without_a_space() -> None:
    full = "设" * 47
    page = [Text(60, 760, full, font="F4"), Text(60, 745, "备检修。", font="F4"),
            Text(60, 700, "另一段。", font="F4")]  # fmt: skip
    assert parse("a.pdf", pdf([page])).text == f"{full}备检修。\n另一段。\n"


def test_list_items_stay_lines() -> None:
    items = [Text(60, 760 - 14 * n, f"{n + 1}. {'word ' * 18}end") for n in range(3)]
    assert parse("a.pdf", pdf([items])).text.count("\n") == 3


def test_two_columns_drawn_row_by_row() -> None:
    left = [f"Left column text number {n} goes" for n in range(6)]
    right = [f"Right column text number {n} is" for n in range(6)]
    rows = [
        text
        for n in range(6)
        for text in (Text(60, 700 - 14 * n, left[n]), Text(320, 700 - 14 * n, right[n]))
    ]
    text = parse("a.pdf", pdf([[Text(60, 760, "Title over both columns of the page"), *rows]])).text
    assert text.index(left[5]) < text.index(right[0])
    assert text.startswith("Title over both")


def test_listing_keeps_its_indentation() -> None:
    page = [*_body("Before", 2), Text(60, 600, "install:", font="F3"),
            Text(108, 588, "cp a b", font="F3")]  # fmt: skip
    assert "install:\n        cp a b\n" in parse("a.pdf", pdf([page])).text


def test_hyphen_at_line_end() -> None:
    page = [Text(60, 760, "We keep the docu-"), Text(60, 748, "mentation in a well-"),
            Text(60, 736, "known place.")]  # fmt: skip
    text = parse("a.pdf", pdf([page])).text
    assert "documentation" in text
    assert "well-known" in text


def test_hyphen_behind_a_first_word_of_compounds() -> None:
    page = [
        Text(60, 760, "This state-"), Text(60, 748, "ment is of high-"), Text(60, 736, "level use, a"),
        Text(60, 724, "good level indeed"),
    ]  # fmt: skip
    text = parse("a.pdf", pdf([page])).text
    assert "statement" in text
    assert "high-level" in text


def test_line_of_soft_hyphens_alone_is_no_line() -> None:
    assert clean("\xad \xad", frozenset()) == ""


def test_letter_spaced_chinese_is_drawn_together() -> None:
    assert clean("第三章 附 则", frozenset()) == "第三章 附则"
    assert clean("管 理 办 法", frozenset()) == "管理办法"
    assert clean("任务 细节", frozenset()) == "任务 细节"


def test_pages_without_text_are_named() -> None:
    document = parse("a.pdf", pdf([_body("Only here", 3), [], [], [], []]))
    assert (document.state, document.reason) == ("partial_text", "pages 2-5 empty")
    assert "Only here" in document.text


def test_scanned_page_among_others_is_named_and_a_blank_one_is_not() -> None:
    pages = [_body(f"Page {n}", 3) for n in range(3)]
    document = parse("a.pdf", pdf([*pages, [], [], pages[0]], images=[4]))
    assert (document.state, document.reason) == (
        "partial_text",
        f"page 5 empty; to read it: {extras.here().add_shortly('ocr')}",
    )


def test_long_document_without_headings_has_a_section_for_each_page() -> None:
    pages = [_body(f"Plain sentence of page {n} about pumps", 40) for n in range(3)]
    document = parse("a.pdf", pdf(pages))
    assert [(s.trail, s.page) for s in document.sections] == [((), 1), ((), 2), ((), 3)]


def test_hang_is_a_state() -> None:
    document = parse_pdf(pdf([_body("x", 1)]), seconds=0.01)
    assert document.state == "failed"
    assert (document.reason or "").startswith("timeout")


@pytest.mark.parametrize("cut", [0.2, 0.5, 0.9])
def test_cut_file_is_a_state_or_text(cut: float) -> None:
    data = pdf([_body("Some text", 5)] * 3)
    document = parse("a.pdf", data[: int(len(data) * cut)])
    assert document.state in ("ok", "failed", "no_text", "partial_text")
    assert document.state == "ok" or document.reason


def test_pdf_by_content_under_another_name() -> None:
    assert "Alpha line 0." in parse("a.txt", pdf([_body("Alpha", 2)])).text


def test_worker_writes_nothing_but_json() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fanshu.library.parsers.worker"],
        input=b"%PDF-1.4 broken",
        capture_output=True,
        check=True,
    )
    assert done.stdout.startswith(b'{"text": ""')
