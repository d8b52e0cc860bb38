"""Files that are read by child processes, from every kind of program that can ask for one.

The children are started as programs, never by multiprocessing: no `if __name__ == "__main__"`
is needed, and the ways in which multiprocessing starts its own do not matter.
"""

import subprocess
import sys
import zipapp
from pathlib import Path

import pytest

CODE = """
import fanshu
def main(docs, index):
    with_pdf = fanshu.Library([docs], index)
    print([one.state for one in with_pdf.status().files])
    with_pdf.close()
"""
CALL = "import sys; main(sys.argv[-2], sys.argv[-1])"
THREAD = "import sys, threading; t = threading.Thread(target=main, args=sys.argv[-2:]); t.start(); t.join()"
STARTED = """
import multiprocessing, sys
if __name__ == "__main__":
    started = multiprocessing.get_context({method!r}).Process(target=main, args=sys.argv[-2:])
    started.start()
    started.join()
"""
READ = "['ok']\n"


@pytest.fixture
def pdf(tmp_path: Path, examples: Path) -> list[str]:
    """A folder with a PDF alone, and where the index goes."""
    folder = tmp_path / "documents"
    folder.mkdir()
    guide = examples / "operations" / "quick-guide.pdf"
    (folder / "guide.pdf").write_bytes(guide.read_bytes())
    return [str(folder), str(tmp_path / "index.db")]


def printed(command: list[str], stdin: str = "") -> str:
    done = subprocess.run(
        [sys.executable, *command], input=stdin, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.mark.parametrize("call", [CALL, THREAD], ids=["plain", "thread"])
def test_a_script_without_a_guard(pdf: list[str], tmp_path: Path, call: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(CODE + call, encoding="utf-8")
    assert printed([str(script), *pdf]) == READ


def test_from_the_command_line_and_from_stdin(pdf: list[str]) -> None:
    assert printed(["-c", CODE + CALL, *pdf]) == READ
    Path(pdf[1]).unlink()
    assert printed(["-", *pdf], CODE + CALL) == READ


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_inside_a_process_of_multiprocessing(pdf: list[str], tmp_path: Path, method: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(CODE + STARTED.format(method=method), encoding="utf-8")
    if sys.platform == "win32" and method != "spawn":
        pytest.skip("optional: Windows only spawns")
    assert printed([str(script), *pdf]) == READ


@pytest.mark.slow
def test_from_a_zipapp(pdf: list[str], tmp_path: Path) -> None:
    source = tmp_path / "app"
    source.mkdir()
    (source / "__main__.py").write_text(CODE + CALL, encoding="utf-8")
    zipapp.create_archive(source, tmp_path / "app.pyz")
    assert printed([str(tmp_path / "app.pyz"), *pdf]) == READ
