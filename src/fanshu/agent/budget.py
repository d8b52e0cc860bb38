"""How much may be shown: tokens for a model, lines for a terminal. What is cut is whole lines."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fanshu.agent.context import tokens


@dataclass(frozen=True, slots=True)
class Budget:
    """So much, where a line costs what `cost` says."""

    amount: int
    cost: Callable[[str], int]

    def holds(self, lines: Sequence[str]) -> bool:
        """Whether all of the lines may be shown."""
        return sum(map(self.cost, lines)) <= self.amount

    def within(self, lines: Sequence[str]) -> Iterator[str]:
        """Whole lines until the budget is used: names cut in the middle look alike."""
        left = self.amount
        for line in lines:
            left -= self.cost(line)
            if left < 0:
                return
            yield line


def tokens_of(amount: int) -> Budget:
    """A budget for a model, line ends included."""
    return Budget(amount, lambda line: tokens(line) + 1)


def lines_of(amount: int) -> Budget:
    """A budget for a terminal."""
    return Budget(amount, lambda _: 1)
