"""What every request passes before any route: where it comes from, who sends it, how much of it.

Refuses by default: a path that is not named as open needs a person. Written for ASGI itself, so
that a client that goes away is noticed further in.
"""

import asyncio
import ipaddress
import logging
import re
import socket
import time
from collections.abc import Awaitable, Callable, MutableMapping
from functools import cached_property
from typing import Any
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers, MutableHeaders

from fanshu.errors import FanshuError, LoginNeeded, NotAllowed, RequestRefused
from fanshu.serve.access import LOCAL, Person
from fanshu.serve.accounts import TOKEN_START, Account
from fanshu.serve.logins import user_of
from fanshu.serve.refusals import COMPLETIONS, in_form_of
from fanshu.serve.responses import described, problem
from fanshu.serve.service import Service
from fanshu.serve.settings import ServiceSettings

log = logging.getLogger("fanshu.serve")

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]

GUARDED = ("/v1/", "/metrics", "/mcp")  # all other paths are files of the page: no documents
# These take as long as model or network do.
UNHURRIED = ("/v1/ask", COMPLETIONS, "/v1/original", "/v1/documents", "/mcp")
UPLOAD = "/v1/documents"
HISTORIES = 16  # times the usual body: chat clients send the whole conversation, with pictures
UNSAFE = frozenset({"POST", "PUT", "DELETE", "PATCH"})
GONE = 499  # what is logged when a client went away before it was answered
SAME_SITE = frozenset({"same-origin", "none"})
# Nothing that the interface sends is a page: whatever it is taken for, it can do nothing.
HEADERS = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^:\s]+)(?::\d{1,5})?")


class Gate:
    """The service behind its checks."""

    def __init__(self, inner: Asgi, service: Service) -> None:
        self._inner, self._service = inner, service
        self._rates = service.state.rates(service.settings.requests_per_minute, "requests")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it with what is wrong."""
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        sent = in_form_of(str(scope["path"]), send)
        passage = _Passage(scope, receive, sent, self._service.settings)
        try:
            await self._through(passage)
        except asyncio.CancelledError:
            passage.status = passage.status or GONE
            raise
        finally:
            self._write_down(passage)

    async def _through(self, passage: "_Passage") -> None:
        try:
            await self._check(passage)
        except FanshuError as error:
            await problem(error)(passage.scope, passage.receive, passage.send)
            return
        seconds = None
        if not passage.path.startswith(UNHURRIED):
            seconds = self._service.settings.request_seconds
        try:
            async with asyncio.timeout(seconds):
                await self._inner(passage.scope, passage.receive, passage.send)
        except TimeoutError:
            await self._too_slow(passage)

    @staticmethod
    async def _too_slow(passage: "_Passage") -> None:
        if not passage.status:
            answer = described("timeout", "It took too long and was given up.", 504)
            await answer(passage.scope, passage.receive, passage.send)

    async def _check(self, passage: "_Passage") -> None:
        """Raises: RequestRefused, NotAllowed, LoginNeeded, TooMany, AccountError, StoreError."""
        settings = self._service.settings
        if not host_known(passage.headers.get("host", ""), settings):
            detail = (
                f"The service is not known as {passage.headers.get('host', '')!r}. "
                "If it should be, add the name to `hosts` (--allow-host)."
            )
            raise RequestRefused(detail=detail, status=421)
        guarded = passage.path.startswith(GUARDED)
        person = passage.person = await self._known(passage)
        # A token is no cookie: no page sends it that has not been given it. Chat programs that
        # are made of a page send it together with the origin of that.
        by_token = person is not None and person.kind == "token"
        if (
            (guarded or passage.method in UNSAFE)
            and not by_token
            and _from_elsewhere(passage.headers)
        ):
            raise NotAllowed(detail="Pages of other sites may not ask this service.")
        passage.scope.setdefault("state", {})["person"] = person
        if person is None:
            if guarded:
                raise LoginNeeded(detail="who you are is not known")
        elif guarded and person.kind != "local":
            await self._service.state.call(self._rates.take, person.key)
        passage.must_fit()

    async def _known(self, passage: "_Passage") -> Person | None:
        """Who sends a request, where that matters: the files of the page are everybody's."""
        if not passage.path.startswith(GUARDED) and passage.method not in UNSAFE:
            return None
        return await self._service.state.call(self._person, passage)

    def _person(self, passage: "_Passage") -> Person | None:
        settings, accounts = self._service.settings, self._service.accounts
        kind, _, token = passage.headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            person = accounts.by_token(token.strip())
            # Chat clients insist on some key. Where nobody has to say who they are, one that is
            # no token says nothing; a token that was taken away still lets nobody in.
            if person or demands_login(settings) or token.strip().startswith(TOKEN_START):
                return person
            return LOCAL
        if settings.user_header and passage.client in settings.proxies:
            account = accounts.user(passage.headers.get(settings.user_header, ""))
            return account.person(token=False) if account else None
        user: Account | None = user_of(passage.headers, accounts, self._service.register)
        if user:
            return user.person(token=False)
        return None if demands_login(settings) else LOCAL

    def _write_down(self, passage: "_Passage") -> None:
        route = getattr(passage.scope.get("route"), "path", "other")
        seconds = time.perf_counter() - passage.began
        self._service.measures.request(route, passage.method, passage.status or 500, seconds)
        who = passage.person.label if passage.person else "-"
        cost = passage.scope.get("state", {}).get("cost")
        query = passage.scope.get("query_string", b"").decode("latin-1")
        asked = f"?{query}" if query and self._service.settings.log_questions else ""
        log.info(
            "%s %s %s%s %d %.3fs%s",
            who,
            passage.method,
            quote(passage.path, safe="/:@"),  # else a line feed in it would begin a line of its own
            asked,
            passage.status or 500,
            seconds,
            f" ${cost:.4f}" if cost is not None else "",
        )


