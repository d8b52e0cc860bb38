"""Every request to OpenSearch: repeated where that is right, its failures told in our errors.

Imported only where the extra `opensearch` is.
"""

import logging
import random
import ssl
import threading
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any, ClassVar

from opensearchpy import Transport, Urllib3HttpConnection
from opensearchpy.exceptions import (
    ConflictError,
    ConnectionTimeout,
    NotFoundError,
    OpenSearchException,
    TransportError,
)
from opensearchpy.exceptions import ConnectionError as NotConnected
from urllib3 import Timeout
from urllib3.exceptions import ConnectTimeoutError, NameResolutionError, NewConnectionError

from fanshu.cluster.saying import FULL, because, said
from fanshu.errors import StoreError, StoreRefused, StoreUnreachable

CONNECT_SECONDS = 5.0  # longer means that nobody is there
WAIT_SECONDS = 0.1  # before the first repetition; doubled each time, with a random part
MAX_WAIT = 5.0
LEAST = 0.05  # seconds that are worth another attempt
READS = ("_search", "_msearch", "_mget", "_count", "_refresh", "_bulk", "point_in_time")
UNDONE = {429, 503}  # nothing was done: too busy, or no node that could
PERHAPS = {502, 504}  # a gateway gave up; what is behind it may have done it
# What a node says when another, to which it passed a request on, is just going away:
GOING = {
    "node_disconnected_exception",
    "node_not_connected_exception",
    "node_closed_exception",
    "connect_transport_exception",
    "receive_timeout_transport_exception",
}
OLDEST = 2  # major version of OpenSearch

log = logging.getLogger("opensearch")


class _Answered(StoreRefused):
    """A refusal that some expect: also the client's own exception, with what the engine replied."""

    status_code: ClassVar[int] = 0
    error: ClassVar[str] = ""
    info: Any = None

    def __init__(self, *, info: Any = None, **fields: object) -> None:
        super().__init__(**fields, status=self.status_code)
        self.info = info

    def __str__(self) -> str:
        return Exception.__str__(self)


class Missing(_Answered, NotFoundError):
    """No such index or document; whoever expects that catches NotFoundError."""

    status_code = 404
    error = "not found"


class Conflicting(_Answered, ConflictError):
    """A document is not at the version that was expected; see ConflictError."""

    status_code = 409
    error = "conflict"


class QuietConnection(Urllib3HttpConnection):
    """A connection that never logs what is sent or comes back, nor warns on the terminal."""

    def log_request_success(  # type: ignore[override]
        self, method: str, _url: str, path: str, *_: Any, **__: Any
    ) -> None:
        self._note(method, path)

    def log_request_fail(  # type: ignore[override]
        self, method: str, _url: str, path: str, *_: Any, **__: Any
    ) -> None:
        self._note(method, path, "failed")

    def _note(self, method: str, path: str, how: str = "done") -> None:
        log.debug("%s %s%s %s", method, self.host, path.partition("?")[0], how)

    def _raise_warnings(self, warning_headers: Any) -> None:
        """Deprecations are for whoever develops this, and come up in the engine's own log."""


