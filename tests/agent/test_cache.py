"""U36: an answer from the cache is given only while what it rests on is unchanged."""

import os
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from fanshu.agent.cache import Cache
from fanshu.agent.draft import Draft
from fanshu.agent.entries import Entries, Entry, EntryStore
from fanshu.agent.loop import LoopAgent
from fanshu.agent.run import Run
from fanshu.agent.shared_entries import SharedEntries
from fanshu.library.library import Library
from fanshu.models.scripted import ScriptedModel
from fanshu.types import EVERYTHING, TOO_SLOW, Scope, Usage
from tests.agent.runs import (
    GATEWAY,
    NOT_FOUND,
    RIGHT,
    TIMEOUT,
    Meanwhile,
    Script,
    answer,
    make_library,
    read,
    search,
    write,
)
from tests.records import KINDS, shared_records
from tests.waiting import PATIENCE

QUESTION = "读超时是多少"
RUN: Script = [[search("读超时")], [read(TIMEOUT)], [RIGHT]]
OTHERS = {f"其他/{n}.md": f"# 第 {n} 篇\n\n## 说明\n\n与此无关的内容 {n}。\n" for n in range(20)}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    library = make_library(tmp_path, GATEWAY | OTHERS)
    yield library
    library.close()


def cache_of(
    library: Library, place: Path, *, scope: Scope = EVERYTHING, context: str = ""
) -> Cache:
    entries = Entries(place / "cache" / "answers.db", days=30, megabytes=50)
    return Cache(entries, library, scope=scope, hits=10, context=context)


async def asked(library: Library, cache: Cache, script: Script, question: str = QUESTION) -> Run:
    """A run whose answer is offered to the cache."""
    before = cache.state()
    run = await LoopAgent(library, ScriptedModel(script)).ask(question)
    cache.keep(question, run, run.answer, before)
    return run


async def test_a_hit_is_the_answer_marked_and_free(library: Library, tmp_path: Path) -> None:
    cache = cache_of(library, tmp_path)
    run = await asked(library, cache, RUN)
    found = cache.find("请问，读超时是多少？")
    assert found is not None
    assert (found.answer, found.status) == (run.answer.answer, "answered")
    assert found.citations == run.answer.citations
    assert found.searches == run.answer.searches
    assert (found.cached, found.usage, found.reader) == (True, Usage(), "scripted")
    assert found.question == "请问，读超时是多少？"
    assert 0 < found.seconds < 5
    assert cache.find("写超时是多少") is None


async def test_u36_answers_that_are_not_whole_are_never_kept(
    library: Library, tmp_path: Path
) -> None:
    cache = cache_of(library, tmp_path)
    partial = answer("读超时为 30 秒，写超时 7 秒。", (TIMEOUT, "读超时时间为 30 秒"))
    for script in ([[read(TIMEOUT)], [partial], [partial]], [[search("a")], [search("a")]], []):
        run = await asked(library, cache, script)
        assert run.answer.status in ("partial", "error")
        assert cache.find(QUESTION) is None


@pytest.mark.parametrize(
    ("script", "status"),
    [(RUN, "answered"), ([[search("读超时")], [NOT_FOUND]], "not_found")],
)
async def test_what_rests_on_a_search_that_was_cut_short_is_not_kept(
    library: Library, tmp_path: Path, script: Script, status: str
) -> None:
    cache = cache_of(library, tmp_path)
    library.search_seconds = 0.0
    run = await asked(library, cache, script)
    assert run.answer.status == status
    assert TOO_SLOW in run.answer.warnings
    assert run.answer.note == ""  # of no word it is said that it stands nowhere
    library.search_seconds = PATIENCE
    assert cache.find(QUESTION) is None
    assert (await asked(library, cache, RUN)).answer.warnings == ()
    assert cache.find(QUESTION) is not None


EDITS: Mapping[str, tuple[str, str]] = {
    "the fact": ("接口手册.md", GATEWAY["接口手册.md"].replace("30 秒", "60 秒")),
    "the fact is gone": ("接口手册.md", "# 接口手册\n\n## 鉴权\n\n签名。\n"),
    "the heading above": (
        "接口手册.md",
        GATEWAY["接口手册.md"].replace("# 接口手册", "# 旧手册", 1),
    ),
    "another place contradicts": ("补充.md", "# 补充\n\n## 超时\n\n读超时时间改为 90 秒。\n"),
    "a newer version": (
        "接口手册-2031.md",
        GATEWAY["接口手册.md"].replace("# 接口手册", "# 接口手册 2031 版"),
    ),
}


