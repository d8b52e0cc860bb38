"""Every setting once: the fields of `Settings` are the defaults, the TOML keys, the environment
names, the flags and the table in the docs.

Sources, first wins: flags → environment (`FANSHU_` and the name) → `fanshu.toml` in the
working folder → the owner's settings file → defaults. `exclude` adds up over all of them.

A folder of documents may have come from anywhere, and people run fanshu inside it. So a
`fanshu.toml` lying there is not trusted: it may say how to search, never where documents,
index or traces go, and its `docs` must lie below it. Those fields (marked ¹) count only
from flags, the environment, the file named by `--config` or `FANSHU_CONFIG`, or the file in
the owner's configuration folder; elsewhere they are dropped, which is said.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from fanshu.errors import ConfigError
from fanshu.settings_fields import OWNER_ONLY as OWNER_ONLY
from fanshu.settings_fields import STORE as STORE
from fanshu.settings_fields import Settings as Settings
from fanshu.settings_file import below, beside, is_remote, split_list, toml
from fanshu.validity import what_is_wrong

ENV_PREFIX = "FANSHU_"
FILE_NAME = "fanshu.toml"
CONFIG_VARIABLE = "FANSHU_CONFIG"
DEBUG_VARIABLE = "FANSHU_DEBUG"


@dataclass(frozen=True, slots=True)
class Dropped:
    """Settings that a file beside documents may not set, and so did not."""

    file: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings, where each value came from (a missing name: default), and what was dropped."""

    settings: Settings
    origin: Mapping[str, str] = field(default_factory=dict)
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True)
class _Layer:
    origin: str
    values: dict[str, Any]
    dropped: tuple[str, ...] = ()
    trusted: bool = True


def load(
    flags: Mapping[str, object] | None = None,
    *,
    config: Path | None = None,
    folder: Path | None = None,
    user_file: Path | None = None,
) -> Loaded:
    """Settings from all sources. `flags` with the value None were not given.

    `config`: a settings file to trust, in the place of both others. `folder`: the working
    folder. `user_file`: the owner's settings file.

    Raises: ConfigError — a file or value is wrong.
    """
    layers = [
        _Layer("flag", {name: value for name, value in (flags or {}).items() if value is not None}),
        _Layer("environment", _environment()),
        *_files(config or _config_variable(), folder or Path.cwd(), user_file or user_config()),
    ]
    if is_remote(
        next((layer.values["store"] for layer in layers if "store" in layer.values), None)
    ):
        layers = [_asking_only(layer) for layer in layers]
    values, origin = _merge(layers)
    dropped = tuple(Dropped(layer.origin, layer.dropped) for layer in layers if layer.dropped)
    return Loaded(_validated(values, origin), origin, dropped)


def user_config() -> Path:
    """The owner's settings file; it need not exist."""
    from platformdirs import user_config_path

    return user_config_path("fanshu", appauthor=False) / FILE_NAME


def user_data() -> Path:
    """The folder of this user's indexes and traces; it need not exist."""
    from platformdirs import user_data_path

    return user_data_path("fanshu", appauthor=False)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the settings table."""

    name: str
    flag: str
    variable: str
    default: object
    meaning: str
    owner_only: bool


@cache
def table() -> tuple[Row, ...]:
    """All settings, in the order of their definition."""
    return tuple(
        Row(
            name,
            f"--{name.replace('_', '-')}",
            f"{ENV_PREFIX}{name.upper()}",
            info.default,
            info.description or "",
            name in OWNER_ONLY,
        )
        for name, info in Settings.model_fields.items()
    )


def unknown_variables() -> tuple[str, ...]:
    """Names in the environment that look like settings and are none: most often misspelt."""
    known = {row.variable for row in table()} | {CONFIG_VARIABLE, DEBUG_VARIABLE}
    return tuple(
        name for name in sorted(os.environ) if name.startswith(ENV_PREFIX) and name not in known
    )


def _environment() -> dict[str, Any]:
    """What the environment sets, in whatever case; an empty variable sets nothing."""
    given = {name.upper(): value for name, value in os.environ.items() if value}
    return {row.name: given[row.variable] for row in table() if row.variable in given}


def _config_variable() -> Path | None:
    named = os.environ.get(CONFIG_VARIABLE)
    return Path(named) if named else None


def _files(config: Path | None, folder: Path, user_file: Path) -> Iterator[_Layer]:
    """The settings files that count. A file named on purpose is trusted and stands alone."""
    if config is not None:
        if not config.is_file():
            raise ConfigError(name="config", detail=f"there is no file {str(config)!r}")
        yield _Layer(str(config), beside(config, toml(config)))
        return
    local = folder / FILE_NAME
    same = local.is_file() and user_file.is_file() and local.samefile(user_file)
    if local.is_file() and not same:
        yield _restricted(local)
    if user_file.is_file():
        yield _Layer(str(user_file), beside(user_file, toml(user_file)))


def _restricted(path: Path) -> _Layer:
    """The part of an untrusted settings file that may count."""
    values = beside(path, toml(path))
    dropped = [name for name in values if name in OWNER_ONLY]
    docs = values.get("docs")
    if isinstance(docs, list) and not all(below(path.parent, item) for item in docs):
        dropped.append("docs")
    kept = {name: value for name, value in values.items() if name not in dropped}
    return _Layer(str(path), kept, tuple(dropped), trusted=False)


def _asking_only(layer: _Layer) -> _Layer:
    """What a file beside documents names does not go into a store that others use."""
    if layer.trusted or "docs" not in layer.values:
        return layer
    kept = {name: value for name, value in layer.values.items() if name != "docs"}
    return replace(layer, values=kept, dropped=(*layer.dropped, "docs"))


def _merge(layers: list[_Layer]) -> tuple[dict[str, Any], dict[str, str]]:
    values: dict[str, Any] = {}
    origin: dict[str, str] = {}
    for layer in layers:
        for name, value in layer.values.items():
            if name == "exclude":
                values[name] = [*values.get(name, ()), *_listed(value)]
                origin[name] = ", ".join(filter(None, (origin.get(name), layer.origin)))
            elif name not in values:
                values[name], origin[name] = value, layer.origin
    return values, origin


def _listed(value: Any) -> list[Any]:
    listed = split_list(value) if isinstance(value, str) else value
    return list(listed) if isinstance(listed, list | tuple) else [listed]


def _validated(values: dict[str, Any], origin: Mapping[str, str]) -> Settings:
    try:
        return Settings(**values)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else "settings"
        detail = what_is_wrong(first["type"], first["msg"], first.get("ctx", {}))
        raise ConfigError(name=name, detail=f"{detail} (from {_source(name, origin)})") from None


def _source(name: str, origin: Mapping[str, str]) -> str:
    """Where a wrong value stands, as whoever put it there knows it."""
    named = {"flag": f"--{name.replace('_', '-')}", "environment": f"{ENV_PREFIX}{name.upper()}"}
    return named.get(origin[name], origin[name])
