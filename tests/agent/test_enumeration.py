"""“List all …”: every file is named so that it can be searched, and what is complete says so."""

import re
from collections.abc import Callable, Mapping

import pytest

from fanshu.agent.context import Fence
from fanshu.agent.tools import PLACES_COUNTED, PLACES_IN_FILE, Tools
from fanshu.library.library import Library
from fanshu.types import EVERYTHING, Observation, SearchResult, ToolCall
from tests.library.conftest import library as library

Make = Callable[[Mapping[str, str]], Library]


def options(count: int, word: str = "限额", of: object = 0) -> str:
    """So many sections that hold a word, those of one document unlike those `of` another."""
    return "# 参数\n\n" + "".join(
        f"## 项 {n}\n\n{word} 为 {n} 个，{f'说明 {of} 文字，' * 20}。\n\n"
        for n in range(1, count + 1)
    )


async def search(
    docs: Library, keyword: str, path: str | None = None, hits: int = 5
) -> Observation:
    tools = Tools(docs, language="zh", hits=hits, scope=EVERYTHING, fence=Fence("doc-x"))
    arguments = {"keyword": keyword} | ({"path": path} if path else {})
    return await tools.run(ToolCall("1", "search", arguments), 1)


def result(observation: Observation) -> SearchResult:
    assert isinstance(observation.data, SearchResult)
    return observation.data


async def test_every_other_file_can_be_given_as_path(library: Make) -> None:
    names = [
        "指南.md",
        "a/指南.md",
        "a/b/指南.md",
        "b/指南.md",
        "指南 2.md",
        "a/c#3.md",
        "星*.md",
        "x/[1].md",
    ]
    docs = library({name: options(2, of=at) for at, name in enumerate(names)})
    found = result(await search(docs, "限额", hits=1))
    assert found.files == len(names)
    assert len(found.other_files) == len(names) - 1
    for other in found.other_files:
        inside = result(await search(docs, "限额", other.file_path))
        assert {hit.file_path for hit in inside.hits} == {other.file_path}
        assert inside.total == other.count == 2
        assert inside.exhaustive


async def test_a_file_shows_every_place_in_order(library: Make) -> None:
    docs = library({"a.md": options(PLACES_IN_FILE - 5), "b.md": options(3)})
    said = await search(docs, "限额", "a.md")
    numbers = [int(n) for n in re.findall(r"^  #(\d+) ", said.text, re.MULTILINE)]
    assert numbers == list(range(2, PLACES_IN_FILE - 3))
    assert result(said).exhaustive
    assert "都在下面" in said.text


async def test_more_places_are_numbers(library: Make) -> None:
    docs = library({"a.md": options(60)})
    said = await search(docs, "限额", "a.md")
    found = result(said)
    assert found.exhaustive
    assert len(found.hits) == PLACES_IN_FILE
    assert len(found.rest) == 60 - PLACES_IN_FILE
    told = {int(n) for n in re.findall(r"^  #(\d+) ", said.text, re.MULTILINE)}
    (rest,) = re.findall(r"^该文件其余 45 处：(.*)$", said.text, re.MULTILINE)
    for first, last in re.findall(r"#(\d+)(?:-(\d+))?", rest):
        told |= set(range(int(first), int(last or first) + 1))
    assert told == set(range(2, 62))


async def test_a_word_that_is_everywhere_in_a_file_lists_nothing(library: Make) -> None:
    docs = library({"a.md": options(PLACES_COUNTED + 1)})
    said = await search(docs, "限额", "a.md")
    assert len(result(said).hits) == 5
    assert not result(said).exhaustive
    assert "都在下面" not in said.text


async def test_exhaustive_is_said_only_of_all(library: Make) -> None:
    docs = library({"a.md": options(4), "b.md": options(2, "期限"), "c.md": "# 限期\n\n无。\n"})
    assert result(await search(docs, "限额", hits=4)).exhaustive
    assert not result(await search(docs, "限额", hits=3)).exhaustive
    assert not result(await search(docs, "没有这个")).exhaustive
    assert not result(await search(docs, "限额 缺席", hits=9)).exhaustive
    # One wording stands as written, the other only in parts: nobody knows what that leaves out.
    assert not result(await search(docs, "限额|期限 缺席", hits=9)).exhaustive


async def test_very_many_files_are_told_by_folder(library: Make) -> None:
    files = {f"版本/v{n}.md": options(1, of=n) for n in range(30)} | {
        f"手册/m{n}.md": options(1, of=n + 50) for n in range(6)
    }
    said = await search(library(files), "限额", hits=1)
    (also,) = [line for line in said.text.splitlines() if line.startswith("另见")]
    assert re.search(r"还有 \d+ 个文件（版本/ \d+", also)
    shown = len(re.findall(r"\.md 1", also))
    counted = int(re.findall(r"还有 (\d+)", also)[0])
    hits = result(said).hits
    assert shown + counted + len(hits) + sum(len(hit.same) for hit in hits) == 36


@pytest.mark.parametrize("path", ["版本-*", "版本-", "版本-…"])
async def test_beginnings_of_names_are_paths(library: Make, path: str) -> None:
    docs = library({"版本-1.md": options(1), "版本-2.md": options(2), "其他.md": options(3)})
    assert result(await search(docs, "限额", path)).files == 2
