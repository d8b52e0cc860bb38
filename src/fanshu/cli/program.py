"""The command line: its verbs, and how it ends."""

import contextlib
import errno
import importlib
import itertools
import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

import typer
from typer.exceptions import TyperException
from typer.main import get_command

from fanshu.cli.dashes import as_text, taken_as_option
from fanshu.cli.helping import Verbs
from fanshu.cli.messages import Texts, asked_language, language_of
from fanshu.cli.options import INTERRUPTED, NobodyReads
from fanshu.cli.screen import Screen, debugging, prepare_streams
from fanshu.cli.wrapping import wide
from fanshu.errors import FanshuError

FAILED = 2
WIDEST = 80  # columns of help
OF_WORDS = ("ask", "search", "suggest", "outline")  # verbs that take text of all kinds
FRONT = ("ask", "index", "search", "read", "outline", "chat", "serve")  # in the order of the help
ROOMS: Mapping[str, tuple[str, ...]] = {  # modules of this room and their verbs
    "asking": ("ask",),
    "chatting": ("chat",),
    "library": ("search", "read", "outline", "index", "suggest", "status"),
    "records": ("config", "purge", "trace"),
    "caching": ("cache",),
    "approving": ("approve", "approved"),
    "measuring": ("eval",),
    "doctoring": ("doctor",),
    "checking": ("check",),
    "serving": ("serve", "token", "user"),
    "storing": ("store",),
    "completing": ("completion",),
    "connecting": ("mcp",),
}


GROUPS = ("trace", "cache", "approved", "eval", "token", "user", "store")  # verbs that have verbs


class _Program(Verbs):
    """All verbs; those that people begin with stand in front."""

    front: ClassVar = FRONT


def program(texts: Texts, verb: str = "") -> typer.Typer:
    """All verbs, with their help in one language.

    With the name of a `verb`, only those of its module: loading the others is felt.
    """
    app = typer.Typer(
        name="fanshu",
        cls=_Program,
        rich_markup_mode=None,
        help=texts("help.app"),
        no_args_is_help=True,
        add_completion=False,
        context_settings={
            "help_option_names": ["-h", "--help"],
            "terminal_width": _help_width(),  # left alone, it is never less than 50
        },
    )
    app.callback()(_version_option(texts))
    named = [room for room, verbs in ROOMS.items() if verb in verbs]
    for room in named or ROOMS:
        importlib.import_module(f"fanshu.cli.{room}").add(app, texts)
    return app


def _help_width() -> int:
    """Columns of help texts: the terminal's, but no lines too long to read."""
    return min(shutil.get_terminal_size().columns, WIDEST)


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
        language: Annotated[
            str, typer.Option(metavar="zh|en", help=texts("option.language"))
        ] = "auto",
    ) -> None: ...

    return options


_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}  # of what stdout was redirected to


def run(arguments: Sequence[str]) -> int:
    """Do what the arguments say; the exit code. No input ends in a traceback."""
    texts = Texts(language_of(asked_language(arguments)))
    arguments = _language_in_front(arguments)
    screen = Screen(texts, as_json=_wants_json(arguments))
    try:
        command = get_command(program(texts, next(iter(arguments), "")))
        code = command.main(list(arguments), prog_name="fanshu", standalone_mode=False, obj=texts)
        sys.stdout.flush()
        return int(code or 0)
    except FanshuError as error:
        screen.fail(error)
        return error.exit_code
    except TyperException as error:
        return _usage(screen, error, arguments)
    except KeyboardInterrupt:
        screen.end("interrupted", texts("failure.interrupted"))
        return INTERRUPTED
    except (BrokenPipeError, NobodyReads):
        return _nobody_reads()
    except Exception as error:
        if debugging():
            raise
        if isinstance(error, OSError) and error.errno in _NO_ROOM and not error.filename:
            _nobody_reads()
            screen.end("output", texts("failure.output", detail=error.strerror))
            return FAILED
        detail = f"{type(error).__name__}: {error}"
        screen.end("unexpected", texts("failure.unexpected", detail=detail))
        return FAILED


def _language_in_front(arguments: Sequence[str]) -> Sequence[str]:
    """`--language` before the verb moves behind it, where it is one of the verb's own options."""
    name, equals, _ = "".join(arguments[:1]).partition("=")
    taken = 1 if equals else 2
    if name != "--language" or not arguments[taken:] or arguments[taken].startswith("-"):
        return arguments
    rest = arguments[taken:]
    verbs = 2 if rest[0] in GROUPS else 1
    if rest[0] == "completion" or len(rest) < verbs or rest[verbs - 1].startswith("-"):
        return rest  # these only speak in it
    return [*rest[:verbs], *arguments[:taken], *rest[verbs:]]


def _wants_json(arguments: Sequence[str]) -> bool:
    """Whether `--json` is given; known before the arguments are understood."""
    return "--json" in itertools.takewhile(lambda one: one != "--", arguments)


def _usage(screen: Screen, error: TyperException, arguments: Sequence[str]) -> int:
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        print(error.format_message())  # noqa: T201
        return FAILED
    path = context.command_path if context else "fanshu"
    detail = screen.texts.detail(error.format_message())
    if detail[-1] not in ".?。？":
        detail += screen.texts("failure.stop")
    said = screen.texts("failure.usage", detail=detail, command=path)
    verb = next(iter(arguments), "")
    if verb in OF_WORDS and (word := taken_as_option(arguments, error)):
        command = shlex.join(["fanshu", *as_text(arguments, word)])
        glue = "" if wide(said[-1]) else " "
        said += glue + screen.texts("failure.dash", word=word, command=command)
    screen.end("usage", said)
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
