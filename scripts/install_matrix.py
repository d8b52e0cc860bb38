"""Install fanshu from a folder of wheels, without a network, in clean environments; try it there.

python scripts/install_matrix.py                            with this interpreter
python scripts/install_matrix.py --python python3.12 …      with others, one row each
python scripts/install_matrix.py --tools                    by `uv tool install` and pipx as well

Per interpreter: the wheel is built from the source archive, all packages of the extras are
downloaded into a folder (by pip's own settings, so through a mirror where one is set), the
network is taken away, and all the rest happens without it: a new environment, the installation
and every check. It needs nothing but pip and an index. Prints a table; exit code 1 when anything
failed, 3 when the download did.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples" / "library"
QUESTION = "At which disk usage does monitoring raise a critical alert?"
EXTRAS = "serve,mcp"
BUILT_BY = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
PIP = ("-m", "pip", "install", "-q", "--no-index", "--find-links")
PATIENCE = 300  # seconds for any one step, on a busy machine
DEAD = "http://127.0.0.1:9"  # the discard port: nobody listens there
NO_DOWNLOAD = 3
LOOPBACK_UP = (  # a new network namespace has a loopback that is down
    "import fcntl, os, socket, struct, sys; "
    "fcntl.ioctl(socket.socket(), 0x8914, struct.pack('16sh14x', b'lo', 0x41)); "
    "os.execvp(sys.argv[1], sys.argv[1:])"
)
SERVE = """
import json, re, subprocess, sys, urllib.request
served = subprocess.Popen([sys.argv[1], "serve", sys.argv[2], "--port", "0"],
    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8")
try:
    said = ""
    for line in served.stdout:
        said += line
        if found := re.search(r"http://127[.]0[.]0[.]1:[0-9]+", line):
            break
    else:
        sys.exit(said)
    for path in ("/healthz", "/", "/app.js"):
        with urllib.request.urlopen(found[0] + path, timeout=60) as reply:
            assert reply.status == 200 and reply.read(), path
finally:
    served.terminate()
    served.wait(30)
"""


MCP = """
import asyncio, os, sys
from mcp import Client, StdioServerParameters, stdio_client

async def main():
    command, folder = sys.argv[1:]
    served = StdioServerParameters(command=command, args=["mcp", folder], env=dict(os.environ))
    async with Client(stdio_client(served)) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
    assert "search" in names and "check_answer" in names, names

asyncio.run(main())
"""


class Failed(Exception):
    """A step that did not do what it should; the message is what was printed."""


@dataclass
class Row:
    """What came of one interpreter: a result for each step, in order."""

    python: str
    steps: dict[str, str] = field(default_factory=dict)
    failed: str = ""


def main() -> int:
    """Run all of it and print the table."""
    wanted = _arguments()
    with tempfile.TemporaryDirectory(prefix="fanshu-install-") as scratch:
        try:
            wheel = _built(Path(scratch) / "dist")
            rows = [
                row
                for number, python in enumerate(wanted.python)
                for row in _rows(python, wheel, Path(scratch) / str(number), wanted.tools)
            ]
        except ConnectionError as error:
            print(f"The packages cannot be downloaded here:\n{error}", file=sys.stderr)
            return NO_DOWNLOAD
        except Failed as error:
            print(f"The wheel cannot be built:\n{error}", file=sys.stderr)
            return 1
    print(_table(rows))
    for row in rows:
        if row.failed:
            print(f"\n{row.python}:\n{row.failed}", file=sys.stderr)
    return int(any(row.failed for row in rows))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--python", nargs="+", default=[sys.executable], metavar="PYTHON")
    parser.add_argument("--tools", action="store_true", help="by uv and pipx, too")
    wanted = parser.parse_args()
    if missing := [name for name in wanted.python if not shutil.which(name)]:
        parser.error(f"no such interpreter: {', '.join(missing)}")
    return wanted


def _built(folder: Path) -> Path:
    """The wheel, made from the source archive as whoever has only that one would make it."""
    builder = folder / "builder"
    _run([sys.executable, "-m", "venv", str(builder)])
    python = str(builder / ("Scripts" if os.name == "nt" else "bin") / "python")
    _fetched(python, folder / "needed", *BUILT_BY)
    _run([python, *PIP, str(folder / "needed"), *BUILT_BY])
    build = [python, "-m", "hatchling", "build", "-d", str(folder)]
    _run([*build, "-t", "sdist"], cwd=ROOT)
    (archive,) = folder.glob("*.tar.gz")
    shutil.unpack_archive(archive, folder, filter="data")
    _run([*build, "-t", "wheel"], cwd=folder / archive.name.removesuffix(".tar.gz"))
    (wheel,) = folder.glob("*.whl")
    return wheel


def _rows(python: str, wheel: Path, scratch: Path, tools: bool) -> Iterator[Row]:
    folder = scratch / "wheels"
    _fetched(python, folder, f"{wheel}[{EXTRAS}]")
    if tools:
        _fetched(python, folder, "uv", "pipx", "pip")  # pipx wants a pip of its own
    yield _tried(python, folder, scratch)
    if tools:
        yield _tried(python, folder, scratch, by="uv")
        yield _tried(python, folder, scratch, by="pipx")


def _fetched(python: str, folder: Path, *what: str) -> None:
    download = [python, "-m", "pip", "download", "-q", "--only-binary", ":all:", "-d"]
    done = subprocess.run(
        [*download, str(folder), *what], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise ConnectionError(done.stderr.strip())


def _tried(python: str, wheels: Path, scratch: Path, by: str = "pip") -> Row:
    home = scratch / by
    home.mkdir(parents=True)
    row = Row(_version(python) + ("" if by == "pip" else f", {by}"))
    row.steps["wheel folder"] = _weight(wheels)
    began = time.monotonic()
    try:
        with _offline(home) as run:
            row.steps["offline by"] = run.means
            fanshu = run.installed(python, wheels, by)
            row.steps["install"] = _weight(home, "site-packages")
            for name, step in STEPS.items():
                step(run, fanshu)
                row.steps[name] = "ok"
    except (Failed, OSError, ValueError, LookupError) as error:
        row.failed = f"{type(error).__name__}: {error}"
    row.steps["seconds"] = f"{time.monotonic() - began:.0f}"
    return row


@dataclass(frozen=True)
class Offline:
    """Runs programs where no network is; `means` says how that is made certain."""

    before: Sequence[str]
    means: str
    environment: dict[str, str]
    home: Path

    def __call__(self, *command: str | Path) -> str:
        """What a program printed. Raises: Failed."""
        return _run([*self.before, *map(str, command)], cwd=self.home, env=self.environment)

    def installed(self, python: str, wheels: Path, by: str) -> Path:
        """fanshu in an environment of its own, by pip, uv or pipx."""
        environment = self.home / "environment"
        self(python, "-m", "venv", environment)
        folder = environment / ("Scripts" if os.name == "nt" else "bin")
        pip = [folder / "python", *PIP]
        wanted = f"fanshu[{EXTRAS}]"
        if by == "pip":
            self(*pip, wheels, wanted)
            return folder / "fanshu"
        self(*pip, wheels, by)
        how = [folder / by, *TOOLS[by], python, wanted]
        self(*(str(part).replace("WHEELS", str(wheels)) for part in how))
        return self.home / "tools" / "bin" / "fanshu"


TOOLS = {
    "uv": ["tool", "install", "-q", "--offline", "--no-index", "--find-links", "WHEELS", "-p"],
    "pipx": ["install", "-q", "--pip-args=--no-index --find-links=WHEELS", "--python"],
}


@contextmanager
def _offline(home: Path) -> Iterator[Offline]:
    """A network namespace with nothing but a loopback; where there is none, dead proxies."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "LANG") if name in os.environ}
    kept |= {"HOME": str(home), "USERPROFILE": str(home), "PIP_CONFIG_FILE": os.devnull}
    kept |= {"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "UV_OFFLINE": "1"}
    kept |= {"UV_TOOL_BIN_DIR": str(home / "tools" / "bin"), "UV_TOOL_DIR": str(home / "tools")}
    kept |= {"PIPX_BIN_DIR": str(home / "tools" / "bin"), "PIPX_HOME": str(home / "tools")}
    for part in ("DATA", "CONFIG", "CACHE"):
        kept[f"XDG_{part}_HOME"] = str(home / part.lower())
    alone = ["unshare", "--map-root-user", "--net", sys.executable, "-c", LOOPBACK_UP]
    if shutil.which("unshare") and not _status([*alone, "true"]):
        yield Offline(alone, "network namespace", kept, home)
        return
    proxies = {f"{kind}_proxy": DEAD for kind in ("http", "https", "all")}
    yield Offline([], "dead proxies", kept | proxies | {"no_proxy": "127.0.0.1"}, home)


# ---------------------------------------------------------------- what is tried


def _says_its_version(run: Offline, fanshu: Path) -> None:
    said = run(fanshu, "--version").strip()
    if not said.startswith("fanshu "):
        raise Failed(f"--version printed {said!r}")


def _imports_without_a_warning(run: Offline, fanshu: Path) -> None:
    python = _interpreter(fanshu)
    run(python, "-W", "error", "-c", "import fanshu; fanshu.ask; fanshu.Library")


def _indexes(run: Offline, fanshu: Path) -> None:
    made = json.loads(run(fanshu, "index", "--json", "--docs", EXAMPLES))
    if set(made["states"]) != {"ok"}:
        raise Failed(f"not every file was read: {made['states']}")


def _searches(run: Offline, fanshu: Path) -> None:
    found = json.loads(run(fanshu, "search", "watermark", "--json", "--docs", EXAMPLES))
    if not found["hits"]:
        raise Failed("search found nothing")


def _asks(run: Offline, fanshu: Path) -> None:
    answer = json.loads(run(fanshu, "ask", QUESTION, "--json", "--docs", EXAMPLES))
    if answer["status"] != "passages" or not answer["citations"]:
        raise Failed(f"ask came to {answer['status']}")


def _serves(run: Offline, fanshu: Path) -> None:
    run(_interpreter(fanshu), "-c", SERVE, fanshu, EXAMPLES)


def _speaks_mcp(run: Offline, fanshu: Path) -> None:
    run(_interpreter(fanshu), "-c", MCP, fanshu, EXAMPLES)


STEPS = {
    "version": _says_its_version,
    "import -W error": _imports_without_a_warning,
    "index": _indexes,
    "search": _searches,
    "ask": _asks,
    "serve": _serves,
    "mcp": _speaks_mcp,
}


def _interpreter(fanshu: Path) -> Path:
    """The interpreter of the environment that a command was installed into."""
    return fanshu.resolve().with_name("python.exe" if os.name == "nt" else "python")


# ---------------------------------------------------------------- running and showing


def _run(command: Sequence[str], **options: object) -> str:
    """What a program printed. It is ended with all its children when it takes too long."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
        start_new_session=True, **options,  # type: ignore[call-overload]
    )  # fmt: skip
    try:
        said, complaints = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()
        raise Failed(f"{_shown(command)}: more than {PATIENCE} seconds") from None
    if process.returncode:
        raise Failed(f"{_shown(command)}: {process.returncode}\n{said}\n{complaints}")
    return str(said)


def _shown(command: Sequence[str]) -> str:
    """A command without the programs that it carries."""
    return " ".join(part for part in command if "import " not in part)


def _status(command: Sequence[str]) -> int:
    return subprocess.run(command, capture_output=True, check=False).returncode


def _version(python: str) -> str:
    return _run([python, "-c", "import platform; print(platform.python_version())"]).strip()


def _weight(folder: Path, below: str = "") -> str:
    """Megabytes of the files of a folder; with `below` those that a folder of that name holds."""
    files = [
        path
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink() and below in str(path.parent)
    ]
    return f"{sum(path.stat().st_size for path in files) / 1e6:.0f} MB"


def _table(rows: Sequence[Row]) -> str:
    columns = list(dict.fromkeys(name for row in rows for name in row.steps if name != "seconds"))
    columns.append("seconds")
    lines = [["Python", *columns], ["---"] * (len(columns) + 1)]
    lines += [[row.python, *(row.steps.get(name, "failed") for name in columns)] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
