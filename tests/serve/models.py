"""Models for tests of the service: they decide, everything else is real."""

import asyncio
import re
from collections.abc import Sequence

from fanshu.models import Reply, ToolSpec, Turn
from fanshu.types import ToolCall, Usage

SENTENCE = re.compile(r"The marmalade bonus is \d+ yuan\.")


class Curious:
    """Looks for a word everywhere, and answers with the sentence that tells the bonus."""

    name, extractive = "curious", False

    def __init__(self, *tries: tuple[str, dict[str, object]]) -> None:
        self._tries = tries
        self.asked = 0

    async def next(
        self, turns: Sequence[Turn], tools: Sequence[ToolSpec], *, force: str | None = None
    ) -> Reply:
        self.asked += 1
        seen = [found[0] for turn in turns if (found := SENTENCE.search(turn.text))]
        if not any(turn.role == "tool" for turn in turns) and force is None:
            return Reply(
                calls=tuple(
                    ToolCall(f"c{number}", name, arguments)
                    for number, (name, arguments) in enumerate(self._tries)
                )
            )
        quote = next(iter(seen), "")
        citations = [{"chunk_id": "hr/pay.md#2", "quote": quote}] if quote else []
        told = {"response": quote, "citations": citations, "found": bool(quote)}
        return Reply(calls=(ToolCall("a", "answer", told),), usage=Usage(100, 0, 10, 0.25))

    async def close(self) -> None:
        """Nothing to give back."""


STILL = 3_600.0
"""Seconds: a model that thinks for so long is not done before a test is over."""


class Slow:
    """Thinks for a while in each of some rounds, then finds nothing; counts what goes on."""

    name, extractive = "slow", False

    def __init__(self, seconds: float, rounds: int = 1, cost: float | None = 0.01) -> None:
        self._seconds, self._rounds, self._cost = seconds, rounds, cost
        self.running = self.most = self.begun = self.ended = 0

    async def next(
        self, turns: Sequence[Turn], tools: Sequence[ToolSpec], *, force: str | None = None
    ) -> Reply:
        self.running += 1
        self.begun += 1
        self.most = max(self.most, self.running)
        try:
            await self._think()
        finally:
            self.running -= 1
        self.ended += 1
        done = sum(turn.role == "assistant" for turn in turns) + 1
        usage = Usage(100, 0, 10, self._cost)
        if done < self._rounds and force is None:
            return Reply(calls=(ToolCall("s", "search", {"keyword": f"word{done}"}),), usage=usage)
        told = {"response": "", "citations": [], "found": False}
        return Reply(calls=(ToolCall("a", "answer", told),), usage=usage)

    async def close(self) -> None:
        """Nothing to give back."""

    async def _think(self) -> None:
        await asyncio.sleep(self._seconds)


class Held(Slow):
    """Thinks until it is let go, by setting `free`."""

    name = "held"

    def __init__(self) -> None:
        super().__init__(STILL)
        self.free = False

    async def _think(self) -> None:
        while not self.free:  # noqa: ASYNC110 - set from another thread
            await asyncio.sleep(0.01)
