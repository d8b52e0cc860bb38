"""Pages that wait for OCR: recognised one by one, kept, and their files read anew.

It takes seconds a page, so that `fanshu index` and its like do it, never a question.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from fanshu.errors import IndexUnwritable
from fanshu.library.parsers.needs import has_ocr
from fanshu.library.parsers.scans import (
    WAITING,
    EngineBroken,
    Recognise,
    Recognised,
    Scans,
    pages_named,
)
from fanshu.library.store import DocumentRecord
from fanshu.library.syncing import OnProgress, Progress, digest_of
from fanshu.types import ScanReport

FOLDER = "ocr"  # beside the index
_LOCK = "lock"

Find = Callable[[str], Path | None]
Refresh = Callable[[str], object]


def installed(folder: Path) -> Scans:
    """Scans kept in this folder, recognised with the extra `ocr` where it is installed."""
    return Scans(folder, _recognise if has_ocr() else None)


def _recognise(data: bytes, numbers: Sequence[int]) -> Iterator[tuple[int, Recognised]]:
    from fanshu.library.parsers.ocrchild import recognise  # a search starts faster without

    return recognise(data, numbers)


def read_scans(
    documents: Mapping[str, DocumentRecord],
    scans: Scans,
    find: Find,
    refresh: Refresh,
    on_progress: OnProgress | None = None,
) -> ScanReport:
    """Recognise what waits in some documents. `find` gives the file of a path, `refresh` reads it
    anew.

    Raises: IndexUnwritable — a page cannot be kept.
    """
    records = documents.values()
    scans.forget_all_but({record.hash for record in records})
    waiting = [record for record in records if record.state == "ocr_pending"]
    if not waiting or scans.recognise is None:
        return ScanReport()
    reading = _Reading(scans, scans.recognise, find, refresh, on_progress)
    try:
        with _alone(scans.folder) as alone:
            if not alone:
                return reading.report("another process is at it")
            reading.read(waiting)
    except EngineBroken as error:
        return reading.report(f"the engine does not start: {error}")
    except OSError as error:
        raise IndexUnwritable(path=str(scans.folder), detail=str(error)) from error
    return reading.report()


@contextmanager
def _alone(folder: Path) -> Iterator[bool]:
    """Whether no other process recognises pages for this index: they would do the same ones."""
    from filelock import FileLock, Timeout

    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(folder / _LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


@dataclass(slots=True)
class _Reading:
    """One pass over the files that wait, and what has been done so far."""

    scans: Scans
    recognise: Recognise
    find: Find
    refresh: Refresh
    on_progress: OnProgress | None
    files: int = 0
    pages: int = 0
    failed: int = 0
    began: float = field(default_factory=monotonic)

    def report(self, trouble: str | None = None) -> ScanReport:
        seconds = monotonic() - self.began
        return ScanReport(self.files, self.pages, self.failed, seconds, trouble)

    def read(self, records: Sequence[DocumentRecord]) -> None:
        total = sum(len(self._left(record)) for record in records)
        for record in records:
            data = self._data(record)
            if data is not None:
                self._pages(record, data, total)
                self.refresh(record.path)
                self.files += 1

    def _pages(self, record: DocumentRecord, data: bytes, total: int) -> None:
        kept = self.scans.of(record.hash)
        left = self._left(record)  # a copy of the file may just have been read
        for number, page in self.recognise(data, left) if left else ():
            kept.keep(number, page)
            self.failed += page.failed is not None
            self.pages += page.failed is None
            if self.on_progress:
                self.on_progress(Progress(self.pages + self.failed, total, record.path))

    def _left(self, record: DocumentRecord) -> list[int]:
        kept = self.scans.of(record.hash).kept()
        pages = (page - 1 for page in pages_named(record.reason, WAITING))
        return [page for page in pages if page not in kept]

    def _data(self, record: DocumentRecord) -> bytes | None:
        """The content of a file, None when it is no longer what was read before."""
        real = self.find(record.path)
        try:
            data = real.read_bytes() if real else b""
        except OSError:
            return None
        return data if digest_of(data) == record.hash else None
