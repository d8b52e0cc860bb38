"""Which files are documents: walking the roots, ignore rules, containment, fingerprints.

Hidden files and folders are left out, Python environments and `node_modules` too, and so is
what `.gitignore` and `.fanshuignore` files name (git's syntax; the deepest file that says
anything decides). A link is followed only to what lies inside its own root, and every folder
is visited once.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from fanshu.errors import FolderMissing

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

INSTALLED = frozenset(("node_modules", "__pycache__"))  # other people's files, put there by tools
IGNORE_FILES = (".gitignore", ".fanshuignore")
Identity = tuple[int, int]  # device and inode
MAX_DEPTH = 200  # folders in folders; two calls each, and Python allows a thousand in all


@dataclass(frozen=True, slots=True)
class Root:
    """A folder or file to read, its `path`; `name` comes first in the paths of its documents."""

    path: Path
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path))  # callers pass strings, too


@dataclass(frozen=True, slots=True)
class Found:
    """A file in a root. `skip` says why it is not read, None when it should be.

    `denied`: it should be read, or looked into, and may not.

    `place` is where it lies; a path object is made of it only when the file is opened, since
    ten thousand of them cost as much as all the rest of a walk.
    """

    file_path: str
    place: str | Path
    size: int = 0
    mtime_ns: int = 0
    skip: str | None = None
    denied: bool = False

    @property
    def real(self) -> Path:
        """The file itself."""
        return Path(self.place)


@dataclass(frozen=True, slots=True)
class _Rules:
    """The ignore rules of one folder, `base` being its path below the root."""

    base: str
    spec: "GitIgnoreSpec"

    def verdict(self, path: str) -> bool | None:
        return self.spec.check_file(path[len(self.base) :]).include


def walk(roots: Sequence[Root], exclude: Sequence[str] = ()) -> Iterator[Found]:
    """Every file of the roots once, in order of path within a root.

    What is a root of its own is left out of the roots around it.

    Raises: FolderMissing.
    """
    own = (_parsed("", exclude),) if exclude else ()
    for root in roots:
        real = root.path.resolve()
        prefix = f"{root.name}/" if root.name else ""
        if real.is_dir():
            others = (other.path.resolve() for other in roots)
            inner = {_identity(other) for other in others if other != real}
            yield from _Walk(real, prefix, inner).folder(str(real), "", own)
        elif real.is_file():
            yield _found(real, prefix + display(real.name), real.stat())
        else:
            raise FolderMissing(path=str(root.path))


def locate(
    roots: Sequence[Root], file_path: str, resolved: dict[Path, tuple[Path, bool]] | None = None
) -> Path | None:
    """The file behind a document path, or None when no root can hold it.

    `resolved` remembers where the roots lie and which are files, for calls that follow one another.
    """
    known = {} if resolved is None else resolved
    for root in roots:
        prefix = f"{root.name}/" if root.name else ""
        if not file_path.startswith(prefix):
            continue
        if root.path not in known:
            real = root.path.resolve()
            known[root.path] = real, real.is_file()
        real, is_file = known[root.path]
        if is_file:
            return real if file_path == prefix + display(real.name) else None
        try:
            below = (real / file_path[len(prefix) :]).resolve()
        except (OSError, RuntimeError):  # a link that leads to itself
            continue
        # From Python 3.13 a link that leads to itself is left as it is.
        if below.is_relative_to(real) and not below.is_symlink():
            return below
    return None


def left_out(roots: Sequence[Root], file_path: str, exclude: Sequence[str] = ()) -> bool:
    """Whether a rule keeps a walk from a file of this path, be it there or not."""
    for root in roots:
        prefix = f"{root.name}/" if root.name else ""
        if file_path.startswith(prefix) and root.path.is_dir():
            return _is_left_out(root.path.resolve(), file_path[len(prefix) :], exclude)
    return False


def _is_left_out(folder: Path, path: str, exclude: Sequence[str]) -> bool:
    rules: tuple[_Rules, ...] = (_parsed("", exclude),) if exclude else ()
    rel = ""
    *above, name = path.split("/")
    for part in above:
        rules += tuple(_rules(rel, (folder / own for own in IGNORE_FILES)))
        rel, folder = f"{rel}{part}/", folder / part
        if part.startswith(".") or part in INSTALLED or (rules and _ignored(rules, rel)):
            return True
    rules += tuple(_rules(rel, (folder / own for own in IGNORE_FILES)))
    return name.startswith(".") or (bool(rules) and _ignored(rules, rel + name))


def display(name: str) -> str:
    """A file name as text; bytes that are no UTF-8 are written as escapes."""
    if name.isascii():
        return name
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def posix(path: PurePath) -> str:
    """A path with `/` on every platform."""
    return display(path.as_posix())


class _Walk:
    """One walk over one root; remembers the folders it has been to. `elsewhere`: other roots."""

    def __init__(self, root: Path, prefix: str, elsewhere: Set[Identity | None]) -> None:
        self.root = root
        self.prefix = prefix
        self.elsewhere = elsewhere
        self.visited: set[Identity | None] = set(elsewhere)

    def folder(self, folder: str, rel: str, rules: tuple[_Rules, ...]) -> Iterator[Found]:
        if rel.count("/") > MAX_DEPTH:
            yield Found(self.prefix + display(rel), folder, skip="folder nested too deep")
            return
        try:
            info = os.stat(folder)  # noqa: PTH116 - see `Found.place`
            if (info.st_dev, info.st_ino) in self.visited:
                return
            self.visited.add((info.st_dev, info.st_ino))
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            skip = f"unreadable folder: {error.strerror}"
            yield Found(self.prefix + display(rel), folder, skip=skip, denied=True)
            return
        if rel and any(entry.name == "pyvenv.cfg" for entry in listed):
            yield Found(self.prefix + display(rel), folder, skip="a Python environment")
            return
        rules += tuple(_rules(rel, listed))
        for entry in listed:
            yield from self.entry(entry, rel + entry.name, rules)

    def entry(
        self, entry: os.DirEntry[str], rel: str, rules: tuple[_Rules, ...]
    ) -> Iterator[Found]:
        if entry.name.startswith(".") or entry.name in INSTALLED:
            return
        file_path = self.prefix + display(rel)
        try:
            if entry.is_symlink():
                outside = self.link_problem(Path(entry.path))
                if outside:
                    yield Found(file_path, entry.path, skip=outside)
                    return
            if entry.is_dir():
                if not (rules and _ignored(rules, rel + "/")):
                    yield from self.folder(entry.path, rel + "/", rules)
            elif not (rules and _ignored(rules, rel)):
                info = entry.stat()
                # On Windows an entry does not know its identity; the file itself does.
                known = (info.st_dev, info.st_ino) if info.st_ino else _identity(Path(entry.path))
                if known not in self.elsewhere:
                    yield _found(entry.path, file_path, info)
        except OSError as error:
            skip = f"unreadable: {error.strerror}"
            yield Found(file_path, entry.path, skip=skip, denied=True)

    def link_problem(self, path: Path) -> str | None:
        """Why a link is not followed: it leads out, nowhere, or to a file found anyway."""
        try:
            target = path.resolve(strict=True)
        except (OSError, RuntimeError):
            return "broken link"
        if not target.is_relative_to(self.root):
            return "link out of the folder"
        return None if target.is_dir() else "link to another file of the folder"


def _identity(path: Path) -> Identity | None:
    try:
        info = path.stat()
    except OSError:
        return None
    return info.st_dev, info.st_ino


def _found(path: str | Path, file_path: str, info: os.stat_result) -> Found:
    if not stat.S_ISREG(info.st_mode):
        return Found(file_path, path, skip="not a regular file")
    return Found(file_path, path, info.st_size, info.st_mtime_ns)


def _rules(rel: str, entries: Iterable[os.DirEntry[str] | Path]) -> Iterator[_Rules]:
    for entry in entries:
        with suppress(OSError):  # rules that nobody may read say nothing, as with git
            if entry.name in IGNORE_FILES and entry.is_file():
                text = Path(entry).read_text(encoding="utf-8", errors="replace")
                yield _parsed(rel, text.splitlines())


def _parsed(base: str, lines: Sequence[str]) -> _Rules:
    from pathspec import GitIgnoreSpec  # most folders have no rules, and start-up is felt

    try:
        return _Rules(base, GitIgnoreSpec.from_lines(lines))
    except ValueError:  # a line that is no pattern says nothing, as with git
        return _Rules(base, GitIgnoreSpec.from_lines(filter(_is_pattern, lines)))


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _ignored(rules: Sequence[_Rules], rel: str) -> bool:
    for rule in reversed(rules):
        verdict = rule.verdict(rel)
        if verdict is not None:
            return verdict
    return False