class StoreTransport(Transport):
    """Repeats within the time of a request, on other hosts where there are some.

    What may have been done already is repeated only if doing it twice does no harm: reading,
    and writing that does not depend on a version.
    """

    def __init__(
        self, hosts: Any, *, store_address: str, timeout: float, max_retries: int, **options: Any
    ) -> None:
        self.address = store_address
        self.seconds = timeout
        self._known = threading.Event()
        super().__init__(hosts, timeout=timeout, max_retries=max_retries, **options)

    def perform_request(
        self,
        method: str,
        url: str,
        params: Mapping[str, Any] | None = None,
        body: Any = None,
        timeout: float | None = None,
        ignore: Collection[int] = (),
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """One request, with its repetitions. Raises: StoreUnreachable, StoreRefused."""
        method, params, body, ignore, given = self._resolve_request_args(
            method, dict(params) if params else None, body, timeout=timeout, ignore=ignore
        )
        ends = time.monotonic() + (given or self.seconds)
        if not self._known.is_set():
            self._meet(ends)
        return self._told(
            lambda: self._repeated(
                method, url, params, body, ignore, headers, ends, limited=given is not None
            ),
            given or self.seconds,
        )

    def _told(self, work: Callable[[], Any], seconds: float) -> Any:
        try:
            return work()
        except OpenSearchException as error:
            raise told(error, self.address, seconds) from None

    def _meet(self, ends: float) -> None:
        """Ask once what engine this is."""
        try:
            info = self._told(
                lambda: self._repeated("GET", "/", None, None, (), None, ends), self.seconds
            )
        except Missing:
            info = None  # a service that keeps its front door shut
        except StoreRefused as error:
            if error.fields.get("status") != 403:
                raise
            info = None  # a user who may not ask may well search
        if info is not None:
            require_version(info, self.address)
        self._known.set()

    def _repeated(
        self,
        method: str,
        url: str,
        params: Any,
        body: Any,
        ignore: Collection[int],
        headers: Mapping[str, str] | None,
        ends: float,
        *,
        limited: bool = False,
    ) -> Any:
        """`limited`: who asks has set a limit, and will himself ask again."""
        harmless = repeatable(method, url, params)
        for attempt in range(self.max_retries + 1):
            connection = self.get_connection()
            left = max(LEAST, ends - time.monotonic())
            others = harmless and attempt < self.max_retries and len(self.hosts) > 1
            read = left / 2 if others and not limited else left
            wait = Timeout(connect=min(left, CONNECT_SECONDS), read=read)
            try:
                status, replied, data = connection.perform_request(
                    method, url, params, body, headers=headers, ignore=ignore, timeout=wait
                )
            except TransportError as error:
                if method == "HEAD" and error.status_code == 404:
                    return False
                if lost(error):
                    self.mark_dead(connection)
                again = worth_repeating(error, harmless) and attempt < self.max_retries
                if not again or not self._pause(attempt, error, ends):
                    raise
                continue
            self.connection_pool.mark_live(connection)
            if method == "HEAD":
                return 200 <= status < 300
            kind = {name.lower(): value for name, value in replied.items()}.get("content-type")
            return self.deserializer.loads(data, kind) if data else data
        raise AssertionError("the last attempt returns or raises")

    def _pause(self, attempt: int, error: TransportError, ends: float) -> bool:
        """Wait before another attempt; False when there is no time for one.

        Another host is asked at once.
        """
        wait = min(MAX_WAIT, WAIT_SECONDS * 2**attempt) * random.uniform(0.5, 1.0)  # noqa: S311
        if lost(error) and attempt + 1 < len(self.hosts):
            wait = 0.0
        if time.monotonic() + wait + LEAST > ends:
            return False
        time.sleep(wait)
        return True


def repeatable(method: str, url: str, params: Mapping[str, Any] | None) -> bool:
    """Whether a request does no harm when it is done twice.

    Bulk requests count: ours write whole documents under ids of their own.
    """
    if method in ("GET", "HEAD"):
        return True
    if method == "POST":
        return any(part in READS for part in url.split("/"))
    conditional = {"if_seq_no", "if_primary_term", "op_type"} & set(params or ())
    return not conditional and "_create" not in url.split("/")


def full(error: TransportError) -> bool:
    """Whether a disk of the engine is full: it says that it is busy, and will be for long."""
    return FULL in str(error.info)


def lost(error: TransportError) -> bool:
    """Whether the host did not answer, or the node there is on its own."""
    return isinstance(error, NotConnected) or error.status_code in (502, 503, 504)


def worth_repeating(error: TransportError, harmless: bool) -> bool:
    if full(error):
        return False
    if error.status_code in UNDONE:
        return True
    if error.status_code in PERHAPS or lost_within(_error_in(error)):
        return harmless
    if not isinstance(error, NotConnected):
        return False
    cause = error.info
    if isinstance(cause, ssl.SSLError) or "SSL" in type(cause).__name__:
        return False  # a certificate is no better the second time
    never_sent = isinstance(cause, NewConnectionError | ConnectTimeoutError | NameResolutionError)
    return never_sent or harmless


def lost_within(error: object) -> bool:
    """Whether the engine says, by this object, that a node of its own was lost on the way."""
    if not isinstance(error, Mapping):
        return False
    causes = (error, *error.get("root_cause", ()), error.get("caused_by"))
    return any(isinstance(one, Mapping) and one.get("type") in GOING for one in causes)


def _error_in(error: TransportError) -> object:
    return error.info.get("error") if isinstance(error.info, Mapping) else None


def told(error: OpenSearchException, address: str, seconds: float) -> StoreError:
    """An exception of the client as ours."""
    if not isinstance(error, TransportError):
        return StoreRefused(address=address, detail=f"its reply is no JSON ({said(error)}).")
    if isinstance(error, ConnectionTimeout):
        return StoreUnreachable(address=address, detail=f"no reply within {seconds:g} seconds.")
    status = error.status_code
    detail = because(error)
    if full(error):
        return StoreRefused(address=address, detail=detail, status=status)
    gone = lost_within(_error_in(error))
    if isinstance(error, NotConnected) or status in UNDONE | PERHAPS or gone:
        return StoreUnreachable(address=address, detail=detail)
    if isinstance(error, NotFoundError):
        return Missing(address=address, detail=detail, info=error.info)
    if isinstance(error, ConflictError):
        return Conflicting(address=address, detail=detail, info=error.info)
    return StoreRefused(address=address, detail=detail, status=status)


def require_version(info: Any, address: str) -> None:
    """Raises: StoreRefused — it is no OpenSearch, or one that is too old."""
    version = info.get("version") if isinstance(info, dict) else None
    if not isinstance(version, dict):
        raise StoreRefused(address=address, detail="it is no OpenSearch.")
    number = str(version.get("number", "?"))
    ours = "opensearch" in f"{version.get('distribution')} {info.get('tagline')}".lower()
    if not ours:
        detail = f"it seems to be Elasticsearch {number}, with which fanshu has never been tried."
        raise StoreRefused(address=address, detail=f"{detail} OpenSearch 2 or later is needed.")
    major = number.partition(".")[0]
    # with `compatibility.override_main_response_version` it says 7.10 and no distribution
    if version.get("distribution") and major.isdigit() and int(major) < OLDEST:
        detail = f"it is OpenSearch {number}; version {OLDEST} or later is needed."
        raise StoreRefused(address=address, detail=detail)