@pytest.mark.parametrize("edit", EDITS)
async def test_u36_a_change_of_evidence_is_no_hit(
    library: Library, tmp_path: Path, edit: str
) -> None:
    cache = cache_of(library, tmp_path)
    await asked(library, cache, RUN)
    name, text = EDITS[edit]
    write(tmp_path, {name: text})
    library.sync()
    assert cache.find(QUESTION) is None


async def test_a_renamed_or_deleted_file_is_no_hit(library: Library, tmp_path: Path) -> None:
    cache = cache_of(library, tmp_path)
    await asked(library, cache, RUN)
    file = tmp_path / "docs" / "接口手册.md"
    file.rename(file.with_name("手册.md"))
    library.sync()
    assert cache.find(QUESTION) is None
    file.with_name("手册.md").unlink()
    library.sync()
    assert cache.find(QUESTION) is None


async def test_an_unsynced_change_of_a_cited_file_is_noticed(
    library: Library, tmp_path: Path
) -> None:
    cache = cache_of(library, tmp_path)
    await asked(library, cache, RUN)
    write(tmp_path, {"接口手册.md": GATEWAY["接口手册.md"].replace("30 秒", "31 秒")})
    assert cache.find(QUESTION) is None


async def test_an_unsynced_contradiction_in_the_cited_file_is_noticed(
    library: Library, tmp_path: Path
) -> None:
    cache = cache_of(library, tmp_path)
    await asked(library, cache, RUN)
    more = "\n## 读超时的更正\n\n读超时时间改为 90 秒，读超时以此为准。\n"
    write(tmp_path, {"接口手册.md": GATEWAY["接口手册.md"] + more})
    assert cache.find(QUESTION) is None


async def test_a_word_that_now_occurs_is_no_hit(library: Library, tmp_path: Path) -> None:
    cache = cache_of(library, tmp_path)
    await asked(library, cache, [[search("zephyr")], *RUN])
    assert cache.find(QUESTION)
    write(tmp_path, {"其他/3.md": "# 三\n\nzephyr\n"})
    library.sync()
    assert cache.find(QUESTION) is None


async def test_edits_elsewhere_change_nothing(library: Library, tmp_path: Path) -> None:
    cache = cache_of(library, tmp_path)
    await asked(library, cache, RUN)
    write(tmp_path, {"其他/3.md": "# 三\n\n重写过。\n", "其他/新.md": "# 新\n\n新的一篇。\n"})
    (tmp_path / "docs" / "其他" / "4.md").unlink()
    library.sync()
    assert cache.find(QUESTION)


async def test_a_cited_place_is_named_as_it_is_now(library: Library, tmp_path: Path) -> None:
    cache = cache_of(library, tmp_path)
    then = (await asked(library, cache, RUN)).answer.citations[0]
    text = GATEWAY["接口手册.md"].replace("## 鉴权", "## 概述\n\n手册的概述。\n\n## 鉴权")
    write(tmp_path, {"接口手册.md": text})
    library.sync()
    found = cache.find(QUESTION)
    assert found
    now = found.citations[0]
    assert (then.chunk_id, now.chunk_id) == (TIMEOUT, "接口手册.md#4")
    assert then.lines and now.lines
    assert text.splitlines()[now.lines[0] - 1] == now.quote + "。"
    assert now.lines[0] == then.lines[0] + 4


async def test_turned_pages_and_outlines_are_evidence_too(library: Library, tmp_path: Path) -> None:
    cache = cache_of(library, tmp_path)
    script: Script = [
        [("outline", {"path": "部署"}), read("接口手册.md#2")],
        [("next_chunk", {"chunk_id": "接口手册.md#2"}), ("next_chunk", {"chunk_id": "接口手册.md#4"})],
        [("prev_chunk", {"chunk_id": "#2"}), read("接口手册.md#99")],
        [RIGHT],
    ]  # fmt: skip
    await asked(library, cache, script)
    assert cache.find(QUESTION)
    write(tmp_path, {"部署/安装.md": GATEWAY["部署/安装.md"] + "\n## 卸载\n\n删除目录。\n"})
    library.sync()
    assert cache.find(QUESTION) is None
    write(tmp_path, {"部署/安装.md": GATEWAY["部署/安装.md"]})
    library.sync()
    assert cache.find(QUESTION)
    write(tmp_path, {"接口手册.md": GATEWAY["接口手册.md"] + "\n## 附录\n\n无。\n"})
    library.sync()
    assert cache.find(QUESTION) is None


