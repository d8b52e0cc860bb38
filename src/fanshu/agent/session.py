"""A conversation: follow-up questions are asked with what was said before in view.

    session = Session(LoopAgent(library, model))
    await session.ask("How many steps has the deployment?")
    await session.ask("Which rights does the second one need?")

Each question is a run of its own: what it cites it has to read itself, so that every answer
stands on evidence of its own, however long the conversation is.
"""

from collections import deque

from fanshu.agent.earlier import exchange
from fanshu.agent.events import OnEvent
from fanshu.agent.loop import LoopAgent
from fanshu.agent.run import Run
from fanshu.types import Answer, Exchange

REMEMBERED = 3  # earlier questions; what a follow-up means lies hardly ever further back


class Session:
    """A conversation with one `agent`, one question at a time.

    `remembered`: how many earlier questions a follow-up is asked with.
    """

    def __init__(self, agent: LoopAgent, *, remembered: int = REMEMBERED) -> None:
        self.agent = agent
        self._earlier: deque[Exchange] = deque(maxlen=remembered)

    @property
    def earlier(self) -> tuple[Exchange, ...]:
        """What the next question is asked with, oldest first."""
        return tuple(self._earlier)

    async def ask(self, question: str, *, on_event: OnEvent | None = None) -> Run:
        """Ask the next question. A run that failed or was interrupted is not remembered.

        Raises: LibraryError.
        """
        run = await self.agent.ask(question, earlier=self.earlier, on_event=on_event)
        self.remember(run.answer)
        return run

    def remember(self, answer: Answer) -> None:
        """Go on from `answer`, also from one that was given elsewhere, as by a cache."""
        if answer.stop_reason not in ("interrupted", "model_error"):
            self._earlier.append(exchange(answer))

    def forget(self) -> None:
        """Begin anew."""
        self._earlier.clear()
