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
