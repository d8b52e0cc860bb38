"""Three nodes in network namespaces of their own, so that the network between them can be cut.

Each node has two interfaces: one to the others, over a bridge, and one to those who ask.
"""

import contextlib
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from secrets import token_hex

from scripts.opensearch_for_tests.cluster import Cluster
from scripts.opensearch_for_tests.server import Server

AMONG = "10.213.77"  # the nodes, among themselves
ASKED = ["10.214.77.2", "10.214.77.6", "10.214.77.10"]  # each node, by those who ask
QUICK = {  # nodes miss each other after seconds, not after half a minute
    f"cluster.fault_detection.{whom}_check.{what}": value
    for whom in ("follower", "leader")
    for what, value in (("timeout", "2s"), ("retry_count", "2"), ("interval", "1s"))
}


def ip(*words: str, ignore: bool = False) -> None:
    """The command of that name."""
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    assert ignore or not done.returncode, f"ip {' '.join(words)}: {done.stderr}"


def possible() -> bool:
    """Whether this user may make namespaces of networks."""
    if not shutil.which("ip"):
        return False
    name = f"fanshu{token_hex(3)}"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True)
    ip("netns", "del", name, ignore=True)
    return made.returncode == 0


class Apart(Cluster):
    """A cluster whose nodes can be cut off from each other, and stay there for who asks."""

    def __init__(self, folder: Path, cache: Path) -> None:
        super().__init__(folder, cache=cache)
        self.mark = token_hex(2)

    @property
    def urls(self) -> list[str]:
        pairs = zip(ASKED, self.state.members, strict=False)
        return [f"http://{host}:{member.http}" for host, member in pairs]

    def space(self, number: int) -> str:
        """The namespace of a node."""
        return f"fanshu{self.mark}n{number}"

    def cut(self, number: int) -> None:
        """Nothing comes through between a node and the others; nobody is told."""
        ip("link", "set", f"f{self.mark}b{number}", "down")

    def mend(self, number: int) -> None:
        """Everything comes through again."""
        ip("link", "set", f"f{self.mark}b{number}", "up")

    def _command(self, number: int, server: Server, options: Sequence[str]) -> list[str]:
        command = super()._command(number, server, options)
        return ["ip", "netns", "exec", self.space(number), *command]

    def _settings(self, number: int) -> dict[str, str]:
        settings = super()._settings(number)
        del settings["network.host"]
        seeds = [f"{AMONG}.{n}:{one.transport}" for n, one in enumerate(self.state.members, 1)]
        return settings | {
            "http.host": ASKED[number - 1],
            "transport.host": f"{AMONG}.{number}",
            "discovery.seed_hosts": ",".join(seeds),
        }

    @contextlib.contextmanager
    def network(self) -> Iterator[None]:
        """Its namespaces and interfaces, while the block runs."""
        bridge = f"f{self.mark}br"
        try:
            ip("link", "add", bridge, "type", "bridge")
            ip("link", "set", bridge, "up")
            for number in (1, 2, 3):
                self._connect(number, bridge)
            yield
        finally:
            for number in (1, 2, 3):
                ip("netns", "del", self.space(number), ignore=True)
            ip("link", "del", bridge, ignore=True)

    def _connect(self, number: int, bridge: str) -> None:
        space, asked = self.space(number), ASKED[number - 1]
        ip("netns", "add", space)
        ip("-n", space, "link", "set", "lo", "up")
        first, last = asked.rsplit(".", 1)
        for outside, inside, own in (
            (f"f{self.mark}b{number}", "among", f"{AMONG}.{number}/24"),
            (f"f{self.mark}a{number}", "asked", f"{asked}/30"),
        ):
            ip("link", "add", outside, "type", "veth", "peer", "name", inside, "netns", space)
            ip("-n", space, "addr", "add", own, "dev", inside)
            ip("-n", space, "link", "set", inside, "up")
            ip("link", "set", outside, "up")
        ip("link", "set", f"f{self.mark}b{number}", "master", bridge)
        ip("addr", "add", f"{first}.{int(last) - 1}/30", "dev", f"f{self.mark}a{number}")
