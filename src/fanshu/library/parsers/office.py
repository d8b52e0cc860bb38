"""Files of office suites and e-books → the reader that fits what they really are."""

from fanshu.library.parsers.convert import converted
from fanshu.library.parsers.encoding import Decoded, decode
from fanshu.library.parsers.kinds import office_kind
from fanshu.library.parsers.package import Unreadable
from fanshu.types import Document

_CONVERTED = {
    "doc": "docx", "rtf": "docx", "odt": "docx", "wordxml": "docx",
    "ppt": "pptx", "odp": "pptx", "excelxml": "xlsx",
}  # fmt: skip
_EXTENSION = {"wordxml": "xml", "excelxml": "xml"}
_USUAL = {  # what a broken file was meant to be
    ".docx": "docx", ".docm": "docx", ".dotx": "docx", ".xlsx": "xlsx", ".xlsm": "xlsx",
    ".pptx": "pptx", ".pptm": "pptx", ".ppsx": "pptx", ".epub": "epub",
}  # fmt: skip
_TABLES = frozenset((".xls", ".xlsx", ".et"))


def parse_office(suffix: str, data: bytes) -> Document:
    """The document of a file whose name says office or e-book. Trouble is a state, no error."""
    kind = office_kind(suffix, data)
    try:
        return _parse(_USUAL.get(suffix, kind) if kind == "unknown" else kind, suffix, data)
    except Unreadable as error:
        return error.document()


def _parse(kind: str, suffix: str, data: bytes) -> Document:
    if kind == "encrypted":
        raise Unreadable("encrypted", "encrypted")
    if kind in _CONVERTED:
        to = _CONVERTED[kind]
        return _parse(to, f".{to}", converted(data, _EXTENSION.get(kind, kind), to))
    if kind == "docx":
        from fanshu.library.parsers.docx import parse_docx

        return parse_docx(data)
    if kind in ("xlsx", "xls", "ods"):
        from fanshu.library.parsers.xlsx import parse_workbook

        return parse_workbook(data)
    if kind == "pptx":
        from fanshu.library.parsers.pptx import parse_pptx

        return parse_pptx(data)
    if kind == "epub":
        from fanshu.library.parsers.epub import parse_epub

        return parse_epub(data)
    if kind == "pdf":
        from fanshu.library.parsers.pdf import parse_pdf

        return parse_pdf(data)
    return _parse_text(kind, suffix, data)


def _parse_text(kind: str, suffix: str, data: bytes) -> Document:
    if kind == "mht":
        data = _page_of(data)
    if kind in ("html", "mht"):
        from fanshu.library.parsers.html import declared_encoding, parse_html

        return parse_html(_decoded(data, declared_encoding(data)))
    if kind != "text":
        raise Unreadable("failed", f"corrupt: no {suffix} file")
    if suffix in _TABLES:
        from fanshu.library.parsers.csvtable import parse_csv

        return parse_csv(_decoded(data))
    from fanshu.library.parsers.text import parse_text

    return parse_text(_decoded(data))


def _decoded(data: bytes, declared: str | None = None) -> Decoded:
    decoded = decode(data, declared)
    if decoded is None:
        raise Unreadable("skipped", "binary")
    return decoded


def _page_of(data: bytes) -> bytes:
    """The page in a file of a page and its pictures, as wikis export it under the name .doc."""
    from email import message_from_bytes

    for part in message_from_bytes(data).walk():
        if part.get_content_type() == "text/html":
            payload = part.get_payload(decode=True)
            return payload if isinstance(payload, bytes) else b""
    raise Unreadable("failed", "corrupt: no page in the file")
