"""`fanshu mcp` with a model that makes noise and takes its time; started by tests as a child.

python -m tests.protocol.noisy FOLDER SECONDS MARK
"""

import asyncio
import logging
import os
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from fanshu.models import Reply, ToolSpec, Turn
from fanshu.serve.planning import plan
from fanshu.serve.stdio import serve
from fanshu.settings import Settings
from fanshu.types import ToolCall

NOISE = "NOISE"


def make_noise() -> None:
    print(f"{NOISE} print without flush")  # noqa: T201 - what it is for
    print(f"{NOISE} print", flush=True)  # noqa: T201
    os.write(1, f"{NOISE} as C code writes\n".encode())
    logging.getLogger("somebody").warning("%s log", NOISE)
    warnings.warn(f"{NOISE} warning", stacklevel=1)
    subprocess.run([sys.executable, "-c", f"print('{NOISE} child')"], check=True)


class Noisy:
    """Prints in every way there is before it finds nothing; `mark` is a file that tells of it."""

    name, extractive = "noisy", False

    def __init__(self, seconds: float, mark: Path) -> None:
        self._seconds, self._mark = seconds, mark

    async def next(
        self, turns: Sequence[Turn], tools: Sequence[ToolSpec], *, force: str | None = None
    ) -> Reply:
        make_noise()
        self._tell("begun")
        try:
            await asyncio.sleep(self._seconds)
        except asyncio.CancelledError:
            self._tell("cancelled")
            raise
        self._tell("ended")
        told = {"response": "", "citations": [], "found": False}
        return Reply(calls=(ToolCall("a", "answer", told),))

    def _tell(self, what: str) -> None:
        with self._mark.open("a", encoding="utf-8") as file:
            file.write(f"{what}\n")

    async def close(self) -> None:
        """Nothing to give back."""


def main() -> None:
    folder, seconds, mark = sys.argv[1:4]
    settings = Settings(docs=(folder,), model="scripted:noisy")
    serve(plan(settings, (folder,)), open_model=lambda _: Noisy(float(seconds), Path(mark)))


if __name__ == "__main__":
    main()
