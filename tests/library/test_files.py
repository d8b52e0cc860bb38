"""Walking: odd names, other file systems' spelling, and what no root may give away."""

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path, PureWindowsPath

import pytest

from fanshu.library.files import Root, locate, posix, walk


def paths(folder: Path) -> dict[str, str | None]:
    return {found.file_path: found.skip for found in walk([Root(folder)])}


def test_names_with_spaces_newlines_and_of_full_length(tmp_path: Path) -> None:
    names = ["a b.md", "a\nb.md", "长" * 84 + ".md", "cafe\u0301.md"]
    for name in names:
        (tmp_path / name).write_text("x")
    assert paths(tmp_path) == dict.fromkeys(names)
    assert all(locate([Root(tmp_path)], name) == tmp_path.resolve() / name for name in names)


def test_a_name_that_is_no_text_is_still_listed(tmp_path: Path) -> None:
    try:
        Path(os.fsdecode(bytes(tmp_path) + b"/bad\xff.md")).write_text("x")
    except OSError:
        pytest.skip("optional: this file system takes only UTF-8 names")
    assert paths(tmp_path) == {"bad\\xff.md": None}


def test_pipes_and_sockets_are_not_opened() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        os.mkfifo(folder / "pipe.md")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(folder / "socket.md"))
            assert paths(folder) == dict.fromkeys(["pipe.md", "socket.md"], "not a regular file")


@pytest.mark.parametrize("path", ["../x.md", "a/../../x.md", "/etc/passwd", "link/x.md"])
def test_nothing_outside_is_located(tmp_path: Path, path: str) -> None:
    inside = tmp_path / "docs"
    inside.mkdir()
    (tmp_path / "x.md").write_text("x")
    (inside / "link").symlink_to(tmp_path)
    assert locate([Root(inside)], path) is None


def test_exclude_uses_the_syntax_of_ignore_files(tmp_path: Path) -> None:
    for name in ("a.md", "SOURCE.md", "old/b.md", "new/c.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    found = [f.file_path for f in walk([Root(tmp_path)], exclude=["SOURCE.md", "old/"])]
    assert found == ["a.md", "new/c.md"]


def test_folders_nested_beyond_reason_end_nothing(tmp_path: Path) -> None:
    (tmp_path / "top.md").write_text("text")
    (tmp_path / "/".join("a" * 600)).mkdir(parents=True)
    found = {file.file_path: file.skip for file in walk([Root(tmp_path)])}
    assert found["top.md"] is None
    assert "folder nested too deep" in found.values()


def test_a_link_to_itself_is_located_nowhere(tmp_path: Path) -> None:
    (tmp_path / "self.md").symlink_to("self.md")
    assert locate([Root(tmp_path)], "self.md") is None


UNREADABLE_RULES = """
import os, sys
from pathlib import Path
import pathspec
from fanshu.library.files import Root, walk
if os.getuid() == 0:
    os.setuid(65534)
print([file.file_path for file in walk([Root(Path(sys.argv[1]))])])
"""


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="no users of that kind here")
def test_ignore_rules_that_nobody_may_read_say_nothing() -> None:
    with tempfile.TemporaryDirectory() as folder:  # tmp_path is closed to other users
        here = Path(folder)
        here.chmod(0o755)
        (here / "a.md").write_text("text")
        (here / ".gitignore").write_text("a.md")
        (here / ".gitignore").chmod(0)
        command = [sys.executable, "-c", UNREADABLE_RULES, folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "['a.md']\n", done.stderr


def test_what_tools_install_is_no_documents(tmp_path: Path) -> None:
    for name in ("a.md", "venv/pyvenv.cfg", "venv/lib/b.md", "node_modules/c.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert paths(tmp_path) == {"a.md": None, "venv/": "a Python environment"}


def test_a_root_inside_another_is_read_once(tmp_path: Path) -> None:
    inner = tmp_path / "in"
    inner.mkdir()
    for name in ("x.md", "y.md", "in/z.md"):
        (tmp_path / name).write_text("x")
    roots = [Root(tmp_path, "all"), Root(inner, "in"), Root(tmp_path / "y.md", "one")]
    for order in (roots, roots[::-1]):
        assert {found.file_path for found in walk(order)} == {"all/x.md", "in/z.md", "one/y.md"}


@pytest.mark.parametrize(
    ("path", "written"),
    [
        (r"a\b.md", "a/b.md"),
        (r"制度\人事\年假 2024.md", "制度/人事/年假 2024.md"),
        ("a/b\\c.md", "a/b/c.md"),
        (r"C:\docs\a.md", "C:/docs/a.md"),
        (r"\\server\share\a.md", "//server/share/a.md"),
        ("a.md", "a.md"),
    ],
)
def test_windows_paths_are_written_with_slashes(path: str, written: str) -> None:
    assert posix(PureWindowsPath(path)) == written


def test_a_windows_path_below_its_root_is_the_path_of_a_document(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.md").write_text("x")
    below = PureWindowsPath(r"D:\docs\a\b.md").relative_to(PureWindowsPath(r"d:\DOCS"))
    assert posix(below) == "a/b.md"
    assert paths(tmp_path) == {posix(below): None}
    assert locate([Root(tmp_path)], posix(below)) == tmp_path.resolve() / "a" / "b.md"
    named = [Root(tmp_path, "docs")]
    assert locate(named, posix("docs" / below)) == tmp_path.resolve() / "a" / "b.md"
    assert locate(named, posix(below)) is None
    outside = PureWindowsPath(r"..\x.md")
    assert locate([Root(tmp_path / "a")], posix(outside)) is None
