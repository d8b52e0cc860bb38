"""What can be seen without asking a model. Nothing is written and nothing is sent."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from fanshu import app, extras, places
from fanshu.doctor import stores
from fanshu.doctor.findings import Finding, Level, some
from fanshu.errors import ConfigError, FanshuError, LibraryError
from fanshu.library.files import walk
from fanshu.library.library import Library
from fanshu.library.opensearch.schema import FORMAT
from fanshu.library.parsers import needs, scans
from fanshu.library.sqlite import SCHEMA_VERSION
from fanshu.library.sqlite_formats import newer, stored_version
from fanshu.library.store import DocumentRecord
from fanshu.library.syncing import compare
from fanshu.settings import Loaded, Settings, unknown_variables, user_config, user_data

# An index takes about as much as its text, twice that while it is written, and traces up to
# 200 MB: below this, one larger folder of documents fills the disk.
LEAST_FREE = 500_000_000  # bytes
LARGE, LOSSY = "larger than", "lossy"


def installation(loaded: Loaded) -> Iterator[Finding]:
    """Index, documents, extras, settings and disk."""
    yield from _library(loaded.settings)
    yield from _settings(loaded)
    yield _disk(loaded.settings)


# ---------------------------------------------------------------- index and documents


def _library(settings: Settings) -> Iterator[Finding]:
    try:
        file = places.index_file(settings, places.roots(settings))
    except ConfigError as error:
        yield Finding("index", "index_unusable", "attention", {"why": error}, ("index",))
        return
    except LibraryError as error:
        yield Finding("documents", "docs_missing", "attention", {"why": error}, ("docs",))
        return
    if settings.remote:
        yield from _in_store(settings)
        return
    schema = stored_version(file)
    if not file.exists():
        yield Finding("index", "index_none", "note", {"path": file.parent})
        yield Finding("documents", "docs_unknown", "note")
        yield from _extras({})
    elif schema not in (SCHEMA_VERSION, None) and not newer(schema, SCHEMA_VERSION):
        yield Finding("index", "index_old", "note", {"schema": schema})
        yield Finding("documents", "docs_unknown", "note")
        yield from _extras({})
    else:
        yield from _opened(settings)


def _in_store(settings: Settings) -> Iterator[Finding]:
    found = list(stores.reached(settings))
    yield from found
    if any(one.code == "store_away" for one in found):
        yield Finding("documents", "docs_unknown", "note")
        yield from _extras({})
    else:
        yield from _opened(settings)


def _opened(settings: Settings) -> Iterator[Finding]:
    try:
        library = app.open_library(settings)
        with closing(library):
            records = library.store.documents()
            yield from _index(library, records)
    except FanshuError as error:
        code, cure = ("store_away", "store") if settings.remote else ("index_unusable", "index")
        yield Finding("index", code, "attention", {"why": error}, (cure,))
        return
    yield from _documents(settings, records)
    yield from _extras(records)


def _index(library: Library, records: Mapping[str, DocumentRecord]) -> Iterator[Finding]:
    chunks, size = library.store.size()
    values = {"files": len(records), "chunks": chunks, "mb": f"{size / 1e6:.1f}"}
    place, schema = (
        (library.registry.address, FORMAT)
        if library.registry
        else (library.index.parent, SCHEMA_VERSION)
    )
    yield Finding("index", "index_ok", values=values | {"path": place, "schema": schema})
    yield from stores.roots(library)
    mine = library.registry.mine if library.registry else records.__contains__
    ours = {path: one for path, one in records.items() if mine(path)}
    plan = compare(walk(library.roots, library.exclude), ours, library.limits)
    behind = len(plan.changed) + len(plan.gone)
    if library.registry and not library.roots:
        yield Finding("index", "store_asked", "note")
    elif library.store.read_only and behind:
        yield Finding("index", "index_stuck", "attention", {"count": behind}, ("index",))
    elif library.store.read_only:
        yield Finding("index", "index_read_only", "note")
    elif behind:
        yield Finding("index", "index_behind", "note", {"count": behind})


def _documents(settings: Settings, records: Mapping[str, DocumentRecord]) -> Iterator[Finding]:
    readable = [path for path, record in records.items() if record.chunks]
    if readable:
        yield Finding("documents", "docs_ok", values={"files": len(readable)})
    else:
        where = ", ".join(settings.docs)
        yield Finding("documents", "docs_empty", "attention", {"path": where}, ("docs", "exclude"))
    groups: dict[tuple[str, str], list[str]] = {}
    for path, record in records.items():
        if code := _trouble(record):
            groups.setdefault((code, _kind(code, record)), []).append(path)
    for (code, reason), paths in sorted(groups.items()):
        yield _unread(code, reason, paths)


def _trouble(record: DocumentRecord) -> str | None:
    """The code of what is wrong with a file, None when it was read whole."""
    reason = record.reason or ""
    match record.state:
        case "ok":
            return "docs_lossy" if reason.startswith(LOSSY) else None
        case "encrypted":
            return "docs_encrypted"
        case "ocr_pending":
            return "docs_ocr"
        case "no_text" | "partial_text":
            return "docs_without_text" if needs.has_ocr() else "docs_no_text"
        case "failed":
            return "docs_failed"
    if reason.startswith("needs "):
        return "docs_need"
    return "docs_large" if reason.startswith(LARGE) else "docs_skipped"


def _kind(code: str, record: DocumentRecord) -> str:
    """What files of one finding have in common: the reason, without what is only this file's."""
    reason = record.reason or record.state
    if code == "docs_failed":
        return reason.partition(":")[0]
    return reason if code == "docs_need" else ""


