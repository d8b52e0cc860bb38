"""Waiting until something changes in the folders of a library."""

from collections.abc import Iterator, Sequence
from threading import Event

from fanshu.library.files import Root
from fanshu.library.placing import network_filesystem


def changes(roots: Sequence[Root], stop: Event | None = None) -> Iterator[None]:
    """One item whenever files below the roots have changed and come to rest.

    Network drives do not tell of changes made elsewhere and are polled. Ends when `stop` is
    set. Raises: FileNotFoundError — a root is gone.
    """
    from watchfiles import watch

    paths = [root.path for root in roots]
    poll = any(network_filesystem(path) for path in paths)
    for _ in watch(
        *paths,
        force_polling=poll or None,
        ignore_permission_denied=True,
        raise_interrupt=True,
        stop_event=stop,
    ):
        yield
