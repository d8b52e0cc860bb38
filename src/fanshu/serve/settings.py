"""Settings of the service: the table `[serve]` of a settings file, and flags of `fanshu serve`."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fanshu.errors import ConfigError
from fanshu.validity import what_is_wrong

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class ServiceSettings(BaseModel):
    """How the service listens, whom it lets in, and how much anybody may take."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(default=8765, ge=0, le=65_535, description="Port; 0: any that is free.")
    hosts: tuple[str, ...] = Field(
        default=(),
        description="Names that the service is called by, beside those of this machine; requests "
        "for other names are refused.",
    )
    login: bool = Field(
        default=False, description="Demand users or tokens on this machine's own address too."
    )
    writable: bool = Field(
        default=False, description="Allow uploads and deletions to those who may write."
    )
    public_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s]+$",
        description="Address by which people open the page; answers in chat clients link to it.",
    )
    user_header: str | None = Field(
        default=None,
        description="Header in which a proxy names who has signed in; only `proxies` may send it.",
    )
    proxies: tuple[str, ...] = Field(
        default=(), description="Addresses of proxies that are believed."
    )
    tls_cert: str | None = Field(default=None, description="File with the certificate (PEM).")
    tls_key: str | None = Field(default=None, description="File with its private key (PEM).")
    requests_per_minute: int = Field(
        default=600, ge=1, description="Requests of one user or token in a minute."
    )
    runs: int = Field(default=16, ge=1, description="Questions answered at the same time.")
    runs_each: int = Field(
        default=3, ge=1, description="Questions of one user or token at the same time."
    )
    waiting_each: int = Field(
        default=8, ge=0, description="Questions of one user or token that may wait for their turn."
    )
    month_cost: float | None = Field(
        default=None, gt=0, description="US dollars of all questions in a calendar month (UTC)."
    )
    month_cost_each: float | None = Field(
        default=None, gt=0, description="The same for one user or token."
    )
    body_kb: int = Field(default=256, ge=1, description="Kilobytes of a request's body.")
    body_seconds: float = Field(
        default=30.0, gt=0, description="Seconds in which a body must arrive."
    )
    request_seconds: float = Field(
        default=60.0, gt=0, description="Seconds of a request that asks no question."
    )
    run_seconds: float = Field(
        default=600.0, gt=0, description="Seconds of one question, waiting apart."
    )
    grace_seconds: float = Field(
        default=20.0, ge=0, description="Seconds that running questions get when the service ends."
    )
    session_hours: float = Field(default=168.0, gt=0, description="Hours that a login holds.")
    threads: int = Field(
        default=8, ge=1, le=64, description="Threads that search and read documents."
    )
    watch: bool = Field(default=True, description="Watch the folders for changes.")
    log_questions: bool = Field(
        default=False, description="Write what was asked and which file into the log."
    )

    review_webhook: str | None = Field(
        default=None,
        description="Address that is told when an approved answer waits for review: https, or "
        "http on this machine.",
    )
    review_webhook_passages: bool = Field(
        default=False, description="Send the passages then and now as well, not places alone."
    )

    @property
    def local(self) -> bool:
        """Whether only programs on this machine reach it."""
        return self.host in LOOPBACK


def service_settings(values: dict[str, Any]) -> ServiceSettings:
    """The settings from a table of them. Raises: ConfigError."""
    try:
        return ServiceSettings(**values)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(["serve", *(str(part) for part in first["loc"][:1])])
        detail = what_is_wrong(first["type"], first["msg"], first.get("ctx", {}))
        raise ConfigError(name=name, detail=detail) from None
