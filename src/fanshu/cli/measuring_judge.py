"""`fanshu eval judge`: a model as a second judge of results."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fanshu.cli.helping import Verb
from fanshu.cli.messages import Texts
from fanshu.cli.options import MODEL, Call, with_settings
from fanshu.cli.screen import line
from fanshu.errors import ConfigError, ModelError, ModelNotConfigured

if TYPE_CHECKING:
    from fanshu.evals.questions import Question
    from fanshu.models import Model

FAILED = 1
EXAMPLE = "fanshu eval judge loop.jsonl -q q.jsonl --out judged.jsonl --model openai:gpt-5"


def add(evals: typer.Typer, texts: Texts) -> None:
    """Put this verb beside the others of `eval`."""

    @evals.command(
        "judge",
        cls=Verb,
        help=f"{texts('help.eval_judge')}\n\n{texts('help.example', example=EXAMPLE)}",
    )
    @with_settings(*MODEL, texts=texts)
    def judge(
        call: Call,
        results: Annotated[Path, typer.Argument(metavar="RESULTS", help=texts("help.results"))],
        questions: Annotated[
            Path, typer.Option("--questions", "-q", metavar="FILE", help=texts("help.gold"))
        ],
        out: Annotated[Path, typer.Option("--out", metavar="FILE", help=texts("help.judged"))],
    ) -> int:
        return _judge(call, results, questions, out)


def _judge(call: Call, path: Path, questions: Path, out: Path) -> int:
    from fanshu import app
    from fanshu.evals import results
    from fanshu.evals.questions import load

    if not call.settings.configured:
        raise ModelNotConfigured()
    asked = {one.id: one for one in load(questions)}
    rows = list(results.load(path).values())
    judged, lost = app.run(_verdicts(rows, asked, app.open_model(call.settings)))
    try:
        text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in judged)
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(name="out", detail=f"{out}: {error}") from error
    count = sum("judged" in row for row in judged)
    if call.json:
        call.screen.json({"judged": count, "lost": lost, "out": str(out)})
    else:
        told = call.screen.texts("eval.judged", count=count, lost=lost, out=out)
        call.screen.show([line(told)])
    return FAILED if lost else 0


async def _verdicts(
    rows: Sequence[Mapping[str, Any]], asked: "Mapping[str, Question]", model: "Model"
) -> tuple[list[Mapping[str, Any]], int]:
    """The results with their verdicts, and how many the model gave none for."""
    from fanshu.evals.judging import JUDGED, judge, to_judge

    judged: list[Mapping[str, Any]] = []
    lost = 0
    try:
        for row in rows:
            question = asked.get(row["id"])
            if question is None or not to_judge(row):
                judged.append(row)
                continue
            try:
                verdict = await judge(question, row, model)
            except ModelError:
                if not any(JUDGED in one for one in judged):
                    raise  # nothing has worked yet, so nothing will
                verdict = None
            lost += verdict is None
            judged.append(row if verdict is None else {**row, JUDGED: verdict})
    finally:
        await model.close()
    return judged, lost
