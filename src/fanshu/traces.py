"""Every run on record: what was asked, called, found and answered, one JSON document each.

A trace can be read, and replayed without a model: the recorded replies take its place, so
that the same calls are made on the library as it is now, and what differs is reported.
Traces hold text of the documents, so only their owner may read them, and old ones go.
"""

import json
import math
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from fanshu.errors import DataNewer, ModelBadReply, TraceMissing
from fanshu.keeping import write_private
from fanshu.models import Reply, ToolSpec, Turn
from fanshu.types import ToolCall, plain

if TYPE_CHECKING:
    from fanshu.agent.run import Run

FORMAT = 1
LAST = "last"  # may stand for the id of the newest trace
ID_FORMAT = "%Y%m%d-%H%M%S"
_ID = re.compile(r"\A\d{8}-\d{6}-[0-9a-f]{6}\Z")
# Scores order hits of one search and mean nothing else; a trace compares what was found.
IGNORED = frozenset({"score"})

SLACK = 0.01  # of the megabytes: so much more may be kept before old traces are looked for again
TRIM_SECONDS = 600.0  # … or so much later

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Summary:
    """A line in the list of traces; `saved_at` in ISO form, UTC."""

    trace_id: str
    saved_at: str
    question: str
    status: str
    reader: str
    rounds: int


@dataclass(frozen=True, slots=True)
class Change:
    """A recorded call that gives something else now. `before` and `after` are plain data."""

    round: int
    tool: str
    arguments: Mapping[str, object] | None
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class Replayed:
    """What became of a trace: how many calls were made again, and which changed."""

    trace_id: str
    calls: int
    changes: tuple[Change, ...]


class TraceStore(Protocol):
    """Where traces are kept: a folder of this user, or a store that workers share."""

    def save(self, document: Document) -> None:
        """Keep a trace, and let old ones go. Raises: OSError, StoreError."""
        ...

    def load(self, trace_id: str) -> Document:
        """One trace; `last` is the newest. Raises: TraceMissing, DataNewer, StoreError."""
        ...

    def holds(self, trace_id: str) -> bool:
        """Whether this trace is still kept. Raises: StoreError."""
        ...

    def summaries(self) -> Iterator[Summary]:
        """All traces, newest first. One that cannot be read is left out. Raises: StoreError."""
        ...


class Traces:
    """The traces in one folder: at most `days` old, `megabytes` in total."""

    def __init__(self, folder: Path, *, days: float, megabytes: float) -> None:
        self._folder = folder
        self._days = days
        self._bytes = int(megabytes * 1_000_000)
        self._trimmed = -math.inf
        self._since = 0  # bytes saved since then

    def save(self, document: Document) -> None:
        """Write a trace, readable by its owner alone, and let old ones go.

        Raises: OSError.
        """
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self._path(document["trace_id"])
        text = json.dumps(document, ensure_ascii=False, indent=1)
        data = text.encode("utf-8", "backslashreplace")
        write_private(path, data)
        self._since += len(data)
        # Of 5,000 traces it takes longer than a question takes otherwise.
        if self._since > SLACK * self._bytes or monotonic() > self._trimmed + TRIM_SECONDS:
            self._trim()

    def load(self, trace_id: str) -> Document:
        """One trace; `last` is the newest. Raises: TraceMissing, DataNewer."""
        if trace_id == LAST:
            trace_id = next((path.stem for path in self._paths()), LAST)
        if not _ID.match(trace_id):
            raise TraceMissing(trace_id=trace_id)
        path = self._path(trace_id)
        document = _read(path)
        if document is None:
            if (newer := _format(path)) > FORMAT:
                raise DataNewer(path=str(path), format=newer)
            raise TraceMissing(trace_id=trace_id)
        return document

    def holds(self, trace_id: str) -> bool:
        """Whether this trace is still kept."""
        return bool(_ID.match(trace_id)) and self._path(trace_id).is_file()

    def summaries(self) -> Iterator[Summary]:
        """All traces, newest first. One that cannot be read is left out."""
        for path in self._paths():
            document = _read(path)
            if document is not None:
                yield summary_of(document)

    def _path(self, trace_id: str) -> Path:
        return self._folder / f"{trace_id}.json"

    def _paths(self) -> list[Path]:
        found = [path for path in self._folder.glob("*.json") if _ID.match(path.stem)]
        return sorted(found, key=lambda path: path.stem, reverse=True)

    def _trim(self) -> None:
        """Remove what is too old, then the oldest until the rest is small enough."""
        self._trimmed, self._since = monotonic(), 0
        oldest = (datetime.now(UTC) - timedelta(days=self._days)).strftime(ID_FORMAT)
        total = 0
        for path in self._paths():
            with suppress(FileNotFoundError):  # another process is tidying up as well
                total += path.stat().st_size
                if path.stem < oldest or total > self._bytes:
                    path.unlink()


