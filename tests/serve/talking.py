"""A model that answers with the sentence it has read, and remembers how it was asked."""

from collections.abc import Sequence

from fanshu.errors import ModelUnreachable
from fanshu.models import Reply, ToolSpec, Turn
from fanshu.types import ToolCall, Usage

SENTENCE = "The write timeout of the gateway is 30 seconds."


class Telling:
    """Tells the write timeout, with its quote. `fails`: it cannot be reached."""

    name, extractive = "telling", False

    def __init__(self, *, fails: bool = False) -> None:
        self._fails = fails
        self.first_messages: list[str] = []

    async def next(
        self, turns: Sequence[Turn], tools: Sequence[ToolSpec], *, force: str | None = None
    ) -> Reply:
        if self._fails:
            raise ModelUnreachable(model=self.name, url="http://model", detail="no route")
        asked = next(turn.text for turn in turns if turn.role == "user")
        usage = Usage(100, 20, 10, 0.001)
        if not any(turn.role == "tool" for turn in turns):
            self.first_messages.append(asked)
            return Reply(calls=(ToolCall("r", "read", {"chunk_id": "manual.md#2"}),), usage=usage)
        told = {
            "response": "The write timeout is 30 seconds.",
            "citations": [{"chunk_id": "manual.md#2", "quote": SENTENCE}],
            "found": True,
        }
        return Reply(calls=(ToolCall("a", "answer", told),), usage=usage)

    async def close(self) -> None:
        """Nothing to give back."""
