"""Records that workers share: one suite over all that keeps them."""

import math
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest

from fanshu.cluster.address import parse
from fanshu.cluster.connection import connect
from fanshu.cluster.opensearch_records import OpenSearchRecords
from fanshu.cluster.records import NEW, Conflict, Record, Records, Version
from fanshu.cluster.sqlite_records import SqliteRecords


@pytest.fixture(params=["sqlite", pytest.param("opensearch", marks=pytest.mark.cluster)])
def records(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Records]:
    if request.param == "sqlite":
        yield SqliteRecords(tmp_path / "records.db")
        return
    url = request.getfixturevalue("one_node").urls[0]
    address = parse(f"opensearch://{url.partition('://')[2].strip('/')}/t{token_hex(6)}")
    client = connect(address)
    yield OpenSearchRecords(client, address.name, replicas=0)
    client.indices.delete(index=f"{address.name}-*", ignore=404)
    client.close()


def keys(found: Sequence[Record]) -> list[str]:
    return [record.key for record in found]


def test_what_is_written_is_read_at_once(records: Records) -> None:
    assert records.get("runs", "a") is None
    body = {"text": "连接超时", "n": 0.1, "deep": [{"a": None}, True], "": "<&'\"\\\n\0\ufffe"}
    version = records.put("runs", Record("a", body, {"user": "ann"}, ends=time.time() + 900))
    found = records.get("runs", "a")
    assert found
    assert (found.key, found.body, found.fields) == ("a", body, {"user": "ann"})
    assert found.version == version
    assert found.ends
    assert list(found.body) == list(body)
    assert records.get("other", "a") is None


@pytest.mark.parametrize(
    "key",
    ["a/b", "../..", ".", "_x", "键 值", "x" * 600, "\ud800", "a\0b", "%2F?&=#", "", "é", "é"],
)
def test_a_key_holds_anything(records: Records, key: str) -> None:
    records.put("runs", Record(key, {"at": key}, {"name": key}))
    records.put("runs", Record(f"{key}!", {"at": "another"}))
    found = records.get("runs", key)
    assert found
    assert found.key == found.body["at"] == key
    assert keys(records.find("runs", {"name": key})) == [key]
    assert records.remove("runs", key)
    assert records.get("runs", key) is None


def test_a_body_of_megabytes(records: Records) -> None:
    bodies = {f"{n}": {"text": f"{n}" + "大" * 1_600_000} for n in range(3)}
    for key, body in bodies.items():
        records.put("runs", Record(key, body, {"kind": "large"}))
    records.put("runs", Record("small", {}, {"kind": "large"}))
    found = records.find("runs", {"kind": "large"})
    assert {one.key: one.body for one in found} == bodies | {"small": {}}
    got = records.get("runs", "1")
    assert got
    assert got.body == bodies["1"]
    assert got.version == found[1].version


def test_a_record_is_replaced_whole(records: Records) -> None:
    records.put("runs", Record("a", {"x": 1, "y": 2}, {"user": "ann", "state": "open"}))
    records.put("runs", Record("a", {"x": 3}, {"user": "bob"}))
    found = records.get("runs", "a")
    assert found
    assert (found.body, found.fields) == ({"x": 3}, {"user": "bob"})
    assert records.find("runs", {"user": "ann"}) == records.find("runs", {"state": "open"})
    assert keys(records.find("runs", {"user": "bob"})) == ["a"]


# ------------------------------------------------------------------- compare and swap


def test_new_only_where_there_is_none(records: Records) -> None:
    records.put("runs", Record("a", {"n": 1}), expect=NEW)
    with pytest.raises(Conflict):
        records.put("runs", Record("a", {"n": 2}), expect=NEW)
    records.remove("runs", "a")
    records.put("runs", Record("a", {"n": 3}), expect=NEW)
    found = records.get("runs", "a")
    assert found
    assert found.body == {"n": 3}


def test_only_from_the_version_that_was_seen(records: Records) -> None:
    first = records.put("runs", Record("a", {"n": 1}))
    second = records.put("runs", Record("a", {"n": 2}), expect=first)
    assert second != first
    with pytest.raises(Conflict):
        records.put("runs", Record("a", {"n": 3}), expect=first)
    with pytest.raises(Conflict):
        records.remove("runs", "a", expect=first)
    assert records.remove("runs", "a", expect=second)
    assert not records.remove("runs", "a", expect=second)
    with pytest.raises(Conflict):
        records.put("runs", Record("a", {"n": 4}), expect=second)


def test_what_is_not_there_is_not_removed(records: Records) -> None:
    assert not records.remove("runs", "a")
    assert not records.remove("runs", "a", expect=Version(3, 1))


