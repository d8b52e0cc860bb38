"""Pages that are pictures: what was recognised on them, where that is kept, how it is named.

Recognised pages are kept below one folder by the content hash of their file, so that no page
is recognised twice, wherever its file moves and however often the index is made anew.
"""

import json
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

VERSION = 1
"""Raise it, and that of the parsers, when the same page would be recognised otherwise."""

PACKAGE = "rapidocr"
"""By it the reason of a file that would need OCR is known."""
WAITING = re.compile(r"\bpages? ([\d, -]*\d) waits? for OCR")
BY_OCR = re.compile(r"\bpages? ([\d, -]*\d) by OCR")


class EngineBroken(Exception):
    """The engine of OCR does not start; the message says why."""


class Box(NamedTuple):
    """A line of text and its place in points, counted from the lower left."""

    text: str
    left: float
    bottom: float
    right: float
    top: float


@dataclass(frozen=True, slots=True)
class Recognised:
    """What OCR found on a page; `failed`: why it found nothing out."""

    boxes: tuple[Box, ...] = ()
    failed: str | None = None


@dataclass(frozen=True, slots=True)
class ScanPages:
    """The recognised pages of one file, and whether those that lack can be recognised here."""

    folder: Path
    readable: bool = False

    def kept(self) -> frozenset[int]:
        """The pages recognised so far, counted from 0."""
        try:
            return frozenset(int(path.stem) for path in self.folder.iterdir() if _is_page(path))
        except OSError:
            return frozenset()

    def pages(self) -> Mapping[int, Recognised]:
        """What was found on each of these pages. One that cannot be read counts as missing."""
        found = ((number, _load(self._file(number))) for number in sorted(self.kept()))
        return {number: page for number, page in found if page}

    def keep(self, number: int, page: Recognised) -> None:
        """Keep a page; it is there whole or not at all. Raises: OSError."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = self._file(number).with_suffix(".new")
        fields = {"boxes": page.boxes, "failed": page.failed}
        fresh.write_text(json.dumps(fields), encoding="ascii")
        fresh.replace(self._file(number))

    def _file(self, number: int) -> Path:
        return self.folder / f"{number}.json"


Recognise = Callable[[bytes, Sequence[int]], Iterator[tuple[int, Recognised]]]
"""A file's bytes and pages of it → each page as it is done."""


@dataclass(frozen=True, slots=True)
class Scans:
    """The recognised pages of all files below a folder.

    `recognise` is None where nothing is installed that could.
    """

    folder: Path
    recognise: Recognise | None = None

    def of(self, digest: str) -> ScanPages:
        """The pages of a file with this content hash."""
        return ScanPages(self.folder / str(VERSION) / digest, self.recognise is not None)

    def answers(self, digest: str, reason: str | None) -> bool:
        """Whether a file that waits for OCR, or for its installation, waits no longer."""
        waiting = {page - 1 for page in pages_named(reason, WAITING)}
        if not waiting:
            return self.recognise is not None and is_for_want_of_ocr(reason)
        return self.recognise is None or not waiting.isdisjoint(self.of(digest).kept())

    def forget_all_but(self, digests: Collection[str]) -> None:
        """Remove the pages of files that are gone, and those of other versions."""
        for version in _folders(self.folder):
            if version.name != str(VERSION):
                shutil.rmtree(version, ignore_errors=True)
                continue
            for file in _folders(version):
                if file.name not in digests:
                    shutil.rmtree(file, ignore_errors=True)


def is_for_want_of_ocr(reason: str | None) -> bool:
    """Whether a reason says that OCR should be installed: its package, or the extra by name."""
    return any(name in (reason or "") for name in (PACKAGE, "ocr]"))


def pages_named(reason: str | None, what: re.Pattern[str]) -> tuple[int, ...]:
    """The pages of which a reason says that they wait for OCR, or were read by it; from 1."""
    match = what.search(reason or "")
    if not match:
        return ()
    ends = [[int(end) for end in span.split("-")] for span in match[1].split(", ")]
    return tuple(page for span in ends for page in range(span[0], span[-1] + 1))


def waiting(numbers: Sequence[int]) -> str:
    """The reason of a file whose pages wait for OCR."""
    waits, them = ("waits", "it") if len(numbers) == 1 else ("wait", "them")
    return f"{pages(numbers)} {waits} for OCR; `fanshu index` reads {them}"


def pages(numbers: Sequence[int]) -> str:
    """`pages 2-5, 9` for 2 3 4 5 9."""
    return f"{'page' if len(numbers) == 1 else 'pages'} {', '.join(_spans(numbers))}"


def _spans(numbers: Iterable[int]) -> Iterator[str]:
    spans: list[tuple[int, int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return (str(one) if one == two else f"{one}-{two}" for one, two in spans)


def _is_page(path: Path) -> bool:
    return path.suffix == ".json" and path.stem.isdecimal()


def _load(file: Path) -> Recognised | None:
    try:
        fields = json.loads(file.read_text(encoding="ascii"))
        return Recognised(tuple(Box(*box) for box in fields["boxes"]), fields["failed"])
    except OSError:
        return None
    except (ValueError, TypeError, KeyError):
        file.unlink(missing_ok=True)  # damaged: the page is recognised again
        return None


def _folders(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []
