"""Records in OpenSearch: an index per collection, `NAME-records-COLLECTION`.

The record itself is one string of JSON that the engine only keeps, so that nothing in it can
disturb a mapping and it comes back to the letter; beside it stand the fields to find it by.
Ids are hashes of keys, which may be long and hold anything.
"""

import hashlib
import json
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from fanshu.cluster.fields import FLAG, NUMBER, TEXT, comparable, typed
from fanshu.cluster.records import NEW, Conflict, Fields, Record, Version
from fanshu.errors import StoreError, StoreUnreachable

if TYPE_CHECKING:
    from opensearchpy import OpenSearch

COLLECTION = re.compile(r"[a-z][a-z0-9-]{0,40}")
PAGE = 100  # records that one search brings
SMALL = 100_000  # characters of a record that searches bring along; larger ones are fetched
TOGETHER = 4  # large records fetched at once
SWEEP_SECONDS = 600.0
SWEPT_AT_ONCE = 500
LOWEST = -1e300  # where a record that lacks the field is sorted
KINDS = {TEXT: "keyword", NUMBER: "double", FLAG: "boolean"}
MAPPINGS = {
    "dynamic": False,
    "_meta": {"fanshu": 1},
    "dynamic_templates": [
        {kind: {"path_match": f"{kind}.*", "mapping": {"type": name}}}
        for kind, name in KINDS.items()
    ],
    "properties": {
        "key": {"type": "keyword"},
        "ends": {"type": "double"},
        **{kind: {"type": "object", "dynamic": True} for kind in KINDS},
    },
}


