"""The command line: its verbs, and how it ends."""

import contextlib
import itertools
import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import typer
from typer.exceptions import TyperException
from typer.main import get_command

from fanshu.cli import asking, library, measuring, records
from fanshu.cli.helping import Verbs
from fanshu.cli.messages import Texts, asked_language, language_of
from fanshu.cli.options import INTERRUPTED, NobodyReads
from fanshu.cli.screen import Screen, debugging, prepare_streams
from fanshu.errors import FanshuError

FAILED = 2


class _Program(Verbs):
    """The verbs of this room, and those of rooms that may not be installed."""

    elsewhere: ClassVar = {
        "serve": "fanshu.serve.commands",
        "mcp": "fanshu.serve.mcp_commands",
    }


def program(texts: Texts) -> typer.Typer:
    """All verbs, with their help in one language."""
    app = typer.Typer(
        name="fanshu",
        cls=_Program,
        rich_markup_mode=None,
        help=texts("help.app"),
        no_args_is_help=True,
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_version_option(texts))
    for room in (asking, library, records, measuring):
        room.add(app, texts)
    return app


def _version_option(texts: Texts) -> Any:
    def show(wanted: bool) -> None:
        if wanted:
            from fanshu import __version__

            typer.echo(f"fanshu {__version__}")
            raise typer.Exit

    def options(
        version: Annotated[
            bool,
            typer.Option("--version", callback=show, is_eager=True, help=texts("option.version")),
        ] = False,
    ) -> None: ...

    return options


def run(arguments: Sequence[str]) -> int:
    """Do what the arguments say; the exit code. No input ends in a traceback."""
    texts = Texts(language_of(asked_language(arguments)))
    screen = Screen(texts, as_json=_wants_json(arguments))
    try:
        command = get_command(program(texts))
        code = command.main(list(arguments), prog_name="fanshu", standalone_mode=False, obj=texts)
        sys.stdout.flush()
        return int(code or 0)
    except FanshuError as error:
        screen.fail(error)
        return error.exit_code
    except TyperException as error:
        return _usage(screen, error)
    except KeyboardInterrupt:
        screen.end("interrupted", texts("failure.interrupted"))
        return INTERRUPTED
    except (BrokenPipeError, NobodyReads):
        return _nobody_reads()
    except Exception as error:
        if debugging():
            raise
        detail = f"{type(error).__name__}: {error}"
        screen.end("unexpected", texts("failure.unexpected", detail=detail))
        return FAILED


def _wants_json(arguments: Sequence[str]) -> bool:
    """Whether `--json` is given; known before the arguments are understood."""
    return "--json" in itertools.takewhile(lambda one: one != "--", arguments)


def _usage(screen: Screen, error: TyperException) -> int:
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        print(error.format_message())  # noqa: T201
        return FAILED
    path = context.command_path if context else "fanshu"
    detail = screen.texts.detail(error.format_message())
    if detail[-1] not in ".?。？":
        detail += screen.texts("failure.stop")
    screen.end("usage", screen.texts("failure.usage", detail=detail, command=path))
    return FAILED


def _nobody_reads() -> int:
    """The reader of the pipe has gone: nothing may be written any more, not even at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def main() -> None:
    """The command `fanshu`."""
    prepare_streams()
    sys.exit(run(sys.argv[1:]))
