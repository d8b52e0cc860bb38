"""Who decides: one `Model` interface, whatever stands behind it.

A model gets the whole list of turns each time and gives back text or tool calls. Remote
models read the turns' text; the extractive reader reads their data. Nothing here knows
the loop.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from fanshu.types import ToolCall, Usage

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model sees it: `name`, `description`, and `parameters`, a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of `role`. `calls` are those of an assistant turn; a tool turn answers the call
    `call_id` of an earlier assistant turn, made of `tool`.

    `data` is the typed counterpart of `text` (an observation's data, the opening of a run).
    `native` is whatever an adapter wants back unchanged with an assistant turn, such as
    reasoning fields; others ignore it.
    """

    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    tool: str = ""
    data: object = None
    native: object = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model gives back: `text`, `calls` of tools, or both; `usage` is of this request.

    `native`: see `Turn`.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    native: object = None


class Model(Protocol):
    """Anything that can take the next step of a run.

    `extractive` models show passages and never claim an answer.
    """

    @property
    def name(self) -> str:
        """What answers and traces call it."""
        ...

    @property
    def extractive(self) -> bool:
        """Whether it only shows passages."""
        ...

    async def next(
        self, turns: Sequence[Turn], tools: Sequence[ToolSpec], *, force: str | None = None
    ) -> Reply:
        """The model's next step after all `turns` so far; `tools` are those it may call.

        `force` names the tool that must be called.

        Raises:
            ModelError: the model cannot be reached, refuses, or gives nothing usable.
        """
        ...

    async def close(self) -> None:
        """Give back connections. Calling it twice is fine."""
        ...
