"""What one question may cost: rounds, seconds, tokens, money. Near a limit, only an answer is
asked for, so that what was paid for is not lost.
"""

from dataclasses import dataclass

from fanshu.agent.context import size
from fanshu.agent.run import State
from fanshu.types import StopReason

HURRY = 0.75  # of the deadline: from then on only an answer is asked for


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds for one question; None: none.

    `seconds` ends a run at the moment. `tokens` (prompts and replies of all rounds together) and
    `cost` (US dollars, where the model's price is known) are looked at before each round: one
    that could not be followed by another is the last.
    """

    seconds: float | None = None
    tokens: int | None = None
    cost: float | None = None

    def near(self, state: State) -> StopReason | None:
        """Why the coming round has to be the last, if one of the bounds is near."""
        if self.seconds and state.seconds > HURRY * self.seconds:
            return "deadline"
        if self.tokens and state.spent + 2 * _next(state) > self.tokens:
            return "budget"
        if self.cost and state.round and _cost_of(state, state.round + 2) > self.cost:
            return "budget"
        return None


def _next(state: State) -> int:
    """About the tokens of the coming request."""
    return size(state.turns, state.tools.specs)


def _cost_of(state: State, rounds: int) -> float:
    """What so many rounds cost, going by those so far."""
    return (state.usage.cost or 0.0) / state.round * rounds
