"""What documents say they replace, and which documents are meant."""

from collections.abc import Callable, Mapping

import pytest

from fanshu.library.dating import edition, newer_versions
from fanshu.library.library import Library
from fanshu.library.replacing import MOST, replaced_titles, with_replaced


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        (
            "本办法自2024年5月1日起施行。《差旅办法》（2019年版）同时废止。",
            ("差旅办法 （2019年版）",),
        ),
        ("自发布之日起施行，2001年发布的《甲规定》和《乙细则》同时废止。", ("甲规定", "乙细则")),
        ("1984年公布的《计量条例》即行废止。", ("计量条例",)),
        ("《劳动条例》中有关看守所的规定即行废止。", ()),
        ("依据《劳动法》制定。原规定同时废止。", ()),
        ("行业标准在国家标准实施后，自行废止。", ()),
        ("本手册代替《运维手册》。", ("运维手册",)),
        ("以复制件代替原件", ()),
        ("Supersedes: Travel Policy 2019\n", ("Travel Policy 2019",)),
        ('This policy replaces the "Travel Policy", and more.', ("Travel Policy",)),
        ("This document replaces version 1.2.", ("version 1.2",)),
        ("The decision was revisited in [ADR-7] which supersedes this one.", ()),
        ("Replaces index entries.\nThis option replaces the index.", ()),
        ("- **Supersedes:** [ADR-7](adr-7.md)", ("ADR-7",)),
        ("`--new` replaces `--old`.", ()),
        ("".join(f"《规定{n}号》、" for n in range(MOST + 1)) + "同时废止", ()),
    ],
)
def test_replaced_titles(text: str, titles: tuple[str, ...]) -> None:
    assert replaced_titles(text) == titles


def replaced(dates: Mapping[str, str | None], **says: str) -> dict[str, str]:
    """Newer versions among documents with dates; `says`: text by the stem of a .md file."""
    titles = {f"{stem}.md": replaced_titles(text) for stem, text in says.items()}
    editions = [edition(path, date) for path, date in dates.items()]
    return dict(with_replaced(newer_versions(dates.items()), editions, titles))


def test_a_document_of_another_name_is_replaced() -> None:
    dates = {"a/暂行办法.docx": "2019-01-01", "办法.md": "2024-05-01"}
    assert replaced(dates, 办法="《暂行办法》同时废止。") == {"a/暂行办法.docx": "办法.md"}
    assert replaced({**dates, "办法.md": "2018-01-01"}, 办法="《暂行办法》同时废止。") == {}


def test_the_year_and_the_version_must_be_those_said() -> None:
    dates = {"差旅规定(2019年版).md": None, "差旅规定(2015年版).md": None, "费用办法.md": None}
    assert replaced(dates, 费用办法="《差旅规定》（2015年版）同时废止。") == {
        "差旅规定(2015年版).md": "差旅规定(2019年版).md"
    }
    versions = {"policy_v1.1.md": None, "policy_v1.2.md": None, "policy.md": None}
    assert replaced(versions, policy="This policy replaces version 1.2.") == {
        "policy_v1.1.md": "policy.md",
        "policy_v1.2.md": "policy.md",
    }


def test_an_old_edition_that_repeals_its_own_name_does_not_replace_the_new_one() -> None:
    dates = {"条例(2010-01-01).md": "2010-01-01", "条例(2024-01-01).md": "2024-01-01"}
    says = {"条例(2010-01-01)": "1999年发布的《条例》同时废止。"}
    assert replaced(dates, **says) == {"条例(2010-01-01).md": "条例(2024-01-01).md"}


def test_what_is_replaced_leads_to_the_newest_of_all() -> None:
    dates = {"甲规定.md": "2001-01-01", "乙规定2010年.md": None, "乙规定2020年.md": None}
    assert replaced(dates, 乙规定2010年="代替《甲规定》") == {
        "甲规定.md": "乙规定2020年.md",
        "乙规定2010年.md": "乙规定2020年.md",
    }


def test_two_that_replace_each_other_end_nothing() -> None:
    dates = {"甲规定.md": None, "乙规定.md": None}
    assert replaced(dates, 甲规定="代替《乙规定》", 乙规定="代替《甲规定》") == {
        "乙规定.md": "甲规定.md"
    }


def test_a_replaced_document_says_so_wherever_it_is_shown(
    library: Callable[[Mapping[str, str]], Library],
) -> None:
    old, new = "差旅暂行办法.md", "差旅管理办法.md"
    texts = {
        old: "# 差旅暂行办法\n\n住宿每晚三百元。",
        new: "# 差旅管理办法\n\n自2024年5月1日起施行。《差旅暂行办法》同时废止。",
    }
    documents = library(texts)
    assert documents.read(f"{old}#1").newer_version == new
    files = {file.file_path: file.newer_version for file in documents.status().files}
    assert files == {old: new, new: None}
    path = documents.roots[0].path / new
    path.write_text("# 差旅管理办法\n\n另有规定的除外。", encoding="utf-8")
    documents.sync()
    assert documents.read(f"{old}#1").newer_version is None
