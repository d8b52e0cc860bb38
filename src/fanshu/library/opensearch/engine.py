"""What is asked of the engine, and what its failures mean."""

import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from time import monotonic, sleep
from typing import Any, TypeVar

from opensearchpy import OpenSearch
from opensearchpy.exceptions import ConflictError, NotFoundError

from fanshu.cluster.saying import FULL, FULL_DISK
from fanshu.cluster.transport import lost_within
from fanshu.errors import StoreError, StoreRefused, StoreUnreachable
from fanshu.library.opensearch.copies import Copies
from fanshu.library.store import OutOfTime

Json = Mapping[str, Any]
T = TypeVar("T")

PART_BYTES = 5_000_000  # of one bulk request
BUSY_SECONDS = 120.0  # how long an engine that is overloaded may put off a bulk request
SLOW_SECONDS = 60.0  # for requests that may take long
# Until another copy is asked, which does not hurt where the first is only slow:
GET_SECONDS, READ_SECONDS, SEARCH_SECONDS = 1.0, 2.0, 10.0
BUSY = frozenset((429, 502, 503, 504))
LATE = "Time exceeded"  # said as an error where the time was up before anything was collected
LEAST_SECONDS = 0.01
TOLD = 300  # characters of what the engine says
PAGE = 5_000  # documents of one page of a scan


class Conflict(Exception):
    """A document is not at the version that was expected. It never leaves this package."""


