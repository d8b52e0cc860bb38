"""The verb chat: one question after another, in one conversation."""

from contextlib import closing

import typer

from fanshu.cli.conversation import Conversation
from fanshu.cli.helping import Verb
from fanshu.cli.history import History
from fanshu.cli.library import reading, tell_renewed, waiting
from fanshu.cli.messages import Texts
from fanshu.cli.options import ASKING, INTERRUPTED, LIBRARY, MODEL, Call, with_settings
from fanshu.cli.typed_lines import lines

FAILED = 2


def add(app: typer.Typer, texts: Texts) -> None:
    """Put this verb on the program."""
    example = texts("help.example", example="fanshu chat --docs ./manuals")

    @app.command(cls=Verb, help=f"{texts('help.chat')}\n\n{example}")
    @with_settings(*LIBRARY, *MODEL, *ASKING, "cache", "history", texts=texts)
    def chat(call: Call) -> int:
        return _chat(call)


def _chat(call: Call) -> int:
    from asyncio import Runner

    from fanshu import app
    from fanshu.agent.session import Session
    from fanshu.cli.steps import Steps

    steps = Steps(call.screen)
    model = app.open_model(call.settings, steps.waiting)
    if model.extractive and (name := app.bare_key()):
        call.screen.warn("hint.bare_key", name=name)
    with (
        closing(app.open_library(call.settings, waiting(call))) as library,
        Runner() as runner,
    ):
        tell_renewed(call, library)
        with reading(call) as on_progress:
            report = app.synced(library, call.settings, on_progress)
        if report.busy:
            call.screen.warn("index.busy")
        session = Session(app.agent(call.settings, library, model))
        history = History(app.typed_before(call.settings))
        talk = Conversation(call, steps, library, model, session, runner, history)
        try:
            for typed in lines(call.screen, history, talk.complete):
                if not talk.take(typed) or talk.cut_off:
                    break
        finally:
            runner.run(model.close())
    if call.json:
        call.screen.json(talk.answers)
    return INTERRUPTED if talk.cut_off else FAILED if talk.failed else 0
