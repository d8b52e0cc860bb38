"""What is asked of the engine, and what its failures mean."""

import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from time import monotonic, sleep
from typing import Any, TypeVar

from opensearchpy import OpenSearch
from opensearchpy.exceptions import ConflictError, NotFoundError

from fanshu.errors import StoreError, StoreRefused, StoreUnreachable
from fanshu.library.store import OutOfTime

Json = Mapping[str, Any]
T = TypeVar("T")

PART_BYTES = 5_000_000  # of one bulk request
BUSY_SECONDS = 120.0  # how long an engine that is overloaded may put off a bulk request
SLOW_SECONDS = 120.0  # for requests that may take long
BUSY = frozenset((429, 502, 503, 504))
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
        # Searches of one process go to the same copies of the shards, whose caches are warm.
        self._preference = f"fanshu-{secrets.token_hex(4)}"

    # ---------------------------------------------------------------- one document

    def get(self, index: str, key: str, fields: str | None = None) -> Json | None:
        """A document as last written, with its version; None when there is none."""
        params = {"preference": "_primary"}
        if fields:
            params["_source_includes"] = fields
        try:
            found = self._ask(lambda: self._client.get(index=index, id=key, params=params))
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
            asked = [{"_id": key, "routing": by} for key, by in keys[start : start + PAGE]]
            mget = partial(self._client.mget, index=index, params={"realtime": "false"})
            found = self._ask(partial(mget, body={"docs": asked}))
            for one in found["docs"]:
                if one.get("error"):
                    raise self._failed(str(one["error"]))
                if one.get("found"):
                    yield one

    # ---------------------------------------------------------------- searching

    def search(
        self, index: str, body: Json, ends: float | None = None, *, ranked: bool = False
    ) -> Json:
        """One search, whole: a shard that does not answer is an error.

        `ends`: when to give up, by `monotonic`. `ranked`: how often words occur is to be that of
        all shards together. Raises: OutOfTime.
        """
        params: dict[str, Any] = {
            "preference": self._preference,
            "allow_partial_search_results": "false",
        }
        if ranked:
            params["search_type"] = "dfs_query_then_fetch"
        body = self._limited(body, ends, params)
        return self._whole(
            self._ask(lambda: self._client.search(index=index, body=body, params=params), ends),
            ends,
        )

    def searches(self, index: str, bodies: Sequence[Json], ends: float | None = None) -> list[Json]:
        """Several searches on one journey, as `search`."""
        if len(bodies) == 1:
            return [self.search(index, bodies[0], ends)]
        head = {
            "index": index,
            "preference": self._preference,
            "allow_partial_search_results": False,
        }
        answers: list[Json] = []
        asked: list[str] = []
        for body in bodies:
            params: dict[str, Any] = {}
            text = f"{to_json(head)}\n{to_json(self._limited(body, ends, params))}\n"
            if asked and sum(map(len, asked)) + len(text) > PART_BYTES:
                answers += self._together(asked, params, ends)
                asked = []
            asked.append(text)
        return answers + self._together(asked, params, ends)

    def _together(self, asked: Sequence[str], params: Json, ends: float | None) -> list[Json]:
        body = "".join(asked)
        found = self._ask(lambda: self._client.msearch(body=body, params=dict(params)), ends)
        for one in found["responses"]:
            if "error" in one:
                raise self._mapped(one.get("status", 500), _reason(one["error"]))
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

    def _limited(self, body: Json, ends: float | None, params: dict[str, Any]) -> Json:
        if ends is None:
            return body
        left = ends - monotonic()
        if left <= LEAST_SECONDS:
            raise OutOfTime
        params["request_timeout"] = left
        return {**body, "timeout": f"{max(int(left * 1000), 1)}ms"}

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
            if answer["status"] not in BUSY:
                raise self._mapped(answer["status"], _reason(answer["error"]))
            again.append(line)
        return again

    def refresh(self, index: str) -> None:
        """Let everybody see what was written, on every copy that there is."""
        params = {"request_timeout": SLOW_SECONDS}
        for attempt in range(5):
            if attempt:
                sleep(0.2 * attempt)
            found = self._ask(lambda: self._client.indices.refresh(index=index, params=params))
            if not found["_shards"]["failed"]:
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

    def _mapped(self, status: object, told: str) -> StoreError:
        if status in BUSY:
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
