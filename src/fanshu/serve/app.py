"""The application: routes, errors and the page, behind the gate."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.telemetry import TelemetryConfig
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from fanshu import app as core
from fanshu.cluster.sharing import Shared
from fanshu.errors import FanshuError
from fanshu.serve.asking import Asking
from fanshu.serve.checking import Checkups
from fanshu.serve.drawing import Drawing
from fanshu.serve.gate import Gate
from fanshu.serve.libraries import Libraries, OpenModel
from fanshu.serve.measures import Measures
from fanshu.serve.mounting import Mounted
from fanshu.serve.planning import Plan
from fanshu.serve.responses import described, problem
from fanshu.serve.routes import (
    about,
    approving,
    asking,
    chat,
    checking,
    files,
    history,
    logins,
    reading,
    told,
    writing,
)
from fanshu.serve.service import Service
from fanshu.serve.state import open_state
from fanshu.serve.webhook import Webhook

log = logging.getLogger("fanshu.serve")

PAGE = Path(__file__).parent / "page"
TOLD = (*about.TOLD, *reading.TOLD, *history.TOLD, *chat.TOLD, *approving.TOLD, *checking.TOLD)
METHOD_NOT_ALLOWED = 405
HASHING = 2  # passwords checked at once: each takes 64 MB for a tenth of a second
# What the page may do: its own files and its own service, nothing written into the page itself.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'; manifest-src 'self'"
)


class _Page(StaticFiles):
    """The files of the page, under a policy of their own."""

    def file_response(self, *args: object, **named: object) -> Response:
        answer: Response = super().file_response(*args, **named)  # type: ignore[arg-type]
        answer.headers["content-security-policy"] = PAGE_POLICY
        answer.headers["cache-control"] = "no-cache"
        return answer


def create_app(
    plan: Plan,
    *,
    folder: Path | None = None,
    open_model: OpenModel = core.open_model,
    clock: Callable[[], float] = time.monotonic,
    shared: Shared | None = None,
) -> "Gated":
    """The service over a plan, as an ASGI application.

    `folder`: where users, tokens and the register lie; by default in the user's data folder, or
    in the store of the libraries; `shared`: in the place of that.
    `clock`: by which requests, failed logins and sessions of a minute are counted, in seconds,
    where a service counts for itself.
    Raises: LibraryError, ConfigError, ModelError when it starts — a library cannot be opened.
    """
    settings, state = plan.service, open_state(plan, folder, shared, clock)
    webhook = Webhook(settings.review_webhook, passages=settings.review_webhook_passages)
    libraries, measures = Libraries(plan, open_model, webhook.review), Measures()
    running = Asking(
        settings, libraries, state, lambda shelf, answer: measures.run(shelf.name, answer)
    )
    checkups = Checkups(libraries)
    service = Service(settings, libraries, state, running, measures, webhook, checkups)
    inner = _inner(service)
    inner.state.service = service
    return Gated(inner, service)


class Gated(Gate):
    """The service behind its checks, and what it consists of."""

    @property
    def service(self) -> Service:
        return self._service


def _inner(service: Service) -> FastAPI:
    mounted = Mounted(service)
    nothing = TelemetryConfig(tracing=False, metrics=False, logs=False, auto_configure=False)
    inner = FastAPI(
        title="fanshu",
        docs_url=None,  # these load scripts from elsewhere
        redoc_url=None,
        lifespan=lambda app: _life(app, service, mounted),
        telemetry=nothing,
    )
    for room in (
        asking,
        chat,
        reading,
        checking,
        files,
        writing,
        history,
        approving,
        about,
        logins,
    ):
        inner.include_router(room.router)
    inner.router.routes.append(mounted.route)
    inner.openapi = lambda: told.description(inner, TOLD)  # type: ignore[method-assign]
    inner.add_exception_handler(FanshuError, _known)
    inner.add_exception_handler(RequestValidationError, _invalid)
    inner.add_exception_handler(HTTPException, _http)
    inner.add_exception_handler(Exception, _unknown)
    # Not mounted: what matches a route but for its method is that route's to answer.
    inner.router.default = _Page(directory=PAGE, html=True)
    return inner


@asynccontextmanager
async def _life(inner: FastAPI, service: Service, mounted: Mounted) -> AsyncIterator[None]:
    """Open everything when the service begins, and close it when it ends."""
    loop = asyncio.get_running_loop()
    # Everything that reads documents runs here, that of the loop and of the cache included.
    loop.set_default_executor(
        ThreadPoolExecutor(service.settings.threads, thread_name_prefix="library")
    )
    inner.state.drawing = Drawing()
    failures = logins.FAILURES_PER_MINUTE, "failed logins"
    inner.state.failures = service.state.rates(*failures, exact=True)
    inner.state.hashing = asyncio.Semaphore(HASHING)
    try:
        service.libraries.open()
    except FanshuError as error:
        service.failure = error
        raise
    try:
        async with mounted.running():
            yield
    finally:
        await service.asking.end(0)
        await service.checkups.end()
        await service.libraries.close()
        service.webhook.close()
        await service.state.close()


# ---------------------------------------------------------------- errors


async def _known(request: Request, error: Exception) -> Response:  # noqa: ARG001 - as called
    assert isinstance(error, FanshuError)  # noqa: S101 - it is registered for these
    return problem(error)


async def _invalid(request: Request, error: Exception) -> Response:  # noqa: ARG001 - as called
    assert isinstance(error, RequestValidationError)  # noqa: S101
    wrong = [
        {"at": ".".join(map(str, one["loc"])), "what": str(one["msg"])} for one in error.errors()
    ]
    detail = "; ".join(f"{one['at']}: {one['what']}" for one in wrong[:3])
    return described("invalid", detail, 422, errors=wrong)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    if isinstance(error.__cause__, FanshuError):  # a body that could not be read, and why
        return problem(error.__cause__)
    headers = dict(error.headers or {})
    if error.status_code == METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(_methods(request))
    return described("http", str(error.detail), error.status_code, headers)


def _methods(request: Request) -> list[str]:
    """The methods of all routes with this path; the router knows those of the first alone."""
    methods = told.methods(request.app, request.scope["path"])
    return sorted(methods) or ["GET", "HEAD"]


async def _unknown(request: Request, error: Exception) -> Response:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    detail = "The request failed; the log of the service says why."
    return described("internal", detail, 500)
