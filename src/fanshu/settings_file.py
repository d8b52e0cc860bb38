"""One settings file: reading it, and where the paths in it begin."""

import os
import tomllib
from pathlib import Path
from typing import Any

from fanshu.errors import ConfigError

PATHS = ("index", "api_key_file", "ca_file", "store_password_file", "store_ca_file")  # and `docs`
IN_FILE = "sqlite:"  # how a store begins that is a file of this machine
SERVICE = ("serve", "libraries")  # tables that only `fanshu serve` reads


def below(folder: Path, docs: object) -> bool:
    """Whether an entry of `docs` lies in a folder."""
    _, place = split_name(str(docs))
    return Path(place).resolve().is_relative_to(folder.resolve())


def is_remote(store: object) -> bool:
    """Whether a store is on other machines, and so perhaps of other people too."""
    return isinstance(store, str) and bool(store) and not store.startswith(IN_FILE)


def split_list(value: str) -> list[str]:
    """Several paths or patterns in one string, separated like PATH."""
    return [item for item in value.split(os.pathsep) if item]


def split_name(docs: str) -> tuple[str, str]:
    """`NAME=PATH` as (name, path); the name is empty when there is none.

    What exists as a path is a path, whatever it is called.
    """
    name, equals, place = docs.partition("=")
    if not equals or not name or os.sep in name or "/" in name or Path(docs).exists():
        return "", docs
    return name, place


def beside(file: Path, values: dict[str, Any]) -> dict[str, Any]:
    """Relative paths of a settings file begin where the file lies."""
    changed = dict(values)
    for name in ("docs", "exclude"):
        if isinstance(changed.get(name), str):
            changed[name] = [changed[name]]
    if isinstance(docs := changed.get("docs"), list):
        changed["docs"] = [_placed(file.parent, item) for item in docs]
    for name in PATHS:
        if isinstance(place := values.get(name), str):
            changed[name] = str(file.parent / Path(place).expanduser())
    if isinstance(store := values.get("store"), str) and store.startswith(IN_FILE):
        changed["store"] = f"{IN_FILE}{file.parent / Path(store[len(IN_FILE) :]).expanduser()}"
    return changed


def _placed(folder: Path, docs: object) -> object:
    if not isinstance(docs, str):
        return docs
    name, place = split_name(docs)
    full = str(folder / Path(place).expanduser())
    return f"{name}={full}" if name else full


def toml(path: Path) -> dict[str, Any]:
    """The values of a file, without the tables of the service.

    Raises: ConfigError — it cannot be read.
    """
    values = _read(path)
    return {name.replace("-", "_"): it for name, it in values.items() if name not in SERVICE}


def service_tables(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The tables `[serve]` and `[libraries]` of a file. Raises: ConfigError."""
    values = _read(path)
    serve, libraries = (values.get(name, {}) for name in SERVICE)
    if not isinstance(serve, dict) or not isinstance(libraries, dict):
        raise ConfigError(name=str(path), detail="serve and libraries must be tables")
    return {name.replace("-", "_"): value for name, value in serve.items()}, libraries


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(name=str(path), detail=f"it cannot be read: {error}") from error
