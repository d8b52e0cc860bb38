"""What a file of an office suite really is: many a .docx is an old .doc, a page or RTF."""

import io
import re
import zipfile

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_STREAMS = (  # names in an OLE file's directory, the more telling first
    ("EncryptedPackage", "encrypted"),
    ("WordDocument", "doc"),
    ("PowerPoint Document", "ppt"),
    ("Workbook", "xls"),
    ("Book", "xls"),
)
_BY_SUFFIX = {
    ".doc": "doc", ".dot": "doc", ".docx": "doc", ".wps": "doc", ".wpt": "doc",
    ".xls": "xls", ".xlsx": "xls", ".et": "xls", ".ett": "xls",
    ".ppt": "ppt", ".pptx": "ppt", ".dps": "ppt", ".pps": "ppt",
}  # fmt: skip
_PARTS = (("word/", "docx"), ("xl/", "xlsx"), ("ppt/", "pptx"), ("meta-inf/container.xml", "epub"))
_MIMETYPES = {
    "application/epub+zip": "epub",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
}
_HTML = re.compile(
    rb"\s*(?:(?><!--.*?-->|<\?xml[^>]*>)\s*+)*+<(?:!doctype\s+html|html|head|body|table|meta|div|p|h1)\b",
    re.IGNORECASE | re.DOTALL,
)
_MIME = re.compile(rb"\s*(?:mime-version:|from:|date:|subject:|content-type:)", re.IGNORECASE)
_OFFICE_XML = re.compile(rb"<\?mso-application\s+progid=\"(Word|Excel)", re.IGNORECASE)
_SECTOR = 512
_WORD = b"\xec\xa5"  # how the text of a .doc begins
_SNIFFED = 4096


def office_kind(suffix: str, data: bytes) -> str:
    """The kind by content: docx xlsx pptx epub odt ods odp doc xls ppt encrypted rtf pdf html
    mht wordxml excelxml text, or `unknown`.

    `suffix` decides only where an OLE file holds documents of several kinds.
    """
    if data.startswith(b"PK"):
        return _zipped(data)
    if data.startswith(_OLE):
        return _in_ole(suffix, data)
    head = data[:_SNIFFED].removeprefix(b"\xef\xbb\xbf")
    if head.lstrip().startswith(b"{\\rtf"):
        return "rtf"
    if head.startswith(b"%PDF-"):
        return "pdf"
    if found := _OFFICE_XML.search(head):
        return f"{found[1].decode().lower()}xml"
    return _textual(head)


def _textual(head: bytes) -> str:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.decode("utf-16", "replace").encode("utf-8", "replace")
    if _HTML.match(head):
        return "html"
    if _MIME.match(head) and b"multipart/related" in head.lower():
        return "mht"
    return "text" if head.count(0) == 0 else "unknown"


def _in_ole(suffix: str, data: bytes) -> str:
    found = [kind for name, kind in _STREAMS if _stream_name(name) in data]
    if "encrypted" in found:
        return "encrypted"
    own = _BY_SUFFIX.get(suffix, "unknown")
    if own == "doc" and _is_locked(data):
        return "encrypted"
    return own if own in found else next(iter(found), own)


def _is_locked(data: bytes) -> bool:
    """Whether the text begins where it usually does, and says that it is encrypted."""
    text = data[_SECTOR : _SECTOR + 12]
    return text.startswith(_WORD) and bool(text[11] & 1)


def _stream_name(name: str) -> bytes:
    return name.encode("utf-16-le") + b"\0\0"


def _zipped(data: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [name.replace("\\", "/").lower() for name in archive.namelist()]
            declared = b""
            if "mimetype" in names and archive.getinfo("mimetype").file_size < 200:
                declared = archive.read("mimetype")
    except Exception:  # noqa: BLE001 - zipfile raises anything; the reader will say what is wrong
        return "unknown"
    kind = _MIMETYPES.get(declared.decode("ascii", "replace").strip())
    if kind:
        return kind
    return next((k for part, k in _PARTS if any(n.startswith(part) for n in names)), "unknown")