def test_many_at_once_lose_nothing(records: Records) -> None:
    def add(who: int) -> None:
        for _ in range(5):
            while True:
                found = records.get("counts", "all")
                counted = dict(found.body) if found else {}
                counted[str(who)] = counted.get(str(who), 0) + 1
                try:
                    version = found.version if found else NEW
                    records.put("counts", Record("all", counted), expect=version)
                except Conflict:
                    continue
                break

    threads = [threading.Thread(target=add, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = records.get("counts", "all")
    assert found
    assert found.body == dict.fromkeys("0123", 5)


# ------------------------------------------------------------------------------- time


def test_a_record_whose_time_is_up_is_none(records: Records) -> None:
    past, later = time.time() - 1, time.time() + 900
    records.put("runs", Record("a", {}, {"n": 1}, ends=past))
    records.put("runs", Record("b", {}, {"n": 1}, ends=later))
    assert records.get("runs", "a") is None
    assert keys(records.find("runs")) == ["b"]
    assert records.total("runs", "n", {}, {}) == 1
    version = records.put("runs", Record("a", {"again": 1}), expect=NEW)
    found = records.get("runs", "a")
    assert found
    assert found.version == version


@pytest.mark.cluster
def test_what_is_over_is_swept_out(one_node: Any) -> None:
    address = parse(f"opensearch://{one_node.urls[0].partition('://')[2].strip('/')}/sweeping")
    with connect(address) as client:
        records = OpenSearchRecords(client, address.name, replicas=0)
        assert records.sweep("runs") == 0
        for n in range(3):
            records.put("runs", Record(f"{n}", {}, ends=time.time() - n if n else None))
        assert records.sweep("runs") == 2
        assert records.sweep("runs") == 0
        client.indices.refresh(index="sweeping-records-runs")
        assert client.count(index="sweeping-records-runs")["count"] == 1
        client.indices.delete(index="sweeping-*")


# ---------------------------------------------------------------------------- finding


def people(records: Records) -> None:
    for key, fields in {
        "ann": {"age": 30, "city": "北京", "on": True, "tags": ["a", "b"], "at": "2026-01-02"},
        "bob": {"age": 4.5, "city": "Oslo", "on": False, "tags": ["b"], "at": "2026-01-03"},
        "cyd": {"age": -1, "city": "x" * 40_000, "on": True, "tags": [], "at": "2025-12-31"},
        "dan": {"city": "true"},
    }.items():
        records.put("people", Record(key, {"of": key}, fields))


@pytest.mark.parametrize(
    ("where", "least", "expected"),
    [
        ({}, {}, "ann bob cyd dan"),
        ({"city": "北京"}, {}, "ann"),
        ({"city": "oslo"}, {}, ""),
        ({"city": "x" * 40_000}, {}, "cyd"),
        ({"city": "x" * 40_001}, {}, ""),
        ({"city": ["Oslo", "北京", "Rome"]}, {}, "ann bob"),
        ({"city": []}, {}, ""),
        ({"on": True}, {}, "ann cyd"),
        ({"on": False}, {}, "bob"),
        ({"on": "true"}, {}, ""),
        ({"on": 1}, {}, ""),
        ({"city": True}, {}, ""),
        ({"age": 30}, {}, "ann"),
        ({"age": 4.5, "city": "Oslo"}, {}, "bob"),
        ({"age": 30, "city": "Oslo"}, {}, ""),
        ({"tags": "b"}, {}, "ann bob"),
        ({"tags": ["a", "z"]}, {}, "ann"),
        ({"nobody": "x"}, {}, ""),
        ({}, {"age": 4.5}, "ann bob"),
        ({"on": True}, {"age": -1}, "ann cyd"),
        ({}, {"age": 4.5, "other": 1}, ""),
    ],
)
def test_by_fields(
    records: Records, where: dict[str, Any], least: dict[str, float], expected: str
) -> None:
    people(records)
    assert keys(records.find("people", where, least=least)) == expected.split()


def test_in_order(records: Records) -> None:
    people(records)
    assert keys(records.find("people", newest="age")) == ["ann", "bob", "cyd", "dan"]
    assert keys(records.find("people", newest="at")) == ["bob", "ann", "cyd", "dan"]
    assert keys(records.find("people", newest="nothing")) == ["ann", "bob", "cyd", "dan"]
    assert keys(records.find("people", newest="at", limit=2)) == ["bob", "ann"]
    assert keys(records.find("people", limit=1)) == ["ann"]


def test_more_than_one_page(records: Records) -> None:
    for n in range(230):
        records.put("runs", Record(f"{n:03}", {"n": n}, {"n": n % 7, "odd": n % 2 == 1}))
    found = records.find("runs", newest="n")
    assert len(found) == len(set(keys(found))) == 230
    assert [one.fields["n"] for one in found] == sorted((n % 7 for n in range(230)), reverse=True)
    assert len(records.find("runs", {"odd": True}, limit=110)) == 110
    assert keys(records.find("runs", limit=150)) == [f"{n:03}" for n in range(150)]


def test_what_is_found_has_its_version(records: Records) -> None:
    version = records.put("runs", Record("a", {}, {"n": 1}))
    assert [one.version for one in records.find("runs")] == [version]
    records.put("runs", Record("a", {}, {"n": 2}), expect=records.find("runs")[0].version)


def test_sums(records: Records) -> None:
    assert records.total("people", "age", {}, {}) == 0
    people(records)
    assert math.isclose(records.total("people", "age", {}, {}), 33.5)
    assert records.total("people", "age", {"on": True}, {}) == 29
    assert records.total("people", "age", {}, {"age": 0}) == 34.5
    assert records.total("people", "nothing", {}, {}) == 0
    assert records.total("people", "city", {}, {}) == 0


def test_nothing_yet(records: Records) -> None:
    assert records.find("nothing") == () or records.find("nothing") == []
    assert not records.remove("nothing", "x")


def test_two_of_one_file(tmp_path: Path) -> None:
    one, two = SqliteRecords(tmp_path / "r.db"), SqliteRecords(tmp_path / "r.db")
    version = one.put("runs", Record("a", {"n": 1}))
    two.put("runs", Record("a", {"n": 2}), expect=version)
    with pytest.raises(Conflict):
        one.put("runs", Record("a", {"n": 3}), expect=version)
