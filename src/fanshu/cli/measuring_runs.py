"""`fanshu eval run`: questions put to one or several systems, as often as is wanted."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fanshu.cli import figures
from fanshu.cli.helping import Verb
from fanshu.cli.messages import Texts
from fanshu.cli.options import ASKING, LIBRARY, MODEL, Call, with_settings
from fanshu.cli.screen import line
from fanshu.errors import ConfigError, QuestionsWrong

if TYPE_CHECKING:
    from fanshu.evals.questions import Question
    from fanshu.evals.running import Finished, Plan

FAILED = 1
OUT = Path("results.jsonl")
EXAMPLE = "fanshu eval run examples/questions.jsonl --docs examples/library --out results.jsonl"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line says about a run, beside the settings."""

    questions: Path
    out: Path
    systems: Sequence[str]
    corpora: Sequence[str]
    record: Path | None
    replay: Path | None
    repeat: int
    parallel: int
    rate: float | None
    max_spend: float | None
    sample: int | None
    seed: int
    options: Path | None


def add(evals: typer.Typer, texts: Texts) -> None:
    """Put this verb beside the others of `eval`."""

    def option(flag: str, key: str, metavar: str, **more: Any) -> Any:
        return typer.Option(flag, metavar=metavar, help=texts(key), show_default=False, **more)

    @evals.command(
        "run",
        cls=Verb,
        help=f"{texts('help.eval_run')}\n\n{texts('help.example', example=EXAMPLE)}",
    )
    @with_settings(*LIBRARY, *MODEL, *ASKING, texts=texts)
    def run(
        call: Call,
        questions: Annotated[
            Path, typer.Argument(metavar="QUESTIONS", help=texts("help.questions"))
        ],
        out: Annotated[Path, option("--out", "help.out", "FILE")] = OUT,
        system: Annotated[list[str] | None, option("--system", "help.system", "NAME")] = None,
        corpus: Annotated[list[str] | None, option("--corpus", "help.corpus", "NAME")] = None,
        record: Annotated[Path | None, option("--record", "help.record", "FILE")] = None,
        replay: Annotated[Path | None, option("--replay", "help.replay", "FILE")] = None,
        repeat: Annotated[int, option("--repeat", "help.repeat", "N", min=1)] = 1,
        parallel: Annotated[int, option("--parallel", "help.parallel", "N", min=1)] = 1,
        rate: Annotated[float | None, option("--rate", "help.rate", "N", min=0.1)] = None,
        max_spend: Annotated[
            float | None, option("--max-spend", "help.max_spend", "DOLLARS", min=0)
        ] = None,
        sample: Annotated[int | None, option("--sample", "help.sample", "N", min=1)] = None,
        seed: Annotated[int, option("--seed", "help.seed", "N")] = 1,
        rag: Annotated[Path | None, option("--rag", "help.rag", "FILE")] = None,
    ) -> int:
        if record and replay:
            raise typer.BadParameter("--record and --replay exclude each other.")
        asked = Asked(
            questions, out, system or (), corpus or (), record, replay, repeat, parallel, rate,
            max_spend, sample, seed, rag,
        )  # fmt: skip
        return _run(call, asked)


def _run(call: Call, asked: Asked) -> int:
    from fanshu.evals import results
    from fanshu.evals.pacing import rest
    from fanshu.evals.running import run
    from fanshu.evals.summary import cases, summaries

    errors, spent, told = 0, 0.0, []
    for plan, out in _plans(call, asked):
        progress = Progress(call, plan)
        done = run(replace(plan, max_spend=rest(asked.max_spend, spent)), out, progress.tell)
        errors += done.errors
        rows = results.load(out)
        spent += results.cost(rows.values())
        found = summaries(cases(rows, plan.questions))
        for text in figures.brief(call.screen.texts, found):
            call.screen.say(text)
        _end(call, plan, out, done)
        told.append(
            {
                "system": plan.system,
                "repeat": plan.repeat,
                "questions": len(plan.questions),
                "errors": done.errors,
                "left": done.left,
                "cost": done.cost,
                "out": str(out),
                "summary": found,
            }
        )
    if call.json:
        call.screen.json(told[0] if len(told) == 1 else told)
    return FAILED if errors else 0


