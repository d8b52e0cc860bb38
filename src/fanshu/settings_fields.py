"""The settings themselves: names, types, defaults, limits and what they mean."""

import json
import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from fanshu.settings_file import is_remote, split_list, split_name
from fanshu.validity import require_header

MAX_ROUNDS = 10  # the hard ceiling of DESIGN §3: more rounds were never worth their tokens
STORE = (
    *("store", "store_user", "store_password", "store_password_file", "store_password_command"),
    *("store_ca_file", "store_timeout", "store_retries", "store_shards", "store_replicas"),
)
OWNER_ONLY = frozenset(
    {"model", "base_url", "api_key", "api_key_file", "api_key_command", "headers", "ca_file"}
    | {"check", "index", "parsers", "synonyms", "trace", "trace_days", "trace_mb"}
    | {"cache", "cache_days", "cache_mb", "history", *STORE}
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
        "Default: the current folder; with a store of OpenSearch nothing, it is only asked then.",
    )
    index: str | None = Field(
        default=None,
        description="Folder that holds the index; by default one per set of documents in the "
        "user's data folder.",
    )
    store: str | None = Field(
        default=None,
        description="Where the library is, when not in a file of this user's: "
        "opensearch://HOST:9200/NAME (opensearch+https:// by TLS), or sqlite:FILE.",
    )
    store_user: str | None = Field(default=None, description="User of the store.")
    store_password: SecretStr | None = Field(
        default=None, description="Password of the store's user."
    )
    store_password_file: str | None = Field(
        default=None, description="File whose first line is the password of the store's user."
    )
    store_password_command: str | None = Field(
        default=None,
        description="Command that prints the password of the store's user; run without a shell.",
    )
    store_ca_file: str | None = Field(
        default=None,
        description="File with certificates (PEM) of authorities to trust for the store, beside "
        "the system's.",
    )
    store_timeout: float = Field(
        default=30.0,
        gt=0,
        description="Seconds for one request to the store, repetitions included.",
    )
    store_retries: int = Field(
        default=5,
        ge=0,
        le=100,
        description="Times that a request to the store is made again when it was not done.",
    )
    store_shards: int = Field(
        default=1,
        ge=1,
        le=1_024,
        description="Parts that a new library in OpenSearch is divided into.",
    )
    store_replicas: int = Field(
        default=1,
        ge=0,
        le=20,
        description="Copies of each part beside the first; with 1 a machine may fail.",
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

    @model_validator(mode="before")
    @classmethod
    def _nothing_by_accident(cls, values: Any) -> Any:
        """What is in the current folder must not come into a store of many without being named."""
        if isinstance(values, dict):
            given = values.get("docs")
            if is_remote(values.get("store")):
                return {**values, "docs": () if given is None else given}
            if given in ("", (), []):
                values = {**values, "docs": ("",)}
        return values

    @field_validator("docs", "exclude", mode="before")
    @classmethod
    def _separated(cls, value: object) -> object:
        """Only the environment gives one string for many: separated like PATH."""
        return split_list(value) if isinstance(value, str) else value

    @field_validator("docs")
    @classmethod
    def _some_docs(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not all(split_name(item)[1].strip() for item in value):
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
    def remote(self) -> bool:
        """Whether the library is in a store of other machines."""
        return is_remote(self.store)

    @property
    def store_shown(self) -> str | None:
        """The store as it may be shown: without a user and a password, however it is written."""
        if not self.store or re.match(r"sqlite:(?!//)", self.store):
            return self.store
        return re.sub(r"^([a-zA-Z+]*:?/+|).*@", r"\1", self.store)

    @property
    def configured(self) -> bool:
        """Whether somebody named a model: nothing is ever sent anywhere otherwise."""
        return bool(self.model)
