"""Opening the connection to a store of OpenSearch. Importing this imports no client."""

import base64
import logging
import os
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fanshu.cluster.address import Address
from fanshu.errors import ConfigError, ExtraMissing

if TYPE_CHECKING:
    from opensearchpy import OpenSearch

CONNECTIONS = 32  # kept open to each host: one per thread that searches at a time
DEAD_SECONDS = 5.0  # after which a host that failed is tried again; doubled each time
DEAD_DOUBLINGS = 3


@dataclass(frozen=True, slots=True)
class Options:
    """How a store is spoken to.

    `timeout`: seconds for a request with all its repetitions, unless it brings its own limit.
    `retries`: how often a request is made again. `ca_file`: authorities (PEM) that are trusted
    beside the system's; certificates are always checked.
    """

    user: str = ""
    password: str = field(default="", repr=False)
    ca_file: str | None = None
    timeout: float = 30.0
    retries: int = 5


def connect(address: Address, options: Options | None = None) -> "OpenSearch":
    """A client of the store at an address; nothing is sent before it is used. Thread-safe.

    What the client raises is StoreUnreachable (not there, overloaded, out of time: it may be
    there again later) or StoreRefused; the latter for 404 and 409 also is the client's own
    NotFoundError or ConflictError. The first request asks the engine what it is, and refuses
    what is not OpenSearch 2 or later.

    No proxy is used and no redirect followed: what is asked goes to the hosts of the address.

    Raises: ExtraMissing; ConfigError — the authorities cannot be read, or half a login is given.
    """
    options = options or Options()
    try:
        from opensearchpy import OpenSearch

        from fanshu.cluster.transport import QuietConnection, StoreTransport
    except ImportError as error:
        detail = "opensearch-py"
        raise ExtraMissing(verb="--store", extra="opensearch", detail=detail) from error
    _keep_quiet()
    return OpenSearch(
        [{"host": host, "port": port} for host, port in address.hosts],
        transport_class=StoreTransport,
        connection_class=QuietConnection,
        store_address=str(address),
        use_ssl=address.tls,
        ssl_context=authorities(options.ca_file) if address.tls else None,
        headers=_headers(address, options),
        timeout=options.timeout,
        max_retries=options.retries,
        pool_maxsize=CONNECTIONS,
        dead_timeout=DEAD_SECONDS,
        timeout_cutoff=DEAD_DOUBLINGS,
    )


def _headers(address: Address, options: Options) -> dict[str, str]:
    """What every request carries; settings win over what the address says."""
    from fanshu import __version__

    user = options.user or address.user
    password = options.password or address.password
    headers = {"user-agent": f"fanshu/{__version__}"}
    if password and not user:
        raise ConfigError(name="store_user", detail="a password is given, and no user")
    if user:
        both = base64.b64encode(f"{user}:{password}".encode("utf-8", "surrogateescape"))
        headers["authorization"] = f"Basic {both.decode('ascii')}"
    return headers


def authorities(ca_file: str | None) -> ssl.SSLContext:
    """Whom to trust: the system's authorities or those of SSL_CERT_FILE, and those of `ca_file`.

    Raises: ConfigError — the file holds no certificate or cannot be read.
    """
    context = ssl.create_default_context()
    places = ssl.get_default_verify_paths()
    if not (places.cafile or places.capath or os.environ.get("SSL_CERT_FILE")):
        import certifi  # a small container has no authorities of its own

        context.load_verify_locations(certifi.where())
    if ca_file:
        try:
            context.load_verify_locations(Path(ca_file).expanduser())
        except ssl.SSLError:
            detail = f"{ca_file!r} holds no certificate in PEM form"
            raise ConfigError(name="store_ca_file", detail=detail) from None
        except OSError as error:
            detail = f"{ca_file!r} cannot be read: {error.strerror}"
            raise ConfigError(name="store_ca_file", detail=detail) from None
    return context


def _keep_quiet() -> None:
    """The client warns of each host that fails: on the terminal, where nobody else listens."""
    logger = logging.getLogger("opensearch")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
