"""Traces: what is kept, for whom and how long."""

import os
import secrets
import stat
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from fanshu.errors import TraceMissing
from fanshu.shared_traces import SharedTraces
from fanshu.traces import FORMAT, ID_FORMAT, Traces, TraceStore, comparable, new_id
from tests.records import KINDS, shared_records


def document(trace_id: str, size: int = 0) -> dict[str, Any]:
    answered = {"status": "answered", "reader": "m", "rounds": 1, "answer": "x" * size}
    return {
        "format": FORMAT,
        "trace_id": trace_id,
        "saved_at": "2026-01-01T00:00:00+00:00",
        "question": "超时?",
        "rounds": [],
        "answer": answered,
    }


def id_of(age: timedelta, ending: str = "000000") -> str:
    return f"{(datetime.now(UTC) - age).strftime(ID_FORMAT)}-{ending}"


@pytest.fixture(params=["file", *KINDS])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., TraceStore]]:
    """Traces in a folder, and over records that workers share."""
    if request.param == "file":
        yield lambda **options: Traces(tmp_path / "traces", **options)
        return
    with shared_records(request, tmp_path) as records:
        yield lambda **options: SharedTraces(records, "store", **options, trim_seconds=0)


@pytest.fixture
def traces(tmp_path: Path) -> Traces:
    return Traces(tmp_path / "traces", days=30, megabytes=200)


def test_what_was_saved_can_be_loaded_and_listed_newest_first(
    make: Callable[..., TraceStore],
) -> None:
    traces = make(days=30, megabytes=200)
    old, new = id_of(timedelta(hours=1)), new_id()
    traces.save(document(old))
    traces.save(document(new))
    assert [summary.trace_id for summary in traces.summaries()] == [new, old]
    assert traces.load(old) == document(old)
    assert traces.load("last") == document(new)
    assert (traces.holds(old), traces.holds(id_of(timedelta(hours=2)))) == (True, False)


def test_a_trace_may_hold_anything(make: Callable[..., TraceStore]) -> None:
    trace = document(new_id(), size=5_000_000)
    trace["rounds"] = [{"text": '\0 "\\ 超时 🙂'}]
    for _ in range(300):
        trace["rounds"] = [trace["rounds"]]
    traces = make(days=30, megabytes=200)
    traces.save(trace)
    assert traces.load(trace["trace_id"]) == trace


@pytest.mark.skipif(os.name == "nt", reason="optional: POSIX modes")
def test_only_the_owner_may_read(traces: Traces, tmp_path: Path) -> None:
    trace_id = new_id()
    traces.save(document(trace_id))
    folder = tmp_path / "traces"
    assert stat.S_IMODE((folder / f"{trace_id}.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("trace_id", ["last", "nope", "../x", "20260101-000000-abcdef", ""])
def test_a_missing_trace_is_said(make: Callable[..., TraceStore], trace_id: str) -> None:
    traces = make(days=30, megabytes=200)
    with pytest.raises(TraceMissing):
        traces.load(trace_id)


def test_a_broken_file_is_left_out(traces: Traces, tmp_path: Path) -> None:
    trace_id = new_id()
    traces.save(document(trace_id))
    for ending, text in (("000001", "{broken"), ("000002", '{"format": 99}'), ("000003", "[]")):
        (tmp_path / "traces" / f"{id_of(timedelta(1), ending)}.json").write_text(text)
    assert [summary.trace_id for summary in traces.summaries()] == [trace_id]


def test_old_traces_go(tmp_path: Path) -> None:
    traces = Traces(tmp_path, days=30, megabytes=200)
    traces.save(document(id_of(timedelta(days=29))))
    (tmp_path / f"{id_of(timedelta(days=31))}.json").write_text("{}")
    Traces(tmp_path, days=30, megabytes=200).save(document(new_id()))
    assert len(list(tmp_path.iterdir())) == 2


def test_old_traces_are_not_looked_for_after_every_run(tmp_path: Path) -> None:
    traces = Traces(tmp_path, days=30, megabytes=200)
    traces.save(document(new_id()))
    (tmp_path / f"{id_of(timedelta(days=31))}.json").write_text("{}")
    traces.save(document(new_id()))
    assert len(list(tmp_path.iterdir())) == 3
    for _ in range(3):
        traces.save(document(new_id(), size=1_000_000))  # one percent of what may be kept, and more
    assert len(list(tmp_path.iterdir())) == 5


def test_the_oldest_go_when_all_are_too_large(make: Callable[..., TraceStore]) -> None:
    traces = make(days=30, megabytes=0.01)
    ids = [id_of(timedelta(minutes=age)) for age in (3, 2, 1)]
    for trace_id in ids:
        traces.save(document(trace_id) | {"rounds": [secrets.token_urlsafe(3_000)]})
    assert [summary.trace_id for summary in traces.summaries()] == [ids[2], ids[1]]


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_text("{}")
    Traces(tmp_path, days=0, megabytes=0).save(document(new_id()))
    assert (tmp_path / "notes.json").exists()


def test_scores_are_not_compared() -> None:
    assert comparable([{"score": 1, "id": 1}]) == comparable([{"score": 2, "id": 1}])
    assert comparable([{"id": 2}]) != comparable([{"id": 1}])


def test_ids_sort_by_time_within_a_second() -> None:
    ids = []
    for _ in range(20):
        ids.append(new_id())
        time.sleep(0.001)
    assert ids == sorted(ids)
    assert len({one[-3:] for one in ids}) > 5
