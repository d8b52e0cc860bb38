"""OCR in its child process: what it reads, and what becomes of pages that harm it."""

import sys
import unicodedata
from difflib import SequenceMatcher
from importlib.util import find_spec
from pathlib import Path

import pypdfium2 as pdfium
import pytest

from fanshu.library.library import Library, Root
from fanshu.library.parsers import parse
from fanshu.library.parsers.ocrchild import recognise
from fanshu.library.parsers.pdfpages import Page
from fanshu.library.parsers.scanlines import with_recognised
from fanshu.library.parsers.scans import Box, EngineBroken, Recognised
from tests.library.scanned import scan
from tests.waiting import PATIENCE

WITHOUT = find_spec("rapidocr") is None or find_spec("onnxruntime") is None

# A child that says what it was made to say: `page N` for most, and trouble for some.
CHILD = """
import json, os, sys, time
sys.stdin.buffer.read()
say = lambda **fields: print(json.dumps(fields), flush=True)
say(ready=True)
for number in map(int, sys.argv[-1].split(",")):
    if number == 1:
        {trouble}
    say(page=number, boxes=[[f"page {{number}}", 0, 0, 10, 10]], failed=None)
"""


def child(trouble: str) -> list[str]:
    return [sys.executable, "-c", CHILD.format(trouble=trouble)]


@pytest.mark.parametrize(
    ("trouble", "failed"),
    [
        ("os.abort()", "crashed: signal 6"),
        ("sys.exit(3)", "crashed: exit code 3"),
        pytest.param("time.sleep(600)", "timeout: more than 10 seconds", marks=pytest.mark.slow),
    ],
)
def test_page_that_harms_the_engine_has_failed_and_the_others_go_on(
    trouble: str, failed: str
) -> None:
    pages = dict(recognise(b"", [0, 1, 2, 3], command=child(trouble), seconds=10))
    assert pages[1] == Recognised(failed=failed)
    assert [pages[n].boxes[0].text for n in (0, 2, 3)] == ["page 0", "page 2", "page 3"]


def test_page_that_takes_too_long_has_failed() -> None:
    pages = dict(recognise(b"", [1], command=child("time.sleep(600)"), seconds=0.1))
    assert pages == {1: Recognised(failed="timeout: more than 0 seconds")}


def test_engine_that_cannot_start_says_why() -> None:
    command = [sys.executable, "-c", "raise SystemExit('libGL.so.1: no such file')"]
    with pytest.raises(EngineBroken, match=r"exit code 1 libGL\.so\.1"):
        list(recognise(b"", [0], command=command))


def test_no_child_is_left_behind(tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    trouble = f"open({str(mark)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    pages = recognise(b"", [0, 1], command=child(trouble), seconds=PATIENCE)
    next(pages)
    pages.close()  # type: ignore[attr-defined]
    assert not mark.exists() or not Path(f"/proc/{mark.read_text() or 0}/cmdline").exists()


def test_boxes_of_a_row_are_one_line_and_wide_gaps_are_known() -> None:
    boxes = (
        Box("below", 50, 700, 90, 714),
        Box("right", 300, 751, 340, 765),
        Box("left", 50, 750, 90, 764),
    )
    blank = Page(0, 842, 595, (), unread=True, scan=True)
    (read,) = with_recognised([blank], {0: Recognised(boxes)})
    assert [line.text for line in read.lines] == ["left right", "below"]
    assert [(gap.offset, gap.left, gap.right) for gap in read.lines[0].gaps] == [(4, 90, 300)]
    assert (read.unread, read.recognised) == (False, True)


def _letters(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


@pytest.mark.slow
@pytest.mark.skipif(WITHOUT, reason="optional: ocr extra not installed")
def test_scanned_example_reads_like_the_one_with_text(examples: Path, tmp_path: Path) -> None:
    data = (examples / "operations" / "quick-guide.pdf").read_bytes()
    (tmp_path / "scan.pdf").write_bytes(scan(data))
    library = Library(
        [Root(tmp_path / "scan.pdf")], tmp_path / "index" / "index.db", search_seconds=PATIENCE
    )
    library.sync()
    count = len(pdfium.PdfDocument(data))
    assert library.status().files[0].state == "ocr_pending"
    report = library.read_scans()
    assert (report.pages, report.failed, report.trouble) == (count, 0, None)
    file = library.status().files[0]
    assert (file.state, file.reason) == ("ok", f"pages 1-{count} by OCR")
    read = "".join(library.read(entry.chunk_id).text for entry in library.outline())
    typed = parse("guide.pdf", data).text
    found = SequenceMatcher(None, _letters(typed), _letters(read), autojunk=False)
    assert sum(match.size for match in found.get_matching_blocks()) > 0.95 * len(_letters(typed))
    hit = library.search("restore quarter").hits[0]
    assert (hit.section_path[-1], hit.page) == ("4.3 Drills", 5)
    library.close()