async def test_not_found_holds_while_nothing_changes_at_all(
    library: Library, tmp_path: Path
) -> None:
    cache = cache_of(library, tmp_path)
    await asked(library, cache, [[search("zephyr")], [NOT_FOUND]])
    found = cache.find(QUESTION)
    assert found and (found.status, found.cached) == ("not_found", True)
    write(tmp_path, {"其他/3.md": "# 三\n\n重写过。\n"})
    library.sync()
    assert cache.find(QUESTION) is None


async def test_an_index_that_changes_during_the_run_proves_nothing(
    library: Library, tmp_path: Path
) -> None:
    cache = cache_of(library, tmp_path)

    def meanwhile() -> None:
        write(tmp_path, {"补充.md": "# 补充\n\n## 读超时\n\n读超时是多少：90 秒。\n"})
        library.sync()

    for script in (RUN, [[search("zephyr")], [NOT_FOUND]]):
        before = cache.state()
        model = Meanwhile(script, {len(script): meanwhile})
        run = await LoopAgent(library, model).ask(QUESTION)
        assert run.answer.status in ("answered", "not_found")
        cache.keep(QUESTION, run, run.answer, before)
        assert cache.find(QUESTION) is None
        (tmp_path / "docs" / "补充.md").unlink()
        library.sync()


async def test_a_second_hit_after_a_change_is_as_good(library: Library, tmp_path: Path) -> None:
    cache = cache_of(library, tmp_path)
    await asked(library, cache, RUN)
    text = GATEWAY["接口手册.md"].replace("## 鉴权", "## 概述\n\n手册的概述。\n\n## 鉴权")
    write(tmp_path, {"接口手册.md": text})
    library.sync()
    found = [cache.find(QUESTION) for _ in range(3)]
    assert found[0]
    assert {one.citations for one in found if one} == {found[0].citations}
    assert {one.searches for one in found if one} == {found[0].searches}
    write(tmp_path, {"接口手册.md": GATEWAY["接口手册.md"]})
    assert cache.find(QUESTION)


async def test_scope_and_context_are_part_of_the_question(library: Library, tmp_path: Path) -> None:
    await asked(library, cache_of(library, tmp_path), RUN)
    assert cache_of(library, tmp_path).find(QUESTION)
    assert cache_of(library, tmp_path, scope=Scope(("*.md",))).find(QUESTION) is None
    assert cache_of(library, tmp_path, context="another model").find(QUESTION) is None


async def test_a_summary_that_explains_the_question_is_known_too(
    library: Library, tmp_path: Path
) -> None:
    cache = cache_of(library, tmp_path)

    def summed_up(summary: str) -> Script:
        name, arguments = RIGHT
        return [[read(TIMEOUT)], [(name, arguments | {"question_summary": summary})]]

    await asked(library, cache, summed_up("接口手册里的读超时是多少"))
    assert cache.find("接口手册里的读超时是多少？")
    await asked(library, cache, summed_up("超时是多少"))
    assert cache.find("超时是多少") is None


async def test_what_is_no_entry_of_ours_is_no_hit(library: Library, tmp_path: Path) -> None:
    cache = cache_of(library, tmp_path)
    await asked(library, cache, RUN)
    with sqlite3.connect(cache.place) as db:
        db.execute("UPDATE entry SET body = '{\"answer\": 1}'")
    assert cache.find(QUESTION) is None


def test_a_draft_without_a_summary_has_none() -> None:
    assert Draft("", (), False).question_summary == ""


# ---------------------------------------------------------------- the file


def entry(asked: str = "a", **more: object) -> Entry:
    values: dict[str, object] = {
        "context": "c", "asked": asked, "summary": "", "question": asked, "status": "answered",
        "reader": "r", "tokens": 5, "body": "{}",
    }  # fmt: skip
    return Entry(**(values | more))  # type: ignore[arg-type]


@pytest.fixture
def entries(tmp_path: Path) -> Entries:
    return Entries(tmp_path / "cache" / "answers.db", days=30, megabytes=1)


@pytest.fixture(params=["file", *KINDS])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., EntryStore]]:
    """Entries in a file, and over records that workers share."""
    if request.param == "file":
        yield lambda **options: Entries(tmp_path / "answers.db", **options)
        return
    with shared_records(request, tmp_path) as records:
        yield lambda **options: SharedEntries(records, "store", **options, trim_seconds=0)


