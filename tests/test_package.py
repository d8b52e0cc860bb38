"""What holds for the package as a whole: its public names, its weight, what is in the wheel."""

import ast
import importlib.metadata
import inspect
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import fanshu

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "fanshu"
MODULES = sorted(SOURCE.rglob("*.py"))
MAX_LINES = 400
LONGER_WITH_A_REASON = {"types.py"}  # the words of all rooms, on purpose in one place
TOLD_APART_BY_A_CLASS = (  # written so that this file does not match itself
    r"/(w[o]rk|f[a]rm|r[o]ot)/",
    r"py[p]i[.]o",
    r"python[h]osted",
    r"regis[t]ry[.]npm",
    r"d[e]b[.]debian",
    r"rep[o]1?[.]mav",
)
PROVIDERS = ("pydantic_ai", "openai", "anthropic", "google")


def loaded_after(statement: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after a statement; it must print nothing."""
    code = f"import sys; {statement}; print(chr(10).join(sys.modules))"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert not run.stderr
    return set(run.stdout.split())


def tracked() -> list[Path]:
    listing = subprocess.run(
        ["git", "-c", "core.quotepath=off", "ls-files", "-z"], capture_output=True, cwd=ROOT
    )
    if listing.returncode:
        pytest.skip("optional: not a git checkout")
    names = listing.stdout.decode().split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def public_members(thing: object) -> Iterator[tuple[str, object]]:
    """The public methods and properties that a class defines itself."""
    if not inspect.isclass(thing) or not thing.__module__.startswith("fanshu"):
        return
    for name, member in vars(thing).items():
        if not name.startswith("_") and (
            inspect.isfunction(member) or isinstance(member, property)
        ):
            yield name, member


def test_public_names_are_sorted_and_are_what_is_visible() -> None:
    assert list(fanshu.__all__) == sorted(fanshu.__all__)
    assert [name for name in dir(fanshu) if not name.startswith("_")] == list(fanshu.__all__)
    for name in fanshu.__all__:
        assert getattr(fanshu, name) is not None


def test_an_unknown_name_is_an_ordinary_attribute_error() -> None:
    name = "no_such_name"
    with pytest.raises(AttributeError, match=name):
        getattr(fanshu, name)


def test_import_loads_nothing_else() -> None:
    extra = loaded_after("import fanshu") - loaded_after("pass")
    own = {name for name in extra if name.startswith("fanshu")}
    assert own == {"fanshu"}
    assert not extra & {"pydantic", "sqlite3", "asyncio", *PROVIDERS}


@pytest.mark.parametrize("module", ["fanshu.library.library", "fanshu.app", "fanshu.cli"])
def test_provider_code_is_loaded_only_when_a_model_is_asked_for(module: str) -> None:
    assert not loaded_after(f"import {module}") & set(PROVIDERS)


def test_the_version_is_that_of_the_package() -> None:
    assert fanshu.__version__ == importlib.metadata.version("fanshu")


@pytest.mark.parametrize("name", fanshu.__all__)
def test_everything_public_has_a_docstring(name: str) -> None:
    thing = getattr(fanshu, name)
    assert inspect.getdoc(thing)
    assert not [member for member, value in public_members(thing) if not inspect.getdoc(value)]


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        module.relative_to(SOURCE).as_posix()
        for module in MODULES
        if module.stat().st_size and not ast.get_docstring(ast.parse(module.read_text("utf-8")))
    ]
    assert not silent


def test_files_are_short_enough_to_be_one_idea() -> None:
    lengths = {
        module.relative_to(SOURCE).as_posix(): len(module.read_text("utf-8").splitlines())
        for module in MODULES
    }
    assert not {
        name: lines
        for name, lines in lengths.items()
        if lines > MAX_LINES and name not in LONGER_WITH_A_REASON
    }


def test_the_wheel_holds_types_data_and_licence_and_no_tests(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "fanshu/py.typed" in names
    assert "fanshu/library/data/t2s.txt" in names
    assert [name for name in names if name.endswith("/LICENSE")]
    assert not [name for name in names if not name.startswith(("fanshu/", "fanshu-"))]


def test_no_machine_paths_or_registry_hosts_are_tracked() -> None:
    pattern = re.compile("|".join(TOLD_APART_BY_A_CLASS).encode())
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in tracked()
        if path.suffix not in {".pdf", ".docx"}
        for number, line in enumerate(path.read_bytes().splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found


def test_no_large_files_are_tracked() -> None:
    assert not [path.name for path in tracked() if path.stat().st_size > 400_000]
