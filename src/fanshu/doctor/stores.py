"""A look at a store of other machines: whether it answers, how it is, and who indexes what."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from fanshu.cluster.address import Address
from fanshu.doctor.findings import Finding, some
from fanshu.errors import ConfigError, FanshuError, StoreError, StoreRefused
from fanshu.library.library import Library
from fanshu.settings import Settings
from fanshu.stores import open_client

if TYPE_CHECKING:
    from opensearchpy import OpenSearch

FULL_PERCENT = 85  # where OpenSearch puts no more on a disk, unless told otherwise
SHARDS_PER_NODE = 1_000  # the same for parts of indices
FEW_SHARDS = 20
HERE = ("127.0.0.1", "localhost", "::1")


def reached(settings: Settings) -> Iterator[Finding]:
    """How the store is, as far as its user may know."""
    try:
        client, address = open_client(settings)
        info = client.info()
    except ConfigError as error:
        yield Finding("index", "store_away", "attention", {"why": error}, ("store",))
        return
    except FanshuError as error:
        wrong = ("store", "store_user") if isinstance(error, StoreRefused) else ("store",)
        yield Finding("index", "store_away", "attention", {"why": error}, wrong)
        return
    version = info.get("version", {}).get("number", "?")
    yield Finding("index", "store_ok", values={"address": address, "version": version})
    yield from _login(address, settings)
    yield from _health(client, address)
    yield from _disks(client)


def _login(address: Address, settings: Settings) -> Iterator[Finding]:
    known = settings.store_user or address.user
    if known and not address.tls and any(host not in HERE for host, _ in address.hosts):
        yield Finding("index", "store_open_line", "attention", settings=("store",))
    if address.password:
        yield Finding("index", "store_login_shown", "note", settings=("store_password_file",))


def _health(client: "OpenSearch", address: Address) -> Iterator[Finding]:
    try:
        health = client.cluster.health()
        ours = client.cat.indices(index=f"{address.name}-*", params={"format": "json"})
    except StoreError:  # a user of one library need not know of the others
        return
    colours = {str(one.get("health")) for one in ours}
    nodes = int(health.get("number_of_data_nodes", 0))
    if "red" in colours:
        yield Finding("index", "store_red", "attention", {"nodes": nodes})
    elif "yellow" in colours:
        yield Finding("index", "store_yellow", "note", {"nodes": nodes}, ("store_replicas",))
    free = SHARDS_PER_NODE * nodes - int(health.get("active_shards", 0))
    if free < FEW_SHARDS:
        yield Finding("index", "store_shards", "attention", {"free": max(0, free)})


def _disks(client: "OpenSearch") -> Iterator[Finding]:
    try:
        rows: list[Mapping[str, Any]] = client.cat.allocation(params={"format": "json"})
    except StoreError:
        return
    full = [
        f"{one.get('node')} ({one.get('disk.percent')} %)"
        for one in rows
        if int(one.get("disk.percent") or 0) >= FULL_PERCENT
    ]
    if full:
        yield Finding("index", "store_disk", "attention", {"nodes": some(full)})


def roots(library: Library) -> Iterator[Finding]:
    """Roots of other machines that nobody has compared for too long."""
    for one in library.registry.stale() if library.registry else ():
        values = {"root": one.key or "-", "host": one.host, "path": one.path or "-"}
        yield Finding("index", "store_root_stale", "note", values)
