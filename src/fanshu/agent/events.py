"""What a run tells while it works, one frozen event per thing that happens.

Events carry data, never sentences: each face says them in its own language. They come in
the order: Started, then per round RoundStarted, one Stepped per tool call, and at last
Ended. The search and the reads made ahead of round 1 are Stepped events of round 0.
"""

from collections.abc import Callable
from dataclasses import dataclass

from fanshu.types import Answer, Observation, ToolCall


@dataclass(frozen=True, slots=True)
class Started:
    """A run begins. `reader`: the model's name, or `extractive`. `max_rounds`: at most so many."""

    question: str
    reader: str
    max_rounds: int


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """The model is being asked; `left` counts this `round`."""

    round: int
    left: int


@dataclass(frozen=True, slots=True)
class Stepped:
    """A tool `call` and its `observation`; `seconds` since the run began. `round` 0: made ahead."""

    round: int
    call: ToolCall
    observation: Observation
    seconds: float


@dataclass(frozen=True, slots=True)
class Bounced:
    """An answer of `round` was sent back once; `objections` are what the check found."""

    round: int
    objections: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """The run is over, and this is its `answer`."""

    answer: Answer


Event = Started | RoundStarted | Stepped | Bounced | Ended
OnEvent = Callable[[Event], None]
