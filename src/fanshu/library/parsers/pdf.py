"""PDF → document, by a child process: a broken file may crash or hang the reader, not us."""

from fanshu.library.parsers.child import read_apart
from fanshu.library.parsers.scans import ScanPages
from fanshu.types import Document

SECONDS = 60.0  # per file; 2,566 pages of real files took 9
_MAGIC_WITHIN = 1024  # bytes before %PDF- that readers forgive


def parse_pdf(data: bytes, scans: ScanPages | None = None, *, seconds: float = SECONDS) -> Document:
    """The document of a PDF. A crash, a hang and too much memory are states with a reason.

    `scans`: the pages of it that OCR has read.
    """
    if b"%PDF-" not in data[:_MAGIC_WITHIN]:
        return Document("", (), state="failed", reason="not_pdf", first_line=None)
    about = (str(scans.folder), "readable" if scans.readable else "") if scans else ()
    return read_apart("pdf", data, seconds, *about)
