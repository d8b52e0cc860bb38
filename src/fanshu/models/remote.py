"""Language models behind an address: one request in, one reply out.

The wire formats are pydantic-ai's, the loop is ours. Its code is imported when a model is
made, not when this module is.
"""

import asyncio
import os
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from fanshu import extras
from fanshu.errors import ConfigError, ModelError, ModelKeyMissing
from fanshu.models import Reply, ToolSpec, Turn
from fanshu.models.json_mode import Habits, ToolMode, habits_of
from fanshu.models.providers import Endpoint, endpoint, shown
from fanshu.models.remembered import Memory, memory_of
from fanshu.types import Usage

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.models import Model as Client

    from fanshu.models.failures import Circumstances

PAUSES = (0.5, 2.0)  # seconds before the second and third attempt; most overloads pass in that time
LONGEST_PAUSE = 20.0  # seconds; a service that asks for more is better reported than waited for
TIMEOUT = 120.0  # seconds for one reply, attempts and pauses together

Connect = Callable[[], "tuple[Client[Any], httpx2.AsyncClient]"]
OnWait = Callable[[ModelError, float], None]
Sleep = Callable[[float], Awaitable[None]]


def remote(
    name: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    headers: Mapping[str, str] | None = None,
    ca_file: str | None = None,
    timeout: float = TIMEOUT,
    tool_mode: ToolMode = "auto",
    memory: Path | None = None,
    on_wait: OnWait | None = None,
    sleep: Sleep = asyncio.sleep,
    environ: Mapping[str, str] = os.environ,
) -> "RemoteModel":
    """A model of a service, or of any chat-completions server at `base_url`.

    `name` is `provider:model` (`fanshu.models.providers.PREFIXES`); with `base_url` the model's
    name alone will do. Without `api_key` a named provider's own variables are looked at, a
    server at `base_url` is asked without a key. `headers` go along with every request; `ca_file`
    holds certificates of authorities to trust beside the system's. `timeout` is in seconds for
    one reply, further attempts included. `tool_mode`: how calls are made; `auto` finds out, and
    what it finds is kept in the file `memory`. `on_wait` hears of each pause before another
    attempt: why, how long; `sleep` makes them. `environ`: where keys and addresses are looked up.

    Raises: ConfigError — no such provider or address, its package is not installed, or
    certificates or a proxy cannot be used;
    ModelKeyMissing — the provider needs a key and there is none.
    """
    place = endpoint(name, base_url, environ)
    key = api_key or _key_of(place, environ)
    if place.provider and place.provider.keys and not (key or headers):
        variables = " or ".join(place.provider.keys)
        raise ModelKeyMissing(model=name, variables=f"{variables} or FANSHU_API_KEY")
    patience = Patience(timeout, on_wait, sleep)
    elsewhere = place.provider.mainland if place.provider else None
    return RemoteModel(
        name,
        _connector(name, place, key, headers or {}, ca_file),
        patience,
        key=key,
        headers=tuple((headers or {}).values()),
        elsewhere=elsewhere,
        tool_mode=tool_mode,
        memory=memory_of(place, memory),
    )


def _key_of(place: Endpoint, environ: Mapping[str, str]) -> str | None:
    return next((environ[name] for name in place.keys if environ.get(name)), None)


def _connector(
    name: str, place: Endpoint, key: str | None, headers: Mapping[str, str], ca_file: str | None
) -> Connect:
    from pydantic_ai.exceptions import UserError

    from fanshu.models.clients import connect
    from fanshu.models.failures import without_secrets
    from fanshu.models.gateway import Gateway

    def connector() -> "tuple[Client[Any], httpx2.AsyncClient]":
        try:
            return connect(place, key, Gateway(headers, ca_file))
        except ImportError as missing:
            extra = place.provider.extra if place.provider else None
            need = _command(extra) if extra else f"{missing.name} is missing"
            detail = f"{name!r} needs a package that is not installed: {need}"
            raise ConfigError(name="model", detail=detail) from None
        except (UserError, ValueError) as wrong:
            detail = without_secrets(str(wrong), (key,) if key else ()).rstrip(".")
            raise ConfigError(name="model", detail=detail) from None

    return connector


