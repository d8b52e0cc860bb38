"""The right to write an index: one thread of one process at a time."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fanshu.errors import IndexBusy


class WriteLock:
    """Held by whoever writes; dies with its process. `on_wait` hears of another process's turn."""

    def __init__(self, index: Path, on_wait: Callable[[], None] | None) -> None:
        self._index, self._on_wait = index, on_wait
        self._here = threading.Lock()

    @contextmanager
    def held(self, seconds: float, *, here: float = -1) -> Iterator[None]:
        """The lock, waited for so long; `here`: for other threads, -1 as long as they take.

        Raises: IndexBusy.
        """
        if not self._here.acquire(timeout=here):
            raise IndexBusy(path=str(self._index), seconds=here)
        try:
            with self._of_all(seconds):
                yield
        finally:
            self._here.release()

    @contextmanager
    def _of_all(self, seconds: float) -> Iterator[None]:
        from filelock import FileLock, Timeout  # only who writes needs it: start-up is felt

        lock = FileLock(f"{self._index}.lock")
        try:
            try:
                lock.acquire(timeout=0)
            except Timeout:
                if self._on_wait:
                    self._on_wait()
                lock.acquire(timeout=seconds)
        except Timeout as error:
            raise IndexBusy(path=str(self._index), seconds=seconds) from error
        try:
            yield
        finally:
            lock.release()
