"""What the client and the engine say of a failure, in one line without addresses or secrets."""

import ssl
from typing import Any

from opensearchpy.exceptions import ConnectionError as NotConnected
from opensearchpy.exceptions import SSLError, TransportError

MAX_SAID = 300  # characters of what an engine says
LOGINS = {401: "it does not know this user or password", 403: "this user may not do that"}
FULL = "read-only-allow-delete"  # what an engine forbids itself when a disk is nearly full
FULL_DISK = (
    "the disk of one of its machines is full, so that it takes nothing more. Make room there or "
    "add a machine; it then takes up writing by itself, and indexing goes on where it stopped"
)
CLOSED = "create-index blocked"  # the same for new indices; an administrator may say it too
NO_INDEX = (
    "it makes no new index: its disks are or were full, or somebody has forbidden it in the "
    "settings of the cluster"
)
BUSY = {429: "it is too busy just now", 503: "it is not ready"}


def because(error: TransportError) -> str:
    """Why a request failed, as a sentence."""
    if isinstance(error, SSLError):
        return f"{_certificate(error.info)}."
    if isinstance(error, NotConnected):
        return f"{_connection(error.info)}."
    status = int(error.status_code)
    ours = (LOGINS | BUSY).get(status)
    theirs = said(_reason(error)) or f"status {status}"
    if FULL in theirs:
        return f"{FULL_DISK} ({theirs})."
    if CLOSED in theirs:
        return f"{NO_INDEX} ({theirs})."
    return f"{ours} ({theirs})." if ours else f"{theirs} (status {status})."


def said(what: object) -> str:
    """Words of another program: one line, not too long."""
    line = " ".join(str(what).split())
    return line if len(line) <= MAX_SAID else f"{line[:MAX_SAID]}…"


def _reason(error: TransportError) -> str:
    info = error.info
    if isinstance(info, dict):
        given = info.get("error")
        if isinstance(given, dict):
            return _of_engine(given)
        if given:
            return str(given)
    return str(error.error or "")


def _of_engine(given: dict[str, Any]) -> str:
    """The type and reason; those of a shard that failed say more than that all failed."""
    causes = given.get("root_cause")
    first = causes[0] if isinstance(causes, list) and causes else given
    kind = first.get("type") or given.get("type")
    reason = first.get("reason") or given.get("reason")
    return ": ".join(str(part) for part in (kind, reason) if part)


def _certificate(cause: object) -> str:
    inner = _innermost(cause)
    if isinstance(inner, ssl.SSLCertVerificationError):
        return (
            f"its certificate is not accepted ({inner.verify_message}); the setting store_ca_file "
            "names an authority of your own"
        )
    if isinstance(inner, ssl.SSLError) and "WRONG_VERSION_NUMBER" in str(inner):
        return "it does not speak TLS; the address then begins with opensearch://"
    return f"no connection by TLS ({said(inner)})"


def _connection(cause: object) -> str:
    inner = _innermost(cause)
    strerror = getattr(inner, "strerror", None)
    text = said(strerror or inner)
    if "RemoteDisconnected" in type(inner).__name__ or isinstance(inner, ConnectionResetError):
        return f"the connection was closed ({text})"
    return text


def _innermost(cause: object) -> object:
    """The exception of the system below those of the libraries."""
    seen = 0
    while seen < 10 and isinstance(cause, BaseException):
        inner = next((one for one in cause.args if isinstance(one, BaseException)), None)
        inner = inner or getattr(cause, "reason", None) or cause.__cause__ or cause.__context__
        if not isinstance(inner, BaseException) or inner is cause:
            return cause
        cause, seen = inner, seen + 1
    return cause
