"""The verb eval: put questions with known answers to a system and write down what it says."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from fanshu.cli.helping import Verb, Verbs
from fanshu.cli.messages import Texts
from fanshu.cli.options import ASKING, LIBRARY, MODEL, Call, with_settings
from fanshu.cli.screen import line
from fanshu.errors import ConfigError, ModelNotConfigured

FAILED = 1


def add(app: typer.Typer, texts: Texts) -> None:
    """Put this verb on the program."""
    evals = typer.Typer(
        cls=Verbs, rich_markup_mode=None, no_args_is_help=True, help=texts("help.eval")
    )
    app.add_typer(evals, name="eval", rich_help_panel=texts("help.more"))
    example = (
        "fanshu eval run questions.jsonl --system extractive --docs ./docs --out results.jsonl"
    )

    @evals.command(
        "run",
        cls=Verb,
        help=f"{texts('help.eval_run')}\n\n{texts('help.example', example=example)}",
    )
    @with_settings(*LIBRARY, *MODEL, *ASKING, texts=texts)
    def run(
        call: Call,
        questions: Annotated[
            Path, typer.Argument(metavar="QUESTIONS", help=texts("help.questions"))
        ],
        out: Annotated[Path, typer.Option("--out", metavar="FILE", help=texts("help.out"))],
        system: Annotated[
            str, typer.Option("--system", metavar="NAME", help=texts("help.system"))
        ] = "loop",
        corpus: Annotated[
            str | None, typer.Option("--corpus", metavar="NAME", help=texts("help.corpus"))
        ] = None,
    ) -> int:
        return _run(call, questions, out, system, corpus)

    # A group of one verb would lose its name.
    evals.callback()(lambda: None)


def _run(call: Call, questions: Path, out: Path, system: str, corpus: str | None) -> int:
    from fanshu.evals.questions import load
    from fanshu.evals.running import SYSTEMS, Plan, run

    known = next((name for name in SYSTEMS if name == system), None)
    if known is None:
        raise ConfigError(name="system", detail=f"{system!r} is none of {', '.join(SYSTEMS)}")
    if known == "loop" and not call.settings.configured:
        raise ModelNotConfigured()
    plan = Plan(load(questions, corpus=corpus), known, call.settings, corpus)
    errors = run(plan, out, lambda done, total, result: _tell(call, done, total, result))
    if call.json:
        call.screen.json({"questions": len(plan.questions), "errors": errors, "out": str(out)})
    else:
        text = call.screen.texts("eval.done", questions=len(plan.questions), errors=errors, out=out)
        call.screen.show([line(text)])
    return FAILED if errors else 0


def _tell(call: Call, done: int, total: int, result: Mapping[str, object]) -> None:
    if call.screen.live or call.screen.verbose:
        said = result.get("error") or result.get("status")
        call.screen.note(line(f"{done}/{total} {result['id']} {said}"))