def _command(extra: str) -> str:
    """How to add an extra of ours, or of pydantic-ai, which has a bracket in its name."""
    installation = extras.here()
    return installation.install(extra) if "[" in extra else installation.add(extra)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to go on asking for one reply, in seconds, and who hears of the pauses."""

    seconds: float = TIMEOUT
    on_wait: OnWait | None = None
    sleep: Sleep = asyncio.sleep


class RemoteModel:
    """A `Model` over pydantic-ai; made by `remote`.

    `connect` makes a pydantic-ai model and the HTTP client under it; it is called once for each
    event loop, which is whom connections belong to. `key` and the values of `headers` are kept
    out of error texts.
    """

    def __init__(
        self,
        name: str,
        connect: Connect,
        patience: Patience,
        *,
        key: str | None = None,
        headers: tuple[str, ...] = (),
        elsewhere: str | None = None,
        tool_mode: ToolMode = "auto",
        memory: Memory | None = None,
    ) -> None:
        self._name = name
        self._connect = connect
        self._patience = patience
        self._key, self._headers = key, headers
        self._elsewhere = elsewhere
        self._lock = Lock()
        self._unused: tuple[Client[Any], httpx2.AsyncClient] | None = connect()
        self._clients: WeakKeyDictionary[
            asyncio.AbstractEventLoop, tuple[Client[Any], httpx2.AsyncClient]
        ] = WeakKeyDictionary()
        self._memory = memory or Memory()
        self._habits = habits_of(tool_mode, self._memory.recall())

    def __repr__(self) -> str:
        return f"RemoteModel({self._name!r})"

    @property
    def name(self) -> str:
        return self._name

    @property
    def extractive(self) -> bool:
        return False

    async def next(
        self, turns: Sequence[Turn], tools: Sequence[ToolSpec], *, force: str | None = None
    ) -> Reply:
        from fanshu.models.exchange import after_reply

        until, spent = monotonic() + self._patience.seconds, Usage()
        again = True
        while again:
            reply = await self._persist(turns, tools, force, until)
            spent += reply.usage
            learned, again = after_reply(self._habits, turns, reply, force, self._client())
            self._learn(learned, lasting=learned.way != self._habits.way)
        return replace(reply, usage=spent)

    async def close(self) -> None:
        """Give back the connections of this event loop."""
        with self._lock:
            here = self._clients.pop(asyncio.get_running_loop(), None) or self._unused
            self._unused = None
        if here:
            await here[1].aclose()

    async def _persist(
        self, turns: Sequence[Turn], tools: Sequence[ToolSpec], force: str | None, until: float
    ) -> Reply:
        """Ask, and ask again a few times where that may help and there is time."""
        from fanshu.models.exchange import after_refusal, exchange
        from fanshu.models.failures import failure

        client, at = self._client(), self._circumstances()
        pauses = iter(PAUSES)
        while True:
            habits = self._habits
            try:
                async with asyncio.timeout(until - monotonic()):
                    return await exchange(client, turns, tools, force, habits)
            except Exception as cause:  # noqa: BLE001 — adapters raise anything, IndexError too
                failed = failure(cause, at)
                if failed.refused and self._habits == habits:
                    learned = after_refusal(habits, failed.refused, turns, force, client)
                    self._learn(learned, lasting=learned != habits)
                if failed.refused and self._habits != habits:  # also by a request beside this one
                    continue
                pause = _pause(next(pauses, None), failed.pause)
                if not failed.again or pause is None or monotonic() + pause >= until:
                    raise failed.error from None
            if self._patience.on_wait:
                self._patience.on_wait(failed.error, pause)
            await self._patience.sleep(pause)

    def _learn(self, habits: Habits, *, lasting: bool) -> None:
        """Go on with these habits; `lasting` ones are no matter of one reply and are kept."""
        self._habits = habits
        if lasting and not habits.settled:
            self._memory.keep(habits)

    def _client(self) -> "Client[Any]":
        loop = asyncio.get_running_loop()
        with self._lock:
            if loop not in self._clients:
                self._clients[loop] = self._unused or self._connect()
                self._unused = None
            return self._clients[loop][0]

    def _circumstances(self) -> "Circumstances":
        from fanshu.models.failures import Circumstances

        url = shown(str(self._client().base_url)).rstrip("/")
        return Circumstances(
            self._name, url, self._patience.seconds, self._key, self._headers, self._elsewhere
        )


def _pause(planned: float | None, asked: float | None) -> float | None:
    """Seconds to wait: what the service asks, else the plan, a little spread; None to give up."""
    if planned is None or (asked is not None and asked > LONGEST_PAUSE):
        return None
    return asked or planned * random.uniform(0.8, 1.2)  # noqa: S311 — spreads, hides nothing
