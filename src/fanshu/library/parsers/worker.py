"""The child process that reads one file: bytes on stdin, a document as JSON on stdout.

Of kind `ocr` it recognises pages of a file instead, a line of JSON for each; of kind `page` it
draws one as PNG.
"""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fanshu.library.parsers.scans import ScanPages
    from fanshu.types import Document

MEMORY_BYTES = 1 << 30  # address space; all of 2,566 pages came out the same under it
OCR_MEMORY_BYTES = 4 << 30  # address space; the models take 1.9 GB of it, and use half


def _limit_memory(limit: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    try:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    except (ValueError, OSError):
        return


def _read(kind: str, data: bytes, arguments: Sequence[str]) -> "Document":
    if kind == "own":
        from fanshu.library.parsers.own import read_own

        return read_own(arguments[0], arguments[1], data)
    if kind == "xlsx":
        from fanshu.library.parsers.xlsx import read_workbook

        return read_workbook(data)
    if kind == "docx":
        from fanshu.library.parsers.docx import read_docx

        return read_docx(data)
    if kind == "pptx":
        from fanshu.library.parsers.pptx import read_pptx

        return read_pptx(data)
    from fanshu.library.parsers.pdfdocument import read_pdf

    return read_pdf(data, _scans(*arguments))


def _scans(folder: str = "", readable: str = "") -> "ScanPages | None":
    from fanshu.library.parsers.scans import ScanPages

    return ScanPages(Path(folder), bool(readable)) if folder else None


def _recognise(numbers: str, answer: int) -> int:
    from fanshu.library.parsers.ocr import serve

    with os.fdopen(answer, "w", encoding="ascii") as out:
        serve(sys.stdin.buffer.read(), [int(number) for number in numbers.split(",")], out)
    return 0


def _draw(page: str, answer: int) -> int:
    from fanshu.library.parsers.pagepicture import draw

    with os.fdopen(answer, "wb") as out:
        out.write(draw(sys.stdin.buffer.read(), int(page)))
    return 0


def main(kind: str = "pdf", *arguments: str) -> int:
    """Read a file of this kind from stdin; exit code 0 unless the process itself failed."""
    _limit_memory(OCR_MEMORY_BYTES if kind == "ocr" else MEMORY_BYTES)
    from fanshu.types import Document

    answer = os.dup(1)
    os.dup2(2, 1)  # what a library prints must not end up in the answer
    if kind == "ocr":
        return _recognise(arguments[0], answer)
    if kind == "page":
        return _draw(arguments[0], answer)
    try:
        document = _read(kind, sys.stdin.buffer.read(), arguments)
    except MemoryError:
        reason = f"memory: more than {MEMORY_BYTES >> 20} MB needed"
        document = Document("", (), state="failed", reason=reason, first_line=None)
    with os.fdopen(answer, "w", encoding="ascii") as out:
        json.dump(asdict(document), out)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
