"""The server, put together once from its Maven artifacts and kept in a cache folder."""

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
MAIN = "TestNode"
SOURCES = (HERE / "pom.xml", HERE / f"{MAIN}.java")
OLDEST_JAVA = 17
PAUSES = (10.0, 30.0)  # seconds before Maven is asked again: a registry has hiccups


class ClusterError(Exception):
    """What went wrong, and what to do, in a sentence or two."""


class Missing(ClusterError):
    """A program is missing that the server needs."""


def cache_folder() -> Path:
    """Where built servers are kept, and the cluster that is started without a folder."""
    own = os.environ.get("FANSHU_OPENSEARCH_HOME")
    general = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(own or Path(general, "fanshu-opensearch")).absolute()


def java(program: str = "java") -> str:
    """The path of java, or of another program of the JDK."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(program, path=str(Path(home, "bin"))) if home else shutil.which(program)
    if not found:
        raise Missing(
            f"OpenSearch needs Java {OLDEST_JAVA} or later with its compiler, and there is no "
            f"`{program}` {'below JAVA_HOME' if home else 'on the path'}. "
            "On Debian: apt-get install default-jdk-headless"
        )
    return found


@dataclass(frozen=True, slots=True)
class Server:
    """A server that was built: its classes, and an archive that makes them load faster."""

    folder: Path
    java: str

    @property
    def classes(self) -> str:
        return str(self.folder / "lib" / "*")

    @property
    def archive(self) -> Path:
        return self.folder / "classes.jsa"


def build(cache: Path, prepare: Callable[[Server], None]) -> Server:
    """The server as the sources here describe it; built, and prepared, unless that was done.

    Missing: there is no Java, or for the first time no Maven. ClusterError: what either said.
    """
    program = java()
    version = subprocess.run([program, "-version"], capture_output=True, text=True, check=True)
    demand_java(version.stderr)
    key = hashlib.sha256(version.stderr.encode())
    for source in SOURCES:
        key.update(source.name.encode() + source.read_bytes())
    server = Server(cache / "servers" / key.hexdigest()[:16], program)
    ready = server.folder / "ready"
    with _locked(cache / "build.lock"):
        if not ready.exists():
            shutil.rmtree(server.folder, ignore_errors=True)
            _fetch_and_compile(server)
            prepare(server)
            ready.touch()
    return server


def demand_java(version: str) -> None:
    """Missing: what `java -version` says is too old."""
    number = re.search(r'version "(\d+)', version)
    if number is None or int(number[1]) < OLDEST_JAVA:
        raise Missing(
            f"OpenSearch needs Java {OLDEST_JAVA} or later; name another by JAVA_HOME. "
            f"This one says: {version.strip()}"
        )


def _fetch_and_compile(server: Server) -> None:
    compiler, archiver, maven = java("javac"), java("jar"), shutil.which("mvn")
    if maven is None:
        raise Missing(
            "The first start fetches OpenSearch by Maven, and there is no `mvn` on the path. "
            "On Debian: apt-get install maven"
        )
    lib, classes = server.folder / "lib", server.folder / "classes"
    lib.mkdir(parents=True)
    fetch = ("dependency:copy-dependencies", f"-DoutputDirectory={lib}")
    step(
        [maven, "-q", "-B", "-f", str(HERE / "pom.xml"), *fetch],
        "Maven did not fetch OpenSearch",
        pauses=PAUSES,
    )
    step(
        [compiler, "-cp", server.classes, "-d", str(classes), str(HERE / f"{MAIN}.java")],
        "The node did not compile",
    )
    step(
        [archiver, "cf", str(lib / f"{MAIN}.jar"), "-C", str(classes), "."],
        "The node was not packed",
    )


def step(command: Sequence[str], failed: str, *, pauses: Sequence[float] = ()) -> None:
    """Run a command, after each of the `pauses` (seconds) once more when it failed.

    ClusterError: what it said the last time.
    """
    for pause in (*pauses, None):
        run = subprocess.run(command, capture_output=True, text=True)
        if not run.returncode:
            return
        if pause is not None:
            time.sleep(pause)
    said = (run.stdout + run.stderr).strip().splitlines()
    raise ClusterError("\n".join([f"{failed}.", *said[-15:]]))


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