@pytest.mark.skipif(os.name != "posix", reason="optional: modes are those of POSIX")
def test_the_file_is_its_owners_alone(entries: Entries) -> None:
    entries.path.parent.mkdir(mode=0o700)
    entries.path.touch(0o644)
    entries.put(entry())
    assert stat.S_IMODE(entries.path.stat().st_mode) == 0o600
    fresh = Entries(entries.path.parent / "x" / "answers.db", days=1, megabytes=1)
    fresh.put(entry())
    assert stat.S_IMODE(fresh.path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(fresh.path.stat().st_mode) == 0o600


def test_old_and_unused_entries_go(make: Callable[..., EntryStore]) -> None:
    now = [time.time()]
    entries = make(days=1, megabytes=0.003, clock=lambda: now[0])
    entries.put(entry("a", body="x" * 1000))
    now[0] += 10
    entries.put(entry("b", body="x" * 1000))
    now[0] += 10
    entries.used(*entries.matching("c", "a"))
    entries.put(entry("c", body="x" * 1000))
    assert sorted(one.asked for one in entries.all()) == ["a", "c"]
    now[0] += 86_395
    assert entries.matching("c", "c")
    assert not entries.matching("c", "a")
    entries.put(entry("d"))
    assert sorted(one.asked for one in entries.all()) == ["c", "d"]


def test_counts_and_clearing(make: Callable[..., EntryStore]) -> None:
    entries = make(days=30, megabytes=1)
    assert entries.totals().entries == entries.clear() == 0
    assert entries.all() == ()
    entries.put(entry("a"))
    entries.put(entry("b"))
    entries.used(*entries.matching("c", "a"))
    entries.unused(stale=True)
    entries.unused(stale=False)
    totals = entries.totals()
    assert (totals.entries, totals.hits, totals.stale, totals.misses, totals.tokens) == (
        2,
        1,
        1,
        1,
        5,
    )
    assert entries.clear(entry("a").id) == 1
    assert entries.clear() == 1
    assert entries.totals().hits == 0


def test_a_hit_does_not_undo_a_newer_answer(make: Callable[..., EntryStore]) -> None:
    entries = make(days=30, megabytes=1)
    entries.put(entry(body="old"))
    (old,) = entries.matching("c", "a")
    entries.put(entry(body="new"))
    entries.used(old)
    assert [one.body for one in entries.matching("c", "a")] == ["new"]


def test_a_summary_leads_to_the_newest_entries(make: Callable[..., EntryStore]) -> None:
    now = [time.time()]
    entries = make(days=30, megabytes=1, clock=lambda: now[0])
    for asked in "abcde":
        now[0] += 1
        entries.put(entry(asked, summary="s", body=f"{asked}…"))
    entries.put(entry("s"))
    assert [one.asked for one in entries.matching("c", "s")] == ["s", "e", "d", "c"]
    assert entries.matching("other", "s") == ()
    assert entries.matching("c", "e")[0].body == "e…"


def test_a_file_that_is_no_database_is_made_again(entries: Entries) -> None:
    entries.put(entry())
    entries.path.write_bytes(b"rubbish" * 1000)
    assert entries.matching("c", "a") == ()
    entries.put(entry())
    assert entries.matching("c", "a")


def test_threads_may_write_at_once(make: Callable[..., EntryStore]) -> None:
    entries = make(days=30, megabytes=1)

    def work(name: str) -> None:
        for number in range(10):
            entries.put(entry(f"{name}{number}"))
            entries.used(entry(f"{name}{number}"))

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(entries.all()) == entries.totals().hits == 40


_WRITER = """
import sys, itertools
from pathlib import Path
from fanshu.agent.entries import Entries, Entry, EntryStore
entries = Entries(Path(sys.argv[1]), days=1, megabytes=50)
for n in itertools.count():
    entries.put(Entry("c", f"{sys.argv[2]}{n % 50}", "", "q", "answered", "r", 1, "x" * 20000))
    if n == 0: print("on", flush=True)
"""


def test_a_killed_writer_leaves_the_file_whole(entries: Entries) -> None:
    for turn in range(3):
        command = [sys.executable, "-c", _WRITER, str(entries.path), str(turn)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
            assert writer.stdout and writer.stdout.readline()
            threading.Event().wait(0.05)
            writer.kill()
        assert all(len(one.body) == 20000 for one in entries.all())
        entries.put(entry(body="x" * 20000))
        with sqlite3.connect(entries.path) as db:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
