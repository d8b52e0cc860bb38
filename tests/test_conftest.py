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


def outcome(folder: Path, code: str, ci: str) -> str:
    """The last line of a pytest run over one file that obeys our conftest."""
    shutil.copy(HERE / "conftest.py", folder)
    (folder / "test_it.py").write_text(f"import pytest\n{code}")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"],
        cwd=folder,
        env={**os.environ, "CI": ci},
        capture_output=True,
        text=True,
    )
    return run.stdout.strip().splitlines()[-1]


IN_TEST = "def test_it():\n    pytest.skip('{reason}')\n"
IN_MODULE = "pytest.skip('{reason}', allow_module_level=True)\n"
BY_MARK = "@pytest.mark.skipif(True, reason='{reason}')\ndef test_it():\n    pass\n"


@pytest.mark.parametrize("code", [IN_TEST, IN_MODULE, BY_MARK])
def test_a_skip_fails_in_ci_unless_it_is_optional(code: str, tmp_path: Path) -> None:
    missing = code.format(reason="needs a thing")
    assert "skipped" in outcome(tmp_path, missing, ci="")
    assert "1 failed" in (last := outcome(tmp_path, missing, ci="true")) or "1 error" in last
    assert "1 skipped" in outcome(tmp_path, code.format(reason="optional: a thing"), ci="true")


def test_the_environment_of_a_test_is_empty_of_settings(home: Path) -> None:
    assert not [name for name in os.environ if name.startswith("FANSHU_")]
    assert not [name for name in os.environ if name.endswith("_API_KEY")]
    assert Path.home() == home


@pytest.mark.filterwarnings("ignore:A test tried to use socket")
def test_the_network_is_closed() -> None:
    with socket.socket() as outside, pytest.raises(SocketConnectBlockedError):
        outside.connect(("192.0.2.1", 80))
