"""A cluster in a folder: its nodes are started, stopped, killed, halted and waited for."""

import contextlib
import hashlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .server import HERE, MAIN, ClusterError, Server, build, cache_folder

START_SECONDS = 180  # an idle machine takes 4 for one node, 10 for three
STOP_SECONDS = 30
FREE_PORTS = range(20000, 32000)  # below those that systems hand out to callers
JVM = {
    # Starts in half the CPU; the code stays slower than it could be.
    "tests": ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
    "measuring": (),
}
SETTINGS = {
    "network.host": "127.0.0.1",
    "node.processors": "2",
    "cluster.routing.allocation.disk.threshold_enabled": "false",  # a full disk is no test's fault
    "cluster.max_shards_per_node": "5000",
}
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # loopback has no proxy


def server_in(cache: Path) -> Server:
    """The server of this machine, built where it was not.

    One node is started and stopped for an archive of all classes that it loads: with it the others
    start in half the CPU time.
    """

    def prepare(server: Server) -> None:
        trial = Cluster(server.folder / "trial", server=server)
        trial.bring_up(options=[f"-XX:ArchiveClassesAtExit={server.archive}"])
        trial.shut_down(seconds=120)
        shutil.rmtree(trial.folder)

    return build(cache, prepare)


@dataclass(slots=True)
class Member:
    """One node: its ports, and the process that it runs in (0: none) with the time that began."""

    http: int
    transport: int
    pid: int = 0
    begun: str = ""


@dataclass(slots=True)
class State:
    """What stands in cluster.json."""

    heap: str = "512m"
    jvm: str = "tests"
    settings: dict[str, str] = field(default_factory=dict)
    ends_with: int = 0
    members: list[Member] = field(default_factory=list)


