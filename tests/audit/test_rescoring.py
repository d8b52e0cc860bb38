"""Old answers over files that have changed since."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fanshu.audit.rescoring import Rescored, rescore
from fanshu.library.library import Library, Root
from tests.agent.runs import NOT_FOUND, answer, make_library, read, search, write
from tests.audit.recorded import recorded
from tests.waiting import PATIENCE

GATEWAY = """\
# 网关

## 超时

写超时为 30 秒，超时后重试 3 次。

## 端口

网关使用 8443 端口，仅限内网。
"""
TIMEOUT = "网关.md#2"
QUOTE = "写超时为 30 秒，超时后重试 3 次"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    made = make_library(tmp_path, {"网关.md": GATEWAY, "其他.md": "# 其他\n\n无关。\n"})
    yield made
    made.close()


@pytest.fixture
async def trace(library: Library) -> dict[str, Any]:
    reply = answer("写超时为 30 秒。", (TIMEOUT, QUOTE))
    return await recorded(library, [read(TIMEOUT), reply], "写超时是多少")


def again(tmp_path: Path, trace: dict[str, Any], **files: str) -> Rescored:
    """The answer checked again after files were written."""
    write(tmp_path, {f"{name}.md": text for name, text in files.items()})
    library = Library([Root(tmp_path / "docs")], tmp_path / "index.db", search_seconds=PATIENCE)
    library.sync()
    try:
        return rescore(trace, library)
    finally:
        library.close()


def test_nothing_changed(tmp_path: Path, trace: dict[str, Any]) -> None:
    result = again(tmp_path, trace)
    assert not result.differs
    (one,) = result.citations
    assert (one.state, one.now, one.lines) == ("unchanged", TIMEOUT, (5, 5))
    assert (result.status, result.status_now) == ("answered", "answered")


def test_an_edit_beside_the_passage_changes_nothing(tmp_path: Path, trace: dict[str, Any]) -> None:
    result = again(tmp_path, trace, 网关=GATEWAY.replace("3 次。", "3 次。\n\n读超时为 60 秒。"))
    assert not result.differs
    assert result.citations[0].state == "unchanged"


def test_a_passage_that_moved_is_found(tmp_path: Path, trace: dict[str, Any]) -> None:
    result = again(tmp_path, trace, 网关=GATEWAY.replace("## 超时", "## 概述\n\n略。\n\n## 超时"))
    (one,) = result.citations
    assert (one.state, one.now, one.lines) == ("moved", "网关.md#3", (9, 9))
    assert not result.differs


def test_the_same_text_is_unchanged_though_passages_are_cut_in_another_way(
    tmp_path: Path, trace: dict[str, Any]
) -> None:
    trace["answer"]["citations"][0]["passage"] = "超时\n写超时为 30 秒，超时后重试 3 次。"
    assert not again(tmp_path, trace).differs


def test_a_renamed_file_is_found(tmp_path: Path, trace: dict[str, Any]) -> None:
    (tmp_path / "docs" / "网关.md").rename(tmp_path / "docs" / "网关手册.md")
    result = again(tmp_path, trace)
    assert (result.citations[0].state, result.citations[0].now) == ("moved", "网关手册.md#2")


def test_a_changed_passage_shows_old_and_new(tmp_path: Path, trace: dict[str, Any]) -> None:
    result = again(tmp_path, trace, 网关=GATEWAY.replace("30 秒", "45 秒"))
    (one,) = result.citations
    assert one.state == "changed"
    assert one.passage == "写超时为 30 秒，超时后重试 3 次。"
    assert one.passage_now == "写超时为 45 秒，超时后重试 3 次。"
    assert (result.differs, result.status_now) == (True, "not_found")


def test_an_exception_added_to_the_sentence_is_a_change(
    tmp_path: Path, trace: dict[str, Any]
) -> None:
    result = again(tmp_path, trace, 网关=GATEWAY.replace("3 次。", "3 次，上传接口除外。"))
    (one,) = result.citations
    assert one.state == "changed"
    assert one.passage_now == "写超时为 30 秒，超时后重试 3 次，上传接口除外。"
    assert result.differs


def test_a_deleted_section_is_gone(tmp_path: Path, trace: dict[str, Any]) -> None:
    rest = "# 网关\n\n## 端口\n\n网关使用 8443 端口，仅限内网。\n"
    result = again(tmp_path, trace, 网关=rest)
    assert [one.state for one in result.citations] == ["gone"]
    assert result.differs


def test_a_deleted_file_is_gone(tmp_path: Path, trace: dict[str, Any]) -> None:
    (tmp_path / "docs" / "网关.md").unlink()
    assert [one.state for one in again(tmp_path, trace).citations] == ["gone"]


def test_an_answer_whose_place_code_found_is_checked_by_that_place(
    tmp_path: Path, trace: dict[str, Any]
) -> None:
    trace["answer"]["citations"][0]["verified"] = "located"
    trace["rounds"][-1]["calls"][0]["arguments"]["citations"] = []
    assert not again(tmp_path, trace).differs
    changed = again(tmp_path, trace, 网关=GATEWAY.replace("30 秒", "45 秒"))
    assert (changed.differs, changed.status_now) == (True, "not_found")


async def test_a_newer_version_is_said(tmp_path: Path) -> None:
    rule = "# 报销办法\n\n第一条 单程机票不超过 2000 元。\n"
    library = make_library(tmp_path, {"报销办法(2021-03-01).md": rule})
    reply = answer("不超过 2000 元。", ("报销办法(2021-03-01).md#1", "单程机票不超过 2000 元"))
    old = await recorded(library, [read("报销办法(2021-03-01).md#1"), reply], "机票上限")
    library.close()
    result = again(tmp_path, old, **{"报销办法(2024-07-01)": rule.replace("2000", "2500")})
    (one,) = result.citations
    assert one.newer_version == "报销办法(2024-07-01).md"
    assert result.differs


async def test_what_was_not_found_may_be_there_now(tmp_path: Path, library: Library) -> None:
    old = await recorded(library, [search("鲸鱼"), NOT_FOUND], "鲸鱼吃什么")
    assert not again(tmp_path, old).differs
    result = again(tmp_path, old, 海洋="# 海洋\n\n鲸鱼吃磷虾。\n")
    assert result.found_now == ("鲸鱼",)
    assert result.differs
