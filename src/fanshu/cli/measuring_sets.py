"""`fanshu eval new` and `check`: questions drafted, and looked at before anybody is asked."""

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fanshu.cli.helping import Verb
from fanshu.cli.measuring_runs import questions as load_questions
from fanshu.cli.messages import Texts
from fanshu.cli.options import LIBRARY, MODEL, Call, with_settings
from fanshu.cli.screen import line
from fanshu.errors import ConfigError

if TYPE_CHECKING:
    from fanshu.evals.drafting import Drafting

FAILED = 1
DRAFTS = Path("questions.jsonl")


def add(evals: typer.Typer, texts: Texts) -> None:
    """Put these verbs beside the others of `eval`."""

    def option(flag: str, key: str, metavar: str, **more: Any) -> Any:
        return typer.Option(flag, metavar=metavar, help=texts(key), show_default=False, **more)

    example = "fanshu eval new --docs ./manuals --count 20 --out questions.jsonl"

    @evals.command(
        "new",
        cls=Verb,
        help=f"{texts('help.eval_new')}\n\n{texts('help.example', example=example)}",
    )
    @with_settings(*LIBRARY, *MODEL, texts=texts)
    def new(
        call: Call,
        out: Annotated[Path, option("--out", "help.drafts", "FILE")] = DRAFTS,
        count: Annotated[int, option("--count", "help.count", "N", min=1)] = 20,
        seed: Annotated[int, option("--seed", "help.seed", "N")] = 1,
    ) -> int:
        return _new(call, out, count, seed)

    example = "fanshu eval check questions.jsonl --docs ./manuals"

    @evals.command(
        "check",
        cls=Verb,
        help=f"{texts('help.eval_check')}\n\n{texts('help.example', example=example)}",
    )
    @with_settings(*LIBRARY, texts=texts)
    def check(
        call: Call,
        questions: Annotated[
            Path, typer.Argument(metavar="QUESTIONS", help=texts("help.questions"))
        ],
        corpus: Annotated[list[str] | None, option("--corpus", "help.corpus", "NAME")] = None,
    ) -> int:
        return _check(call, questions, corpus or ())


def _new(call: Call, out: Path, count: int, seed: int) -> int:
    from fanshu import app
    from fanshu.evals.checking import Documents
    from fanshu.evals.drafting import Drafting
    from fanshu.evals.question_rows import TABLES, as_table
    from fanshu.settings_file import split_name

    if out.exists():
        raise ConfigError(name="out", detail=f"there is a file {str(out)!r} already")
    docs = call.settings.docs or (str(call.settings.store).rpartition("/")[2],)
    name, path = split_name(docs[0])
    with closing(app.open_library(call.settings)) as library:
        app.synced(library, call.settings)
        drafting = Drafting(Documents(library), name or Path(path).resolve().name, seed)
        drafts = _drafts(call, drafting, count)
    lines = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in drafts)
    text = as_table(drafts) if out.suffix.lower() in TABLES else lines
    out.write_text(text, encoding="utf-8", newline="")
    if call.json:
        call.screen.json({"questions": len(drafts), "out": str(out)})
    else:
        call.screen.show([line(call.screen.texts("eval.drafted", count=len(drafts), out=out))])
    return 0 if drafts else FAILED


def _drafts(call: Call, drafting: "Drafting", count: int) -> list[dict[str, Any]]:
    if not call.settings.configured:
        return list(drafting.drafts(count))
    from fanshu import app
    from fanshu.evals.drafting_by_model import drafts

    async def every() -> list[dict[str, Any]]:
        model = app.open_model(call.settings)
        try:
            return [one async for one in drafts(drafting, model, count)]
        finally:
            await model.close()

    return app.run(every())


def _check(call: Call, path: Path, corpora: Sequence[str]) -> int:
    from fanshu.evals.checking import Documents, problems
    from fanshu.evals.corpora import Corpora

    found = load_questions(call, path, corpora)
    told: list[dict[str, object]] = []
    with closing(Corpora(call.settings, corpora[0] if len(corpora) == 1 else None)) as sets:
        known: dict[str, Documents] = {}
        for one in found:
            name = sets.named(one)
            if name not in known:
                known[name] = Documents(sets.of(one).library)
            said = problems(one, known[name])
            told += [{"line": one.line, "id": one.id, "problem": text} for text in said]
    if call.json:
        call.screen.json({"questions": len(found), "problems": told})
    else:
        rows = [f"{path}, line {one['line']} ({one['id']}): {one['problem']}" for one in told]
        wrong = len({one["id"] for one in told})
        rows.append(call.screen.texts("eval.checked", count=len(found), wrong=wrong))
        call.screen.show([line(row) for row in rows])
    return FAILED if told else 0
