"""What holds for the package as a whole: its public names, its weight, what is in the wheel."""

import ast
import email
import importlib.metadata
import inspect
import re
import shutil
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
OF_OTHER_VERBS = (  # modules, and all below them
    *("asyncio", "filelock", "markdown_it", "openai", "pydantic_ai", "pydantic_settings", "rich"),
    *("selectolax", "fanshu.agent.cache", "fanshu.agent.loop", "fanshu.agent.tools"),
    *("fanshu.audit", "fanshu.doctor", "fanshu.evals", "fanshu.library.suggesting"),
    *("fanshu.cli.asking", "fanshu.cli.auditing", "fanshu.cli.caching", "fanshu.cli.doctoring"),
    *("fanshu.cli.measuring", "fanshu.cli.records"),
)


def loaded_after(statement: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after a statement; it must print nothing."""
    code = f"import sys; {statement}; print(chr(10).join(sys.modules))"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert not run.stderr
    return set(run.stdout.split())


def tracked(*also: str) -> list[Path]:
    """What git tracks; with `--others` also what it would, if it were added."""
    command = ["git", "-c", "core.quotepath=off", "ls-files", "-z", "--cached"]
    listing = subprocess.run([*command, "--exclude-standard", *also], capture_output=True, cwd=ROOT)
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


@pytest.mark.slow
def test_what_needs_no_model_loads_nothing_for_one(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A heading\n\nA word.\n", encoding="utf-8")
    places = [f"--docs={tmp_path / 'a.md'}", f"--index={tmp_path / 'index'}"]
    verbs = (["index"], ["search", "word"], ["read", "a.md#1"], ["outline"], ["status"], ["index"])
    for number, verb in enumerate(verbs):
        quietly = "import contextlib, io; from fanshu.cli import program\nwith contextlib."
        quietly += f"redirect_stdout(io.StringIO()): code = program.run({[*verb, *places]})\n"
        loaded = loaded_after(f"exec({quietly!r}); assert code == 0")
        if number == 0:
            continue  # makes the index: that needs parsers
        unneeded = {
            name
            for name in loaded
            if any(name == other or name.startswith(f"{other}.") for other in OF_OTHER_VERBS)
        }
        assert not unneeded, verb
        assert {name for name in loaded if name.startswith("fanshu.models.")} == set(), verb


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


def built(kind: str, folder: Path, source: Path = ROOT) -> Path:
    build = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    subprocess.run(build, cwd=source, check=True, capture_output=True)
    (archive,) = folder.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return archive


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("wheel", tmp_path_factory.mktemp("wheel"))


def test_the_wheel_holds_the_tracked_files_of_the_package_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    about = {name for name in names if name.startswith(f"fanshu-{fanshu.__version__}.dist-info/")}
    package = {
        path.relative_to(ROOT / "src").as_posix()
        for path in tracked("--others")
        if in_package(path)
    }
    assert {"fanshu/py.typed", "fanshu/library/data/t2s.txt"} <= package
    assert {name for name in package if name.startswith("fanshu/serve/page/")}
    assert set(names) - about == package
    assert [name for name in about if name.endswith("/LICENSE")]


def in_package(path: Path) -> bool:
    return path.is_relative_to(SOURCE)


@pytest.mark.slow
def test_the_source_archive_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    shutil.unpack_archive(built("sdist", tmp_path / "dist"), tmp_path, filter="data")
    unpacked = tmp_path / f"fanshu-{fanshu.__version__}"
    again = built("wheel", tmp_path / "again", unpacked)
    assert again.read_bytes() == wheel.read_bytes()
    left_out = {".ci", ".gitattributes", ".gitignore"}  # not needed to build, test or run it
    lacking = {path.relative_to(ROOT) for path in tracked("--others")} - {
        path.relative_to(unpacked) for path in unpacked.rglob("*")
    }
    assert {path.parts[0] for path in lacking} <= left_out
    assert not [path for path in unpacked.rglob("*") if path.name == "__pycache__"]


def test_the_metadata_says_what_an_index_and_its_readers_ask(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        (name,) = [name for name in opened.namelist() if name.endswith("/METADATA")]
        told = email.message_from_bytes(opened.read(name))
    assert told["License-Expression"] == "Apache-2.0"
    assert told["Description-Content-Type"] == "text/markdown"
    assert told["Requires-Python"] == ">=3.11"
    assert told.get_payload().startswith("# fanshu")
    supported = {f"Programming Language :: Python :: 3.{minor}" for minor in (11, 12, 13)}
    assert supported <= set(told.get_all("Classifier", []))
    needed = [one for one in told.get_all("Requires-Dist", []) if "extra ==" not in one]
    assert 10 <= len(needed) <= 15  # the README says how many packages these become


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
