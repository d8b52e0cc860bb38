"""Put questions to a system and write one result a line, in the form graders read."""

import asyncio
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from io import TextIOWrapper
from pathlib import Path

from fanshu import app
from fanshu.errors import FanshuError
from fanshu.evals import manifest
from fanshu.evals.asking import System
from fanshu.evals.corpora import Corpora
from fanshu.evals.pacing import Pace, Paced, Spending
from fanshu.evals.questions import Question
from fanshu.evals.rag.options import Options
from fanshu.evals.recording import Recorder, Recording
from fanshu.evals.results import cost, failed, finished, result_line
from fanshu.evals.systems import NO_MODEL, WITH_OPTIONS, open_system
from fanshu.models import Model
from fanshu.settings import Settings

OnResult = Callable[[int, int, Mapping[str, object]], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: `settings.docs` is one corpus, or a folder that holds one of each name.

    `record`: a file that the model's replies are appended to. `replay`: replies that take the
    model's place. `repeat`: the how manieth pass this is. `parallel`: questions asked at once.
    `rate`: requests to the model a minute, at most. `max_spend`: US dollars after which no
    further question is asked. `options`: those of a classic RAG. `on_vectors` hears how many of
    the vectors that lack are made.
    """

    questions: Sequence[Question]
    system: str
    settings: Settings
    corpus: str | None = None
    record: Path | None = None
    replay: Recording | None = None
    repeat: int = 1
    parallel: int = 1
    rate: float | None = None
    max_spend: float | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    on_vectors: Callable[[int, int], None] | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """How a run ended: results that are `errors`, questions `left` for lack of money, the cost."""

    errors: int
    left: int
    cost: float


def run(plan: Plan, out: Path, on_result: OnResult | None = None) -> Finished:
    """Ask every question that `out` holds no result for yet.

    Results are appended as they come, so a run that was interrupted goes on where it was; beside
    them stands the manifest of the run. An error of one question becomes its result and does not
    stop the rest.

    Raises: ConfigError, FolderMissing, NoDocuments, ModelNotConfigured.
    """
    done = finished(out)
    left = [one for one in plan.questions if one.id not in done]
    system = open_system(plan.system, plan.options, plan.on_vectors)
    with closing(Corpora(plan.settings, plan.corpus)) as corpora:
        made = _manifest(plan, corpora)
        if done:
            manifest.require_same(out, made)
        for corpus in corpora.open_all(left):
            system.prepare(corpus)
        _keep(out, done.values())
        manifest.write(out, made)
        spent = cost(done.values())
        with out.open("a", encoding="utf-8") as file:
            at_work = _Run(plan, system, corpora, file, left, spent, on_result)
            return app.run(at_work.to_its_end())


def _keep(out: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """Leave only finished results in a file; killed at any moment, they are still there."""
    whole = out.with_name(f"{out.name}.part")
    whole.write_text(
        "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8"
    )
    whole.replace(out)


def _manifest(plan: Plan, corpora: Corpora) -> manifest.Manifest:
    named = {corpora.named(one): one for one in plan.questions}
    digests = {name: corpora.of(one).library.digest() for name, one in named.items()}
    return manifest.made_of(
        plan.settings,
        plan.questions,
        system=plan.system,
        repeat=plan.repeat,
        model="" if plan.system in NO_MODEL else (plan.settings.model or ""),
        corpora=digests,
        options=Options.of(plan.options).told() if plan.system in WITH_OPTIONS else {},
    )


class _Run:
    """A run at work: the questions still to ask, and the file that results go to."""

    def __init__(
        self,
        plan: Plan,
        system: System,
        corpora: Corpora,
        file: TextIOWrapper,
        left: Sequence[Question],
        spent: float,
        on_result: OnResult | None,
    ) -> None:
        self.plan, self.system, self.corpora, self.file = plan, system, corpora, file
        self.left, self.total, self.on_result = iter(left), len(left), on_result
        self.asked = self.errors = 0
        free = plan.system in NO_MODEL
        self.spending = Spending(None if free else plan.max_spend, spent)
        self.before, self.pace = spent, Pace(plan.rate)

    async def to_its_end(self) -> Finished:
        """Ask all that is left, several at once."""
        shared = None if self.plan.replay else self._model()
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.plan.parallel, max(self.total, 1))):
                    group.create_task(self._work(shared))
        except ExceptionGroup as several:
            raise several.exceptions[0] from None
        finally:
            if shared:
                await shared.close()
        return Finished(self.errors, self.total - self.asked, self.spending.spent - self.before)

    def _model(self) -> Model:
        settings = self.plan.settings
        if self.plan.system in NO_MODEL:
            settings = settings.model_copy(update={"model": None, "base_url": None})
        return Paced(app.open_model(settings), self.pace)

    async def _work(self, shared: Model | None) -> None:
        while not self.spending.reached:
            question = next(self.left, None)
            if question is None:
                return
            result = await self._result(question, shared)
            if result is not None:
                self._write(result)

    def _write(self, result: Mapping[str, object]) -> None:
        self.asked += 1
        self.errors += "error" in result
        self.file.write(json.dumps(result, ensure_ascii=False) + "\n")
        self.file.flush()
        if self.on_result:
            self.on_result(self.asked, self.total, result)
        self.spending.add(result)

    async def _result(
        self, question: Question, shared: Model | None
    ) -> Mapping[str, object] | None:
        """The result of one question; None: it was broken off, and is to be asked again."""
        plan, cpu = self.plan, time.process_time()
        try:
            model = shared or self._replayed(question)
            recorder = Recorder(model) if plan.record else None
            outcome = await self.system.ask(question, self.corpora.of(question), recorder or model)
        except FanshuError as error:
            return failed(question, error, system=plan.system, repeat=plan.repeat)
        if outcome.answer.stop_reason == "interrupted":
            return None
        line = result_line(question, outcome, system=plan.system, repeat=plan.repeat)
        if plan.parallel == 1:  # of several at once, nobody can tell whose it was
            line["cpu"] = round(time.process_time() - cpu, 3)
        if recorder and plan.record and "error" not in line:
            with plan.record.open("a", encoding="utf-8") as file:
                file.write(recorder.line(question.id))
        return line

    def _replayed(self, question: Question) -> Model:
        """Raises: RecordingEnds."""
        if self.plan.replay is None:
            raise AssertionError("a run without a recording has a model of its own")
        return self.plan.replay.model(question.id)