class Engine:
    """The calls that a store makes. Thread-safe.

    Raises: StoreUnreachable, StoreRefused; OutOfTime where seconds are given.
    """

    def __init__(self, client: OpenSearch) -> None:
        """`client`: of `cluster.connection`, which repeats requests and raises our errors."""
        self._client = client
        self.address = str(getattr(client.transport, "address", "?"))
        # Searches of one process go to the same copies of the shards, whose caches are warm; when
        # one of these does not answer, to those that the engine takes for the fastest.
        self._preference = f"fanshu-{secrets.token_hex(4)}"
        self._copies, self._first_copies = Copies(), Copies()
        self._seconds = float(getattr(client.transport, "seconds", SLOW_SECONDS))
        self._hosts = len(client.transport.hosts)

    # ---------------------------------------------------------------- one document

    def get(self, index: str, key: str, fields: str | None = None) -> Json | None:
        """A document as last written, with its version; None when there is none.

        What was acknowledged stands in every copy.
        """

        def ask(other: bool, seconds: float) -> Json:
            params = {"preference": "_replica" if other else "_primary", "request_timeout": seconds}
            if fields:
                params["_source_includes"] = fields
            return self._ask(lambda: self._client.get(index=index, id=key, params=params))

        try:
            found = self._first_copies.ask(ask, GET_SECONDS, self._seconds)
        except NotFoundError:
            return None
        return found if found.get("found") else None

    def put(self, index: str, key: str, body: Json, version: tuple[int, int] | None) -> None:
        """Write a document if it is at a version; None: if there is none. Raises: Conflict."""
        params: dict[str, Any] = {"op_type": "create"}
        if version:
            params = {"if_seq_no": version[0], "if_primary_term": version[1]}
        text = to_json(body)
        try:
            self._ask(lambda: self._client.index(index=index, id=key, body=text, params=params))
        except ConflictError as error:
            raise Conflict(str(error)) from error

    def documents(self, index: str, keys: Sequence[tuple[str, str]]) -> Iterator[Json]:
        """Documents by (id, routing) as of the last refresh; missing ones are left out."""
        for start in range(0, len(keys), PAGE):
            ask = partial(self._page, index, keys[start : start + PAGE])
            yield from self._copies.ask(ask, READ_SECONDS, self._seconds)

    def _page(
        self, index: str, keys: Sequence[tuple[str, str]], other: bool, seconds: float
    ) -> Sequence[Json]:
        params: dict[str, Any] = {"request_timeout": seconds}
        if other:  # only searches know which copies are fast
            params["allow_partial_search_results"] = "false"
            body = {"query": {"ids": {"values": [key for key, _ in keys]}}, "size": len(keys)}
            search = partial(self._client.search, index=index, body=body, params=params)
            hits: Sequence[Json] = self._whole(self._ask(search), None)["hits"]["hits"]
            return hits
        params |= {"preference": self._preference, "realtime": "false"}
        asked = {"docs": [{"_id": key, "routing": by} for key, by in keys]}
        mget = partial(self._client.mget, index=index, body=asked, params=params)
        found = self._ask(mget)["docs"]
        for one in found:
            if one.get("error"):
                raise self._failed(str(one["error"]))
        return [one for one in found if one.get("found")]

    # ---------------------------------------------------------------- searching

    def search(
        self, index: str, body: Json, ends: float | None = None, *, ranked: bool = False
    ) -> Json:
        """One search, whole: a shard that does not answer is an error.

        `ends`: when to give up, by `monotonic`. `ranked`: how often words occur is to be that of
        all shards together. Raises: OutOfTime.
        """
        (found,) = self._searches(index, [body], ends, ranked=ranked)
        return found

    def searches(self, index: str, bodies: Sequence[Json], ends: float | None = None) -> list[Json]:
        """Several searches on one journey, as `search`; on more where they are very long."""
        answers: list[Json] = []
        part: list[Json] = []
        size = 0
        for body in bodies:
            length = len(to_json(body))
            if part and size + length > PART_BYTES:
                answers += self._searches(index, part, ends)
                part, size = [], 0
            part.append(body)
            size += length
        return answers + (self._searches(index, part, ends) if part else [])

    def _searches(
        self, index: str, bodies: Sequence[Json], ends: float | None, *, ranked: bool = False
    ) -> list[Json]:
        seconds = self._seconds if ends is None else ends - monotonic()
        if seconds <= LEAST_SECONDS:
            raise OutOfTime
        first = SEARCH_SECONDS
        if ends is not None:
            bodies = [{**body, "timeout": f"{max(int(seconds * 1000), 1)}ms"} for body in bodies]
            first = seconds / 2 if self._hosts > 1 else seconds

        def ask(other: bool, seconds: float) -> list[Json]:
            how = {} if other else {"preference": self._preference}
            if ranked:
                how["search_type"] = "dfs_query_then_fetch"
            return self._found(index, bodies, ends, how, seconds)

        return self._copies.ask(ask, first, seconds)

    def _found(
        self,
        index: str,
        bodies: Sequence[Json],
        ends: float | None,
        how: Mapping[str, str],
        seconds: float,
    ) -> list[Json]:
        params: dict[str, Any] = {"request_timeout": seconds}
        if len(bodies) == 1:
            params |= {**how, "allow_partial_search_results": "false"}
            search = partial(self._client.search, index=index, body=bodies[0], params=params)
            return [self._whole(self._ask(search, ends), ends)]
        head = {"index": index, **how, "allow_partial_search_results": False}
        text = "".join(f"{to_json(head)}\n{to_json(body)}\n" for body in bodies)
        found = self._ask(lambda: self._client.msearch(body=text, params=params), ends)
        for one in found["responses"]:
            if "error" in one:
                if ends is not None and LATE in _reason(one["error"]):
                    raise OutOfTime
                raise self._mapped(one.get("status", 500), one["error"])
        return [self._whole(one, ends) for one in found["responses"]]

    def scan(self, index: str, body: Json, ends: float | None = None) -> Iterator[Json]:
        """Every document that matches, in order of its row."""
        after: list[Any] = []
        while True:
            page = {**body, "size": PAGE, "sort": [{"row": "asc"}], "track_total_hits": False}
            if after:
                page["search_after"] = after
            hits = self.search(index, page, ends)["hits"]["hits"]
            yield from hits
            if len(hits) < PAGE:
                return
            after = hits[-1]["sort"]

    def _whole(self, found: Json, ends: float | None) -> Json:
        if found.get("timed_out"):
            if ends is not None:
                raise OutOfTime
            raise self._failed("a search took too long")
        if found["_shards"]["failed"]:
            raise self._failed(f"shards do not answer: {found['_shards']}")
        return found

    # ---------------------------------------------------------------- writing

    def bulk(
        self,
        index: str,
        actions: Iterable[tuple[Json, Json | None]],
        beat: Callable[[], None] = lambda: None,
    ) -> None:
        """Carry out (action, document) pairs in parts; `beat` is called between them.

        What an overloaded engine puts off is sent again.
        """
        part: list[bytes] = []
        size = 0
        for action, document in actions:
            text = to_json(action) + "\n" + (to_json(document) + "\n" if document else "")
            line = text.encode("utf-8", "replace")  # a lone surrogate is no text
            if part and size + len(line) > PART_BYTES:
                self._send(index, part)
                beat()
                part, size = [], 0
            part.append(line)
            size += len(line)
        if part:
            self._send(index, part)

    def _send(self, index: str, part: list[bytes]) -> None:
        until, wait = monotonic() + BUSY_SECONDS, 0.2
        while True:
            try:
                part = self._sent(index, part)
                if not part:
                    return
                busy = self._failed("it is overloaded and put off what was to be stored")
            except StoreUnreachable as error:
                busy = error
            if monotonic() + wait > until:
                raise busy
            sleep(wait)
            wait = min(wait * 2, 10.0)

    def _sent(self, index: str, part: list[bytes]) -> list[bytes]:
        """The lines that were put off. Raises: StoreRefused — the engine cannot store one."""
        params = {
            "filter_path": "errors,items.*.status,items.*.error",
            "request_timeout": SLOW_SECONDS,
        }
        body = b"".join(part)
        found = self._ask(lambda: self._client.bulk(index=index, body=body, params=params))
        if not found.get("errors"):
            return []
        again = []
        for line, item in zip(part, found["items"], strict=True):
            (answer,) = item.values()
            if "error" not in answer:
                continue
            problem = self._mapped(answer["status"], answer["error"])
            if not isinstance(problem, StoreUnreachable):
                raise problem
            again.append(line)
        return again

    def refresh(self, index: str) -> None:
        """Let everybody see what was written, on every copy that there is."""
        params = {"request_timeout": SLOW_SECONDS}
        for attempt in range(5):
            if attempt:
                sleep(0.2 * attempt)
            found = self._ask(lambda: self._client.indices.refresh(index=index, params=params))
            shards = found["_shards"]
            if not shards["failed"]:
                if shards["successful"] < shards["total"]:
                    # A shard none of whose copies is there counts neither as done nor as failed;
                    # this search fails then.
                    self.search(index, {"size": 0, "terminate_after": 1})
                return
        raise self._failed("not every shard could be refreshed")

    # ---------------------------------------------------------------- indices

    def create(self, index: str, body: Json) -> bool:
        """Make an index; False when it is there."""
        try:
            self._ask(lambda: self._client.indices.create(index=index, body=body))
        except StoreRefused as error:
            if "resource_already_exists_exception" in str(error):
                return False
            raise
        return True

    def behind(self, alias: str) -> Mapping[str, str]:
        """The indices behind an alias, each with the version that its mapping names."""
        try:
            found = self._ask(lambda: self._client.indices.get_mapping(index=alias))
        except NotFoundError:
            return {}
        return {
            name: str(one["mappings"].get("_meta", {}).get("format", ""))
            for name, one in found.items()
        }

    def point(self, alias: str, to: str, away: Iterable[str]) -> None:
        """Let an alias name another index, in one step."""
        actions: list[Json] = [{"remove": {"index": old, "alias": alias}} for old in away]
        actions.append({"add": {"index": to, "alias": alias}})
        self._ask(lambda: self._client.indices.update_aliases(body={"actions": actions}))

    def drop(self, index: str) -> None:
        """Delete an index, if it is there."""
        try:
            self._ask(lambda: self._client.indices.delete(index=index))
        except NotFoundError:
            return

    def bytes_of(self, index: str) -> int:
        """What the first copies of an index take on disk."""
        found = self._ask(lambda: self._client.indices.stats(index=index, metric="store"))
        return int(found["_all"]["primaries"]["store"]["size_in_bytes"])

    def close(self) -> None:
        """Give back the connections."""
        self._client.close()

    # ---------------------------------------------------------------- failures

    def _ask(self, call: Callable[[], T], ends: float | None = None) -> T:
        began = monotonic()
        try:
            return call()
        except StoreUnreachable as error:
            # The client gives up before the end where the rest is too short for another attempt.
            if ends is not None and monotonic() >= began + (ends - began) / 2:
                raise OutOfTime from error
            raise
        except StoreRefused as error:
            if ends is not None and LATE in str(error):
                raise OutOfTime from error
            raise

    def _mapped(self, status: object, error: object) -> StoreError:
        told = _reason(error)
        if FULL in told:
            return StoreRefused(address=self.address, detail=f"{FULL_DISK} ({told[:TOLD]}).")
        if status in BUSY or lost_within(error):
            return self._failed(told)
        return StoreRefused(address=self.address, detail=told[:TOLD])

    def _failed(self, told: str) -> StoreError:
        return StoreUnreachable(address=self.address, detail=told[:TOLD])


def to_json(value: object) -> str:
    """JSON without spaces, in characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _reason(error: object) -> str:
    """What the engine says of an error, with its root causes."""
    if not isinstance(error, Mapping):
        return str(error)
    causes = [error, *error.get("root_cause", ()), *filter(None, [error.get("caused_by")])]
    said = (f"{one.get('type')}: {one.get('reason')}" for one in causes)
    return "; ".join(dict.fromkeys(said))
