"""The child process that reads one PDF: bytes on stdin, a document as JSON on stdout."""

import json
import os
import sys
from dataclasses import asdict

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


def main() -> int:
    """Read a PDF from stdin; the exit code is 0 unless the process itself failed."""
    _limit_memory()
    from fanshu.library.parsers.pdfdocument import read_pdf
    from fanshu.types import Document

    answer = os.dup(1)
    os.dup2(2, 1)  # what a library prints must not end up in the answer
    try:
        document = read_pdf(sys.stdin.buffer.read())
    except MemoryError:
        reason = f"memory: more than {MEMORY_BYTES >> 20} MB needed"
        document = Document("", (), state="failed", reason=reason, first_line=None)
    with os.fdopen(answer, "w", encoding="ascii") as out:
        json.dump(asdict(document), out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
