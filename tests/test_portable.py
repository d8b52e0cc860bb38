"""What only some systems have is asked for in few places, each with a reason."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from fanshu.traces import new_id

SOURCE = Path(__file__).resolve().parent.parent / "src" / "fanshu"
MODULES = frozenset(
    "crypt fcntl grp msvcrt multiprocessing nt posix pty pwd readline resource select syslog "
    "termios tty winreg".split()
)
NAMES = frozenset(
    "chmod chown lchmod fork forkpty getegid geteuid getgid getgroups getloadavg getpgid getpgrp "
    "getuid hardlink_to initgroups killpg mkfifo mknod nice openpty preexec_fn "
    "register_at_fork sched_getaffinity setgid setsid setuid startfile statvfs symlink symlink_to "
    "umask uname wait3 wait4 waitpid add_signal_handler pthread_kill SIGALRM SIGHUP SIGKILL "
    "SIGPIPE SIGQUIT SIGUSR1 SIGUSR2 AF_UNIX O_NOFOLLOW O_DIRECTORY O_NONBLOCK".split()
)
OF_OS = frozenset("kill link nice pipe sync wait".split())  # words that others have, too
ALLOWED = {  # file: name, and why it does no harm where it is missing
    ("cli/typed_lines.py", "SIGALRM"): "after hasattr; Ctrl-C may wait for the next key",
    ("cli/typed_lines.py", "readline"): "imported in a try: editing and history are extra",
    ("library/parsers/worker.py", "resource"): "imported in a try: no limit of memory there",
    ("keeping.py", "chmod"): "on posix only; elsewhere the user's own folders are private",
    ("library/parsers/convert.py", "killpg"): "on posix only; elsewhere the process alone",
    ("library/parsers/convert.py", "SIGKILL"): "beside killpg",
    ("library/processes.py", "kill"): "on posix only; elsewhere a lease ends by its date",
    ("models/local.py", "sched_getaffinity"): "after hasattr; else the number of processors",
    ("serve/running.py", "SIGHUP"): "after hasattr; the settings file is watched as well",
    ("serve/running.py", "add_signal_handler"): "NotImplementedError is expected",
    ("serve/stdio.py", "add_signal_handler"): "NotImplementedError is expected; else signal.signal",
}
SYSTEM_PATH = re.compile(r"/(proc|dev|etc|tmp|usr|var|sys)(/|$)")
PLACES = {
    ("library/placing.py", "/proc/self/mounts"): "where it is missing, only UNC paths are told",
    ("library/processes.py", "/proc/self/ns/pid"): "where it is missing, the name of the machine",
}
SEEN = (ast.Attribute, ast.Call, ast.Constant, ast.Import, ast.ImportFrom, ast.keyword)
TEXT = {"read_text": 0, "write_text": 1, "TextIOWrapper": 1}  # the place of `encoding`


@cache
def tree(path: Path) -> tuple[ast.AST, ...]:
    """What these tests look at, of one file: calls, imports, attributes and plain values."""
    parsed = ast.parse(path.read_text(encoding="utf-8"))
    return tuple(node for node in ast.walk(parsed) if isinstance(node, SEEN))


def trees(said: str) -> Iterator[tuple[str, ast.AST]]:
    """The same of all files in whose text a pattern occurs: to parse all takes seconds."""
    for path in sorted(SOURCE.rglob("*.py")):
        if re.search(said, path.read_text(encoding="utf-8")):
            name = path.relative_to(SOURCE).as_posix()
            yield from ((name, node) for node in tree(path))


def one_of(words: Iterable[str]) -> str:
    return rf"\b(?:{'|'.join(sorted(words))})\b"


def asked_for(node: ast.AST) -> Iterator[str]:
    """The names of some systems only that a piece of code asks for."""
    if isinstance(node, ast.Import):
        yield from (one.name for one in node.names if one.name in MODULES)
    elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
        yield node.module
    elif isinstance(node, ast.Attribute) and node.attr in NAMES:
        yield node.attr
    elif isinstance(node, ast.Attribute) and node.attr in OF_OS:
        if isinstance(node.value, ast.Name) and node.value.id == "os":
            yield node.attr
    elif isinstance(node, ast.keyword) and node.arg in NAMES:
        yield node.arg


def test_what_only_some_systems_have_is_asked_for_where_a_reason_is_given() -> None:
    words = MODULES | NAMES | {f"os\\.{name}" for name in OF_OS}
    found = {(file, name) for file, node in trees(one_of(words)) for name in asked_for(node)}
    assert found == set(ALLOWED)


def test_places_of_one_system_are_named_where_a_reason_is_given() -> None:
    found = {
        (file, node.value)
        for file, node in trees(SYSTEM_PATH.pattern.replace("(/|$)", r"\b"))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and SYSTEM_PATH.match(node.value)
    }
    assert found == set(PLACES)


def without_encoding(node: ast.AST) -> bool:
    """Whether a call reads or writes text in the encoding that the system happens to have."""
    if not isinstance(node, ast.Call) or any(one.arg == "encoding" for one in node.keywords):
        return False
    called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    called = node.func.id if isinstance(node.func, ast.Name) else called
    if called in TEXT:
        return len(node.args) <= TEXT[called]
    if called in {"run", "Popen", "check_output"}:
        return any(one.arg in {"text", "universal_newlines"} for one in node.keywords)
    if called in {"open", "fdopen"}:
        modes = [one.value for one in (*node.args, *node.keywords) if isinstance(one, ast.Constant)]
        return called == "fdopen" and not any("b" in str(mode) for mode in modes)
    return False


def test_text_is_read_and_written_in_a_named_encoding() -> None:
    words = {*TEXT, "run", "Popen", "check_output", "open", "fdopen"}
    found = {file for file, node in trees(one_of(words)) if without_encoding(node)}
    assert found <= {"cli/screen.py"}  # it opens the device that swallows everything


def test_dates_are_formatted_as_every_system_can() -> None:
    formats = [
        (file, node.value)
        for file, node in trees("%[-#_^]")
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.search(r"%[-#_^][dmHMSyjeI]", node.value)
    ]
    assert not formats


def test_names_of_files_that_are_made_hold_nothing_that_windows_forbids() -> None:
    assert re.fullmatch(r"[\w-]+", new_id())
