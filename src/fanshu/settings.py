"""Every setting once: the fields below are the defaults, the TOML keys, the environment
names, the flags and the table in the docs.

Sources, first wins: flags → environment (`FANSHU_` and the name) → `fanshu.toml` in the
working folder → the owner's settings file → defaults. `exclude` adds up over all of them.

A folder of documents may have come from anywhere, and people run fanshu inside it. So a
`fanshu.toml` lying there is not trusted: it may say how to search, never where documents,
index or traces go, and its `docs` must lie below it. Those fields (marked ¹) count only
from flags, the environment, the file named by `--config` or `FANSHU_CONFIG`, or the file in
the owner's configuration folder; elsewhere they are dropped, which is said.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from fanshu.errors import ConfigError
from fanshu.settings_file import below, beside, split_list, split_name, toml
from fanshu.validity import require_header, what_is_wrong

ENV_PREFIX = "FANSHU_"
FILE_NAME = "fanshu.toml"
CONFIG_VARIABLE = "FANSHU_CONFIG"
DEBUG_VARIABLE = "FANSHU_DEBUG"
MAX_ROUNDS = 10  # the hard ceiling of DESIGN §3: more rounds were never worth their tokens
OWNER_ONLY = frozenset(
    {"model", "base_url", "api_key", "api_key_file", "api_key_command", "headers", "ca_file"}
    | {"check", "index", "parsers", "synonyms", "trace", "trace_days", "trace_mb"}
    | {"cache", "cache_days", "cache_mb", "history"}
)


class Settings(BaseModel):
    """What a run needs to know. Frozen; secrets print as stars."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,
    )

    docs: tuple[str, ...] = Field(
        default=(".",),
        description="A folder or file of documents, as PATH or NAME=PATH; may be repeated. "
        "Default: the current folder.",
    )
    index: str | None = Field(
        default=None,
        description="Folder that holds the index; by default one per set of documents in the "
        "user's data folder.",
    )
    exclude: tuple[str, ...] = Field(
        default=(),
        description="Leave out files that match this pattern (as in .gitignore); repeatable.",
    )
    parsers: dict[str, str] = Field(
        default={},
        description="Functions of yours that read files, as a table of endings: "
        '".abc" = "module:function"; in the environment as JSON.',
    )
    synonyms: str | None = Field(
        default=None,
        description="File of synonyms, in the format of Solr and Elasticsearch; by default "
        ".fanshu/synonyms.txt in each documents folder.",
    )
    model: str | None = Field(
        default=None,
        description="The language model, as PROVIDER:NAME; without one, passages are shown.",
    )
    base_url: str | None = Field(
        default=None, description="Address of an OpenAI-compatible server that runs the model."
    )
    api_key: SecretStr | None = Field(
        default=None,
        description="Key of the model service; else the provider's own variable is used.",
    )
    api_key_file: str | None = Field(
        default=None, description="File whose first line is the key of the model service."
    )
    api_key_command: str | None = Field(
        default=None,
        description="Command that prints the key of the model service; run without a shell.",
    )
    headers: dict[str, SecretStr] = Field(
        default={},
        description="Headers for every request to the model service, as a table; in the "
        "environment as JSON.",
    )
    ca_file: str | None = Field(
        default=None,
        description="File with certificates (PEM) of authorities to trust beside the system's.",
    )
    tool_mode: Literal["auto", "native", "json"] = Field(
        default="auto",
        description="How the model calls tools: natively, as JSON, or as it turns out to manage.",
    )
    timeout: float = Field(
        default=120.0, gt=0, description="Seconds to wait for one reply of the model."
    )
    deadline: float | None = Field(
        default=None, gt=0, description="Seconds for one question; then what was found is shown."
    )
    max_tokens: int | None = Field(
        default=None,
        ge=2_000,
        description="Tokens for one question, all rounds together; near it, an answer is due.",
    )
    max_cost: float | None = Field(
        default=None,
        gt=0,
        description="US dollars for one question, where the model's price is known.",
    )
    max_rounds: int = Field(
        default=6, ge=1, le=MAX_ROUNDS, description="Rounds with the model for one question."
    )
    hits: int = Field(default=10, ge=1, le=50, description="Hits that a search shows to the model.")
    search_seconds: float = Field(
        default=2.0, gt=0, description="Seconds of one search; then what it has found is shown."
    )
    first_search: bool = Field(
        default=True, description="Search with the question's own words before the first round."
    )
    text_ahead: bool = Field(
        default=True, description="Give the model the best texts of a first search that went well."
    )
    search_path: bool = Field(default=True, description="Let searches be limited to a folder.")
    directory_summary: bool = Field(
        default=True, description="Tell the model at the start what the folders are about."
    )
    check: Literal["strict", "lenient"] = Field(
        default="strict",
        description="How answers are checked: figures must stand in the quoted sentences, or, "
        "leniently, anywhere in the cited sections.",
    )
    prompt: Literal["auto", "full", "compact"] = Field(
        default="auto",
        description="What the model is told: everything, or the little that a small model can "
        "follow; auto is compact for gguf: and full for all others.",
    )
    summarize: Literal["auto", "always", "never"] = Field(
        default="auto",
        description="Have the model note what is known and what is missing: in long runs (auto), "
        "in every round, never.",
    )
    part_chars: int = Field(
        default=800,
        ge=200,
        le=20_000,
        description="Characters of one chunk; longer sections have parts.",
    )
    max_file_mb: float = Field(
        default=50.0, gt=0, description="Larger files are skipped (megabytes)."
    )
    context_tokens: int = Field(
        default=24_000, ge=2_000, description="Tokens of one request; older reads shrink to fit."
    )
    language: Literal["auto", "zh", "en"] = Field(
        default="auto", description="Language of messages; auto follows the locale."
    )
    trace: bool = Field(
        default=True, description="Keep a record of every run in the user's data folder."
    )
    trace_days: float = Field(default=30.0, ge=0, le=36_500, description="Days a trace is kept.")
    trace_mb: float = Field(default=200.0, ge=0, description="Megabytes that all traces may take.")
    cache: bool = Field(
        default=True,
        description="Keep a model's answers, and give one again while its evidence is unchanged.",
    )
    cache_days: float = Field(
        default=30.0, ge=0, le=36_500, description="Days that a cached answer is kept."
    )
    cache_mb: float = Field(
        default=50.0, ge=0, description="Megabytes that all cached answers may take."
    )
    history: bool = Field(
        default=True, description="Keep what is typed in `fanshu chat`, for its arrow keys."
    )
    keep_unverified: bool = Field(
        default=False, description="Also give back text that failed the check, as unverified_text."
    )

    @field_validator("docs", "exclude", mode="before")
    @classmethod
    def _separated(cls, value: object) -> object:
        """Only the environment gives one string for many: separated like PATH."""
        return split_list(value) if isinstance(value, str) else value

    @field_validator("docs")
    @classmethod
    def _some_docs(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not value or not all(split_name(item)[1].strip() for item in value):
            raise ValueError("it names no folder")
        return value

    @field_validator("exclude")
    @classmethod
    def _patterns(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if value:
            from pathspec import GitIgnoreSpec

            GitIgnoreSpec.from_lines(value)  # raises a ValueError that names the pattern
        return value

    @field_validator("headers", "parsers", mode="before")
    @classmethod
    def _json(cls, value: object) -> object:
        """Only the environment gives a string; what is wrong with it is said without it."""
        try:
            return json.loads(value) if isinstance(value, str) else value
        except ValueError:
            raise ValueError("it must be a JSON object of names and values") from None

    @field_validator("headers")
    @classmethod
    def _sendable(cls, value: dict[str, SecretStr]) -> dict[str, SecretStr]:
        for name, secret in value.items():
            require_header(name, secret.get_secret_value())
        return value

    @property
    def configured(self) -> bool:
        """Whether somebody named a model: nothing is ever sent anywhere otherwise."""
        return bool(self.model)


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
    return _Layer(str(path), kept, tuple(dropped))


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
