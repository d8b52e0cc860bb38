"""What has to be installed before some kinds of files can be read."""

import shutil
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from fanshu import extras

WORKBOOKS = "python-calamine"
LIBREOFFICE = "needs LibreOffice"
_HOW = "apt install libreoffice-nogui, or libreoffice.org"
_NAMES = ("soffice", "libreoffice", "soffice.com")
_PLACES = (
    "/Applications/LibreOffice.app/Contents/MacOS/soffice",
    "C:/Program Files/LibreOffice/program/soffice.com",
    "/opt/libreoffice/program/soffice",
)


def for_workbooks() -> str:
    """The reason why no workbook is read, with the command that would help."""
    return f"needs {extras.here().add_shortly('office')}"


def libreoffice_for(kind: str) -> str:
    """The reason why a file of this kind is not read, with the command that would help."""
    return f"{LIBREOFFICE} to read .{kind}: {_HOW}"


def soffice() -> str | None:
    """Where LibreOffice is, None when it is not installed."""
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    return found or next((path for path in _PLACES if Path(path).is_file()), None)


def has_workbooks() -> bool:
    """Whether the reader of workbooks is installed."""
    return find_spec("python_calamine") is not None


def has_ocr() -> bool:
    """Whether scanned pages can be recognised."""
    return all(find_spec(name) is not None for name in ("rapidocr", "onnxruntime"))


@cache
def installed(reason: str) -> bool:
    """Whether what such a reason names is there. Looked for once: it is asked for every file."""
    if WORKBOOKS in reason or "office]" in reason:  # the package, or the extra by its name
        return has_workbooks()
    return reason.startswith(LIBREOFFICE) and soffice() is not None
