"""A model that replays a list: for tests, examples and anything that must come out the same."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import count

from fanshu.errors import ModelBadReply, ModelError
from fanshu.models import Reply, ToolSpec, Turn
from fanshu.types import ToolCall

Calls = Sequence[tuple[str, Mapping[str, object]]]
Scripted = Reply | ModelError | str | Calls


class ScriptedModel:
    """Gives the replies of a script one after another, whatever it is asked.

    `replies`: each is a `Reply`, a text, a list of `(tool, arguments)`, or a `ModelError` to raise:

        ScriptedModel([[("search", {"keyword": "timeout"})], [("answer", {...})]])

    `name`: what it is called in results. `seen` holds the turns of every request, `forced` the
    tool that each had to call, `tools` the tools that were offered. When the script is over it
    raises `ModelBadReply`.
    """

    def __init__(self, replies: Iterable[Scripted], *, name: str = "scripted") -> None:
        numbers = count(1)
        self._script = [_reply(scripted, numbers) for scripted in replies]
        self._name = name
        self.seen: list[tuple[Turn, ...]] = []
        self.forced: list[str | None] = []
        self.tools: list[tuple[ToolSpec, ...]] = []

    @property
    def name(self) -> str:
        """As it was given."""
        return self._name

    @property
    def extractive(self) -> bool:
        """It plays a model that answers in words."""
        return False

    async def next(
        self, turns: Sequence[Turn], tools: Sequence[ToolSpec], *, force: str | None = None
    ) -> Reply:
        """The next reply of the script; `turns`, `tools` and `force` are only written down."""
        self.seen.append(tuple(turns))
        self.forced.append(force)
        self.tools.append(tuple(tools))
        if len(self.seen) > len(self._script):
            detail = f"the script has only {len(self._script)} replies"
            raise ModelBadReply(model=self._name, detail=detail)
        reply = self._script[len(self.seen) - 1]
        if isinstance(reply, ModelError):
            raise reply
        return reply

    async def close(self) -> None:
        """Nothing to give back."""


def _reply(scripted: Scripted, numbers: Iterable[int]) -> Reply | ModelError:
    if isinstance(scripted, Reply | ModelError):
        return scripted
    if isinstance(scripted, str):
        return Reply(text=scripted)
    return Reply(
        calls=tuple(
            ToolCall(f"call_{number}", name, arguments)
            for (name, arguments), number in zip(scripted, numbers, strict=False)
        )
    )
