"""Copies: one hit that names the others, and never two that differ in a word or a figure."""

from collections.abc import Callable

import pytest

from fanshu.agent.render import render_search
from fanshu.library.library import Library

MakeLibrary = Callable[..., Library]

CLAUSE = (
    "用户应当在每月月底以前缴纳热费，逾期不缴纳的，供热单位可以按照合同约定收取违约金，"
    "并在书面催告三十日后暂停供热，恢复供热的费用由用户承担。供热单位变更供热方式的，应当提前"
    "告知用户，并将变更的理由、时间和影响的范围在用户所在的小区公布，接受用户的询问和监督。"
)


def test_the_same_text_in_several_files_is_one_hit(library: MakeLibrary) -> None:
    made = library({f"{name}.md": f"# 供热\n\n{CLAUSE}" for name in ("甲市", "乙市", "丙市")})
    result = made.search("热费 违约金")
    (hit,) = result.hits
    others = {f"{name}.md#1" for name in ("甲市", "乙市", "丙市")} - {hit.chunk_id}
    assert set(hit.same) == others
    assert (result.total, result.other_files) == (3, ())
    assert all(other in render_search(result, language="zh") for other in others)


def test_spaces_punctuation_and_mark_up_make_no_other_text(library: MakeLibrary) -> None:
    other = CLAUSE.replace("，", ", ").replace("违约金", "**违约金**").replace("用户", "用 户", 1)
    made = library({"甲市.md": f"# 供热\n\n{CLAUSE}", "乙市.md": f"# 供热\n\n{other}"})
    assert len(made.search("热费 违约金").hits) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("三十日", "30日"),
        ("三十日", "六十日"),
        ("供热单位", "甲方"),
        ("逾期不缴纳", "逾期缴纳"),
        ("可以", "应当"),
        ("书面催告", "书面通知"),
        ("每月", "每季"),
        ("可以按照合同约定收取违约金，", ""),
    ],
)
def test_what_differs_in_a_word_or_figure_stays_apart(
    library: MakeLibrary, old: str, new: str
) -> None:
    assert old in CLAUSE
    made = library(
        {"甲市.md": f"# 供热\n\n{CLAUSE}", "乙市.md": f"# 供热\n\n{CLAUSE.replace(old, new)}"}
    )
    assert len(made.search("热费 用户").hits) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("500 GB", "500 MB"),
        ("500 GB", "50.0 GB"),
        ("at most", "at least"),
        ("-5", "5"),
        ("Acme", "Zenith"),
        ("now here", "nowhere"),
    ],
)
def test_signs_units_and_names_stay_apart(library: MakeLibrary, one: str, other: str) -> None:
    text = f"The store of this machine, kept by its owner, is described by {one} and nothing else. "
    made = library({"a.md": text * 5, "b.md": text.replace(one, other) + text * 4})
    assert len(made.search("store machine").hits) == 2


def test_one_file_may_repeat_itself(library: MakeLibrary) -> None:
    made = library({"a.md": f"# 一\n\n{CLAUSE}\n\n# 二\n\n{CLAUSE}"})
    assert [hit.chunk_id for hit in made.search("热费").hits] == ["a.md#1", "a.md#2"]


def test_hits_that_repeat_make_room_for_others(library: MakeLibrary) -> None:
    files = {f"{n}.md": f"# 供热\n\n{CLAUSE}" for n in range(6)}
    files["z.md"] = "# 其他\n\n" + "热费减免的对象、条件与程序另行规定。" * 4
    hits = library(files).search("热费", k=2).hits
    assert {hit.file_path for hit in hits} >= {"z.md"}
