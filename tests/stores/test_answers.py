"""Answers kept over a store: given again while they are true, followed when documents change."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fanshu.agent.cache import Cache
from fanshu.agent.entries import Entries
from fanshu.agent.loop import LoopAgent
from fanshu.approved.approval import Kept
from fanshu.approved.store import Approvals
from fanshu.library.library import Library
from fanshu.models.scripted import ScriptedModel
from fanshu.types import EVERYTHING, Scope
from tests.agent.runs import GATEWAY, NOT_FOUND, RIGHT, TIMEOUT, Script, read, search
from tests.approved.desk import MANUAL, QUESTION, Desk
from tests.stores.conftest import MakeLibrary
from tests.stores.places import Place

ASKED = "读超时是多少"
RUN: Script = [[search("读超时")], [read(TIMEOUT)], [RIGHT]]
OTHERS = {f"其他/{n}.md": f"# 第 {n} 篇\n\n与此无关的内容 {n}。\n" for n in range(5)}
MANUAL_FILE = "接口手册.md"


@pytest.fixture
def made(library: MakeLibrary) -> Library:
    return library(GATEWAY | OTHERS)


def cache_of(library: Library, folder: Path, scope: Scope = EVERYTHING) -> Cache:
    entries = Entries(folder / "answers.db", days=30, megabytes=50)
    return Cache(entries, library, scope=scope, hits=10, context="")


@pytest.fixture
async def cache(made: Library, tmp_path: Path) -> Cache:
    """A cache that holds the answer to the question."""
    return await kept(made, cache_of(made, tmp_path), RUN)


async def kept(library: Library, cache: Cache, script: Script) -> Cache:
    before = cache.state()
    run = await LoopAgent(library, ScriptedModel(script)).ask(ASKED)
    assert cache.keep(ASKED, run, run.answer, before)
    return cache


async def test_an_answer_is_given_again_while_nothing_changed(cache: Cache) -> None:
    found = cache.find(f"请问，{ASKED}？")
    assert found is not None
    assert (found.cached, found.citations[0].chunk_id) == (True, TIMEOUT)


@pytest.mark.parametrize(
    "text",
    [
        GATEWAY[MANUAL_FILE].replace("30 秒", "60 秒"),
        "# 接口手册\n\n## 鉴权\n\n签名。\n",
        None,
    ],
)
async def test_an_answer_is_not_given_after_its_passage_changed(
    made: Library, cache: Cache, place: Place, text: str | None
) -> None:
    place.write({MANUAL_FILE: text})
    made.sync()
    assert cache.find(ASKED) is None


async def test_an_answer_is_not_given_once_another_place_says_more(
    made: Library, cache: Cache, place: Place
) -> None:
    place.write({"补充.md": "# 补充\n\n## 超时\n\n读超时时间改为 90 秒。\n"})
    made.sync()
    assert cache.find(ASKED) is None


async def test_an_answer_survives_edits_elsewhere_and_moves_with_its_place(
    made: Library, cache: Cache, place: Place
) -> None:
    place.write({"其他/1.md": "# 改过\n\n还是与此无关。\n", "其他/2.md": None})
    made.sync()
    assert cache.find(ASKED) is not None
    text = GATEWAY[MANUAL_FILE].replace("## 鉴权", "## 概述\n\n略。\n\n## 鉴权")
    place.write({MANUAL_FILE: text})
    made.sync()
    found = cache.find(ASKED)
    assert found is not None
    assert found.citations[0].chunk_id == f"{MANUAL_FILE}#4"


async def test_another_opening_of_the_library_gives_the_same_answer(
    cache: Cache, place: Place, tmp_path: Path
) -> None:
    second = place.library()
    assert cache_of(second, tmp_path).find(ASKED) is not None
    place.write({MANUAL_FILE: GATEWAY[MANUAL_FILE].replace("30 秒", "60 秒")})
    second.sync()
    assert cache_of(second, tmp_path).find(ASKED) is None
    second.close()


async def test_not_found_holds_only_while_the_whole_index_is_the_same(
    made: Library, place: Place, tmp_path: Path
) -> None:
    cache = await kept(made, cache_of(made, tmp_path), [[search("读超吋")], [NOT_FOUND]])
    found = cache.find(ASKED)
    assert found is not None
    assert found.status == "not_found"
    place.write({"其他/1.md": "# 改过\n\n还是与此无关。\n"})
    made.sync()
    assert cache.find(ASKED) is None


# ------------------------------------------------------------ approved


class PlacedDesk(Desk):
    """A desk whose library is kept at a place."""

    def __init__(self, place: Place, folder: Path) -> None:
        place.write({"网关.md": MANUAL, "其他.md": "# 其他\n\n无关。\n"})
        self.docs = place.docs
        self.library = place.library()
        self.library.sync()
        self.approvals = Approvals(folder / "approved.db", "documents")


@pytest.fixture
def desk(place: Place, tmp_path: Path) -> Iterator[Desk]:
    made = PlacedDesk(place, tmp_path)
    yield made
    made.library.close()


@pytest.fixture
def approved(desk: Desk) -> Kept:
    quote = ("网关.md#3", "写超时为 45 秒，超时后重试 3 次")
    return desk.approve(QUESTION, "写超时为 45 秒。", quote)


def test_an_approved_answer_stands_while_others_change(desk: Desk, approved: Kept) -> None:
    assert desk.change({"其他.md": "# 其他\n\n另一件事。\n"}).examined == 0
    assert desk.state(approved) == "unchanged"


def test_an_approved_answer_is_changed_moved_or_gone_with_its_passage(
    desk: Desk, approved: Kept
) -> None:
    desk.edit("网关.md", ("45 秒", "50 秒"))
    assert desk.state(approved) == "changed"
    desk.edit("网关.md", ("50 秒", "45 秒"))
    assert desk.state(approved) == "unchanged"
    desk.edit("网关.md", ("## 读超时", "## 概述\n\n略。\n\n## 读超时"))
    assert desk.state(approved) == "moved"
    desk.change({"网关.md": None})
    assert desk.state(approved) == "gone"
    desk.change({"备份/网关.md": MANUAL})
    assert desk.state(approved) == "moved"


def test_an_approved_answer_follows_a_renamed_file(desk: Desk, approved: Kept) -> None:
    (desk.docs / "网关.md").rename(desk.docs / "手册.md")
    desk.change({})
    now = desk.approvals.one(approved.id)
    assert (now.examined.state, now.examined.now[0].chunk_id) == ("moved", "手册.md#3")
