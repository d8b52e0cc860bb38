"""Indexes of other versions: which one is newer, and what is said of it.

An older index is emptied and made anew. A newer one is left alone: whoever wrote it may still
use it, and two versions that renewed each other's index would read every document each time.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

OTHER_FORMAT = (
    "it is an index of another version of fanshu, and may only be read here; "
    "whoever owns it renews it with `fanshu index`"
)
NEWER_FORMAT = (
    "it is an index of a newer version of fanshu (format {found}, here {own}), and is left "
    "alone; upgrade fanshu here, or delete it and it is made anew"
)


def newer(found: str | None, own: str) -> bool:
    """Whether a format is a later one than our own."""
    return _numbers(found) > _numbers(own)


def _numbers(version: str | None) -> tuple[int, ...]:
    """A format as numbers, that it can be compared; of what is none of ours, nothing."""
    parts = (version or "").split(".")
    return tuple(map(int, parts)) if all(part.isdecimal() for part in parts) else ()


def stored_version(path: Path) -> str | None:
    """The schema version that an index was written with; None when there is no index to tell.

    Only looks: an index of another version stays as it is.
    """
    if not path.is_file():
        return None
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            row = db.execute("SELECT value FROM meta WHERE key='schema'").fetchone()
    except sqlite3.Error:
        return None
    return row[0] if row else None