CURED_BY: Mapping[str, tuple[str, ...]] = {
    "docs_encrypted": ("exclude",),
    "docs_without_text": ("exclude",),
    "docs_failed": ("exclude",),
    "docs_large": ("max_file_mb",),
}
HARMLESS = frozenset({"docs_skipped", "docs_lossy", "docs_without_text"})


def _unread(code: str, reason: str, paths: Sequence[str]) -> Finding:
    values = {"count": len(paths), "reason": reason, "files": some(sorted(paths))}
    if code == "docs_no_text":
        values["install"] = extras.here().add("ocr")
    level: Level = "note" if code in HARMLESS else "attention"
    return Finding("documents", code, level, values, CURED_BY.get(code, ()))


def _extras(records: Mapping[str, DocumentRecord]) -> Iterator[Finding]:
    """What is installed beside the core. What a document lacks is said with the document."""
    found = {
        f"OCR ({scans.PACKAGE})": (needs.has_ocr(), ("no_text", "partial_text")),
        f"Excel ({needs.WORKBOOKS})": (needs.has_workbooks(), ()),
        "LibreOffice": (needs.soffice() is not None, ()),
    }
    reasons = " ".join(record.reason or "" for record in records.values())
    states = {record.state for record in records.values()}
    for name, (there, missed) in found.items():
        if there:
            yield Finding("extras", "extra_there", values={"name": name})
        elif not states & set(missed) and _word(name) not in reasons:
            yield Finding("extras", "extra_missing", values={"name": name})


def _word(name: str) -> str:
    """How reasons of files name an extra."""
    return name.partition("(")[2].rstrip(")") or name


# ---------------------------------------------------------------- settings and disk


def _settings(loaded: Loaded) -> Iterator[Finding]:
    origins: dict[str, list[str]] = {}
    for name, origin in loaded.origin.items():
        origins.setdefault(origin, []).append(name)
    for origin, names in origins.items():
        values = {"file": origin, "names": ", ".join(sorted(names))}
        yield Finding("settings", "settings_from", values=values)
    if not origins:
        yield Finding("settings", "settings_default")
    for dropped in loaded.dropped:
        values = {"file": dropped.file, "names": ", ".join(dropped.names)}
        about = values | {"owner": str(user_config())}
        yield Finding("settings", "settings_dropped", "attention", about, dropped.names)
    if strangers := unknown_variables():
        named = {"names": ", ".join(strangers)}
        yield Finding("settings", "settings_unknown", "attention", named)


def _disk(settings: Settings) -> Finding:
    """Room where the index and traces go."""
    place = Path(settings.index).expanduser() if settings.index else user_data()
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    if free < LEAST_FREE:
        values = {"mb": free // 1_000_000, "path": place}
        return Finding("machine", "disk_low", "attention", values, ("index",))
    return Finding("machine", "disk_ok", values={"gb": f"{free / 1e9:.1f}", "path": place})
