"""Dates of documents, and which document is a newer version of which."""

import pytest

from fanshu.library.dating import date_of, find_date, newer_versions
from fanshu.types import Document


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("条例(2021-03-01)", "2021-03-01"),
        ("2024年3月1日起施行", "2024-03-01"),
        ("report_20240115_final", "2024-01-15"),
        ("2024/12/31", "2024-12-31"),
        ("2024.6.5", "2024-06-05"),
        ("version 1.2.3 of 12/13", None),
        ("电话 02012345678", None),
        ("2024-13-01", None),
    ],
)
def test_find_date(text: str, date: str | None) -> None:
    assert find_date(text) == date


def test_the_file_name_says_more_than_the_text() -> None:
    document = Document("发布于 2020年1月1日。", (), metadata={"date": "2022-02-02"})
    assert date_of("规定(2021-03-01).txt", document) == "2021-03-01"
    assert date_of("规定.txt", document) == "2022-02-02"
    assert date_of("规定.txt", Document("发布于 2020年1月1日。", ())) == "2020-01-01"
    assert date_of("规定.txt", Document("字" * 500 + "2020年1月1日发布", ())) is None
    assert (
        date_of("规定.txt", Document("规定\n（2019年5月1日国务院令第3号）\n", ())) == "2019-05-01"
    )
    assert (
        date_of("清单.md", Document("# 清单\n- 上次演练在2024年11月23日，见演练记录一篇\n", ()))
        is None
    )


def newer(*paths: str) -> dict[str, str]:
    return dict(newer_versions((path, find_date(path)) for path in paths))


def test_families_differ_in_dates_and_versions_only() -> None:
    old, new, other = "条例(2021-03-01).txt", "条例(2024-05-01).txt", "别的条例(2025-01-01).txt"
    assert newer(old, new, other) == {old: new}
    assert newer("a/手册v1.2.md", "手册v1.10.md") == {"a/手册v1.2.md": "手册v1.10.md"}
    assert newer("规定2019年版.md", "规定2023年修订.md") == {"规定2019年版.md": "规定2023年修订.md"}


def test_equal_names_in_two_folders_are_two_documents() -> None:
    assert newer_versions([("a/README.md", "2020-01-01"), ("b/README.md", "2024-01-01")]) == {}


def test_numbered_documents_are_no_versions() -> None:
    assert newer("adr-001.md", "adr-002.md", "ch01.html", "ch02.html") == {}
    assert newer("2023 annual report.pdf", "2023 budget.pdf") == {}


@pytest.mark.parametrize(
    ("older", "later"),
    [
        ("手册_v1.docx", "手册_v2.docx"),
        ("手册V9.docx", "手册V10.docx"),
        ("手册（第二版）.pdf", "手册（第三版）.pdf"),
        ("手册1.2版.pdf", "手册1.10版.pdf"),
        ("spec rev1.md", "spec rev2.md"),
        ("spec v2.md", "spec v2.1.md"),
        ("制度-草稿.docx", "制度-最终版.docx"),
        ("制度-草稿.docx", "制度.docx"),
        ("制度.docx", "制度-定稿.docx"),
        ("制度.docx", "制度（修订稿）.docx"),
        ("考核办法（试行）.docx", "考核办法.docx"),
        ("考核办法（试行）.docx", "考核办法（修订）.docx"),
        ("考核办法征求意见稿.docx", "考核办法正式版.docx"),
        ("report_draft.md", "report_final.md"),
        ("report (draft).md", "report.md"),
        ("report-old.md", "report-new.md"),
        ("手册_v2_草稿.docx", "手册_v2.docx"),
    ],
)
def test_versions_and_words_in_names(older: str, later: str) -> None:
    assert newer(older, later) == newer(later, older) == {older: later}


@pytest.mark.parametrize(
    "pair",
    [
        ("员工手册.md", "新员工手册.md"),
        ("员工管理办法.md", "正式员工管理办法.md"),
        ("用户协议.md", "最终用户协议.md"),
        ("features.md", "new-features.md"),
        ("exam.md", "final-exam.md"),
        ("制度.md", "制度修订说明.md"),
        ("刑法.md", "刑法修正案.md"),
        ("a/制度-草稿.md", "b/制度.md"),
        ("制度-定稿.md", "制度-最终版.md"),
        ("手册.md", "手册_v1.md"),
    ],
)
def test_words_that_tell_nothing(pair: tuple[str, str]) -> None:
    assert newer(*pair) == {}


def dated(**dates: str | None) -> dict[str, str]:
    return dict(newer_versions((f"{name}.md", date) for name, date in dates.items()))


def test_dates_in_the_text_decide_where_names_do_not() -> None:
    assert dated(制度_最终版="2023-01-01", 制度_修订稿="2024-01-01") == {
        "制度_最终版.md": "制度_修订稿.md"
    }
    assert dated(制度_草稿="2024-01-01", 制度_最终版="2023-01-01") == {
        "制度_最终版.md": "制度_草稿.md"
    }
    assert dated(手册_v1="2024-05-01", 手册_v2=None) == {"手册_v1.md": "手册_v2.md"}
    assert dated(手册_v1="2024-05-01", 手册_v2="2023-05-01") == {"手册_v1.md": "手册_v2.md"}


def test_a_year_does_not_tell_from_a_day_in_it() -> None:
    assert newer("规定2023年版.md", "规定(2023-05-01).md") == {}


def test_a_member_without_any_mark_hides_no_other() -> None:
    old, new = "条例(2021-03-01).txt", "条例(2024-05-01).txt"
    assert newer("条例.txt", old, new) == {old: new}