class Cluster:
    """The cluster of a folder. Nodes are counted from 1, and keep their ports and data."""

    def __init__(self, folder: Path, *, cache: Path | None = None, server: Server | None = None):
        self.folder = folder.absolute()
        self._cache = cache or cache_folder()
        self._server = server

    # -- what there is

    @property
    def state(self) -> State:
        """What cluster.json says now: others may stop and start nodes as well."""
        try:
            kept = json.loads((self.folder / "cluster.json").read_text("utf-8"))
        except FileNotFoundError:
            return State()
        return State(**kept | {"members": [Member(**one) for one in kept["members"]]})

    @property
    def urls(self) -> list[str]:
        return [f"http://127.0.0.1:{member.http}" for member in self.state.members]

    def running(self, number: int) -> bool:
        """Whether a node has a process; a paused one has."""
        return self.process(number) != 0

    def process(self, number: int) -> int:
        """The process of a node; 0 when it has none."""
        member = self._member(number)
        return member.pid if member.pid and _begun(member.pid) == member.begun != "" else 0

    def log(self, number: int) -> Path:
        return self.folder / "logs" / f"node-{number}.log"

    # -- all nodes

    def bring_up(
        self,
        nodes: int = 1,
        *,
        port: int = 0,
        heap: str = "512m",
        jvm: str = "tests",
        settings: dict[str, str] | None = None,
        options: Sequence[str] = (),
        ends_with: int = 0,
    ) -> None:
        """Starts what does not run yet, and waits until all answer; data is kept between starts.

        `port` is that of the first node over HTTP, others follow; 0 keeps what the folder had, or
        takes free ones. The nodes end when the process `ends_with` does. `options` are the JVM's.
        Where some nodes run, the others are started as those were.
        """
        old = self.state.members
        if old and len(old) != nodes:
            raise ClusterError(
                f"{self.folder} holds a cluster of {len(old)}; for another: stop --delete."
            )
        server = self._server = self._server or server_in(self._cache)
        if not any(map(self.running, self._numbers())):  # else the others are to be like those
            members = old or _ports(nodes, port)
            self._keep(State(heap, jvm, settings or {}, ends_with, members))
        try:
            for number in self._numbers():
                if not self.running(number):
                    self._launch(number, server, options)
            self.wait()
        except BaseException:
            self.shut_down()
            raise

    def shut_down(self, *, seconds: float = STOP_SECONDS) -> None:
        """Ends all nodes, also paused ones; by force when they take longer than `seconds`."""
        pids = [pid for number in self._numbers() if (pid := self.process(number))]
        for pid in pids:
            for sign in (signal.SIGTERM, signal.SIGCONT):
                _send(pid, sign)
        ended = _until(lambda: not any(map(self.running, self._numbers())), seconds)
        if not ended:
            for number in self._numbers():
                self.kill(number)
        for number in self._numbers():
            self._record(number, 0)

    def delete(self) -> None:
        """Stops the cluster and removes its folder."""
        self.shut_down()
        shutil.rmtree(self.folder, ignore_errors=True)

    def wait(self, status: str = "yellow", *, seconds: float = START_SECONDS) -> None:
        """Waits until every node sees all others, and the shards are as said: red, yellow, green.

        ClusterError: a node has ended, or it took too long.
        """
        count = len(self.state.members)
        wanted = f"/_cluster/health?wait_for_nodes={count}&wait_for_status={status}"
        wanted += "&timeout=1s&cluster_manager_timeout=1s"

        def ready() -> bool:
            for number in self._numbers():
                if not self.running(number):
                    raise ClusterError(f"Node {number} has ended.\n{self._last_words(number)}")
            return all(answers(url + wanted) for url in self.urls)

        if not _until(ready, seconds):
            raise ClusterError(
                f"The cluster was not {status} with {count} nodes within {seconds:g} s; its logs: "
                f"{self.folder / 'logs'}"
            )

    def wait_green(self, *, seconds: float = START_SECONDS) -> None:
        """Waits until all nodes are there and every copy of every shard is."""
        self.wait("green", seconds=seconds)

    # -- one node

    def start(self, number: int) -> None:
        """Starts a node that was stopped or killed; `wait` says when it is back."""
        if self.running(number):
            return
        self._server = self._server or server_in(self._cache)
        self._launch(number, self._server)

    def stop(self, number: int, *, seconds: float = STOP_SECONDS) -> None:
        """Ends a node as an operator would."""
        self._end(number, signal.SIGTERM, seconds)

    def kill(self, number: int) -> None:
        """Ends a node as a lost machine would (SIGKILL)."""
        self._end(number, signal.SIGKILL, STOP_SECONDS)

    def pause(self, number: int) -> None:
        """Halts a node: its connections stay open and nothing is answered (SIGSTOP)."""
        self._signal(number, signal.SIGSTOP)

    def resume(self, number: int) -> None:
        """Lets a halted node go on."""
        self._signal(number, signal.SIGCONT)

    def restore(self, *, seconds: float = START_SECONDS) -> None:
        """Resumes and starts whatever does not run, and waits until all are back."""
        for number in self._numbers():
            if pid := self.process(number):
                _send(pid, signal.SIGCONT)
            else:
                self.start(number)
        self.wait("red", seconds=seconds)

    # -- within

    def _numbers(self) -> range:
        return range(1, len(self.state.members) + 1)

    def _member(self, number: int) -> Member:
        if number not in self._numbers():
            raise ClusterError(f"There is no node {number} in {self.folder}.")
        return self.state.members[number - 1]

    def _home(self, number: int) -> Path:
        return self.folder / f"node-{number}"

    def _launch(self, number: int, server: Server, options: Sequence[str] = ()) -> None:
        home, log = self._home(number), self.log(number)
        for folder in (home / "config", home / "tmp", log.parent):
            folder.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as said:
            pid = subprocess.Popen(
                self._command(number, server, options),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                cwd=home,
                start_new_session=True,  # Ctrl-C of the caller is not for the nodes
            ).pid
        self._record(number, pid)

    def _command(self, number: int, server: Server, options: Sequence[str]) -> list[str]:
        home, state = self._home(number), self.state
        command = [server.java, f"-Xms{state.heap}", f"-Xmx{state.heap}", *JVM[state.jvm]]
        command += ["-XX:-UsePerfData", "-Xlog:cds=off", *options]
        if server.archive.exists():
            command += ["-Xshare:auto", f"-XX:SharedArchiveFile={server.archive}"]
        properties: dict[str, object] = {
            "java.io.tmpdir": home / "tmp",
            "opensearch.path.home": home,
            "log4j2.configurationFile": HERE / "log4j2.properties",
        }
        if state.ends_with:
            properties["fanshu.while"] = state.ends_with
        command += [f"-D{name}={value}" for name, value in properties.items()]
        settings = self._settings(number) | state.settings
        return [*command, "-cp", server.classes, MAIN, *map("=".join, settings.items())]

    def _settings(self, number: int) -> dict[str, str]:
        home, members = self._home(number), self.state.members
        settings = SETTINGS | {
            "path.home": str(home),
            "path.data": str(home / "data"),
            "path.logs": str(self.folder / "logs"),
            "path.repo": str(self.folder / "snapshots"),
            "cluster.name": f"fanshu-{hashlib.sha256(str(self.folder).encode()).hexdigest()[:8]}",
            "node.name": f"node-{number}",
            "http.port": str(members[number - 1].http),
            "transport.port": str(members[number - 1].transport),
        }
        if len(members) == 1:
            return settings | {"discovery.type": "single-node"}
        return settings | {
            "discovery.seed_hosts": ",".join(f"127.0.0.1:{one.transport}" for one in members),
            "cluster.initial_cluster_manager_nodes": ",".join(
                f"node-{one}" for one in self._numbers()
            ),
        }

    def _end(self, number: int, sign: signal.Signals, seconds: float) -> None:
        if pid := self.process(number):
            for each in (sign, signal.SIGCONT):
                _send(pid, each)
            if not _until(lambda: not self.running(number), seconds):
                raise ClusterError(f"Node {number} (process {pid}) did not end in {seconds:g} s.")
        self._record(number, 0)

    def _signal(self, number: int, sign: signal.Signals) -> None:
        pid = self.process(number)
        if not pid:
            raise ClusterError(f"Node {number} does not run.")
        _send(pid, sign)

    def _last_words(self, number: int) -> str:
        with contextlib.suppress(OSError):
            return "\n".join(self.log(number).read_text("utf-8", "replace").splitlines()[-15:])
        return ""

    def _record(self, number: int, pid: int) -> None:
        state = self.state
        member = state.members[number - 1]
        member.pid, member.begun = pid, _begun(pid) if pid else ""
        self._keep(state)

    def _keep(self, state: State) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        new = self.folder / "cluster.json.new"
        new.write_text(json.dumps(asdict(state), indent=1) + "\n", "utf-8")
        new.replace(self.folder / "cluster.json")
        (self.folder / "urls").write_text("".join(f"{url}\n" for url in self.urls))