@cache
def traces_in(folder: Path, days: float, megabytes: float) -> Traces:
    """The traces in a folder; one object for all runs of a process knows when it last trimmed."""
    return Traces(folder, days=days, megabytes=megabytes)


def summary_of(document: Document) -> Summary:
    """A trace in short."""
    answer = document["answer"]
    return Summary(
        document["trace_id"],
        document["saved_at"],
        document["question"],
        answer["status"],
        answer["reader"],
        answer["rounds"],
    )


def is_id(text: str) -> bool:
    """Whether a text can be the id of a trace."""
    return bool(_ID.match(text))


def new_id() -> str:
    """An id that sorts by time, UTC, also within a second; its last digits are chance."""
    now = datetime.now(UTC)
    fraction = now.microsecond * 2**14 // 1_000_000
    return f"{now.strftime(ID_FORMAT)}-{fraction << 10 | secrets.randbits(10):06x}"


def _read(path: Path) -> Document | None:
    """A trace, or None when there is none or it is not one of ours."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    ours = isinstance(document, dict) and document.get("format") == FORMAT
    return document if ours else None


def _format(path: Path) -> int:
    """The number of a trace's format; 0 for what is no trace."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["format"]
    except (OSError, ValueError, LookupError, TypeError):
        return 0
    return found if isinstance(found, int) else 0


def record(
    run: "Run", trace_id: str, settings: Mapping[str, object], versions: Mapping[str, object]
) -> Document:
    """What a run was, as a JSON document. `settings` must hold no secret."""
    answer = replace(run.answer, trace_id=trace_id)
    return {
        "format": FORMAT,
        "trace_id": trace_id,
        "saved_at": datetime.now(UTC).isoformat(timespec="seconds"),
        **versions,
        "question": answer.question,
        "settings": dict(settings),
        "opening": plain(run.opening),
        "first_message": next((turn.text for turn in run.turns if turn.role == "user"), ""),
        "rounds": [plain(step) for step in run.steps],
        "answer": plain(answer),
    }


class Recorded:
    """A model that gives the replies of a trace again, one a round, whatever it is asked."""

    def __init__(self, document: Document) -> None:
        self._reader = str(document["answer"]["reader"])
        self._replies = [_reply(step) for step in document["rounds"]]

    @property
    def name(self) -> str:
        """The name of the model that gave these replies."""
        return self._reader

    @property
    def extractive(self) -> bool:
        """Whether no language model gave them."""
        return self._reader == "extractive"

    async def next(
        self,
        turns: Sequence[Turn],  # noqa: ARG002
        tools: Sequence[ToolSpec],  # noqa: ARG002
        *,
        force: str | None = None,  # noqa: ARG002
    ) -> Reply:
        """The next reply on record. Raises: ModelBadReply — there are no more."""
        if not self._replies:
            raise ModelBadReply(model=self._reader, detail="the record ends here")
        return self._replies.pop(0)

    async def close(self) -> None:
        """Nothing to give back."""


def _reply(step: Document) -> Reply:
    calls = (
        ToolCall(call["id"], call["name"], call["arguments"], call["raw"]) for call in step["calls"]
    )
    return Reply(step["text"], tuple(calls))


def compare(document: Document, run: "Run") -> Replayed:
    """What a run of the same calls gave that the trace does not hold, and the other way."""
    before = list(_looked_up(document))
    after = {
        (number, at): outcome
        for number, at, _, outcome in _looked_up({"opening": plain(run.opening), **_rounds(run)})
    }
    changes = []
    for number, at, call, outcome in before:
        now = after.get((number, at))
        if comparable(outcome) != comparable(now):
            changes.append(Change(number, call["name"], call["arguments"], outcome, now))
    return Replayed(document["trace_id"], len(before), tuple(changes))


def _rounds(run: "Run") -> Document:
    return {"question": run.answer.question, "rounds": [plain(step) for step in run.steps]}


def _looked_up(document: Document) -> Iterator[tuple[int, int, Document, object]]:
    """Every call with its round, its place in it, and the data of its observation."""
    if document["opening"] is not None:
        ahead = {"name": "search", "arguments": {"keyword": document["question"]}}
        yield 0, 0, ahead, document["opening"]
    for step in document["rounds"]:
        for at, (call, given) in enumerate(zip(step["calls"], step["observations"], strict=False)):
            yield step["round"], at, call, {"data": given["data"], "error": given["error"]}


def comparable(data: object) -> object:
    """Recorded data without what carries no meaning."""
    if isinstance(data, Mapping):
        return {name: comparable(item) for name, item in data.items() if name not in IGNORED}
    if isinstance(data, Sequence) and not isinstance(data, str):
        return [comparable(item) for item in data]
    return data
