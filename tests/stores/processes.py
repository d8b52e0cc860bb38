"""Other processes at a place (see `worker.py`)."""

import subprocess
import sys

from tests.conftest import ROOT
from tests.stores.places import Place

LONG = 120  # seconds; a busy machine has room


class Other:
    """A process that is ready, and begins when told."""

    def __init__(self, place: Place, action: str, *more: object) -> None:
        arguments = (action, place.address, str(place.index), str(place.docs), *map(str, more))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.stores.worker", *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, cwd=ROOT,
        )  # fmt: skip

    def begin(self) -> "Other":
        """Let it work, once it has opened everything."""
        self.wait_for("ready")
        return self.go_on()

    def wait_for(self, word: str) -> None:
        """Wait until it says a word."""
        assert self._process.stdout is not None
        said = self._process.stdout.readline()
        assert said == f"{word}\n", self._process.communicate()[1]

    def go_on(self) -> "Other":
        """Send it the line that it waits for."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return self

    def said(self) -> list[str]:
        """What it said until its end, by which it must have come well."""
        out, err = self._process.communicate(timeout=LONG)
        assert self._process.returncode == 0, err
        return out.split()

    def died(self) -> None:
        """Wait for its end by SIGKILL."""
        _, err = self._process.communicate(timeout=LONG)
        assert self._process.returncode == -9, err
