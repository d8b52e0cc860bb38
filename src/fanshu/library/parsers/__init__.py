"""Bytes → `Document`: which parser reads a file, and what happens to files that none can read.

Bad input never raises: it gives a document without text whose state and reason say why.
"""

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from fanshu.library.parsers.encoding import Decoded, decode
from fanshu.types import Document, FileState

if TYPE_CHECKING:
    from fanshu.library.parsers.scans import ScanPages

VERSION = 5
"""Raise it when a parser gives other sections or text for the same bytes."""

MARKDOWN = frozenset((".md", ".markdown", ".mdx"))
TEXT = frozenset((".txt", ".text", ""))  # README and the like; binaries show themselves
HTML = frozenset((".html", ".htm", ".xhtml"))
PDF = frozenset((".pdf",))
OFFICE = frozenset(
    ".docx .docm .dotx .doc .dot .wps .wpt .rtf .odt "
    ".xlsx .xlsm .xlsb .xls .et .ett .ods "
    ".pptx .pptm .ppsx .ppt .pps .dps .odp .epub".split()
)
APART = PDF | frozenset(
    ".doc .wps .rtf .odt .xlsx .xlsm .xlsb .xls .et .ods .ppt .dps .odp".split()
)
"""Kinds that another process reads, so that several can be read at once."""
OPEN_ELSEWHERE = "~$"  # begins the name of the file by which Word knows who has a document open
TABLES = frozenset((".csv", ".tsv"))
LIGHT = frozenset((".rst", ".adoc", ".asciidoc", ".org"))
NOTEBOOKS = frozenset((".ipynb",))
SOURCES = frozenset(
    ".py .pyi .js .ts .jsx .tsx .mjs .cjs .java .kt .cs .go .rs .c .h .cpp .hpp .cc .sh .bash "
    ".sql .ini .cfg .conf .toml .yaml .yml .json .xml .properties .log .tex".split()
)
SUPPORTED: frozenset[str] = (
    MARKDOWN | TEXT | HTML | PDF | OFFICE | TABLES | LIGHT | NOTEBOOKS | SOURCES
)


def parse(name: str, data: bytes, scans: "ScanPages | None" = None) -> Document:
    """The document of one file. `name` gives the kind by its extension; content overrules it.

    `scans`: the pages of this file that OCR has read, if it is a PDF.

    Never raises. States: `ok` (reason `lossy decoding` when bytes were lost), `skipped`
    (unsupported, empty, binary), `encrypted`, `no_text`, `partial_text`,
    `ocr_pending`, `failed`.
    """
    kind = PurePosixPath(name).suffix.lower()
    if kind not in SUPPORTED:
        return _without_text("skipped", f"unsupported: {kind}")
    if kind in OFFICE and PurePosixPath(name).name.startswith(OPEN_ELSEWHERE):
        return _without_text("skipped", "lock file of an open document")
    if not data:
        return _without_text("skipped", "empty")
    try:
        return _parse(kind, data, scans)
    except Exception as error:  # noqa: BLE001 - one bad file must never end the run
        return _without_text("failed", f"{type(error).__name__}: {error}"[:200])


def readable_now(reason: str | None) -> bool:
    """Whether what a file was skipped for (`reason`) has been installed since."""
    if reason is None or not reason.startswith("needs "):
        return False
    from fanshu.library.parsers.needs import installed

    return installed(reason)


def _parse(kind: str, data: bytes, scans: "ScanPages | None") -> Document:
    if kind in PDF or data.startswith(b"%PDF-"):
        from fanshu.library.parsers.pdf import parse_pdf

        return parse_pdf(data, scans)
    if kind in OFFICE:
        from fanshu.library.parsers.office import parse_office

        return parse_office(kind, data)
    decoded = _decode(kind, data)
    if decoded is None:
        return _without_text("skipped", "binary")
    document = _parse_text(kind, decoded)
    return _judged(document, decoded)


def _decode(kind: str, data: bytes) -> Decoded | None:
    if kind in HTML:
        from fanshu.library.parsers.html import declared_encoding

        return decode(data, declared_encoding(data))
    return decode(data)


def _parse_text(kind: str, decoded: Decoded) -> Document:
    # Imported late: a search needs no parser, and start-up time is felt.
    if kind in HTML:
        from fanshu.library.parsers.html import parse_html

        return parse_html(decoded)
    if kind in MARKDOWN:
        from fanshu.library.parsers.markdown import parse_markdown

        return parse_markdown(decoded)
    if kind in TABLES:
        from fanshu.library.parsers.csvtable import parse_csv

        return parse_csv(decoded, "\t" if kind == ".tsv" else None)
    if kind in LIGHT:
        from fanshu.library.parsers import lightmarkup

        return lightmarkup.parse_light(kind, decoded)
    if kind in NOTEBOOKS:
        from fanshu.library.parsers.notebook import parse_notebook

        return parse_notebook(decoded)
    if kind in SOURCES:
        from fanshu.library.parsers.source import parse_source

        return parse_source(kind, decoded)
    from fanshu.library.parsers.text import parse_text

    return parse_text(decoded)


def _judged(document: Document, decoded: Decoded) -> Document:
    from dataclasses import replace

    if document.state == "ok" and not document.text.strip():
        return replace(document, text="", sections=(), state="skipped", reason="empty")
    return replace(document, reason="lossy decoding") if decoded.lossy else document


def _without_text(state: FileState, reason: str) -> Document:
    return Document(text="", sections=(), state=state, reason=reason, first_line=None)
