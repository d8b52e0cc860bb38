"""Running the service: listening, signals, changes of the settings file, the end."""

import asyncio
import errno
import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from fanshu import app as core
from fanshu.errors import ConfigError, FanshuError, ServiceError, StoreUnreachable
from fanshu.serve.accounts import AccountBook
from fanshu.serve.app import Gated, create_app
from fanshu.serve.gate import demands_login
from fanshu.serve.hurrying import HurriedProtocol
from fanshu.serve.libraries import OpenModel
from fanshu.serve.planning import Plan
from fanshu.serve.settings import ServiceSettings

log = logging.getLogger("fanshu.serve")

KEPT_SECONDS = 75  # an idle connection; longer than nginx keeps one, else it uses one that is gone
ARRIVING_SECONDS = 1.0  # in which requests come that were on their way
AFTER_SECONDS = 15.0  # for answers to reach their clients, when the running questions have ended
LINE = "%(asctime)s %(levelname)s %(message)s"
MakePlan = Callable[[], Plan]


@dataclass(frozen=True, slots=True)
class Started:
    """What to tell when the service listens."""

    url: str
    libraries: tuple[str, ...]
    login: bool


def must_be_safe(settings: ServiceSettings, accounts: AccountBook) -> None:
    """Others than this machine's own programs may come only where somebody is known.

    Raises: ConfigError, AccountError.
    """
    if (settings.tls_cert is None) != (settings.tls_key is None):
        raise ConfigError(name="serve.tls_cert", detail="it needs tls_key, and the other way round")
    if settings.user_header and not settings.proxies:
        detail = "it needs proxies, the addresses that may send it"
        raise ConfigError(name="serve.user_header", detail=detail)
    known = accounts.known()
    if demands_login(settings) and not known.users and not known.tokens:
        detail = (
            f"listening on {settings.host} needs users or tokens, and there are none; "
            "make one with `fanshu user add NAME` or `fanshu token create NAME`"
        )
        raise ConfigError(name="serve.host", detail=detail)


def serve(
    make_plan: MakePlan,
    *,
    folder: Path | None = None,
    watched: Path | None = None,
    open_model: OpenModel | None = None,
    on_start: Callable[[Started], None] = lambda _: None,
) -> None:
    """Serve until a signal ends it. SIGHUP, or a change of the file `watched`, makes a new plan.

    Raises: ConfigError, AccountError, LibraryError, ModelError, ServiceError.
    """
    plan = make_plan()
    app = create_app(plan, folder=folder, open_model=open_model or core.open_model)
    try:
        must_be_safe(plan.service, app.service.accounts)
    except StoreUnreachable as error:  # until it answers nobody is known, and nobody gets in
        log.warning("%s", error)
    listener = _listener(plan.service)
    server = Server(app, plan, listener, make_plan, watched, on_start)
    logging.basicConfig(level=logging.WARNING, format=LINE, stream=sys.stderr)
    log.setLevel(logging.INFO)
    with suppress(KeyboardInterrupt):
        server.run([listener])
    if server.failed:
        raise server.failed


def _listener(settings: ServiceSettings) -> socket.socket:
    """The socket that is listened on. Raises: ServiceError."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # Named as TCP, else asyncio leaves Nagle's algorithm on: 40 ms more for each answer.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        detail = f"{settings.host}:{settings.port}: {error.strerror}"
        if error.errno == errno.EADDRINUSE:
            detail += "; `--port` names another"
        raise ConfigError(name="serve.port", detail=detail) from error
    return listener


class Server(uvicorn.Server):
    """A server that lets running questions finish, or tell how far they came."""

    def __init__(
        self,
        app: Gated,
        plan: Plan,
        listener: socket.socket,
        make_plan: MakePlan,
        watched: Path | None,
        on_start: Callable[[Started], None],
    ) -> None:
        settings = plan.service
        super().__init__(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,  # whom to believe is for the gate to say
                lifespan="on",
                http=HurriedProtocol,
                ssl_certfile=settings.tls_cert,
                ssl_keyfile=settings.tls_key,
                timeout_keep_alive=KEPT_SECONDS,
                timeout_graceful_shutdown=int(settings.grace_seconds + AFTER_SECONDS),
            )
        )
        self.failed: FanshuError | None = None
        self._app, self._plan, self._listener = app, plan, listener
        self._make_plan, self._watched, self._on_start = make_plan, watched, on_start
        self._stop = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and hear signals and changes."""
        try:
            await super().startup(sockets)
        except SystemExit as error:  # the lifespan failed
            self.failed = self._app.service.failure or ServiceError(detail="It does not start.")
            self.should_exit = True
            raise KeyboardInterrupt from error
        loop = asyncio.get_running_loop()
        if hasattr(signal, "SIGHUP"):
            with suppress(NotImplementedError, RuntimeError, ValueError):  # not the main thread
                loop.add_signal_handler(signal.SIGHUP, self._change)
        if self._watched:
            threading.Thread(target=self._watch, args=(loop,), daemon=True).start()
        self._on_start(self._started())

    def _started(self) -> Started:
        settings = self._plan.service
        host, port = self._listener.getsockname()[:2]
        scheme = "https" if settings.tls_cert else "http"
        shown = f"[{host}]" if ":" in host else host
        names = tuple(one.name for one in self._plan.libraries)
        return Started(f"{scheme}://{shown}:{port}/", names, demands_login(settings))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more; running questions finish or tell what they have, then all is closed."""
        self._stop.set()
        self._app.service.checkups.stop()
        asking = self._app.service.asking
        asking.leaving = True
        await self._arrived()
        ending = asyncio.create_task(asking.end(self._plan.service.grace_seconds))
        await super().shutdown(sockets)
        await ending

    async def _arrived(self) -> None:
        """Let nobody else connect, and hear out who has: what they send is still answered.

        A proxy that is refused a connection goes to another worker at once; one whose question
        was lost on the way must not ask it again by itself.
        """
        await asyncio.sleep(0)  # who stands at the door comes in before it is shut
        for one in self.servers:
            one.close()
        if self._app.service.state.shared:
            await asyncio.sleep(min(ARRIVING_SECONDS, self._plan.service.grace_seconds))

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        from watchfiles import watch

        file = self._watched
        if file is None:
            return
        with suppress(OSError, RuntimeError):
            for changed in watch(file.parent, stop_event=self._stop, recursive=False):
                if any(Path(path).name == file.name for _, path in changed):
                    loop.call_soon_threadsafe(self._change)

    def _change(self) -> None:
        """Serve what the settings say now; what is wrong with them leaves all as it is."""
        try:
            plan = self._make_plan()
            self._app.service.libraries.change(plan)
        except FanshuError as error:
            log.warning("the settings stay as they were: %s", error)
            return
        names = ", ".join(one.name for one in plan.libraries)
        log.info("settings read anew; libraries: %s", names)
        if plan.service != self._plan.service:
            log.warning("what [serve] says counts after a restart")
