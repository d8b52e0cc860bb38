"""Answers over scans (U14): what waits for OCR is told, and so is a quote that comes from it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fanshu.agent.loop import LoopAgent
from fanshu.library.library import Library, Root
from fanshu.library.parsers.scans import Scans
from fanshu.models.extractive import ExtractiveReader
from fanshu.types import Answer
from tests.library.parsers.pdfs import Text, pdf
from tests.library.scanned import Engine, page
from tests.waiting import PATIENCE

QUESTION = "出差住宿每晚的标准是多少？"
TYPED = [Text(70, 780 - 14 * n, "This page has a text layer of its own.") for n in range(3)]
ENGINE = Engine({1: page("第一条 出差住宿每晚的标准为四百元。")})


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "rules.pdf").write_bytes(pdf([TYPED, []], images=[1]))
    (tmp_path / "docs" / "other.md").write_text("# 说明\n\n办公用品的采购标准另行规定。\n")
    scans = Scans(tmp_path / "index" / "ocr", ENGINE)
    library = Library(
        [Root(tmp_path / "docs")],
        tmp_path / "index" / "index.db",
        scans=scans,
        search_seconds=PATIENCE,
    )
    library.sync()
    yield library
    library.close()


async def ask(library: Library, question: str = QUESTION) -> Answer:
    return (await LoopAgent(library, ExtractiveReader()).ask(question)).answer


async def test_u14_what_waits_for_ocr_is_a_warning_of_an_answer_not_found(library: Library) -> None:
    answer = await ask(library, "差旅补贴几天内发放？")
    assert answer.status == "not_found"
    assert [w for w in answer.warnings if "rules.pdf (page 2 waits for OCR" in w]


async def test_quote_from_a_recognised_page_says_so(library: Library) -> None:
    library.read_scans()
    answer = await ask(library)
    assert [(c.file_path, c.page) for c in answer.citations] == [("rules.pdf", 2)]
    assert answer.warnings == ("rules.pdf 第 2 页的引文是 OCR 识别出的文字，可能有错字",)


async def test_quote_from_a_page_of_text_of_the_same_file_says_nothing(library: Library) -> None:
    library.read_scans()
    answer = await ask(library, "Which page has a text layer of its own?")
    assert [(c.file_path, c.page) for c in answer.citations] == [("rules.pdf", 1)]
    assert not any("OCR" in warning for warning in answer.warnings)
