"""Where things are kept that are not the index: on this machine, or in a store that workers share.

The one place where the setting `store` chooses: whoever opens cached answers, traces or records
here asks no more which it was.
"""

import json
import threading
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from fanshu import keeping
from fanshu.cluster.sharing import Shared
from fanshu.settings import STORE, Settings, user_data
from fanshu.traces import TraceStore, traces_in

if TYPE_CHECKING:
    from opensearchpy import OpenSearch

    from fanshu.agent.entries import EntryStore
    from fanshu.cluster.address import Address

# What is one machine's own and does not count for an answer that a store has: where files are,
# and how the machine that indexes them reads them.
OWN = frozenset({"docs", "exclude", "parsers", "part_chars", "max_file_mb", "ca_file"})

_clients: "dict[str, tuple[OpenSearch, Address]]" = {}
_records: dict[str, Shared] = {}
_guard = threading.Lock()


def open_client(settings: Settings) -> "tuple[OpenSearch, Address]":
    """The connection to the store of these settings, and its address; one for all of a process.

    Nothing is asked of the store yet. Raises: ConfigError, ExtraMissing.
    """
    from fanshu.cluster.address import parse
    from fanshu.cluster.connection import Options, connect

    key = _key(settings)
    with _guard:
        if key not in _clients:
            address = parse(settings.store or "")
            options = Options(
                user=settings.store_user or "",
                password=_password(settings),
                ca_file=settings.store_ca_file,
                timeout=settings.store_timeout,
                retries=settings.store_retries,
            )
            _clients[key] = connect(address, options), address
        return _clients[key]


def _key(settings: Settings) -> str:
    secret = settings.store_password.get_secret_value() if settings.store_password else ""
    return json.dumps([(name, str(getattr(settings, name))) for name in sorted(STORE)] + [secret])


def _password(settings: Settings) -> str:
    """The password of the store's user, from wherever it is kept. Raises: ConfigError."""
    from fanshu.keys import password_from_command, password_from_file

    if settings.store_password:
        return settings.store_password.get_secret_value()
    if settings.store_password_file:
        return password_from_file(settings.store_password_file, "store_password_file")
    if settings.store_password_command:
        name = "store_password_command"
        return password_from_command(settings.store_password_command, name)
    return ""


def open_shared(settings: Settings) -> Shared | None:
    """What workers over the store of these settings share; None where it is a file here.

    Nothing is asked of the store yet. Raises: ConfigError, ExtraMissing.
    """
    if not settings.remote:
        return None
    from fanshu.cluster.opensearch_records import OpenSearchRecords

    client, address = open_client(settings)
    key = _key(settings)
    with _guard:
        if key not in _records:
            records = OpenSearchRecords(
                client, address.name, shards=1, replicas=settings.store_replicas
            )
            _records[key] = Shared(records, str(address))
        return _records[key]


def open_traces(settings: Settings) -> TraceStore:
    """The traces of this user, or of all workers over a store."""
    days, megabytes = settings.trace_days, settings.trace_mb
    if shared := open_shared(settings):
        from fanshu.shared_traces import SharedTraces

        return SharedTraces(shared.records, shared.place, days=days, megabytes=megabytes)
    return traces_in(user_data() / keeping.TRACES, days, megabytes)


def open_entries(settings: Settings) -> "EntryStore":
    """The cached answers of this user over all documents, or of all workers over a store."""
    days, megabytes = settings.cache_days, settings.cache_mb
    if shared := open_shared(settings):
        from fanshu.agent.shared_entries import SharedEntries

        return SharedEntries(shared.records, shared.place, days=days, megabytes=megabytes)
    from fanshu.agent.entries import Entries

    place = user_data() / keeping.CACHE / "answers.db"
    return Entries(place, days=days, megabytes=megabytes)


def same_everywhere(settings: Settings, under: Mapping[str, object]) -> dict[str, object]:
    """What a cached answer was made under, as every machine over a store says it.

    Without a store all stays. With one, files are told by what they hold, not by where they lie.
    """
    if not settings.remote:
        return dict(under)
    known = {name: value for name, value in under.items() if name not in OWN}
    if settings.synonyms:
        known["synonyms"] = _content(Path(settings.synonyms).expanduser())
    if (settings.model or "").startswith("gguf:"):
        known["model"] = Path(str(settings.model)).name
    return known


def _content(file: Path) -> str:
    try:
        return sha256(file.read_bytes()).hexdigest()
    except OSError:
        return ""