class OpenSearchRecords:
    """Records of a library in OpenSearch. Thread-safe.

    `shards` and `replicas` count for collections that are made anew.
    """

    def __init__(
        self, client: "OpenSearch", name: str, *, shards: int = 1, replicas: int = 1
    ) -> None:
        self._client, self._name = client, name
        self._settings = {
            "number_of_shards": shards,
            "number_of_replicas": replicas,
            "refresh_interval": -1,  # whoever looks for something refreshes
            "codec": "best_compression",
        }
        self._made: set[str] = set()
        self._swept: dict[str, float] = {}
        self._guard = threading.Lock()

    # ---------------------------------------------------------------- one record

    def get(self, collection: str, key: str) -> Record | None:
        """One record, as last written; None when there is none or its time is up."""
        found = self._raw(collection, key)
        record = _record(found) if found else None
        return record if record and not _over(record) else None

    def put(self, collection: str, record: Record, *, expect: Version | None = None) -> Version:
        """Write a record whole. `expect`: the version it replaces; None: whatever is there.

        Raises: Conflict — it is at another version.
        """
        self._make(collection)
        document = _document(record)
        try:
            version = self._put(collection, record.key, document, expect)
        except StoreUnreachable:
            if expect is None:  # has been repeated already
                raise
            version = self._put(collection, record.key, document, expect)
        self._sweep(collection)
        return version

    def _put(
        self, collection: str, key: str, document: Mapping[str, Any], expect: Version | None
    ) -> Version:
        try:
            return self._write(collection, key, document, expect)
        except _conflict():
            return self._after_all(collection, key, document, expect)

    def _write(
        self, collection: str, key: str, document: Mapping[str, Any], expect: Version | None
    ) -> Version:
        condition: dict[str, Any] = {}
        if expect == NEW:
            condition = {"op_type": "create"}
        elif expect is not None:
            condition = {"if_seq_no": expect.number, "if_primary_term": expect.term}
        index, id_ = self._index(collection), _id(key)
        return _version(self._client.index(index=index, id=id_, body=document, **condition))

    def _after_all(
        self, collection: str, key: str, document: Mapping[str, Any], expect: Version | None
    ) -> Version:
        """A conflict may be with this very write, when its first reply was lost; and a record
        whose time is up is none.
        """
        found = self._raw(collection, key)
        if found and found["_source"]["by"] == document["by"]:
            return _version(found)
        if expect == NEW and found and _over(_record(found)):
            with suppress(_conflict()):
                return self._write(collection, key, document, _version(found))
        raise Conflict

    def remove(self, collection: str, key: str, *, expect: Version | None = None) -> bool:
        """Take a record out; whether there was one. Raises: Conflict."""
        condition: dict[str, Any] = {}
        if expect is not None:
            condition = {"if_seq_no": expect.number, "if_primary_term": expect.term}
        index = self._index(collection)
        try:
            done = self._client.delete(index=index, id=_id(key), ignore=404, **condition)
        except _conflict():
            if self._raw(collection, key) is None:
                return False
            raise Conflict from None
        return bool(done.get("result") == "deleted")

    def _raw(self, collection: str, key: str) -> Any:
        found = self._client.get(index=self._index(collection), id=_id(key), ignore=404)
        return found if found.get("found") else None

    # --------------------------------------------------------------- many records

    def find(
        self,
        collection: str,
        where: Fields | None = None,
        *,
        least: Mapping[str, float] | None = None,
        newest: str | None = None,
        limit: int = 1_000,
    ) -> Sequence[Record]:
        """Records whose fields have all of these values (of a list, one of them)."""
        if not self._refreshed(collection):
            return ()
        hits = self._hits(collection, _query(where or {}, least or {}), _sort(newest), limit)
        return [_record(hit) for hit in self._whole(collection, hits)]

    def _hits(
        self, collection: str, query: Mapping[str, Any], sort: Sequence[Any], limit: int
    ) -> list[Any]:
        body: dict[str, Any] = {
            "query": query,
            "sort": sort,
            "_source": {"excludes": ["large"]},
            "seq_no_primary_term": True,
            "track_total_hits": False,
        }
        hits: list[Any] = []
        while len(hits) < limit:
            body["size"] = min(PAGE, limit - len(hits))
            page = self._search(collection, body)["hits"]["hits"]
            hits += page
            if len(page) < body["size"]:
                break
            body["search_after"] = page[-1]["sort"]
        return hits

    def _whole(self, collection: str, hits: Sequence[Any]) -> Iterator[Any]:
        """What was found, with its large records; those that went meanwhile are left out."""
        index = self._index(collection)
        large = [hit["_id"] for hit in hits if "record" not in hit["_source"]]
        fetched: dict[str, Any] = {}
        for start in range(0, len(large), TOGETHER):
            ids = large[start : start + TOGETHER]
            for one in self._client.mget(body={"ids": ids}, index=index)["docs"]:
                if one.get("found"):
                    fetched[one["_id"]] = one
        for hit in hits:
            if "record" in hit["_source"]:
                yield hit
            elif hit["_id"] in fetched:
                yield fetched[hit["_id"]]

    def total(self, collection: str, of: str, where: Fields, least: Mapping[str, float]) -> float:
        """The sum of a field over the records that match."""
        if not self._refreshed(collection):
            return 0.0
        body = {
            "size": 0,
            "query": _query(where, least),
            "aggs": {"total": {"sum": {"field": f"{NUMBER}.{of}"}}},
        }
        return float(self._search(collection, body)["aggregations"]["total"]["value"])

    def _search(self, collection: str, body: Mapping[str, Any]) -> Any:
        """A search that is whole: records that a lost shard holds must not seem not to be."""
        return self._client.search(
            index=self._index(collection), body=body, allow_partial_search_results=False
        )

    def _refreshed(self, collection: str) -> bool:
        """Make all that was written visible to searches; False when there is no such index."""
        done = self._client.indices.refresh(index=self._index(collection), ignore=404)
        return "_shards" in done

    # ------------------------------------------------------------------- the index

    def _index(self, collection: str) -> str:
        if not COLLECTION.fullmatch(collection):
            raise ValueError(f"{collection!r} cannot name a collection")
        return f"{self._name}-records-{collection}"

    def _make(self, collection: str) -> None:
        if collection in self._made:
            return
        index = self._index(collection)
        if not self._client.indices.exists(index=index):
            body = {"settings": {"index": self._settings}, "mappings": MAPPINGS}
            done = self._client.indices.create(index=index, body=body, ignore=400)
            kind = (done.get("error") or {}).get("type")
            if kind and kind != "resource_already_exists_exception":  # another was faster
                self._client.indices.create(index=index, body=body)  # raises what is wrong
        self._made.add(collection)

    def _sweep(self, collection: str) -> None:
        """Now and then, take out what is over. It can wait when it fails."""
        now = time.monotonic()
        with self._guard:
            if now < self._swept.setdefault(collection, now) + SWEEP_SECONDS:
                return
            self._swept[collection] = now
        with suppress(StoreError):
            self.sweep(collection)

    def sweep(self, collection: str) -> int:
        """Take out the records whose time is up; how many. `put` does it every ten minutes."""
        if not self._refreshed(collection):
            return 0
        body = {
            "size": SWEPT_AT_ONCE,
            "query": {"range": {"ends": {"lte": time.time()}}},
            "_source": False,
            "seq_no_primary_term": True,
        }
        hits = self._search(collection, body)["hits"]["hits"]
        if not hits:
            return 0
        lines = [
            {
                "delete": {
                    "_id": hit["_id"],
                    "if_seq_no": hit["_seq_no"],
                    "if_primary_term": hit["_primary_term"],
                }
            }
            for hit in hits
        ]
        done = self._client.bulk(body=lines, index=self._index(collection))
        return sum(item["delete"]["status"] == 200 for item in done["items"])


