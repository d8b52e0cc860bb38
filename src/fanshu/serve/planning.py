"""Which libraries are served, with which settings: from folders named, or from one TOML file.

model = "deepseek:deepseek-chat"     # what all libraries share

[serve]
port = 8765

[libraries.manuals]
docs = ["manuals"]
title = "Product manuals"

[libraries.rules]
docs = ["rules"]
check = "strict"
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from fanshu.cluster import address
from fanshu.errors import ConfigError
from fanshu.serve.settings import ServiceSettings, service_settings
from fanshu.settings import Settings
from fanshu.settings_file import beside, is_remote, service_tables, split_name
from fanshu.validity import what_is_wrong

NAME = re.compile(r"[^\s/:*?#\\]{1,64}")  # it stands in addresses, and in what tokens may see


@dataclass(frozen=True, slots=True)
class Planned:
    """A library to be served: what it is called, shown as, and made of."""

    name: str
    title: str
    settings: Settings
    writable: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that is served; the first library is the one meant when none is named."""

    libraries: tuple[Planned, ...]
    service: ServiceSettings


def plan(
    base: Settings,
    folders: Sequence[str],
    file: Path | None = None,
    flags: Mapping[str, object] | None = None,
    *,
    named: bool = False,
) -> Plan:
    """What to serve. `base`: settings that all libraries share. `flags` overrule `[serve]`.

    `named`: the file has to name libraries; one that is just being written is empty.

    `folders` as [NAME=]PATH, in the place of the file's libraries; without either, the documents
    of `base` are one library. Raises: ConfigError.
    """
    serve, libraries = service_tables(file) if file else ({}, {})
    if named and not libraries:
        raise ConfigError(name="libraries", detail=f"{str(file)!r} names none")
    given = {name: value for name, value in (flags or {}).items() if value is not None}
    service = service_settings({**serve, **given})
    if folders:
        planned = _of_folders(base, folders, service)
    elif libraries and file:
        planned = [_of_table(base, file, n, t, service) for n, t in libraries.items()]
    else:
        planned = _of_folders(base, base.docs, service, together=True)
    _must_be_apart(planned)
    return Plan(tuple(planned), service)


def _must_be_apart(planned: Sequence[Planned]) -> None:
    """Raises: ConfigError — two libraries would be in one place of a store."""
    stores = [one.settings.store for one in planned if one.settings.remote]
    if len(stores) != len(set(stores)):
        detail = "two libraries are in the same; each needs a name of its own in the store"
        raise ConfigError(name="store", detail=detail)


def _of_folders(
    base: Settings, folders: Sequence[str], service: ServiceSettings, *, together: bool = False
) -> list[Planned]:
    if base.remote:  # the folders are roots of the library that is there
        docs = tuple(folders)
        name = _checked(address.parse(base.store or "").name)
        return [Planned(name, name, base.model_copy(update={"docs": docs}), service.writable)]
    if together and len(folders) > 1:
        return [Planned("documents", "documents", base, service.writable)]
    found: dict[str, str] = {}
    for folder in folders:
        name, place = split_name(folder)
        name = name or _name_of(place)
        if found.setdefault(name, place) != place:
            detail = f"{name!r} names both {found[name]} and {place}; write NAME=PATH"
            raise ConfigError(name="serve", detail=detail)
    return [
        Planned(_checked(n), n, base.model_copy(update={"docs": (p,)}), service.writable)
        for n, p in found.items()
    ]


def _name_of(place: str) -> str:
    """A library is called like its folder, as far as that can be a name."""
    name = Path(place).expanduser().resolve().name
    return re.sub(r"[\s/:*?#\\]+", "-", name)[:64].strip("-") or "documents"


def _checked(name: str) -> str:
    if not NAME.fullmatch(name):
        detail = f"{name!r} cannot be a name; leave out spaces and / : * ? # \\"
        raise ConfigError(name="libraries", detail=detail)
    return name


def _of_table(
    base: Settings, file: Path, name: str, table: object, service: ServiceSettings
) -> Planned:
    if not isinstance(table, dict):
        raise ConfigError(name=f"libraries.{name}", detail="it must be a table")
    values = {key.replace("-", "_"): value for key, value in table.items()}
    title, writable = values.pop("title", name), values.pop("writable", service.writable)
    if "docs" not in values and not is_remote(values.get("store", base.store)):
        raise ConfigError(name=f"libraries.{name}.docs", detail="it names no folder")
    if not isinstance(title, str) or not isinstance(writable, bool):
        detail = "title must be text, and writable true or false"
        raise ConfigError(name=f"libraries.{name}", detail=detail)
    return Planned(_checked(name), title, _settings(base, file, name, values), writable)


def _settings(base: Settings, file: Path, name: str, values: dict[str, Any]) -> Settings:
    known = {field: getattr(base, field) for field in Settings.model_fields}
    own = beside(file, values)
    if is_remote(own.get("store", base.store)):
        own.setdefault("docs", ())
    excluded = own.get("exclude")
    if isinstance(excluded, list):
        own["exclude"] = [*base.exclude, *excluded]
    try:
        return Settings(**{**known, "index": None, **own})
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(["libraries", name, *(str(part) for part in first["loc"][:1])])
        detail = what_is_wrong(first["type"], first["msg"], first.get("ctx", {}))
        raise ConfigError(name=field, detail=f"{detail} (from {file})") from None