class _Passage:
    """One request on its way through the gate."""

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, settings: ServiceSettings
    ) -> None:
        self.scope, self._receive, self._send = scope, receive, send
        self._settings = settings
        self.headers = Headers(scope=scope)
        self.path, self.method = str(scope["path"]), str(scope["method"])
        self.client = scope["client"][0] if scope.get("client") else ""
        self.person: Person | None = None
        self.status = 0
        self._start: Message = {}
        self.began = time.perf_counter()
        self._left = self.most
        self._complete = False

    @cached_property
    def most(self) -> int:
        """Bytes that a body may have."""
        if self.path == UPLOAD and self.method == "PUT":
            return 1 << 62  # the library's own limit of a file holds there
        return self._settings.body_kb * 1_000 * (HISTORIES if self.path == COMPLETIONS else 1)

    def must_fit(self) -> None:
        """Raises: RequestRefused — the body says that it is too large."""
        length = self.headers.get("content-length", "0")
        if length.isdecimal() and int(length) > self.most:
            raise self._too_large()

    def _too_large(self) -> RequestRefused:
        return RequestRefused(detail=f"A body may have {self.most:,} bytes.", status=413)

    async def receive(self) -> Message:
        """The next part of the body, in time and not too much of it; later, that nobody is there.

        Raises: RequestRefused.
        """
        if self._complete:
            return await self._receive()
        try:
            async with asyncio.timeout(self._settings.body_seconds):
                message = await self._receive()
        except TimeoutError:
            raise RequestRefused(detail="The body came too slowly.", status=408) from None
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise self._too_large()
        self._complete = not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        """Send on, with the headers that every answer has."""
        if message["type"] == "http.response.start":
            self._start = message
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        self.status = int(self._start.get("status", 0))
        await self._send(message)
        self.status = int(self._start.get("status", 0))  # OpenAI's form may have another


def demands_login(settings: ServiceSettings) -> bool:
    """Whether anybody has to say who they are: always, but on this machine for itself alone."""
    alone = settings.local and not settings.user_header and not settings.hosts
    return settings.login or not alone


def host_known(host: str, settings: ServiceSettings) -> bool:
    """Whether the service goes by this name.

    A page of another site that makes its name point here (DNS rebinding) sends that name. An
    address in numbers is nobody's name.
    """
    match = _HOST.fullmatch(host)
    if not match:
        return False
    name = match[1].strip("[]").lower()
    known = {"localhost", settings.host.lower(), *map(str.lower, settings.hosts)}
    if not settings.local:
        known |= own_names()
    return name in known or _is_address(name)


def own_names() -> set[str]:
    """What this machine calls itself."""
    name = socket.gethostname().lower()
    return {name, name.partition(".")[0], f"{name.partition('.')[0]}.local"}


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _from_elsewhere(headers: Headers) -> bool:
    """Whether a page of another site has sent a request. Programs send neither header."""
    site = headers.get("sec-fetch-site")
    if site is not None and site not in SAME_SITE:
        return True
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != headers.get("host", "")
