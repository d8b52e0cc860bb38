"""MCP over HTTP: one more route of the service, behind the same gate as all others."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from fanshu import extras
from fanshu.errors import FanshuError, TooMany
from fanshu.protocol.desk import Asking, Opened, Reading
from fanshu.serve.access import Person
from fanshu.serve.asking import Question, new_run
from fanshu.serve.desks import open_shelf, reading_of
from fanshu.serve.responses import described, explained, problem
from fanshu.serve.service import Service, person_of
from fanshu.types import Answer

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from fanshu.agent.events import OnEvent

PATH = "/mcp"
SESSION = "mcp-session-id"
VERSION = "mcp-protocol-version"
# A session is forgotten half an hour after its last request, and 10,000 are kept at most (both as
# the SDK has it): at this rate one caller alone takes a third of them.
SESSIONS_PER_MINUTE = 120
LOOK_SECONDS = 0.5  # between two looks whether the service ends


def _not_installed() -> str:
    return f"MCP needs a package that is not installed: {extras.here().add_shortly('mcp')}"


@dataclass(frozen=True, slots=True)
class PersonDesk:
    """What one person may see of the service, within that person's limits."""

    service: Service
    person: Person
    request: Request

    @property
    def names(self) -> tuple[str, ...]:
        """The libraries that this person may see."""
        return self.person.libraries(self.service.libraries.all)

    def reading(self, name: str) -> Reading | None:
        """How far the first reading of a library is."""
        return reading_of(self.service.libraries, name) if name in self.names else None

    def open(self, name: str) -> AbstractAsyncContextManager[Opened]:
        """A library. Raises: UnknownLibrary, LibraryError."""
        libraries = self.service.libraries
        return open_shelf(libraries, libraries.find(name, self.names), self.person.scope(name))

    async def ask(self, asking: Asking, on_event: "OnEvent") -> Answer:
        """Ask as over the rest of the service: in the queue, within the cost, written down."""
        shelf = self.service.libraries.find(asking.library, self.names)
        question = Question(
            self.person, shelf, asking.question, fresh=asking.fresh, seconds=asking.seconds
        )
        turn = await self.service.asking.admit(self.person)
        task = self.service.asking.begin(question, turn, new_run(), on_event)
        connection: _Connection = self.request.scope["state"]["connection"]
        gone = asyncio.create_task(connection.gone.wait())
        try:
            await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                task.cancel()  # there is nobody to give an answer to, and nothing keeps it
            answer = (await task).answer
        finally:
            gone.cancel()
            task.cancel()
        self.request.scope["state"]["cost"] = answer.usage.cost
        return answer

    def explain(self, error: FanshuError) -> str:
        """What people elsewhere are told of an error."""
        return explained(error)


class Mounted:
    """The MCP server as a route. Who may come in, and how often, the gate has settled."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._sessions = service.state.rates(SESSIONS_PER_MINUTE, "sessions")
        self._manager: StreamableHTTPSessionManager | None = None

    @property
    def route(self) -> Route:
        """The route, with every method: the protocol says which it takes."""
        return Route(PATH, self)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Ready for callers while the block runs, if the SDK is installed."""
        if find_spec("mcp") is None:
            yield
            return
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
        from sse_starlette.sse import AppStatus

        from fanshu.protocol.server import server

        settings = self._service.settings
        manager = StreamableHTTPSessionManager(
            server(self._desk, seconds=settings.request_seconds),
            max_request_body_size=settings.body_kb * 1_000,
        )
        AppStatus.enable_automatic_graceful_drain = False  # what runs gets its time to finish
        async with manager.run():
            self._manager = manager
            yield

    def _desk(self, request: object) -> PersonDesk:
        assert isinstance(request, Request)  # noqa: S101 - over HTTP there always is one
        return PersonDesk(self._service, person_of(request), request)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request of a client."""
        if self._manager is None:
            await described("extra_missing", _not_installed(), 501)(scope, receive, send)
            return
        person: Person = scope["state"]["person"]
        headers = Request(scope).headers
        try:
            if person.kind != "local" and _begins_session(headers):
                await self._service.state.call(self._sessions.take, person.key)
        except TooMany as error:
            await problem(error)(scope, receive, send)
            return
        connection = _Connection(receive)
        scope["state"]["connection"] = connection
        handled = self._manager.handle_request(_owned(scope, person), connection.receive, send)
        await (self._until_the_end(handled) if scope["method"] == "GET" else handled)

    async def _until_the_end(self, listening: Coroutine[Any, Any, None]) -> None:
        """Clients that only listen would keep the service from ending."""
        task = asyncio.create_task(listening)
        try:
            while not (task.done() or self._service.asking.ending):
                await asyncio.wait({task}, timeout=LOOK_SECONDS)
        finally:
            task.cancel()
        with suppress(asyncio.CancelledError):
            await task


class _Connection:
    """What comes of a request; `gone` once its client has hung up."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self.gone = asyncio.Event()

    async def receive(self) -> Message:
        """The next part of the body, or that nobody is there any more."""
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self.gone.set()
        return message


def _begins_session(headers: Headers) -> bool:
    """Whether the SDK makes a session for a request: in the protocol's newer form there is none."""
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

    version = headers.get(VERSION)
    return SESSION not in headers and (version is None or version in HANDSHAKE_PROTOCOL_VERSIONS)


def _owned(scope: Scope, person: Person) -> Scope:
    """The request with its sender in the SDK's words: a session is its owner's alone."""
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
    from mcp.server.auth.provider import AccessToken

    user = AuthenticatedUser(AccessToken(token="", client_id=person.key, scopes=[]))
    return {**scope, "user": user}