def _ports(nodes: int, first: int) -> list[Member]:
    if not first:
        chosen = [port for port in random.sample(FREE_PORTS, 200) if _is_free(port)][: 2 * nodes]
        return [
            Member(http, transport) for http, transport in zip(*[iter(chosen)] * 2, strict=True)
        ]
    members = [Member(first + one, first + 100 + one) for one in range(nodes)]
    for port in (port for one in members for port in (one.http, one.transport)):
        if not _is_free(port):
            raise ClusterError(
                f"Port {port} is in use; name another first one with --port, or 0 for free ones."
            )
    return members


def _is_free(port: int) -> bool:
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def answers(url: str) -> bool:
    """Whether an address is answered with 200 OK."""
    try:
        with DIRECT.open(url, timeout=10) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False


def _until(true: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def _send(pid: int, sign: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, sign)


def _begun(pid: int) -> str:
    """When a process began, which tells it from a later one of its number; empty: it has ended."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)  # one of ours stays in the table until somebody asks
    place = Path("/proc", str(pid))
    if not Path("/proc/self").exists():
        command = ["ps", "-o", "state=,lstart=", "-p", str(pid)]
        said = subprocess.run(command, capture_output=True, text=True).stdout.strip()
        return "" if said.startswith("Z") else said[1:].lstrip("+<Nsl ")
    try:
        state, *rest = (place / "stat").read_text().rpartition(")")[2].split()
        ended = state in "ZX" and len(list((place / "task").iterdir())) <= 1
    except OSError:
        return ""
    return "" if ended else rest[18]
