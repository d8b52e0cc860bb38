"""Another process at the same store: `python -m tests.stores.worker ACTION ADDRESS INDEX DOCS …`.

It opens what it needs, says "ready", and begins when a line comes in.
"""

import os
import signal
import sys
from pathlib import Path

from fanshu.library.library import Library, Progress
from tests.stores.places import of_chunks, open_library, open_store


def sync(library: Library) -> None:
    """Compare and index; say how many files were read, removed and renamed."""
    report = library.sync()
    print(report.parsed, report.removed, report.renamed)  # noqa: T201


def sync_and_die(library: Library, after: int) -> None:
    """The same, killed once so many files are ready for the store."""

    def killed(progress: Progress) -> None:
        if progress.done == after:
            os.kill(os.getpid(), signal.SIGKILL)

    library.sync(killed)


def sync_and_hold(library: Library) -> None:
    """The same, halting in the middle until a line comes in."""
    library.sync(lambda _: ready("holding"))


def sync_and_search(library: Library, words: str) -> None:
    """The same, and say where words are found."""
    sync(library)
    print(*sorted(hit.chunk_id for hit in library.search(words).hits))  # noqa: T201


def put(address: str, path: str, name: str, rounds: int) -> None:
    """Write a document over and over, each time whole, and another one each time."""
    store = open_store(address)
    ready()
    for number in range(rounds):
        parts = (f"{name} edition{number} part{n}" for n in range(3))
        with store.write() as writer:
            writer.put(*of_chunks(f"{path}.md", *parts))
            writer.put(*of_chunks(f"{name}/{number}.md", f"single {name}"))
    store.close()


def die_writing(address: str, after: int) -> None:
    """Die inside a transaction, so many documents into it."""
    store = open_store(address)
    ready()
    with store.write() as writer:
        for number in range(after):
            writer.put(*of_chunks(f"half{number}.md", "half of it"))
        os.kill(os.getpid(), signal.SIGKILL)


def ready(said: str = "ready") -> None:
    print(said, flush=True)  # noqa: T201
    sys.stdin.readline()


def main() -> None:
    action, address, index, docs, *more = sys.argv[1:]
    if action == "put":
        put(address, more[0], more[1], int(more[2]))
        return
    if action == "die_writing":
        die_writing(address, int(more[0]))
        return
    library = open_library(address, Path(docs), Path(index))
    ready()
    if action == "sync":
        sync(library)
    elif action == "sync_and_die":
        sync_and_die(library, int(more[0]))
    elif action == "sync_and_hold":
        sync_and_hold(library)
    elif action == "sync_and_search":
        sync_and_search(library, more[0])
    library.close()


if __name__ == "__main__":
    main()
