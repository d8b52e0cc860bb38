"""A service over one small manual, and the model behind it, which does what a question says."""

import asyncio
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from fanshu.errors import ModelUnreachable
from fanshu.models import Reply, ToolSpec, Turn
from fanshu.serve.app import Gated
from fanshu.types import Opening, ToolCall
from tests.serve.served import Served, plan_of, serving, write

MANUAL = """\
# 网关手册

## 超时

写超时的默认值是 30 秒 <at user_id="all">所有人</at>。

## Retries

A request is repeated 3 times before the gateway gives up.
"""
LONG = "网关会一直等待上游的回应。\n" * 400


class Clerk:
    """Answers with a line of the manual. `gate`: while it is closed, questions wait."""

    name, extractive = "clerk", False

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.asked: list[Opening] = []

    async def next(
        self, turns: Sequence[Turn], tools: Sequence[ToolSpec], *, force: str | None = None
    ) -> Reply:
        opening = next(turn.data for turn in turns if isinstance(turn.data, Opening))
        self.asked.append(opening)
        await asyncio.to_thread(self.gate.wait)
        if "broken" in opening.question:
            raise ModelUnreachable(model="clerk", url="http://x", detail="refused")
        return Reply(calls=(ToolCall("a", "answer", _answer(opening.question)),))

    async def close(self) -> None:
        """Nothing to give back."""


def _answer(question: str) -> dict[str, object]:
    if "nothing" in question:
        return {"response": "", "citations": [], "found": False}
    if re.search("retr|repeat", question):
        quote = "A request is repeated 3 times"
        cited = {"chunk_id": "manual.md#3", "quote": quote}
        return {"response": "It is repeated 3 times.", "citations": [cited], "found": True}
    cited = {"chunk_id": "manual.md#2", "quote": "写超时的默认值是 30 秒"}
    response = LONG if "全部" in question else "写超时的默认值是 30 秒。"
    return {"response": response, "citations": [cited], "found": True}


@contextmanager
def service(
    folder: Path,
    clerk: Clerk,
    before: Callable[[Gated], None] | None = None,
    **settings: object,
) -> Iterator[Served]:
    """The manual, served; nothing is written outside of the folder."""
    docs = write(folder / "docs", {"manual.md": MANUAL})
    own = {"index": str(folder / "index"), "trace": False, "cache": False}
    plan = plan_of({"manual": docs}, own, runs_each=8, **settings)
    with serving(plan, folder / "service", lambda _: clerk, before=before) as served:
        yield served
