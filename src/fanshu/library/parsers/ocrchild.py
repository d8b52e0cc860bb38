"""OCR by a child process: page by page, within limits of time and memory."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from tempfile import TemporaryFile
from threading import Thread
from typing import IO, Any

from fanshu.library.parsers.child import environment
from fanshu.library.parsers.scans import Box, EngineBroken, Recognised

START_SECONDS = 120.0  # of wall time, for an engine that loads in one second of CPU
PAGE_SECONDS = 180.0  # of wall time, for a page that takes 2 to 5 seconds of CPU
COMMAND = (sys.executable, "-P", "-m", "fanshu.library.parsers.worker", "ocr")


def recognise(
    data: bytes,
    numbers: Sequence[int],
    *,
    command: Sequence[str] = COMMAND,
    seconds: float = PAGE_SECONDS,
) -> Iterator[tuple[int, Recognised]]:
    """These pages of a PDF, from 0, each as soon as it is done.

    A page that crashes the engine, or takes longer than `seconds`, has failed; another
    process goes on behind it. Raises: EngineBroken.
    """
    left = list(numbers)
    while left:
        with _child(command, data, left) as child:
            child.start()
            while left:
                page = child.page(seconds)
                yield left.pop(0), page
                if not child.alive:
                    break


class _Child:
    """A running engine and what it writes, a line at a time."""

    def __init__(self, process: "subprocess.Popen[bytes]", said: IO[bytes]) -> None:
        self._process, self._said = process, said
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self.alive = True
        Thread(target=self._listen, name="fanshu-ocr", daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - opened as a pipe
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def start(self) -> None:
        """Wait until the engine is ready. Raises: EngineBroken."""
        if "failed" in (answer := self._next(START_SECONDS)):
            self._said.seek(0)
            last = self._said.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise EngineBroken(f"{answer['failed']} {last}".strip()[:300])

    def page(self, seconds: float) -> Recognised:
        """The next page."""
        answer = self._next(seconds)
        boxes = tuple(Box(*box) for box in answer.get("boxes", ()))
        return Recognised(boxes, answer.get("failed"))

    def _next(self, seconds: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=seconds)
        except Empty:
            return self._gone(f"timeout: more than {seconds:.0f} seconds")
        if not line:
            status = self._process.wait()
            return self._gone(f"crashed: {'signal' if status < 0 else 'exit code'} {abs(status)}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _gone(self, why: str) -> dict[str, Any]:
        self.alive = False
        return {"failed": why}


@contextmanager
def _child(command: Sequence[str], data: bytes, numbers: Sequence[int]) -> Iterator[_Child]:
    with TemporaryFile() as given, TemporaryFile() as said:
        given.write(data)
        given.seek(0)
        process = subprocess.Popen(
            [*command, ",".join(map(str, numbers))],
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=said,
            env=environment(),
        )
        try:
            yield _Child(process, said)
        finally:
            process.kill()
            process.wait()
