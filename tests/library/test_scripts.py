"""A user's script without a `__main__` guard: the processes that parse must not run it again."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.library.conftest import write
from tests.library.parsers.pdfs import Text, pdf
from tests.waiting import PATIENCE

LIBRARY = """
print("began", flush=True)
from pathlib import Path
import fanshu
library = fanshu.Library([fanshu.Root(Path("docs"))], Path("index.db"))
library.sync()
print([hit.file_path for hit in library.search("vacation").hits])
"""
ASK = """
print("began", flush=True)
import fanshu
answer = fanshu.ask("How many days of vacation?", "docs", index="index.db")
print([citation.file_path for citation in answer.citations])
"""


@pytest.mark.parametrize("script", [LIBRARY, ASK], ids=["Library", "ask"])
def test_a_script_without_a_guard_runs_once(tmp_path: Path, script: str) -> None:
    days = "Everybody has twenty days of vacation a year."
    write(tmp_path / "docs", {"leave.pdf": pdf([[Text(72, 700, days)]])})
    write(tmp_path, {"script.py": script})
    mine = {key: value for key, value in os.environ.items() if not key.startswith("FANSHU")}
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        env={**mine, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stdout) == (0, "began\n['leave.pdf']\n"), done.stderr
