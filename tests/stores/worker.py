"""Another process at the same store: `python -m tests.stores.worker ACTION ADDRESS INDEX DOCS …`.

It opens what it needs, says "ready", and begins when a line comes in.
"""

import os
import signal
import sys
from pathlib import Path

from fanshu.library.library import Library, Progress
from tests.stores.places import of_chunks, open_library, open_store

ROUNDS = 20


def sync(library: Library) -> None:
    """Compare and index; say how many files were read, removed and renamed."""
    report = library.sync()
    print(report.parsed, report.removed, report.renamed)


def sync_and_die(library: Library, after: int) -> None:
    """The same, killed once so many files are ready for the store."""

    def killed(progress: Progress) -> None:
        if progress.done == after:
            os.kill(os.getpid(), signal.SIGKILL)

    library.sync(killed)


def search(library: Library, words: str) -> None:
    """Say where words are found."""
    print(*sorted(hit.chunk_id for hit in library.search(words).hits))


def put(address: str, name: str, rounds: int) -> None:
    """Write a document of this name over and over, each time whole, and another one each time."""
    store = open_store(address)
    ready()
    for number in range(rounds):
        with store.write() as writer:
            writer.put(
                *of_chunks(f"{name}.md", *(f"{name} edition{number} part{n}" for n in range(3)))
            )
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


def ready() -> None:
    print("ready", flush=True)
    sys.stdin.readline()


def main() -> None:
    action, address, index, docs, *more = sys.argv[1:]
    if action == "put":
        put(address, more[0], int(more[1]))
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
    elif action == "search":
        search(library, more[0])
    library.close()


if __name__ == "__main__":
    main()
