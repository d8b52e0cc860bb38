"""The rules of tests/conftest.py: in CI a skip is a failure, and nothing leaks in from outside."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_socket import SocketConnectBlockedError

HERE = Path(__file__).resolve().parent


SKIPS = {
    "test_inside.py": """
import pytest

def test_in_its_body():
    pytest.skip("{reason}")

@pytest.mark.skipif(True, reason="{reason}")
def test_by_a_mark():
    pass
""",
    "test_whole.py": """
import pytest

pytest.skip("{reason}", allow_module_level=True)
""",
}


def outcome(folder: Path, reason: str, ci: str) -> str:
    """The closing line of a pytest run over tests that skip, under our conftest."""
    shutil.copy(HERE / "conftest.py", folder)
    for name, code in SKIPS.items():
        (folder / name).write_text(code.format(reason=reason))
    options = ["-q", "-p", "no:cacheprovider", "--continue-on-collection-errors"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=folder,
        env={**os.environ, "CI": ci, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )
    return run.stdout.strip().splitlines()[-1]


@pytest.mark.slow
def test_a_skip_fails_in_ci_unless_it_is_optional(tmp_path: Path) -> None:
    assert outcome(tmp_path, "needs a thing", ci="").startswith("3 skipped in ")
    assert outcome(tmp_path, "needs a thing", ci="true").startswith("1 failed, 2 errors in ")
    assert outcome(tmp_path, "optional: a thing", ci="true").startswith("3 skipped in ")


def test_the_environment_of_a_test_is_empty_of_settings(home: Path) -> None:
    told = {name for name in os.environ if name.startswith("FANSHU_")}
    assert told == {"FANSHU_SEARCH_SECONDS"}  # long, so that a busy machine finds as much
    assert not [name for name in os.environ if name.endswith("_API_KEY")]
    assert Path.home() == home


@pytest.mark.filterwarnings("ignore:A test tried to use socket")
def test_the_network_is_closed() -> None:
    with socket.socket() as outside, pytest.raises(SocketConnectBlockedError):
        outside.connect(("192.0.2.1", 80))
