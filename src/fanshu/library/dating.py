"""When a document is from, and which documents are versions of one another.

A date is taken from, in this order: the file name, the metadata (front matter, HTML, PDF),
the title, the first lines. Documents whose names are equal but for dates, years, version
numbers and words such as 修订 or final form a family. Of two members the first of these that
both have, and that differs, tells the newer: the date in the name, the version in the name, any
date, and within a folder the words: a draft is older than a plain name, that older than a final.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from posixpath import splitext

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
_NUMERALS = "零一二三四五六七八九十"
_VERSION = re.compile(
    r"(?<![a-z0-9])(?:v(?:er(?:sion)?)?|rev(?:ision)?)[ ._-]?(\d+(?:\.\d+)*)(?![a-z0-9])"
    r"|第\s*(\d{1,2}|[一二三四五六七八九十])\s*版|(?<![\d.])(\d{1,2}(?:\.\d+)*)\s*版"
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)\s*年?(?:版|修订|修正)?")
# Words are marks only where they can be nothing else: 新员工手册 is no new 员工手册, and
# new-features no newer features, but both words at the end or in brackets are.
_END = r"(?=[\W_]|$)"
_ALONE = r"(?<![^\W_])"
_EARLY = re.compile(
    rf"(?:草稿|草案|初稿|讨论稿|送审稿|征求意见稿|试行|暂行稿|旧版本?|旧稿){_END}|试行[版稿]"
    rf"|{_ALONE}旧{_END}|(?<![a-z])(?:draft|old)(?=[\W_]*$|[)\]])"
)
_LATE = re.compile(
    rf"(?:修订|修正|终稿|终版|定稿|新版本?){_END}|(?:修订|修正|最终|正式|最新)(?:版本?|稿|本)"
    rf"|{_ALONE}(?:最终|正式|最新|新){_END}|(?<![a-z])(?:final|new|rev|revised)(?=[\W_]*$|[)\]])"
)
_NOISE = re.compile(r"[\W_]+")
_FIGURE = re.compile(r"\d|第")  # every date, year and version has one, and few names do


@dataclass(frozen=True, slots=True)
class Edition:
    """A document's place among its versions.

    `key` is the name without its marks, `family` the same with the suffix; both are empty when
    nothing is left of the name. `named` is the date or year in
    the name, `date` that or the document's; both may be empty. `stage`: -1 draft, 0, 1 final.
    """

    path: str
    name: str
    key: str
    family: str
    named: str
    number: tuple[int, ...]
    date: str
    stage: int

    @property
    def folder(self) -> str:
        """The folder it lies in."""
        return self.path.rpartition("/")[0]

    @property
    def order(self) -> tuple[str, tuple[int, ...], int]:
        """Sorts a family roughly: what tells nothing first."""
        return self.date, self.number, self.stage


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
    stem, suffix = splitext(file_path.rpartition("/")[2])
    return _edition(file_path, stem, suffix.lower(), date)


def named_edition(title: str) -> Edition:
    """The edition that a title means, wherever it lies."""
    return _edition("", title, "", None)


def _edition(file_path: str, stem: str, suffix: str, date: str | None) -> Edition:
    name = fold(stem)
    telling = name if _FIGURE.search(name) else ""
    bare = name
    for pattern in (_DATE, _COMPACT, _VERSION, _YEAR) if telling else ():
        bare = pattern.sub(" ", bare)
    unstaged = _LATE.sub(" ", _EARLY.sub(" ", bare))
    key = _NOISE.sub("", unstaged)
    year = _YEAR.search(telling)
    named = find_date(telling) or (year[0][:4] if year else "")
    return Edition(
        path=file_path,
        name=name,
        key=key,
        family=f"{key}{suffix}" if key else "",
        named=named,
        number=_number(telling),
        date=named or date or "",
        stage=-1 if _EARLY.search(bare) else int(bool(_LATE.search(bare))),
    )


def _number(name: str) -> tuple[int, ...]:
    found = [next(filter(None, match.groups())) for match in _VERSION.finditer(name)]
    if not found:
        return ()
    return tuple(_NUMERALS.find(n) if n in _NUMERALS else int(n) for n in found[-1].split("."))


def is_later(one: Edition, other: Edition) -> bool:
    """Whether one edition of a document came after another, as far as anything tells."""
    if _differ(one.named, other.named):
        return one.named > other.named
    if one.number and other.number and one.number != other.number:
        return one.number > other.number
    if _differ(one.date, other.date):
        return one.date > other.date
    return one.folder == other.folder and one.stage > other.stage


def _differ(a: str, b: str) -> bool:
    """Whether two dates tell anything: a year alone does not tell from a day in it."""
    return bool(a and b) and not a.startswith(b) and not b.startswith(a)


def newer_versions(documents: Iterable[tuple[str, str | None]]) -> Mapping[str, str]:
    """From (path, date) of documents: path → the newest member of its family, where later."""
    families: dict[str, list[Edition]] = defaultdict(list)
    for file_path, date in documents:
        one = edition(file_path, date)
        if one.family:
            families[one.family].append(one)
    newer: dict[str, str] = {}
    for members in families.values():
        if len(members) < 2:
            continue
        newest = _newest(members)
        # Equal names in two folders (README.md) are two documents, not two versions of one.
        older = [m for m in members if m.name != newest.name and is_later(newest, m)]
        newer.update({m.path: newest.path for m in older})
    return newer


def _newest(members: Sequence[Edition]) -> Edition:
    newest = max(members, key=lambda member: member.order)
    for member in members:
        if is_later(member, newest):
            newest = member
    return newest
