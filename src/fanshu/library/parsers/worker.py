"""The child process that reads one file: bytes on stdin, a document as JSON on stdout."""

import json
import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fanshu.types import Document

MEMORY_BYTES = 1 << 30  # address space; all of 2,566 pages came out the same under it


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    try:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    except (ValueError, OSError):
        return


def _read(kind: str, data: bytes) -> "Document":
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

    return read_pdf(data)


def main(kind: str = "pdf") -> int:
    """Read a file of this kind from stdin; exit code 0 unless the process itself failed."""
    _limit_memory()
    from fanshu.types import Document

    answer = os.dup(1)
    os.dup2(2, 1)  # what a library prints must not end up in the answer
    try:
        document = _read(kind, sys.stdin.buffer.read())
    except MemoryError:
        reason = f"memory: more than {MEMORY_BYTES >> 20} MB needed"
        document = Document("", (), state="failed", reason=reason, first_line=None)
    with os.fdopen(answer, "w", encoding="ascii") as out:
        json.dump(asdict(document), out)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
