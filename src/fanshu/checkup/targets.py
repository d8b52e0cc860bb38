"""Links and pictures whose target is not there: judged over the whole library."""

import posixpath
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fanshu.checkup.facts import root_of
from fanshu.checkup.gathering import Gathered, suffix_of
from fanshu.checkup.links import MARKDOWN, anchor, existing, resolved
from fanshu.checkup.pages import SUFFIXES as PAGES
from fanshu.library.files import locate
from fanshu.library.library import Library
from fanshu.library.passages import Span
from fanshu.library.pictures import INSIDE
from fanshu.types import EVERYTHING, Scope

Place = tuple[str, str, Span | None]  # file, chunk, span in it
MISSING, ANCHOR, PICTURE = 0.9, 0.8, 0.85  # how sure: a file, a place in a file, a picture
WHOLE_FOLDER = 0.5  # a folder of which most is missing was left out when documents were copied
LEAST_FOLDER = 8  # missing targets below one folder before it is taken as a whole
MOSTLY = 0.8  # of the targets below it
COPIED = 0.4  # a file, where so many are missing that documents were copied without the others
LEAST_COPIED, COPIED_SHARE = 15, 0.25  # missing targets, and their share of all
GENERATED = 0.4  # an anchor in a file of which most anchors are not found: made by a tool


@dataclass(frozen=True, slots=True)
class Lost:
    """A target that is not there, and the places that lead to it: (file, chunk, span)."""

    code: str
    target: str
    places: tuple[Place, ...]
    sure: float
    count: int = 1


class Targets:
    """Looks at each target once. What lies outside of `scope` is taken to be there: whether it
    is would tell of files that nobody may see who has that scope.
    """

    def __init__(self, library: Library, found: Gathered, scope: Scope = EVERYTHING) -> None:
        self._library = library
        self._scope = scope
        self._found = found
        self._known = {file.file_path for file in found.files}
        self._exists: dict[str, bool] = {}
        self._targets: set[str] = set()

    def lost(self) -> Iterator[Lost]:
        """Every target that is not there, those of one folder together where most are missing."""
        places: dict[tuple[str, str], list[Place]] = defaultdict(list)
        seen: Counter[str] = Counter()
        for file_path, chunk_id, target, span, image in self._all():
            code, path = self._judged(file_path, target, image)
            if image or code != "anchor":
                seen[top_of(path)] += 1
                self._targets.add(path)
            if code:
                places[code, path].append((file_path, chunk_id, span))
        missing = sum(code != "anchor" for code, _ in places)
        copied = missing >= LEAST_COPIED and missing >= COPIED_SHARE * len(self._targets)
        yield from _folded(places, seen, copied=copied)

    def _all(self) -> Iterator[tuple[str, str, str, Span | None, bool]]:
        for file_path, chunk_id, link in self._found.links:
            yield file_path, chunk_id, link.target, link.span, link.image
        for file_path, target, _ in self._found.pages:
            yield file_path, "", target, None, False
        for file_path, chunk_id, image in self._found.images:
            if suffix_of(file_path) not in MARKDOWN and _is_path(image):
                yield file_path, chunk_id, f"/{image}", None, True

    def _judged(self, file_path: str, target: str, image: bool) -> tuple[str, str]:
        """(code of what is wrong or "", what the target means)."""
        paths, place = resolved(target, file_path, root_of(self._library.roots, file_path))
        if not paths:
            return "", target  # it leads out of the folder, and may be there
        path = existing(paths, self._there)
        if path is None:
            return "image" if image else "file", paths[0]
        if place and not image and not self._has(path, place):
            return "anchor", f"{path}#{place}"
        return "", path

    def _has(self, path: str, place: str) -> bool:
        known = self._found.anchors.get(path)
        if suffix_of(path) not in (*MARKDOWN, *PAGES) or not known or place.startswith(("L", ":~")):
            return True
        wanted = anchor(place)
        # Makers of anchors number those of equal headings: #limits-1.
        unnumbered = wanted.rstrip("0123456789")
        return not unnumbered or wanted in known or unnumbered in known

    def _there(self, path: str) -> bool:
        if path not in self._exists:
            seen = path in self._known or not self._scope.allows(path)
            self._exists[path] = seen or self._on_disk(path)
        return self._exists[path]

    def _on_disk(self, path: str) -> bool:
        try:
            real = locate(self._library.roots, path)
            return real is not None and real.exists()
        except (OSError, ValueError):  # a name that is too long, or holds NUL
            return False


def _is_path(image: str) -> bool:
    return INSIDE not in image and "://" not in image and not image.startswith(("data:", "/", "\\"))


def directory_of(path: str) -> str:
    """The folder of a target, with `/`; `./` for the top."""
    return f"{posixpath.dirname(path) or '.'}/"


def top_of(path: str) -> str:
    """The top folder of a target, with `/`; the target itself where it has none."""
    head, mark, _ = path.lstrip("/").partition("/")
    return f"{head}/" if mark else posixpath.basename(path)


def _folded(
    places: Mapping[tuple[str, str], list[Place]], seen: Counter[str], *, copied: bool
) -> Iterator[Lost]:
    files = [key for key in places if key[0] != "anchor"]
    tops = _grouped(files, top_of)
    whole = {
        top: keys
        for top, keys in tops.items()
        if len(keys) >= LEAST_FOLDER and sum(len(places[key]) for key in keys) >= MOSTLY * seen[top]
    }
    single = [key for key in files if top_of(key[1]) not in whole]
    if copied:
        below = _grouped(single, directory_of)
        whole |= {folder: keys for folder, keys in below.items() if len(keys) > 1}
        single = [key for keys in below.values() if len(keys) == 1 for key in keys]
    for folder, keys in sorted(whole.items()):
        sure = COPIED if copied else WHOLE_FOLDER
        yield Lost("folder", folder, tuple(places[keys[0]]), sure, len(keys))
    for key in single:
        sure = PICTURE if key[0] == "image" else MISSING
        yield Lost(key[0], key[1], tuple(places[key]), COPIED if copied else sure)
    yield from _anchors({key: held for key, held in places.items() if key[0] == "anchor"})


def _grouped(
    keys: Sequence[tuple[str, str]], of: Callable[[str], str]
) -> dict[str, list[tuple[str, str]]]:
    groups: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for key in keys:
        groups[of(key[1])].append(key)
    return groups


def _anchors(places: Mapping[tuple[str, str], list[Place]]) -> Iterator[Lost]:
    of_file = Counter(path.partition("#")[0] for _, path in places)
    for (code, path), held in places.items():
        many = of_file[path.partition("#")[0]] > LEAST_FOLDER
        yield Lost(code, path, tuple(held), GENERATED if many else ANCHOR)
