"""The verb ask."""

import sys
from contextlib import closing
from typing import Annotated, Any

import typer

from fanshu.cli import auditing, show
from fanshu.cli.dashes import readable
from fanshu.cli.helping import Verb
from fanshu.cli.library import reading, tell_renewed, waiting
from fanshu.cli.messages import Texts
from fanshu.cli.options import ASKING, INTERRUPTED, LIBRARY, MODEL, Call, with_settings
from fanshu.types import Answer

EXIT = {"answered": 0, "passages": 0, "not_found": 1, "partial": 3, "error": 2}


def add(app: typer.Typer, texts: Texts) -> None:
    """Put this verb on the program."""
    question = "超时时间是多少？" if texts.language == "zh" else "What is the limit?"
    example = texts("help.example", example=f'fanshu ask "{question}" --docs ./manuals')

    @app.command(cls=Verb, help=f"{texts('help.ask')}\n\n{example}")
    @with_settings(*LIBRARY, *MODEL, *ASKING, "cache", texts=texts)
    def ask(
        call: Call,
        question: Annotated[
            list[str], typer.Argument(metavar="QUESTION", help=texts("help.question"))
        ],
        explain: Annotated[bool, typer.Option("--explain", help=texts("help.explain"))] = False,
        fresh: Annotated[bool, typer.Option("--fresh", help=texts("help.fresh"))] = False,
    ) -> int:
        if explain and call.json:
            raise typer.BadParameter("--explain and --json exclude each other.")
        asked = (_from_stdin() if question == ["-"] else readable(" ".join(question))).strip()
        if not asked:
            raise typer.BadParameter(texts("failure.no_question"), param_hint="QUESTION")
        return _ask(call, asked, explain, fresh)


def _from_stdin() -> str:
    """The question that another program writes, or somebody types who ends with Ctrl-D."""
    if sys.stdin is None:
        return ""
    sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]  # of a text stream
    return " ".join(sys.stdin.read().removeprefix("\ufeff").split())


def _ask(call: Call, question: str, explain: bool, fresh: bool) -> int:
    from fanshu import app
    from fanshu.cli.steps import Steps

    with Steps(call.screen) as steps:
        told = auditing.Gathering(steps)
        model = app.open_model(call.settings, steps.waiting)
        if model.extractive and (name := app.bare_key()):
            call.screen.warn("hint.bare_key", name=name)
        with closing(app.open_library(call.settings, waiting(call))) as library:
            tell_renewed(call, library)
            with reading(call) as on_progress:
                report = app.synced(library, call.settings, on_progress)
            if report.busy:
                call.screen.warn("index.busy")
            caching: app.Caching = "fresh" if fresh else "use"
            asking = app.once(question, call.settings, library, model, told, caching=caching)
            result = app.run(asking)
    _show(call, result, told if explain else None)
    return INTERRUPTED if result.stop_reason == "interrupted" else EXIT[result.status]


def _show(call: Call, result: Answer, told: auditing.Gathering | None) -> None:
    if result.error:
        call.screen.say(call.screen.texts.sentence(result.error))
    if call.json:
        call.screen.json(result)
        return
    call.screen.show(show.answer(call.screen.texts, result))
    document = _record(call, result, told) if told else None
    if document:
        from fanshu.audit.account import account

        call.screen.show(auditing.explained(call.screen.texts, account(document)))
    call.screen.note(show.stats(call.screen.texts, result))


def _record(call: Call, result: Answer, told: auditing.Gathering) -> dict[str, Any] | None:
    """What is on record of the run that an answer is of; None when nothing is left of it."""
    if not result.cached:
        return told.document(result)
    from fanshu.app import open_traces

    traces = open_traces(call.settings)
    return traces.load(result.trace_id) if result.trace_id else None
