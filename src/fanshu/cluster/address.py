"""Where a store is: `opensearch://host:9200/name`, or a file of SQLite."""

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from fanshu.errors import ConfigError

PORT = 9200
SCHEMES = {"opensearch": "http", "opensearch+https": "https"}
NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")  # begins the names of indices: OpenSearch's rules
RECORDS = "-records-"  # stands in the names of indices after a library's


@dataclass(frozen=True, slots=True)
class Address:
    """A library in an engine: its hosts as (name, port), whether by TLS, and its name there.

    Several hosts are written with commas; a user and a password before them are for trying out,
    since addresses end up in logs: `store_user` and `store_password` are the places for them.
    """

    hosts: tuple[tuple[str, int], ...]
    tls: bool
    name: str
    user: str = ""
    password: str = ""

    def __str__(self) -> str:
        """As it may be shown: without a password."""
        scheme = "opensearch+https" if self.tls else "opensearch"
        hosts = ",".join(f"[{h}]:{p}" if ":" in h else f"{h}:{p}" for h, p in self.hosts)
        return f"{scheme}://{hosts}/{self.name}"

    def __repr__(self) -> str:
        return f"Address({str(self)!r})"


def parse(text: str) -> Address:
    """The address that a setting names. Raises: ConfigError."""
    scheme, _, rest = text.partition("://")
    authority, _, name = rest.partition("/")
    login, _, hosts = authority.rpartition("@")
    user, _, password = login.partition(":")
    if scheme not in SCHEMES or not hosts:
        raise _wrong("it looks like opensearch://host:9200/name, or opensearch+https://…")
    if not NAME.fullmatch(name.rstrip("/")):
        detail = "it ends in the library's name: small letters, digits, and - _ . between them"
        raise _wrong(detail)
    if RECORDS in name:  # its indices might be those that another library keeps records in
        raise _wrong(f"{RECORDS!r} may not stand in the library's name")
    return Address(
        tuple(_host(one) for one in hosts.split(",")),
        SCHEMES[scheme] == "https",
        name.rstrip("/"),
        unquote(user),
        unquote(password),
    )


def _host(text: str) -> tuple[str, int]:
    try:
        parts = urlsplit(f"//{text}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host:
        raise _wrong(f"{text!r} is no host and port")
    return host, port or PORT


def _wrong(detail: str) -> ConfigError:
    return ConfigError(name="store", detail=detail)
