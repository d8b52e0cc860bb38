"""When a document is from, and which documents are versions of one another.

A date is taken from, in this order: the file name, the metadata (front matter, HTML, PDF),
the title, the first lines. Documents whose names are equal but for dates, years, version
numbers and words such as 修订 or final form a family; the member with the later date (else
the higher version) is the newer one.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

from fanshu.library.terms import fold
from fanshu.types import Document

DATELINE_CHARS = 16  # 2024年12月31日 with brackets or a place before it
FIRST_CHARS = 400  # a document's own date stands at its top; later dates are its subject

_DATE = re.compile(
    r"(?<!\d)(19\d\d|20\d\d)\s*(?:年|[-./_])\s*(1[0-2]|0?[1-9])\s*(?:月|[-./_])\s*"
    r"(3[01]|[12]\d|0?[1-9])(?!\d)\s*日?"
)
_DATELINE = re.compile(
    r"公布|发布|颁布|通过|施行|实施|生效|修订|修正|批准|印发|日期|更新|编制|版本|记录时间|令第"
    r"|\b(?:date|dated|updated|published|revised|effective|version|released?|as of)\b",
    re.IGNORECASE,
)
_COMPACT = re.compile(r"(?<!\d)(20\d\d)(0[1-9]|1[0-2])([0-2]\d|3[01])(?!\d)")
_VERSION = re.compile(r"(?<![a-z0-9])v(?:er(?:sion)?)?[ ._-]?(\d+(?:\.\d+)*)(?![a-z0-9])")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)\s*年?(?:版|修订|修正)?")
_WORDS = re.compile(
    r"(?:修订|修正|最终|正式|试行|旧|新)[版本稿]?|(?<![a-z])(?:final|draft|old|new|rev)(?![a-z])"
)
_NOISE = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Edition:
    """A document's place among its versions; `key` is the family, empty when it has no mark."""

    path: str
    name: str
    family: str
    order: tuple[str, tuple[int, ...]]


def date_of(file_path: str, document: Document) -> str | None:
    """The document's own date as YYYY-MM-DD, None when it names none."""
    places = (
        PurePosixPath(file_path).stem,
        document.metadata.get("date", ""),
        document.title,
        *filter(_is_dateline, document.text[:FIRST_CHARS].splitlines()),
    )
    return next((date for place in places if (date := find_date(place))), None)


def _is_dateline(line: str) -> bool:
    """Whether a date in a line is the document's: the line says so, or says nothing else."""
    return bool(_DATELINE.search(line)) or len(line.strip()) <= DATELINE_CHARS


def find_date(text: str) -> str | None:
    """The first date in a text, as YYYY-MM-DD."""
    match = _DATE.search(text) or _COMPACT.search(text)
    if not match:
        return None
    year, month, day = (int(part) for part in match.groups())
    return f"{year:04}-{month:02}-{day:02}"


@lru_cache(maxsize=200_000)  # asked of every document again whenever one has changed
def edition(file_path: str, date: str | None) -> Edition:
    """The family and order of a document, from its path and date."""
    path = PurePosixPath(file_path)
    name = fold(path.stem)
    versions = _VERSION.findall(name)
    marked = name
    for pattern in (_DATE, _COMPACT, _VERSION, _YEAR, _WORDS):
        marked = pattern.sub(" ", marked)
    key = _NOISE.sub("", marked)
    year = _YEAR.search(name)
    when = find_date(name) or (year[0][:4] if year else None) or date or ""
    number = tuple(int(n) for n in versions[-1].split(".")) if versions else ()
    return Edition(file_path, name, f"{key}{path.suffix.lower()}" if key else "", (when, number))


def newer_versions(documents: Iterable[tuple[str, str | None]]) -> Mapping[str, str]:
    """From (path, date) of documents: path → the newest member of its family, where later."""
    families: dict[str, list[Edition]] = defaultdict(list)
    for file_path, date in documents:
        one = edition(file_path, date)
        if one.family and (one.order[0] or one.order[1]):
            families[one.family].append(one)
    newer: dict[str, str] = {}
    for members in families.values():
        newest = max(members, key=lambda member: member.order)
        # Equal names in two folders (README.md) are two documents, not two versions of one.
        older = [m for m in members if m.order < newest.order and m.name != newest.name]
        newer.update({m.path: newest.path for m in older})
    return newer
