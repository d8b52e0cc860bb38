"""The check-up as a whole: scopes, ids, order, size, hostile files."""

import time
from pathlib import Path

import pytest

from fanshu.checkup.examination import check
from fanshu.checkup.findings import Finding
from fanshu.types import Scope
from tests.checkup.chunked import library_of
from tests.timing import least_seconds

ONE = "# 甲\n\n`read_timeout` 默认为 30 秒。\n"
OTHER = "# 乙\n\n`read_timeout` 默认为 60 秒。\n"


def conflict(found: tuple[Finding, ...]) -> Finding:
    return next(one for one in found if one.kind == "conflict")


def test_both_passages_are_shown_with_their_places_and_values_marked(tmp_path: Path) -> None:
    one = conflict(check(library_of(tmp_path, {"a.md": ONE, "b.md": OTHER})).findings)
    assert [(side.file_path, side.lines, side.value) for side in one.sides] == [
        ("a.md", (3, 3), "30 秒"),
        ("b.md", (3, 3), "60 秒"),
    ]
    for side in one.sides:
        assert [side.text[a:b] for a, b in side.marked] == [side.value]
    assert one.sureness == "high"
    assert "30 秒" in one.message("zh") and "default" in one.message("en")


def test_an_id_stays_while_the_passage_moves_and_changes_with_the_value(tmp_path: Path) -> None:
    first = conflict(check(library_of(tmp_path / "1", {"a.md": ONE, "b.md": OTHER})).findings)
    moved = {"a.md": "# 甲\n\n## 新\n\n别的内容。\n\n## 旧\n" + ONE, "b.md": OTHER}
    assert conflict(check(library_of(tmp_path / "2", moved)).findings).id == first.id
    changed = {"a.md": ONE, "b.md": OTHER.replace("60", "90")}
    assert conflict(check(library_of(tmp_path / "3", changed)).findings).id != first.id


def test_a_scope_sees_and_compares_only_its_own(tmp_path: Path) -> None:
    library = library_of(tmp_path, {"a/a.md": ONE, "b/b.md": OTHER + "见[丙](none.md)。\n"})
    assert check(library, scope=Scope(("a/*",))).findings == ()
    assert {one.kind for one in check(library, scope=Scope(("b/*",))).findings} == {"link"}
    assert check(library, scope=Scope(())).findings == ()


def test_nothing_is_found_in_an_empty_library(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    report = check(library_of(tmp_path, {}))
    assert (report.findings, report.worst()) == ((), None)


def test_the_order_is_always_the_same(tmp_path: Path) -> None:
    files = {"a.md": ONE + "\n## 空\n", "b.md": OTHER + "\n见[丙](none.md)。\n"}
    library = library_of(tmp_path, files)
    assert [one.id for one in check(library).findings] == [
        one.id for one in check(library).findings
    ]
    assert check(library).findings[0].kind == "conflict"


@pytest.mark.slow
def test_hostile_files_end_soon(tmp_path: Path) -> None:
    rows = "".join(f"| name_{n}_x | {n} | {n * 2} |\n" for n in range(4_000))
    files = {
        "line.md": "# 长\n\n" + "见[" * 20_000 + "第1条" * 10_000 + "`" * 10_001,
        "table.md": "# 表\n\n| 名称 | 默认值 | 上限 |\n| --- | --- | --- |\n" + rows,
        "same.md": "# 同\n\n" + "值班电话：6120，每天 30 分钟内上线处理，联系人：甲。\n\n" * 1_000,
    }
    library = library_of(tmp_path, files)
    library.sync()
    before = time.process_time()
    check(library)
    assert time.process_time() - before < 60


@pytest.mark.slow
def test_the_work_grows_with_the_number_of_sections(tmp_path: Path) -> None:
    def seconds(count: int, enough: float = 0.0) -> float:
        parts = (
            f"## 节 {n}\n\n参数 `queue_{n}_size` 默认为 {n} 个，超过时写入磁盘并通知第 {n} 组。\n\n"
            for n in range(count)
        )
        library = library_of(tmp_path / str(count), {"a.md": "# 全\n\n" + "".join(parts)})
        library.sync()
        return least_seconds(lambda: check(library), enough=enough)

    most = 30 * seconds(100)  # eight times as much takes about 8 times as long; a square 64
    assert seconds(800, enough=most) < most
