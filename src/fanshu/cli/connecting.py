"""The verb mcp: fanshu's tools for the agents of other programs, over standard input and output."""

import sys
from importlib.util import find_spec
from typing import Annotated

import typer

from fanshu.cli.helping import Verb
from fanshu.cli.messages import Texts
from fanshu.cli.options import ASKING, LIBRARY, MODEL, Call, with_settings
from fanshu.errors import ConfigError, ExtraMissing
from fanshu.settings_file import service_tables


def add(app: typer.Typer, texts: Texts) -> None:
    """Put this verb on the program."""
    example = texts("help.example", example="fanshu mcp manuals=./manuals ./rules")

    @app.command(
        cls=Verb,
        help=f"{texts('help.mcp')}\n\n{example}",
        rich_help_panel=texts("help.more"),
    )
    @with_settings(*LIBRARY, *MODEL, *ASKING, "cache", texts=texts)
    def mcp(
        call: Call,
        folders: Annotated[
            list[str] | None,
            typer.Argument(metavar="[[NAME=]FOLDER]...", help=texts("help.mcp_folders")),
        ] = None,
    ) -> int:
        return _serve(call, tuple(folders or ()))


def _serve(call: Call, folders: tuple[str, ...]) -> int:
    if find_spec("mcp") is None:
        raise ExtraMissing(verb="mcp", extra="mcp", detail="mcp")
    from fanshu.serve.planning import plan
    from fanshu.serve.stdio import serve

    named = bool(call.config and service_tables(call.config)[1]) and not folders
    planned = plan(call.settings, folders, call.config, named=named)
    if call.settings.index and len(planned.libraries) > 1:
        raise ConfigError(name="index", detail="several libraries cannot share one; leave it out")
    serve(planned, on_start=lambda: _tell(call))


def _tell(call: Call) -> None:
    """Somebody who types this at a terminal is told what it waits for."""
    if sys.stdin.isatty():
        call.screen.say(call.screen.texts("mcp.waits"))
