"""Scans: their states without and with OCR (U14), nothing recognised twice, nobody waits."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fanshu import extras
from fanshu.errors import UnknownChunk
from fanshu.library.library import Library, Progress, Root
from fanshu.library.parsers import scans
from fanshu.library.parsers.scans import (
    BY_OCR,
    WAITING,
    EngineBroken,
    Recognised,
    Scans,
    pages_named,
)
from fanshu.types import FileStatus, ScanReport
from tests.library.parsers.pdfs import Text, pdf
from tests.library.scanned import Engine, page
from tests.waiting import PATIENCE

TYPED = [Text(70, 780 - 14 * n, "The first page has a text layer of its own.") for n in range(3)]
FIVE = pdf([TYPED, [], [], [], []], images=[1, 2, 3, 4])
PAGES = {
    1: page("第一章 总则", "第一条 出差住宿每晚不超过四百元。"),
    2: page("第二条 超出部分由本人承担。"),
    3: page("第二章 附则", "第三条 本办法自发布之日起施行。"),
    4: Recognised(),
}

Make = Callable[..., Library]


@pytest.fixture
def scanned(tmp_path: Path) -> Iterator[Make]:
    """A synced library over `five.pdf`; the same folders again for each engine given."""
    made: list[Library] = []
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "five.pdf").write_bytes(FIVE)

    def make(engine: Engine | None, index: Path = tmp_path / "index") -> Library:
        kept = Scans(tmp_path / "index" / "ocr", engine)
        one = Library([Root(folder)], index / "index.db", scans=kept, search_seconds=PATIENCE)
        one.sync()
        made.append(one)
        return one

    yield make
    for one in made:
        one.close()


def status(library: Library) -> FileStatus:
    return library.status().files[0]


def test_u14_without_ocr_pages_and_the_command_are_named(scanned: Make) -> None:
    library = scanned(None)
    assert status(library).state == "partial_text"
    assert (
        status(library).reason
        == f"pages 2-5 empty; to read them: {extras.here().add_shortly('ocr')}"
    )
    assert library.read_scans() == ScanReport()


def test_u14_without_ocr_a_file_of_pictures_has_no_text(tmp_path: Path) -> None:
    (tmp_path / "one.pdf").write_bytes(pdf([[]], images=[0]))
    library = Library(
        [Root(tmp_path / "one.pdf")], tmp_path / "i" / "index.db", scans=Scans(tmp_path)
    )
    library.sync()
    assert status(library).state == "no_text"
    assert (
        status(library).reason
        == f"needs_ocr: page 1 empty; to read it: {extras.here().add_shortly('ocr')}"
    )
    library.close()


def test_asking_never_waits_for_ocr(scanned: Make) -> None:
    library = scanned(engine := Engine(PAGES))
    assert library.search("text layer").hits
    assert library.search("出差").hits == ()
    assert "layer" in library.read("five.pdf#1").text
    assert library.outline("five.pdf")
    assert engine.asked == []
    assert status(library).state == "ocr_pending"
    assert status(library).reason == "pages 2-5 wait for OCR; `fanshu index` reads them"


def test_pages_are_read_by_numbering_and_marked(scanned: Make) -> None:
    library = scanned(Engine(PAGES))
    told: list[Progress] = []
    report = library.read_scans(told.append)
    assert (report.files, report.pages, report.failed) == (1, 4, 0)
    assert [(p.done, p.total, p.file_path) for p in told] == [
        (n, 4, "five.pdf") for n in range(1, 5)
    ]
    assert (status(library).state, status(library).reason) == ("ok", "pages 2-5 by OCR")
    hit = library.search("住宿 四百元").hits[0]
    assert (hit.section_path, hit.page) == (("第一章 总则", "第一条"), 2)
    assert library.search("本办法自发布之日起施行").hits[0].page == 4
    assert library.ocr_pages("five.pdf") == {2, 3, 4, 5}


def test_no_chunk_holds_both_typed_and_recognised_text(scanned: Make) -> None:
    words = ["", "one more", "then two", "three", "at last"]
    library = scanned(Engine({n: page(f"{words[n]} goes on here") for n in range(1, 5)}))
    library.read_scans()
    entries = library.outline("five.pdf")
    texts = {entry.page: library.read(entry.chunk_id).text for entry in entries}
    assert texts.keys() == {1, 2}
    assert "goes on" not in texts[1]
    assert "layer" not in texts[2]


def test_nothing_is_recognised_twice(scanned: Make, tmp_path: Path) -> None:
    scanned(engine := Engine(PAGES)).read_scans()
    assert engine.asked == [1, 2, 3, 4]
    scanned(engine).read_scans()
    anew = scanned(engine, tmp_path / "another index")
    assert (status(anew).state, anew.read_scans()) == ("ok", ScanReport())
    docs = tmp_path / "docs"
    (docs / "five.pdf").rename(docs / "renamed.pdf")
    shutil.copy(docs / "renamed.pdf", docs / "copy.pdf")
    anew.sync()
    assert {file.state for file in anew.status().files} == {"ok"}
    assert engine.asked == [1, 2, 3, 4]


def test_two_copies_are_recognised_once(scanned: Make, tmp_path: Path) -> None:
    (tmp_path / "docs" / "copy.pdf").write_bytes(FIVE)
    library = scanned(engine := Engine(PAGES))
    assert (library.read_scans().pages, engine.asked) == (4, [1, 2, 3, 4])
    assert {file.state for file in library.status().files} == {"ok"}


def test_interrupted_pages_stay_done(scanned: Make) -> None:
    engine = Engine(PAGES, stops_before=3)
    library = scanned(engine)
    with pytest.raises(KeyboardInterrupt):
        library.read_scans()
    library.sync()
    assert status(library).reason == (
        "pages 2-3 by OCR; pages 4-5 wait for OCR; `fanshu index` reads them"
    )
    assert library.search("四百元").hits
    engine.stops_before = None
    assert library.read_scans().pages == 2
    assert engine.asked == [1, 2, 3, 4]
    assert status(library).state == "ok"


def test_page_that_fails_is_named_and_not_tried_again(scanned: Make) -> None:
    engine = Engine(PAGES | {2: Recognised(failed="timeout: more than 180 seconds")})
    library = scanned(engine)
    report = library.read_scans()
    assert (report.pages, report.failed) == (3, 1)
    assert (status(library).state, status(library).reason) == (
        "partial_text",
        "pages 2, 4-5 by OCR; page 3 empty, page 3 not recognised: timeout: more than 180 seconds",
    )
    library.sync()
    assert (library.read_scans(), engine.asked) == (ScanReport(), [1, 2, 3, 4])


def test_installing_ocr_later_and_removing_it_again(scanned: Make) -> None:
    assert status(scanned(None)).state == "partial_text"
    assert status(scanned(Engine(PAGES))).state == "ocr_pending"
    assert status(scanned(None)).state == "partial_text"
    scanned(Engine(PAGES)).read_scans()
    assert status(scanned(None)).state == "ok"  # what was read stays read


def test_pages_of_a_deleted_file_are_forgotten(scanned: Make, tmp_path: Path) -> None:
    library = scanned(Engine(PAGES))
    library.read_scans()
    (tmp_path / "docs" / "five.pdf").unlink()
    library.sync()
    library.read_scans()
    assert list((tmp_path / "index" / "ocr").rglob("*.json")) == []
    with pytest.raises(UnknownChunk):
        library.read("five.pdf#2")


def test_changed_file_is_recognised_anew(scanned: Make, tmp_path: Path) -> None:
    library = scanned(engine := Engine(PAGES))
    library.read_scans()
    (tmp_path / "docs" / "five.pdf").write_bytes(pdf([TYPED, []], images=[1]))
    library.sync()
    assert status(library).reason == "page 2 waits for OCR; `fanshu index` reads it"
    assert library.search("四百元").hits == ()
    assert library.read_scans().pages == 1
    assert engine.asked == [1, 2, 3, 4, 1]


def test_damaged_page_in_the_cache_is_recognised_again(scanned: Make, tmp_path: Path) -> None:
    library = scanned(engine := Engine(PAGES))
    library.read_scans()
    next((tmp_path / "index" / "ocr").rglob("2.json")).write_text("{")
    anew = scanned(engine, tmp_path / "another index")
    assert "page 3 waits for OCR" in (status(anew).reason or "")
    anew.read_scans()
    assert engine.asked == [1, 2, 3, 4, 2]
    assert status(anew).state == "ok"


def test_engine_that_does_not_start_is_told(scanned: Make) -> None:
    def broken(data: bytes, numbers: object) -> Iterator[tuple[int, Recognised]]:
        raise EngineBroken("no module named cv2")
        yield

    library = scanned(broken)  # type: ignore[arg-type]
    assert library.read_scans().trouble == "the engine does not start: no module named cv2"
    assert status(library).state == "ocr_pending"


def test_pictures_of_no_text_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "one.pdf").write_bytes(pdf([[]], images=[0]))
    engine = Engine({0: Recognised()})
    library = Library(
        [Root(tmp_path / "one.pdf")], tmp_path / "i" / "i.db", scans=Scans(tmp_path / "s", engine)
    )
    library.sync()
    library.read_scans()
    assert (status(library).state, status(library).reason) == ("no_text", "no text found by OCR")
    library.close()


@pytest.mark.parametrize("numbers", [[3], [2, 3, 4, 5], [1, 3, 4, 9], [10, 12]])
def test_pages_are_found_again_in_what_names_them(numbers: list[int]) -> None:
    assert pages_named(scans.waiting(numbers), WAITING) == tuple(numbers)
    read = f"{scans.pages(numbers)} by OCR; {scans.waiting([77])}"
    assert pages_named(read, BY_OCR) == tuple(numbers)
    assert pages_named(read, WAITING) == (77,)
    assert pages_named("pages 2-5 empty", WAITING) == ()
