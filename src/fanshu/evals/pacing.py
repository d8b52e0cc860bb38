"""How fast a run may ask, and how much it may spend."""

import asyncio
from collections.abc import Mapping, Sequence

from fanshu.errors import ConfigError
from fanshu.models import Model, Reply, ToolSpec, Turn

MINUTE = 60.0


class Pace:
    """Lets requests begin at most so often `a_minute`, evenly apart; None: at once."""

    def __init__(self, a_minute: float | None) -> None:
        self._apart = MINUTE / a_minute if a_minute else 0.0
        self._next = 0.0

    async def turn(self) -> None:
        """Wait until the next request may begin."""
        if not self._apart:
            return
        now = asyncio.get_running_loop().time()
        begin = max(now, self._next)
        self._next = begin + self._apart
        await asyncio.sleep(begin - now)


class Paced:
    """A model whose requests wait for their turn; several questions share one `pace`."""

    def __init__(self, model: Model, pace: Pace) -> None:
        self._model, self._pace = model, pace

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
        await self._pace.turn()
        return await self._model.next(turns, tools, force=force)

    async def close(self) -> None:
        """Close the model behind it."""
        await self._model.close()


def rest(most: float | None, spent: float) -> float | None:
    """What runs before this one have left of a limit, in US dollars; None: there is none."""
    return None if most is None else max(most - spent, 0.0)


class Spending:
    """What a run has cost so far, in US dollars, and the `most` it may."""

    def __init__(self, most: float | None = None, spent: float = 0.0) -> None:
        self.most, self.spent = most, spent

    @property
    def reached(self) -> bool:
        """Whether nothing more may be asked; what is being asked may still add to it."""
        return self.most is not None and self.spent >= self.most

    def add(self, result: Mapping[str, object]) -> None:
        """Count a result. Raises: ConfigError — there is a limit, and prices are not known."""
        cost, tokens = result.get("cost"), result.get("tokens")
        if isinstance(cost, int | float):
            self.spent += cost
        elif self.most is not None and tokens:
            detail = (
                "the price of this model is not known, so that no limit can be kept; "
                "leave it out, and limit the questions instead"
            )
            raise ConfigError(name="max_spend", detail=detail)
