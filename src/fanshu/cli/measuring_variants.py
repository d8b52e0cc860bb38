"""`fanshu eval tune` and `ablate`: the same questions under one setting after another."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fanshu.cli.figures import table
from fanshu.cli.helping import Verb
from fanshu.cli.measuring_runs import Progress, on_vectors
from fanshu.cli.measuring_runs import questions as load_questions
from fanshu.cli.messages import Texts
from fanshu.cli.options import ASKING, LIBRARY, MODEL, Call, with_settings
from fanshu.cli.screen import line

if TYPE_CHECKING:
    from fanshu.evals.ablations import Row
    from fanshu.evals.tuning import Tried

TUNED, VARIANTS = Path("rag.json"), Path("ablation")


def add(evals: typer.Typer, texts: Texts) -> None:
    """Put these verbs beside the others of `eval`."""

    def option(flag: str, key: str, metavar: str | None, **more: Any) -> Any:
        return typer.Option(flag, metavar=metavar, help=texts(key), show_default=False, **more)

    asked = typer.Argument(metavar="QUESTIONS", help=texts("help.questions"))
    example = "fanshu eval tune dev.jsonl --docs ./manuals --out rag.json"

    @evals.command(
        "tune",
        cls=Verb,
        help=f"{texts('help.eval_tune')}\n\n{texts('help.example', example=example)}",
    )
    @with_settings(*LIBRARY, texts=texts)
    def tune(
        call: Call,
        questions: Annotated[Path, asked],
        out: Annotated[Path, option("--out", "help.tuned", "FILE")] = TUNED,
        corpus: Annotated[list[str] | None, option("--corpus", "help.corpus", "NAME")] = None,
        budget: Annotated[int | None, option("--budget", "help.budget", "N", min=200)] = None,
        rag: Annotated[Path | None, option("--rag", "help.rag", "FILE")] = None,
        lexical: Annotated[bool, option("--lexical", "help.lexical", None)] = False,
    ) -> None:
        _tune(call, questions, out, corpus or (), budget, rag, lexical=lexical)

    example = "fanshu eval ablate questions.jsonl --docs ./manuals --vary hits --vary max_rounds"

    @evals.command(
        "ablate",
        cls=Verb,
        help=f"{texts('help.eval_ablate')}\n\n{texts('help.example', example=example)}",
    )
    @with_settings(*LIBRARY, *MODEL, *ASKING, texts=texts)
    def ablate(
        call: Call,
        questions: Annotated[Path, asked],
        out: Annotated[Path, option("--out", "help.ablated", "FOLDER")] = VARIANTS,
        vary: Annotated[list[str] | None, option("--vary", "help.vary", "SETTING")] = None,
        corpus: Annotated[list[str] | None, option("--corpus", "help.corpus", "NAME")] = None,
        system: Annotated[str | None, option("--system", "help.ablate_system", "NAME")] = None,
        parallel: Annotated[int, option("--parallel", "help.parallel", "N", min=1)] = 1,
        rate: Annotated[float | None, option("--rate", "help.rate", "N", min=0.1)] = None,
        max_spend: Annotated[
            float | None, option("--max-spend", "help.max_spend", "DOLLARS", min=0)
        ] = None,
    ) -> None:
        from fanshu.evals.running import Plan
        from fanshu.evals.systems import named, require_model

        chosen = system or ("loop" if call.settings.configured else "extractive")
        named([chosen])
        require_model([chosen], configured=call.settings.configured)
        names = corpus or ()
        plan = Plan(
            load_questions(call, questions, names),
            chosen,
            call.settings,
            names[0] if len(names) == 1 else None,
            parallel=parallel,
            rate=rate,
            max_spend=max_spend,
        )
        _ablate(call, plan, out, vary or ())


def _tune(
    call: Call,
    path: Path,
    out: Path,
    corpora: Sequence[str],
    budget: int | None,
    base: Path | None,
    *,
    lexical: bool,
) -> None:
    from fanshu.evals.corpora import Corpora
    from fanshu.evals.rag.options import Options
    from fanshu.evals.systems import options_of
    from fanshu.evals.tuning import BUDGET, tune

    questions = load_questions(call, path, corpora)
    options = Options.of(options_of(base))
    with closing(Corpora(call.settings, corpora[0] if len(corpora) == 1 else None)) as sets:
        grid = tune(
            questions,
            sets,
            options,
            budget=budget or BUDGET,
            lexical=lexical,
            tell=on_vectors(call),
        )
        tried = [_told(call, one) for one in grid]
    best = max(tried, key=lambda one: one.recall)
    out.write_text(f"{json.dumps(best.options.told(), indent=2)}\n", encoding="utf-8")
    if call.json:
        call.screen.json({"tried": tried, "best": best, "out": str(out)})
        return
    names = ("chunk_chars", "overlap", "k", "weight")
    rows = [[*(str(getattr(one.options, n)) for n in names), f"{one.recall:.3f}"] for one in tried]
    for text in table([*names, "recall"], rows):
        call.screen.raw(f"{text}\n")
    told = call.screen.texts("eval.tuned", recall=f"{best.recall:.3f}", out=out)
    call.screen.show([line(told)])


def _told(call: Call, one: "Tried") -> "Tried":
    options = one.options
    setting = f"{options.chunk_chars}/{options.overlap} × {options.k}, {options.weight}"
    call.screen.note(line(f"{setting}: {one.recall:.3f}"))
    return one


def _ablate(call: Call, plan: Any, folder: Path, settings: Sequence[str]) -> None:
    from fanshu.evals.ablations import ablate, variants

    rows = []
    found = variants(plan, settings)
    for row in ablate(plan, found, folder, Progress(call, plan).tell):
        call.screen.note(line(row.variant.name))
        rows.append(row)
    (folder / "ablation.json").write_text(
        json.dumps([_listed(row) for row in rows], ensure_ascii=False, indent=2), encoding="utf-8"
    )
    if call.json:
        call.screen.json(rows)
        return
    for text in _as_table(call.screen.texts, rows):
        call.screen.raw(f"{text}\n")


def _listed(row: "Row") -> dict[str, object]:
    variant = row.variant
    return {"setting": variant.setting, "value": variant.value, "file": f"{variant.name}.jsonl"}


def _as_table(texts: Texts, rows: "Sequence[Row]") -> Iterator[str]:
    graded = ("right", "cited", "complete")
    took = ("rounds", "tokens")
    heads = [texts("column.variant"), *(texts(f"column.{name}") for name in (*graded, *took))]
    heads += [texts("column.recall5"), texts("column.recall10")]
    yield from table(heads, [_cells(row, graded, took) for row in rows])


def _cells(row: "Row", graded: Sequence[str], took: Sequence[str]) -> list[str]:
    grades, spreads, ranking = row.summary.grades, row.summary.spreads, row.ranking
    cells = [row.variant.name]
    cells += [f"{getattr(grades, name):.2f}" if grades else "-" for name in graded]
    cells += [f"{spreads[name].mean:,.2f}" if name in spreads else "-" for name in took]
    return [*cells, *(f"{ranking.recall[at]:.2f}" if ranking else "-" for at in (1, 2))]
