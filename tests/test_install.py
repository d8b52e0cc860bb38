"""The wheel in a clean environment, without a network: what `scripts/install_matrix.py` tries."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "scripts" / "install_matrix.py"
NO_DOWNLOAD = 3
# pip's own settings (mirror, certificates, cache) are those of whoever runs the tests.
OUTSIDE = dict(os.environ)


def test_an_interpreter_that_is_not_there_is_named() -> None:
    command = [sys.executable, str(SCRIPT), "--python", "python0.0"]
    run = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert (run.returncode, run.stdout) == (2, "")
    assert "no such interpreter: python0.0" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_wheel_from_a_folder_of_wheels_works_without_a_network() -> None:
    run = subprocess.run(
        [sys.executable, str(SCRIPT)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=OUTSIDE,
        cwd=ROOT,
    )
    if run.returncode == NO_DOWNLOAD:
        pytest.skip("optional: packages cannot be downloaded here")
    assert run.returncode == 0, run.stderr
    version = ".".join(map(str, sys.version_info[:3]))
    (row,) = [line for line in run.stdout.splitlines() if line.startswith(f"| {version} |")]
    assert row.count(" ok ") == 7
