"""A real terminal of a given size, driven as a person does: keys go in, a screen comes out."""

import os
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

TMUX = shutil.which("tmux")
needs_tmux = pytest.mark.skipif(TMUX is None, reason="optional: no tmux here")
WAIT = 120.0  # seconds; a busy machine is slow, and a test that passes never waits so long


class Pane:
    """One pane in a server of its own. Use as a context manager."""

    def __init__(
        self, width: int, height: int = 30, *, shell: str = "bash --norc --noprofile", **env: str
    ) -> None:
        self.width = width
        self._server = f"fanshu-{uuid.uuid4().hex[:8]}"
        place = Path(sys.executable).parent
        variables = {
            "PATH": f"{place}{os.pathsep}{os.environ['PATH']}",
            "LC_ALL": "C.UTF-8",
            "PS1": "$ ",
            **env,
        }
        self._environment = {k: v for k, v in os.environ.items() if k != "TMUX"} | variables
        self._tmux(
            "-f", os.devnull, "new-session", "-d", "-x", str(width), "-y", str(height), shell
        )  # fmt: skip

    def __enter__(self) -> "Pane":
        return self

    def __exit__(self, *_: object) -> None:
        self._tmux("kill-server")

    def _tmux(self, *arguments: str) -> str:
        assert TMUX
        done = subprocess.run(
            [TMUX, "-u", "-L", self._server, *arguments],
            env=self._environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=WAIT,
            check=True,
        )
        return done.stdout

    def type(self, text: str) -> None:
        """Characters, as they are typed."""
        self._tmux("send-keys", "-l", text)

    def press(self, *keys: str) -> None:
        """Keys by their names: Enter, Up, C-c, Tab."""
        self._tmux("send-keys", *keys)

    def paste(self, text: str) -> None:
        """Text as a terminal pastes it, marked where the program asked for marks."""
        self._tmux("set-buffer", text)
        self._tmux("paste-buffer", "-p")

    def resize(self, width: int, height: int = 30) -> None:
        self._tmux("resize-window", "-x", str(width), "-y", str(height))

    def screen(self) -> str:
        """What is seen, and what was scrolled out of sight; lines as the terminal has them."""
        return self._tmux("capture-pane", "-p", "-S", "-").rstrip()

    def line(self) -> str:
        """The last line that is not empty."""
        return self.screen().splitlines()[-1]

    def until(self, wanted: str | Callable[[str], bool]) -> str:
        """The screen, once it shows something."""
        end = time.monotonic() + WAIT
        while True:
            seen = self.screen()
            if wanted in seen if isinstance(wanted, str) else wanted(seen):
                return seen
            assert time.monotonic() < end, f"no {wanted!r} in:\n{seen}"
            time.sleep(0.05)