def _conflict() -> type[Exception]:
    from opensearchpy import ConflictError  # where there is a client, there is this

    return ConflictError


def _id(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def _document(record: Record) -> dict[str, Any]:
    """A record as it is indexed. `by`: this write, and no other."""
    whole = [record.key, record.body, record.fields, record.ends]
    text = json.dumps(whole, ensure_ascii=False, separators=(",", ":"))
    if not _sendable(text):
        text = json.dumps(whole, separators=(",", ":"))
    document: dict[str, Any] = {"key": comparable(record.key), "by": token_hex(8)}
    document["record" if len(text) <= SMALL else "large"] = text
    if record.ends is not None:
        document["ends"] = record.ends
    for name, (kind, values) in typed(record.fields).items():
        document.setdefault(kind, {})[name] = values
    return document


def _sendable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _record(found: Mapping[str, Any]) -> Record:
    source = found["_source"]
    key, body, fields, ends = json.loads(source.get("record") or source["large"])
    return Record(key, body, fields, ends, _version(found))


def _version(reply: Mapping[str, Any]) -> Version:
    return Version(reply["_seq_no"], reply["_primary_term"])


def _over(record: Record) -> bool:
    return record.ends is not None and record.ends <= time.time()


def _query(where: Fields, least: Mapping[str, float]) -> dict[str, Any]:
    clauses: list[dict[str, Any]] = [
        {"terms": {f"{kind}.{name}": values}} for name, (kind, values) in typed(where).items()
    ]
    clauses += [{"range": {f"{NUMBER}.{name}": {"gte": value}}} for name, value in least.items()]
    over = {"range": {"ends": {"lte": time.time()}}}
    return {"bool": {"filter": clauses, "must_not": [over]}}


def _sort(newest: str | None) -> list[dict[str, Any]]:
    by_key: list[dict[str, Any]] = [{"key": {"order": "asc"}}]
    if newest is None:
        return by_key
    number = {"order": "desc", "unmapped_type": "double", "missing": LOWEST}
    text = {"order": "desc", "unmapped_type": "keyword", "missing": "_last"}
    return [{f"{NUMBER}.{newest}": number}, {f"{TEXT}.{newest}": text}, *by_key]