def _end(call: Call, plan: "Plan", out: Path, done: "Finished") -> None:
    fields = {"questions": len(plan.questions), "errors": done.errors, "out": out}
    if not call.json:
        call.screen.show([line(call.screen.texts("eval.done", **fields))])
    if done.left:
        call.screen.warn("eval.spent", left=done.left, cost=f"{done.cost:.2f}")


def _plans(call: Call, asked: Asked) -> "Iterator[tuple[Plan, Path]]":
    """Each pass of each system, and the file of its results; everything is checked before any."""
    from fanshu.evals.recording import Recording
    from fanshu.evals.running import Plan
    from fanshu.evals.systems import named, options_of, require_model, require_vectors

    systems = named(asked.systems or [_usual(call, asked)])
    require_model(systems, configured=bool(call.settings.configured or asked.replay))
    questions = _questions(call, asked)
    recording = Recording(asked.replay) if asked.replay else None
    options = options_of(asked.options)
    require_vectors(systems, options)
    several = len(systems) * asked.repeat > 1
    for system in systems:
        for repeat in range(1, asked.repeat + 1):
            plan = Plan(
                questions,
                system,
                call.settings,
                asked.corpora[0] if len(asked.corpora) == 1 else None,
                asked.record,
                recording,
                repeat,
                asked.parallel,
                asked.rate,
                asked.max_spend,
                options,
                on_vectors(call),
            )
            yield plan, _file(asked.out, system, repeat, several=several)


def _usual(call: Call, asked: Asked) -> str:
    """The loop where there is a model; without one, the extractive reader."""
    return "loop" if call.settings.configured or asked.replay else "extractive"


def _questions(call: Call, asked: Asked) -> "Sequence[Question]":
    from fanshu.evals.questions import sampled

    found = questions(call, asked.questions, asked.corpora)
    return sampled(found, asked.sample, asked.seed) if asked.sample else found


def questions(call: Call, path: Path, corpora: Sequence[str] = ()) -> "Sequence[Question]":
    """The questions of a file; every row that is none is told on stderr, then the error."""
    from fanshu.evals.questions import load

    try:
        return load(path, corpora=corpora)
    except QuestionsWrong as error:
        for one in error.problems:
            call.screen.say(f"{path}, {one}")
        raise


def _file(out: Path, system: str, repeat: int, *, several: bool) -> Path:
    """One file for one pass; of several, each its own in a folder."""
    if not several and not out.is_dir():
        return out
    folder = out.with_suffix("") if out == OUT else out
    if folder.suffix or folder.is_file():
        detail = f"several results need a folder, and {str(out)!r} names a file"
        raise ConfigError(name="out", detail=detail)
    folder.mkdir(parents=True, exist_ok=True)
    return folder / (f"{system}.jsonl" if repeat == 1 else f"{system}.{repeat}.jsonl")


def on_vectors(call: Call) -> Callable[[int, int], None] | None:
    """Tells how many vectors are made, where somebody watches: it may take minutes."""
    if not (call.screen.live or call.screen.verbose):
        return None
    return lambda done, total: call.screen.note(
        line(call.screen.texts("eval.vectors", done=done, total=total))
    )


class Progress:
    """How far a run is and what it has cost, a line for each question on stderr."""

    def __init__(self, call: Call, plan: "Plan") -> None:
        self.call, self.plan = call, plan
        self.tokens = self.cost = 0.0

    def tell(self, done: int, total: int, result: Mapping[str, object]) -> None:
        """One more result."""
        tokens, cost = result.get("tokens"), result.get("cost")
        self.tokens += tokens if isinstance(tokens, int) else 0
        self.cost += cost if isinstance(cost, int | float) else 0.0
        screen = self.call.screen
        if not (screen.live or screen.verbose):
            return
        said = result.get("error") or result.get("status")
        spent = f" · {self.tokens:,.0f} tokens" if self.tokens else ""
        spent += f" · ${self.cost:.3f}" if self.cost else ""
        screen.note(line(f"{self.plan.system} {done}/{total} {result['id']} {said}{spent}"))
