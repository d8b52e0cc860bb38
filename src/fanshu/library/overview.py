"""A library at a glance: its folders, how many files they hold, what they are about."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from fanshu.library.beginnings import families
from fanshu.types import FolderSummary, NameGroup

ABOUT = 8  # titles kept for each folder; who shows them takes as many as there is room for
GROUPS = 24
BELOW = 2  # files of a folder that is worth naming
FEW = 8  # files need no groups
NEARLY_ALL = 0.9  # of the files below one folder: then its folders are the top-level ones
FOLDERS = 60  # more than that are grouped by the beginnings of their names

Titles = Iterable[tuple[str, str]]


@dataclass(slots=True)
class _Bucket:
    """Files told in one line: their paths below the bucket's, and their titles."""

    names: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)

    def add(self, name: str, title: str) -> None:
        self.names.append(name)
        self.titles.append(title or PurePosixPath(name).stem)


def overview(titles: Titles) -> tuple[FolderSummary, ...]:
    """The top-level folders, in order of path, from (file path, title) of every document.

    A folder that holds nearly everything is looked into. `.` are the files beside the folders,
    `NAME/*` those beside the folders of a folder that was looked into.
    """
    from fanshu.library.telling import telling  # a search names groups, and start-up is felt

    files = list(titles)
    buckets = _gathered(_buckets(files, _top([path for path, _ in files])))
    about = telling({path: bucket.titles for path, bucket in buckets.items()}, ABOUT)
    return tuple(
        FolderSummary(path, len(bucket.names), about[path], grouped(bucket.names))
        for path, bucket in buckets.items()
    )


def _top(paths: Sequence[str]) -> str:
    """The folder that nearly all files lie below, with a slash at its end; "" for none."""
    top = ""
    while True:
        below = Counter(_child(path, top) for path in paths if path.startswith(top))
        child, count = below.most_common(1)[0] if below else ("", 0)
        if not child.endswith("/") or count < len(paths) * NEARLY_ALL:
            return top
        top += child


def _child(path: str, top: str) -> str:
    """The folder (with a slash) or file directly below `top` that a path leads through."""
    first, slash, _ = path[len(top) :].partition("/")
    return first + slash


def _buckets(files: Sequence[tuple[str, str]], top: str) -> dict[str, _Bucket]:
    buckets: dict[str, _Bucket] = {}
    nested = any("/" in path[len(top) :] for path, _ in files if path.startswith(top))
    beside = (f"{top}*" if nested else top) if top else "."
    for path, title in files:
        base = top if path.startswith(top) else ""
        child = _child(path, base)
        folder = base + child if child.endswith("/") else beside if base == top else "."
        name = path.removeprefix(base + child) if child.endswith("/") else child
        buckets.setdefault(folder, _Bucket()).add(name, title)
    return dict(sorted(buckets.items()))


def _gathered(buckets: dict[str, _Bucket]) -> dict[str, _Bucket]:
    """Fewer buckets where there are too many: folders whose names begin alike are one."""
    if len(buckets) <= FOLDERS:
        return buckets
    joined: dict[str, _Bucket] = {}
    groups = [group.name for group in families(list(buckets), most=1.0)]
    for path, bucket in buckets.items():
        group = next((name for name in groups if path.startswith(name[:-1])), path)
        into = joined.setdefault(group, _Bucket())
        into.names += [path + name for name in bucket.names] if group != path else bucket.names
        into.titles += bucket.titles
    return joined


def grouped(names: Sequence[str]) -> tuple[NameGroup, ...]:
    """Folders below, and families of the names beside them."""
    top = _top(names)
    children = Counter(_child(name, top) for name in names if name.startswith(top))
    flat = [child for child in children if not child.endswith("/")]
    groups = list(families(flat)) if len(flat) > FEW else []
    groups += [NameGroup(c, n) for c, n in children.items() if c.endswith("/") and n >= BELOW]
    named = [NameGroup(top + group.name, group.files) for group in groups]
    named = named or ([NameGroup(top, sum(children.values()))] if top else [])
    return tuple(sorted(named, key=lambda group: (-group.files, group.name))[:GROUPS])
