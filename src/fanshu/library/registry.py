"""Who indexes what: the roots of a library that several machines fill, and leases on them.

Each root is a record: its key (the name that its paths begin with, "" for one without), where it
lies, when it was last compared, and who may index it until when. Whoever takes a root gets a
number, its *token*, that is higher than all before; the store refuses what comes with a lower one,
so that a process that slept through the end of its lease changes nothing.

Clocks of the machines need to agree to a few seconds, for the waiting to be right; that nothing is
written twice does not depend on them.
"""

import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

from fanshu.cluster.records import NEW, Conflict, Record, Records, Version
from fanshu.errors import IndexBusy, RootBusy, RootElsewhere, StoreError
from fanshu.library.files import Root
from fanshu.library.processes import alive, namespace
from fanshu.types import EVERYTHING, RootStatus, Scope

COLLECTION = "roots"
SYNONYMS = "synonyms"
LEASE_SECONDS = 45.0  # after which the root of a process that died is free
RENEWED_SECONDS = 10.0
SEEN_SECONDS = 2.0  # that a look at the roots of others is kept for
HEARD_SECONDS = 5.0  # between two signs that a root has been compared
STALE_SECONDS = 60.0  # a root not compared for longer is worth a warning
WAIT_SECONDS = 0.25  # between two looks whether a root has become free

Fence = Callable[[Mapping[str, int]], None]


@dataclass(frozen=True, slots=True)
class Entry:
    """A root as it is registered. `compared` and `until`: seconds since 1970, 0 for never.

    `holder`: the process that indexes it, or did; `boot` and `pid` tell another of the same
    machine whether it is alive. `synonyms`: the identity of its file of synonyms.
    """

    key: str
    host: str
    path: str
    compared: float = 0.0
    holder: str = ""
    boot: str = ""
    pid: int = 0
    until: float = 0.0
    token: int = 0
    synonyms: str = ""

    def status(self, now: float) -> RootStatus:
        """The same, as everybody may see it."""
        return RootStatus(
            name=self.key,
            host=self.host,
            path=self.path,
            compared=iso(self.compared) if self.compared else None,
            holder=self.holder if self.until > now else None,
            until=iso(self.until) if self.until > now else None,
        )


