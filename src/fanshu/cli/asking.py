"""The verb ask."""

from contextlib import closing
from typing import Annotated

import typer

from fanshu.cli import show
from fanshu.cli.helping import Verb
from fanshu.cli.library import reading, waiting
from fanshu.cli.messages import Texts
from fanshu.cli.options import ASKING, INTERRUPTED, LIBRARY, MODEL, Call, with_settings
from fanshu.types import Answer

EXIT = {"answered": 0, "passages": 0, "not_found": 1, "partial": 3, "error": 2}


def add(app: typer.Typer, texts: Texts) -> None:
    """Put this verb on the program."""
    example = texts("help.example", example='fanshu ask "超时时间是多少？" --docs ./manuals')

    @app.command(cls=Verb, help=f"{texts('help.ask')}\n\n{example}")
    @with_settings(*LIBRARY, *MODEL, *ASKING, texts=texts)
    def ask(
        call: Call,
        question: Annotated[
            list[str], typer.Argument(metavar="QUESTION", help=texts("help.question"))
        ],
    ) -> int:
        asked = " ".join(question).strip()
        if not asked:
            raise typer.BadParameter(texts("failure.no_question"), param_hint="QUESTION")
        return _ask(call, asked)


def _ask(call: Call, question: str) -> int:
    from fanshu import app
    from fanshu.cli.steps import Steps

    with Steps(call.screen) as steps:
        model = app.open_model(call.settings, steps.waiting)
        if model.extractive and (name := app.bare_key()):
            call.screen.warn("hint.bare_key", name=name)
        with closing(app.open_library(call.settings, waiting(call))) as library:
            with reading(call) as on_progress:
                report = app.synced(library, call.settings, on_progress)
            if report.busy:
                call.screen.warn("index.busy")
            result = app.run(app.once(question, call.settings, library, model, steps))
    _show(call, result)
    return INTERRUPTED if result.stop_reason == "interrupted" else EXIT[result.status]


def _show(call: Call, result: Answer) -> None:
    if result.error:
        call.screen.say(call.screen.texts.sentence(result.error))
    if call.json:
        call.screen.json(result)
        return
    call.screen.show(show.answer(call.screen.texts, result))
    call.screen.note(show.stats(call.screen.texts, result))
