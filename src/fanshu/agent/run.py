"""A run of the loop: what it has so far (`State`) and what it leaves behind (`Run`)."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from fanshu.agent.answer import Verdict
from fanshu.agent.calls import same_calls
from fanshu.agent.draft import Draft
from fanshu.agent.events import Event, OnEvent
from fanshu.agent.tools import Tools
from fanshu.models import Turn
from fanshu.types import Answer, Chunk, Exchange, Language, Opening, Step, StopReason, Usage


@dataclass(frozen=True, slots=True)
class Run:
    """One question from beginning to end, and its `answer`.

    `turns` are the messages as they stood at the end, folded results included; `steps` hold
    every observation in full. `opening` is None when the run ended before its first message.
    `read`: the chunks whose whole text the model had.
    """

    answer: Answer
    steps: tuple[Step, ...]
    turns: tuple[Turn, ...]
    opening: Opening | None
    read: tuple[Chunk, ...] = ()


@dataclass(slots=True)
class State:
    """The one place where a run keeps its state; what the model has seen is in `tools.seen`.

    `earlier`: the conversation before this question. `room`: tokens of one request. `sent`: how
    many of the turns the model has had. `estimated`: tokens sent so far, by our own count.
    `search_due`: nothing else is wanted in the next round. `forced`: why only an answer is wanted
    from now on. `stop`: why the run is over. `bad`: rounds in a row without one good call;
    `barren`: rounds in a row that only repeated. `draft`, `verdict`: the last answer that was
    checked; `by_ocr`: warnings of what it quotes from scans. `half_seen`: chunks quoted from a
    line whose rest, which may change it, no round was left for.
    """

    question: str
    language: Language
    tools: Tools
    max_rounds: int
    room: int
    on_event: OnEvent | None
    extractive: bool = False
    earlier: tuple[Exchange, ...] = ()
    turns: list[Turn] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    opening: Opening | None = None
    usage: Usage = field(default_factory=Usage)
    round: int = 0
    bounces: int = 0
    opened: bool = False
    half_seen: tuple[str, ...] = ()
    search_due: bool = False
    bad: int = 0
    barren: int = 0
    sent: int = 0
    estimated: int = 0
    forced: StopReason | None = None
    stop: StopReason | None = None
    draft: Draft | None = None
    verdict: Verdict | None = None
    error: str | None = None
    warnings: tuple[str, ...] = ()
    by_ocr: tuple[str, ...] = ()
    clock: Callable[[], float] = time.monotonic
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Since the run began."""
        return self.clock() - self.began

    @property
    def spent(self) -> int:
        """Tokens so far; an estimate where the service does not tell."""
        return max(self.usage.prompt + self.usage.completion, self.estimated)

    @property
    def answerable(self) -> bool:
        """Whether the search ahead went well and its best texts stand in the first message."""
        opening = self.opening
        return bool(opening and opening.read and opening.search and opening.search.strong)

    @property
    def searched(self) -> bool:
        """Whether the model has searched for itself."""
        return not all(record.ahead for record in self.tools.seen.searches)

    @property
    def left(self) -> int:
        """Rounds that are left; an answer that was sent back adds one."""
        return self.max_rounds + self.bounces - self.round

    @property
    def repeated_at_once(self) -> bool:
        """Whether the last round made just the calls of the round before it."""
        return len(self.steps) > 1 and same_calls(self.steps[-1].calls, self.steps[-2].calls)

    def tell(self, event: Event) -> None:
        """Pass an event on, if anybody listens."""
        if self.on_event:
            self.on_event(event)