def iso(seconds: float) -> str:
    """A time since 1970 as ISO, UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


class Registry:
    """The roots of one library, as one process sees and holds them. Thread-safe.

    `roots` are those that this process reads; there may be none. `address`: how errors name the
    store. `on_wait` hears that another process holds a root that is needed.
    """

    def __init__(
        self,
        records: Records,
        address: str,
        roots: Sequence[Root],
        *,
        on_wait: Callable[[], None] | None = None,
        clock: Callable[[], float] = time.time,
        lease: float = LEASE_SECONDS,
    ) -> None:
        self._records, self.address, self._on_wait = records, address, on_wait
        self._clock, self._lease = clock, lease
        self.own = {root.name: str(root.path) for root in roots}
        self.host = socket.gethostname()
        self.holder = f"{self.host}:{os.getpid()}:{token_hex(4)}"
        self._boot = namespace()
        self._here = threading.Lock()
        self._guard = threading.Lock()
        self._seen: tuple[float, Mapping[str, Entry]] | None = None
        self._entered = False
        self._told = 0.0
        self._texts: dict[str, tuple[str, str]] = {}

    # ------------------------------------------------------------------ looking

    def entries(self, *, fresh: bool = False) -> Mapping[str, Entry]:
        """All roots by key, as of a few seconds ago at most. Raises: StoreError."""
        now = time.monotonic()
        with self._guard:
            if not fresh and self._seen and now - self._seen[0] < SEEN_SECONDS:
                return self._seen[1]
        found = {one.key: Entry(**one.body) for one in self._records.find(COLLECTION)}
        with self._guard:
            self._seen = now, found
        return found

    def key_of(self, path: str) -> str:
        """The root of this process that a path would be of."""
        first = path.partition("/")[0]
        return first if first in self.own else ""

    def mine(self, path: str) -> bool:
        """Whether a document is of a root that this process reads."""
        first, slash, _ = path.partition("/")
        if slash and first in self.own:
            return True
        return "" in self.own and not (slash and first in self.entries())

    def others(self, scope: Scope = EVERYTHING) -> Sequence[Entry]:
        """The roots that only other processes read, and of which a scope may show something."""
        known = self.entries().items()
        return [one for key, one in known if key not in self.own and _reaches(scope, key)]

    def as_of(self, scope: Scope = EVERYTHING) -> float | None:
        """When the root of others that was not compared for longest was; None where none was."""
        return min((one.compared for one in self.others(scope) if one.compared), default=None)

    def stale(self, scope: Scope = EVERYTHING) -> Sequence[Entry]:
        """The roots of others that were not compared for too long."""
        now = self._clock()
        return [one for one in self.others(scope) if now - one.compared > STALE_SECONDS]

    def status(self) -> tuple[RootStatus, ...]:
        """All roots, in order of their names."""
        now = self._clock()
        return tuple(one.status(now) for _, one in sorted(self.entries().items()))

    # -------------------------------------------------------------- registering

    def enter(self, overlaps: Callable[[str], bool] = lambda _: False) -> None:
        """Register the roots of this process; once. `overlaps`: whether documents of the root
        without a name lie where one of this name would have its own.

        Documents that were copied here belong to nobody yet, and to whoever names their root.

        Raises: RootElsewhere — another root has this name; RootBusy — they are being copied;
        StoreError.
        """
        if self._entered:
            return
        known = self.entries(fresh=True)
        for key, path in self.own.items():
            if key and key not in known and "" in known and overlaps(key):
                nameless = known[""]
                if nameless.path:
                    raise self._elsewhere(nameless, key)
                if not self._free(nameless):
                    raise self._busy(nameless)
            self._change(key, lambda old, key=key, path=path: self._entry(old, key, path))  # type: ignore[misc]
        self._entered = True

    def _entry(self, old: Entry | None, key: str, path: str) -> Entry:
        if old is None or not old.path:  # without one it was copied here, or is being forgotten
            return replace(old or self._new(key), host=self.host, path=path)
        if old.path == path:
            return replace(old, host=self.host)
        moved = old.host == self.host and not Path(old.path).exists()
        if not moved:
            raise self._elsewhere(old, key)
        return replace(old, host=self.host, path=path)

    def _new(self, key: str) -> Entry:
        """A root that is not registered. One of this name may have been, and been forgotten: its
        tokens must be lower, for the store still refuses what is lower than the last of them.
        """
        return Entry(key, "", "", token=int(self._clock() * 1000))

    def _elsewhere(self, old: Entry, key: str) -> RootElsewhere:
        return RootElsewhere(address=self.address, root=key, path=old.path, host=old.host)

    def synonyms(self) -> Mapping[str, str]:
        """The texts of the files of synonyms of roots that only others read. Raises: StoreError."""
        found: dict[str, str] = {}
        for one in self.others():
            if one.synonyms and self._texts.get(one.key, ("", ""))[0] != one.synonyms:
                record = self._records.get(SYNONYMS, one.key)
                self._texts[one.key] = one.synonyms, str(record.body["text"]) if record else ""
            if one.synonyms:
                found[one.key] = self._texts[one.key][1]
        return found

    def _publish(self, synonyms: Mapping[str, str]) -> Mapping[str, str]:
        """Put files of synonyms where others find them; the identity of each."""
        known = self.entries()
        marks = {key: _mark(text) for key, text in synonyms.items()}
        for key, text in synonyms.items():
            if key in known and known[key].synonyms != marks[key]:
                self._records.put(SYNONYMS, Record(key, {"text": text}))
        return marks

    def compared(self, synonyms: Mapping[str, str] | None = None, *, at_once: bool = False) -> None:
        """Say that the roots of this process have just been compared with the library.

        Not more often than is of use, unless `at_once`. `synonyms`: the texts of their files of
        synonyms, where those were looked at. Raises: StoreError.
        """
        now = self._clock()
        if not self.own or (not at_once and now - self._told < HEARD_SECONDS):
            return
        marks = self._publish(synonyms or {})
        for key in self.own:
            known = marks.get(key)

            def heard(old: Entry | None, known: str | None = known) -> Entry | None:
                if old is None:
                    return None
                said = replace(old, host=self.host, compared=max(old.compared, now))
                return said if known is None else replace(said, synonyms=known)

            self._change(key, heard)
        self._told = now

    def forget(self, key: str) -> bool:
        """Take a root out of the register; whether there was one. Raises: RootBusy, StoreError."""
        record = self._records.get(COLLECTION, key)
        if record is None:
            return False
        entry = Entry(**record.body)
        if not self._free(entry):
            raise self._busy(entry)
        with self._guard:
            self._seen = None
        return self._records.remove(COLLECTION, key, expect=record.version)

    # ------------------------------------------------------------------ holding

    @contextmanager
    def held(self, seconds: float, fence: Fence, *, here: float = -1) -> Iterator[None]:
        """The roots of this process, waited for so long; `here`: for its other threads.

        `fence` is told the tokens before anything is written.

        Raises: RootBusy, IndexBusy; StoreError.
        """
        if not self._here.acquire(timeout=here):
            raise IndexBusy(path=self.address, seconds=here)
        try:
            taken: dict[str, int] = {}
            try:
                ends = time.monotonic() + seconds
                for key in sorted(self.own):
                    taken[key] = self._take(key, ends)
                fence(taken)
                with self._renewing(taken):
                    yield
            finally:
                self._give_back(taken)
        finally:
            self._here.release()

    def _take(self, key: str, ends: float) -> int:
        told = False
        while True:
            entry = self._try(key)
            if entry.holder == self.holder:
                return entry.token
            if self._on_wait and not told:
                told = True
                self._on_wait()
            if time.monotonic() >= ends:
                raise self._busy(entry)
            time.sleep(WAIT_SECONDS)

    def _try(self, key: str) -> Entry:
        """The root as it is after an attempt to take it."""

        def taken(old: Entry | None) -> Entry | None:
            old = old or replace(self._new(key), host=self.host, path=self.own[key])
            if not self._free(old):
                return None
            return replace(
                old,
                host=self.host,
                holder=self.holder,
                boot=self._boot,
                pid=os.getpid(),
                until=self._clock() + self._lease,
                token=old.token + 1,
            )

        entry = self._change(key, taken)
        assert entry is not None  # noqa: S101 - None only where there was an entry
        return entry

    def _free(self, entry: Entry) -> bool:
        if entry.holder == self.holder or entry.until <= self._clock():
            return True
        return entry.boot == self._boot and not alive(entry.pid)

    def _busy(self, entry: Entry) -> RootBusy:
        return RootBusy(
            path=self.address,
            root=entry.key,
            holder=entry.holder,
            until=iso(entry.until),
            seconds=0,
        )

    @contextmanager
    def _renewing(self, taken: Mapping[str, int]) -> Iterator[None]:
        done = threading.Event()
        every = min(RENEWED_SECONDS, self._lease / 4)

        def renew() -> None:
            while not done.wait(every):
                with suppress(StoreError, Conflict):  # the next time, or the fence holds
                    self._touch(taken, lambda old: replace(old, until=self._clock() + self._lease))

        thread = threading.Thread(target=renew, name="fanshu-lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _give_back(self, taken: Mapping[str, int]) -> None:
        with suppress(StoreError, Conflict):  # it ends by itself
            self._touch(taken, lambda old: replace(old, until=0.0))

    def _touch(self, taken: Mapping[str, int], change: Callable[[Entry], Entry]) -> None:
        """Change the roots that are still held."""
        for key, token in taken.items():

            def ours(old: Entry | None, token: int = token) -> Entry | None:
                ours = old and old.holder == self.holder and old.token == token
                return change(old) if old and ours else None

            self._change(key, ours)

    def _change(self, key: str, change: Callable[[Entry | None], Entry | None]) -> Entry | None:
        """The entry after a change, tried again while others come first; None changes nothing."""
        while True:
            record = self._records.get(COLLECTION, key)
            old = Entry(**record.body) if record else None
            new = change(old)
            if new is None or new == old:
                return old
            version: Version = record.version if record else NEW
            try:
                self._records.put(COLLECTION, Record(key, asdict(new)), expect=version)
            except Conflict:
                continue
            with self._guard:
                self._seen = None
            return new


def _reaches(scope: Scope, key: str) -> bool:
    """Whether documents of a root may be among those of a scope, by how its patterns begin."""
    if scope.everything or not key:
        return bool(scope.patterns)
    folder = f"{key}/"
    begins = [re.split(r"[*?[]", pattern, maxsplit=1)[0] for pattern in scope.patterns]
    return any(one.startswith(folder) or folder.startswith(one) for one in begins)


def _mark(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16] if text else ""
