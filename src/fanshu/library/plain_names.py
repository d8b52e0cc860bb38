"""Names that mean the same file on every system, so that an upload can be carried anywhere."""

from fanshu.library.files import INSTALLED

MAX_NAME = 255  # bytes of a name, as most systems have it
SPECIAL = frozenset('\\/:*?"<>|#')  # of Windows; `#` ends a path in a chunk id
PORTS = (f"{port}{number}" for port in ("com", "lpt") for number in "0123456789¹²³")
DEVICES = frozenset(("con", "prn", "aux", "nul", "conin$", "conout$", *PORTS))
"""Of Windows, in every folder and with every ending."""


def is_plain(name: str) -> bool:
    """Whether a name is one that a walk reads, and that means one file on any system."""
    if not name or name.startswith(".") or name.endswith((" ", ".")) or name in INSTALLED:
        return False
    if name.partition(".")[0].rstrip(" ").lower() in DEVICES:
        return False
    if len(name.encode("utf-8", "replace")) > MAX_NAME:
        return False
    return name.isprintable() and not SPECIAL & set(name)
