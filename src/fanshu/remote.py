"""Settings become a library in a store of other machines."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from fanshu.library.files import Root
from fanshu.library.locations import Remote, SharedStore
from fanshu.library.registry import Registry
from fanshu.settings import Settings
from fanshu.stores import open_client, open_shared

if TYPE_CHECKING:
    from opensearchpy import OpenSearch


def location(
    settings: Settings, roots: Sequence[Root], on_wait: Callable[[], None] | None = None
) -> Remote:
    """Where the library of these settings is. Whoever names no roots only asks.

    Raises: ConfigError, ExtraMissing; nothing is asked of the store yet.
    """
    client, address = open_client(settings)
    shared = open_shared(settings)
    assert shared is not None  # noqa: S101 - it is where there is a client
    registry = Registry(shared.records, str(address), roots, on_wait=on_wait)
    return Remote(partial(_open, settings, client, address.name, not roots), registry)


def _open(
    settings: Settings,
    client: "OpenSearch",
    name: str,
    read_only: bool,
    root_of: Callable[[str], str],
) -> SharedStore:
    from fanshu.library.opensearch.store import OpenSearchStore

    return OpenSearchStore(
        client,
        name,
        shards=settings.store_shards,
        replicas=settings.store_replicas,
        read_only=read_only,
        root_of=root_of,
    )
