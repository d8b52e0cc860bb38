"""The command `scripts/opensearch`."""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from . import __doc__ as about
from .cluster import JVM, Cluster, answers, server_in
from .server import ClusterError, cache_folder


def main(arguments: Sequence[str] | None = None) -> int:
    wanted = _parser().parse_args(arguments)
    try:
        return int(wanted.run(wanted) or 0)
    except ClusterError as error:
        print(error, file=sys.stderr)
        return 1


def _start(wanted: argparse.Namespace) -> None:
    cluster = Cluster(wanted.folder)
    settings = dict(one.split("=", 1) for one in wanted.setting)
    began = time.monotonic()
    cluster.bring_up(
        wanted.nodes, port=wanted.port, heap=wanted.heap, jvm=wanted.jvm, settings=settings
    )
    print(*cluster.urls, sep="\n")
    print(f"ready after {time.monotonic() - began:.1f} s, in {cluster.folder}", file=sys.stderr)


def _stop(wanted: argparse.Namespace) -> None:
    cluster = Cluster(wanted.folder)
    if wanted.delete:
        cluster.delete()
    else:
        cluster.shut_down()


def _status(wanted: argparse.Namespace) -> int:
    cluster = Cluster(wanted.folder)
    running = 0
    for number, url in enumerate(cluster.urls, 1):
        pid = cluster.process(number)
        running += bool(pid)
        does = "answers" if pid and answers(url) else "does not answer" if pid else "is stopped"
        print(f"node {number}  {url}  {f'process {pid} ' if pid else ''}{does}")
    if not running:
        print(f"Nothing runs in {cluster.folder}.", file=sys.stderr)
    return 0 if running else 3


def _node(wanted: argparse.Namespace) -> None:
    cluster = Cluster(wanted.folder)
    actions = {
        "stop": cluster.stop,
        "kill": cluster.kill,
        "pause": cluster.pause,
        "resume": cluster.resume,
        "start": cluster.start,
    }
    actions[wanted.action](wanted.number)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="opensearch", description=about)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(
        name: str, run: Callable[[argparse.Namespace], int | None], what: str
    ) -> argparse.ArgumentParser:
        one = commands.add_parser(name, help=what, description=what)
        one.add_argument("--folder", type=Path, default=cache_folder() / "default", metavar="DIR")
        one.set_defaults(run=run)
        return one

    start = command(
        "start", _start, "start a cluster, or go on with a stopped one; prints its URLs"
    )
    start.add_argument("--nodes", type=int, choices=(1, 3), default=1)
    start.add_argument(
        "--port", type=int, default=9200, metavar="NUMBER", help="of the first node; 0: free ones"
    )
    start.add_argument(
        "--heap", default="512m", metavar="SIZE", help="memory of each node's objects"
    )
    start.add_argument("--jvm", choices=sorted(JVM), default="tests", help="quick start, or speed")
    start.add_argument("--setting", action="append", default=[], metavar="NAME=VALUE")
    stop = command("stop", _stop, "stop all nodes")
    stop.add_argument("--delete", action="store_true", help="and remove the folder with all data")
    command("status", _status, "say what runs; exit status 3: nothing")
    command(
        "build",
        lambda _: print(server_in(cache_folder()).folder),
        "build the server, start nothing",
    )
    node = command("node", _node, "do something to one node, for trials of faults")
    node.add_argument("number", type=int)
    node.add_argument("action", choices=("stop", "kill", "pause", "resume", "start"))
    return parser


if __name__ == "__main__":
    sys.exit(main())
