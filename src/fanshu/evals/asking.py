"""What is measured: systems that answer one question over one library, all with the same face."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from fanshu import app
from fanshu.agent.events import Event, Stepped
from fanshu.agent.run import Run
from fanshu.evals.questions import Question
from fanshu.evals.results import RETRIEVED, Outcome, Retrieved
from fanshu.library.library import Library
from fanshu.models import Model
from fanshu.settings import Settings
from fanshu.types import Answer, Chunk, Hit

RANKED = 20  # texts of a ranking that are kept: measures look at the first ten


@dataclass(frozen=True, slots=True)
class Corpus:
    """The documents of a question: its `library`, up to date, and the `settings` it is asked by."""

    library: Library
    settings: Settings


class System(Protocol):
    """Something that answers questions. It may be asked many at once."""

    def prepare(self, corpus: Corpus) -> None:
        """Make ready whatever it needs of a corpus, before any question is asked of it.

        Raises: FanshuError.
        """
        ...

    async def ask(self, question: Question, corpus: Corpus, model: Model) -> Outcome:
        """Answer one question.

        Failures of the model are results. Raises: FanshuError — the question cannot be asked.
        """
        ...


class FirstStep:
    """Hears the events of a run, and remembers when there was first something to show."""

    def __init__(self) -> None:
        self.seconds: float | None = None

    def hear(self, event: Event) -> None:
        """An event of the run."""
        if self.seconds is None and isinstance(event, Stepped):
            self.seconds = event.seconds


class Loop:
    """fanshu itself: the loop with whatever model, the extractive reader included."""

    def prepare(self, corpus: Corpus) -> None:
        """Nothing: the library is up to date."""

    async def ask(self, question: Question, corpus: Corpus, model: Model) -> Outcome:
        """Answer one question by the loop."""
        first = FirstStep()
        asking = app.agent(corpus.settings, corpus.library, model)
        run = await asking.ask(question.question, on_event=first.hear)
        answer = app.keep(run, corpus.settings) if corpus.settings.trace else run.answer
        ahead = run.opening.search if run.opening else None
        return Outcome(answer, run, of_hits(ahead.hits) if ahead else (), first.seconds)


class Search:
    """Our search alone, with the question as it stands: it ranks texts and answers nothing."""

    def prepare(self, corpus: Corpus) -> None:
        """Nothing: the library is up to date."""

    async def ask(self, question: Question, corpus: Corpus, model: Model) -> Outcome:  # noqa: ARG002 - no model
        """Rank the chunks for one question."""
        began = time.perf_counter()
        search = partial(corpus.library.search, question.question, k=RANKED, question=True)
        found = await asyncio.to_thread(search)
        return ranked(question.question, of_hits(found.hits), time.perf_counter() - began)


def ranked(question: str, found: tuple[Retrieved, ...], seconds: float) -> Outcome:
    """The outcome of a system that only ranks."""
    answer = Answer(question, "not_found", "", reader=RETRIEVED, seconds=seconds)
    return Outcome(answer, Run(answer, (), (), None), found, seconds)


def of_hits(hits: Sequence[Hit]) -> tuple[Retrieved, ...]:
    """The chunks of a search as what was retrieved."""
    return tuple(Retrieved(one.file_path, one.section_path, one.page, one.text) for one in hits)


def of_chunks(chunks: Sequence[Chunk]) -> tuple[Retrieved, ...]:
    """Chunks as what was retrieved."""
    return tuple(Retrieved(one.file_path, one.section_path, one.page, one.text) for one in chunks)


def timed(answer: Answer, seconds: float) -> Answer:
    """The answer with the wall time it took."""
    return replace(answer, seconds=seconds)
