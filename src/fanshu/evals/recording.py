"""Replies of a model on record, so that a run can be made again without the model.

A recording is a file of JSON lines, one question each: its id, the model's name, and the model's
replies in the order of its requests. It holds what the model wrote and the tokens it took,
and nothing of the documents but what the model itself quoted.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fanshu.agent.context import size
from fanshu.errors import ConfigError, ContextTooLong, ModelBadReply, ModelError, RecordingEnds
from fanshu.models import Model, Reply, ToolSpec, Turn
from fanshu.types import ToolCall, Usage, plain

Entry = dict[str, Any]


class Recorder:
    """A model that passes every request on and keeps what came back, for one question."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._replies: list[Entry] = []

    @property
    def name(self) -> str:
        """That of the model behind it."""
        return self._model.name

    @property
    def extractive(self) -> bool:
        """That of the model behind it."""
        return self._model.extractive

    async def next(
        self, turns: Sequence[Turn], tools: Sequence[ToolSpec], *, force: str | None = None
    ) -> Reply:
        """The model's reply. Raises: ModelError."""
        sent = size(turns, tools)
        try:
            reply = await self._model.next(turns, tools, force=force)
        except ModelError as error:
            self._replies.append({"sent": sent, "error": error.code, "detail": str(error)})
            raise
        self._replies.append(
            {
                "sent": sent,
                "text": reply.text,
                "calls": plain(reply.calls),
                "usage": plain(reply.usage),
            }
        )
        return reply

    async def close(self) -> None:
        """Close the model behind it."""
        await self._model.close()

    def line(self, question_id: str) -> str:
        """What is kept, as a line of a recording."""
        entry = {"id": question_id, "model": self.name, "replies": self._replies}
        return json.dumps(entry, ensure_ascii=False) + "\n"


class Replayer:
    """A model that gives the replies on record for one question, whatever it is asked.

    Tokens of a prompt are those on record, more or fewer by as much as the request is now
    estimated to be larger or smaller: so a change of what the model is shown can be measured.
    """

    def __init__(self, question_id: str, entry: Entry) -> None:
        self._id = question_id
        self._entry = entry
        self._asked = 0

    @property
    def name(self) -> str:
        """The name of the model that gave these replies."""
        return str(self._entry["model"])

    @property
    def extractive(self) -> bool:
        """Whether no language model gave them."""
        return self.name == "extractive"

    async def next(
        self,
        turns: Sequence[Turn],
        tools: Sequence[ToolSpec],
        *,
        force: str | None = None,  # noqa: ARG002
    ) -> Reply:
        """The next reply on record. Raises: RecordingEnds, ModelError — one is on record."""
        kept = self._entry["replies"]
        if self._asked == len(kept):
            raise RecordingEnds(question=self._id, replies=len(kept))
        one = kept[self._asked]
        self._asked += 1
        if "error" in one:
            raise _error(one, self.name)
        return Reply(one["text"], _calls(one), _usage(one, size(turns, tools)))

    async def close(self) -> None:
        """Nothing to give back."""


class Recording:
    """The replies of a file by the id of the question; of a question asked again, the last."""

    def __init__(self, path: Path) -> None:
        self._entries = {entry["id"]: entry for entry in _entries(path)}

    @property
    def ids(self) -> tuple[str, ...]:
        """The questions that have replies."""
        return tuple(self._entries)

    def model(self, question_id: str) -> Replayer:
        """The model that answers one question. Raises: RecordingEnds — there is nothing of it."""
        if question_id not in self._entries:
            raise RecordingEnds(question=question_id, replies=0)
        return Replayer(question_id, self._entries[question_id])


def _entries(path: Path) -> Iterator[Entry]:
    """Raises: ConfigError — the file cannot be read, or a line is of no recording."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(name="replay", detail=f"{path}: {error}") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _entry(line, f"{path}, line {number}")


def _entry(line: str, place: str) -> Entry:
    try:
        entry = json.loads(line)
        for one in entry["replies"]:
            if "error" not in one:
                _calls(one)
                _usage(one, int(one["sent"]))
        return {"id": str(entry["id"]), "model": str(entry["model"]), "replies": entry["replies"]}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        detail = f"{place}: no line of a recording ({error!r})"
        raise ConfigError(name="replay", detail=detail) from error


def _calls(one: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(**call) for call in one["calls"])


def _usage(one: Mapping[str, Any], sent: int) -> Usage:
    kept = Usage(**one["usage"])
    prompt = round(kept.prompt * sent / one["sent"]) if one["sent"] else kept.prompt
    return Usage(prompt, min(kept.cached, prompt), kept.completion, kept.cost)


def _error(one: Mapping[str, Any], model: str) -> ModelError:
    """An error on record: one that the loop answers by itself stays of its kind."""
    kind = ContextTooLong if one["error"] == ContextTooLong.code else ModelBadReply
    return kind(model=model, detail=str(one.get("detail", one["error"])))
