"""Where a service keeps what it knows of people: in its own files, or in a store of many workers.

The one place that chooses: `create_app` and the commands `user` and `token` open it here.
"""

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from fanshu import keeping
from fanshu.cluster.sharing import Shared
from fanshu.serve.accounts import FILE, AccountBook, Accounts
from fanshu.serve.planning import Plan
from fanshu.serve.queueing import TurnKeeper, Turns
from fanshu.serve.rates import RateLimit, Rates
from fanshu.serve.register import Register, RunRegister
from fanshu.serve.settings import ServiceSettings
from fanshu.settings import Settings, user_data
from fanshu.stores import open_shared

REGISTER = "register.db"
THREADS = 16  # that wait for the store; those that read documents are others

P = ParamSpec("P")
T = TypeVar("T")


class State(ABC):
    """Accounts, the register, whose turn it is, and limits of how often."""

    accounts: AccountBook
    register: RunRegister
    turns: TurnKeeper
    shared: bool  # whether other workers have the same

    @abstractmethod
    def rates(self, per_minute: float, what: str, *, exact: bool = False) -> RateLimit:
        """A limit of how often something may be done; `exact`: to the last one."""

    @abstractmethod
    async def call(self, work: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Do something with the state, which takes a moment: without keeping others waiting."""

    @abstractmethod
    def reachable(self) -> None:
        """Raises: StoreError — nothing of it can be read just now."""

    async def close(self) -> None:
        """Give everything back."""
        await self.turns.close()
        self.register.close()


class _OwnState(State):
    """In files of one service; each call takes microseconds."""

    shared = False

    def __init__(
        self, folder: Path, settings: ServiceSettings, days: float, clock: Callable[[], float]
    ) -> None:
        self._clock = clock
        self.accounts = Accounts(folder / FILE)
        self.register = Register(folder / REGISTER, days=days)
        self.turns = Turns(settings.runs, settings.runs_each, settings.waiting_each)

    def rates(self, per_minute: float, what: str, *, exact: bool = False) -> RateLimit:  # noqa: ARG002
        return Rates(per_minute, what, self._clock)

    async def call(self, work: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        return work(*args, **named)

    def reachable(self) -> None:
        """It always is."""


class _SharedState(State):
    """In records of a store, for any number of workers."""

    shared = True

    def __init__(self, shared: Shared, settings: ServiceSettings, days: float) -> None:
        from fanshu.serve.shared_accounts import SharedAccounts
        from fanshu.serve.shared_queueing import SharedTurns
        from fanshu.serve.shared_register import SharedRegister

        records = self._records = shared.records
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="state")
        self.accounts = SharedAccounts(records, shared.place)
        self.register = SharedRegister(records, days=days)
        limits = settings.runs, settings.runs_each, settings.waiting_each
        self.turns = SharedTurns(records, self._any, *limits)

    def rates(self, per_minute: float, what: str, *, exact: bool = False) -> RateLimit:
        from fanshu.serve.shared_rates import AHEAD_SECONDS, SharedRates

        ahead = 0.0 if exact else AHEAD_SECONDS
        return SharedRates(self._records, per_minute, what, ahead=ahead)

    async def call(self, work: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, lambda: work(*args, **named))

    async def _any(self, work: Callable[..., Any], /, *args: Any) -> Any:
        return await self.call(work, *args)

    def reachable(self) -> None:
        self._records.get("accounts", "")

    async def close(self) -> None:
        await super().close()
        self._threads.shutdown(wait=False)


def open_state(
    plan: Plan,
    folder: Path | None = None,
    shared: Shared | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> State:
    """The state of a service: in `folder`, or in the store of its first library that has one.

    `shared`: in the place of that store. `clock`: by which a single service counts requests.

    Raises: OSError, sqlite3.Error, DataNewer, ConfigError,
    ExtraMissing.
    """
    # Runs are kept as long as the traces, and a month's costs at least.
    days = max(31.0, *(one.settings.trace_days for one in plan.libraries))
    stores = (open_shared(one.settings) for one in plan.libraries)
    found = shared or next((one for one in stores if one), None)
    if found:
        return _SharedState(found, plan.service, days)
    return _OwnState(folder or user_data() / keeping.SERVICE, plan.service, days, clock)


def open_accounts(settings: Settings) -> AccountBook:
    """The users and tokens of a service with these settings. Raises: ConfigError, ExtraMissing."""
    if shared := open_shared(settings):
        from fanshu.serve.shared_accounts import SharedAccounts

        return SharedAccounts(shared.records, shared.place)
    return Accounts(user_data() / keeping.SERVICE / FILE)
