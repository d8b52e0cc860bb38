"""The way to a model's address: certificates, proxies, extra headers. Imported with `clients`.

Companies put gateways before models: with a path and a query in the address, a certificate
of their own, headers that say who pays, and a proxy on the way.
"""

import os
import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import httpx2

from fanshu.errors import ConfigError
from fanshu.models.providers import Endpoint

NO_KEY = "api-key-not-set"  # what pydantic-ai sends in the place of a key
CONNECT_SECONDS = 10.0  # longer means nobody is there; the wait for a reply has its own limit
LOOPBACK = ("all://127.0.0.1", "all://localhost", "all://[::1]")  # no proxy can reach these for us

Hook = Callable[[httpx2.Request], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Gateway:
    """What every request carries, and the file with the authorities that sign the address."""

    headers: Mapping[str, str] = field(default_factory=dict)
    ca_file: str | None = None


def http_client(endpoint: Endpoint, gateway: Gateway) -> httpx2.AsyncClient:
    """The client that all requests go through; the caller closes it.

    It follows no redirects: documents go to the address that was configured and nowhere else.
    Proxies are those of the environment (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY), never
    for this machine itself.

    Raises: ConfigError — the authorities cannot be read, or a proxy cannot be used.
    """
    verify = authorities(gateway.ca_file)
    try:
        return httpx2.AsyncClient(
            event_hooks={"request": [_carrying(endpoint, gateway.headers)]},
            timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
            trust_env=not endpoint.loopback,
            verify=verify,
            mounts=dict.fromkeys(LOOPBACK),
        )
    except ImportError:
        detail = 'a SOCKS proxy needs one more package: pip install "socksio==1.*"'
        raise ConfigError(name="ALL_PROXY", detail=detail) from None
    except ValueError:
        detail = "an address of a proxy begins with http:// or https://"
        raise ConfigError(name="HTTPS_PROXY", detail=detail) from None


def authorities(ca_file: str | None) -> ssl.SSLContext:
    """Whom to trust: the system's authorities or those of SSL_CERT_FILE, and those of `ca_file`.

    Raises: ConfigError — a file holds no certificate or cannot be read.
    """
    given = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    return _authorities(ca_file, *given)


@cache
def _authorities(ca_file: str | None, cert_file: str | None, _: str | None) -> ssl.SSLContext:
    """Reading the authorities takes longer than all the rest of making a client."""
    try:
        context = httpx2.create_ssl_context()
    except (OSError, ValueError) as error:  # SSLError is an OSError
        raise ConfigError(name="SSL_CERT_FILE", detail=_unreadable(cert_file, error)) from None
    if ca_file:
        try:
            context.load_verify_locations(cafile=Path(ca_file).expanduser())
        except (OSError, ValueError) as error:
            raise ConfigError(name="ca_file", detail=_unreadable(ca_file, error)) from None
    return context


def _unreadable(file: str | None, error: Exception) -> str:
    if isinstance(error, ssl.SSLError) or not isinstance(error, OSError):
        return f"{file!r} holds no certificate in PEM form"
    return f"{file!r} cannot be read: {error.strerror}"


def _carrying(endpoint: Endpoint, headers: Mapping[str, str]) -> Hook:
    """What happens to each request before it leaves."""
    query = {} if endpoint.provider else endpoint.query
    azure = "api-version" in query

    async def carry(request: httpx2.Request) -> None:
        bearer = request.headers.get("Authorization", "")
        if (
            bearer == f"Bearer {NO_KEY}"
        ):  # the clients insist on a key; nobody should see a false one
            del request.headers["Authorization"]
        elif azure and bearer:  # Azure takes a key here, and elsewhere only tokens of its own
            request.headers["api-key"] = bearer.removeprefix("Bearer ")
            del request.headers["Authorization"]
        request.headers.update(headers)
        if query:
            request.url = request.url.copy_merge_params(query)

    return carry
