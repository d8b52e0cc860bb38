"""A bot of the examples as a process of its own, as people run it."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

BOTS = Path(__file__).resolve().parents[2] / "examples" / "bots"


@contextmanager
def running(
    name: str, log: Path, variables: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """The bot while the block runs. What it prints is in `log`."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("FANSHU_")}
    with log.open("wb") as out:
        bot = subprocess.Popen(
            [sys.executable, str(BOTS / f"{name}.py")],
            env=environ | {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"} | dict(variables),
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        try:
            yield bot
        finally:
            bot.kill()
            bot.wait()
