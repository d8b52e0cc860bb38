"""Options that every verb takes, made from the settings table."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import typer

from fanshu.cli.messages import Texts, language_of
from fanshu.cli.screen import Screen
from fanshu.errors import FanshuError
from fanshu.settings import Loaded, Settings, load, table, user_config

INTERRUPTED = 130  # 128 + SIGINT, as shells count
LIBRARY = ("docs", "index", "store", "exclude", "synonyms")
MODEL = ("model", "base_url", "tool_mode", "api_key")
ASKING = (
    "max_rounds",
    "hits",
    "timeout",
    "deadline",
    "max_tokens",
    "max_cost",
    "first_search",
    "trace",
    "check",
    "keep_unverified",
)
SHORT = {"docs": "-d", "model": "-m"}
METAVARS = {
    "docs": "[NAME=]PATH",
    "index": "FOLDER",
    "store": "ADDRESS",
    "exclude": "GLOB",
    "synonyms": "FILE",
    "model": "PROVIDER:NAME",
    "base_url": "URL",
    "timeout": "SECONDS",
    "deadline": "SECONDS",
    "max_tokens": "N",
    "max_cost": "DOLLARS",
    "tool_mode": "auto|native|json",
    "language": "zh|en",
    "check": "strict|lenient",
}
NO_FLAG = frozenset({"api_key"})  # a key on a command line ends in the shell's history


class NobodyReads(Exception):
    """The reader of stdout has gone. Not an OSError: typer makes that exit 1, "not found"."""


@dataclass(frozen=True, slots=True)
class Call:
    """What a verb gets besides its own arguments. `config`: the settings file that was named."""

    loaded: Loaded
    screen: Screen
    json: bool
    config: Path | None = None
    verbose: bool = False

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.loaded.settings


Body = Callable[..., int | None]


def with_settings(
    *names: str, texts: Texts | None = None, hidden: tuple[str, ...] = ()
) -> Callable[[Body], Body]:
    """Give a verb the options `names` of the settings table, `--config`, `--json` and the like.

    The verb is called with a `Call` first and returns its exit code (None: 0).
    """
    said = texts or Texts(language_of())

    def decorate(verb: Body) -> Body:
        own = list(inspect.signature(verb).parameters.values())[1:]
        options = [_option(said, name, name in hidden) for name in names if name not in NO_FLAG]
        options += _general(said)

        @functools.wraps(verb)
        def run(**given: Any) -> None:
            mine = {parameter.name: given.pop(parameter.name) for parameter in own}
            raise typer.Exit(_code(verb, _call(given), mine))

        parameters = [*own, *options]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {item.name: item.annotation for item in parameters}
        del run.__wrapped__
        return run

    return decorate


def _code(verb: Body, call: Call, arguments: dict[str, Any]) -> int:
    """The exit code of a verb; an error is said in the language of the settings."""
    try:
        return verb(call, **arguments) or 0
    except FanshuError as error:
        call.screen.fail(error)
        return error.exit_code
    except KeyboardInterrupt:
        call.screen.end("interrupted", call.screen.texts("failure.interrupted"))
        return INTERRUPTED
    except BrokenPipeError as error:
        raise NobodyReads from error


def _call(given: dict[str, Any]) -> Call:
    as_json, verbose = given.pop("json_output"), given.pop("verbose")
    config = given.pop("config_file")
    flags = {
        name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
    }
    loaded = load(
        {name: value for name, value in flags.items() if value not in (None, ())}, config=config
    )
    screen = Screen(Texts(language_of(loaded.settings.language)), verbose=verbose, as_json=as_json)
    for dropped in loaded.dropped:
        screen.warn(
            "warn.dropped", file=dropped.file, names=", ".join(dropped.names), owner=user_config()
        )
    return Call(loaded, screen, as_json, config, verbose)


def _option(texts: Texts, name: str, hidden: bool) -> inspect.Parameter:
    row = next(row for row in table() if row.name == name)
    kind = _flag_type(Settings.model_fields[name].annotation)
    flag = f"{row.flag}/--no-{row.flag[2:]}" if kind is bool and row.default else row.flag
    option = typer.Option(
        *([flag, SHORT[name]] if name in SHORT else [flag]),
        help=texts.setting(name, row.meaning),
        metavar=METAVARS.get(name, "N" if kind is int else None),
        hidden=hidden,
        show_default=False,
        rich_help_panel=texts("help.panel"),
    )
    return _parameter(name, kind | None, None, option)


def _flag_type(annotation: Any) -> Any:
    """The type of a flag: what the field holds, without None; lists for tuples."""
    if get_origin(annotation) is tuple:
        return list[str]
    if get_origin(annotation) is Literal:
        return str
    kinds = [kind for kind in get_args(annotation) if kind is not type(None)]
    return kinds[0] if kinds else annotation


def _general(texts: Texts) -> list[inspect.Parameter]:
    def option(*decls: str, text: str, metavar: str | None = None) -> Any:
        panel = texts("help.panel")
        return typer.Option(
            *decls, help=texts(text), metavar=metavar, show_default=False, rich_help_panel=panel
        )

    config = option("--config", text="option.config", metavar="FILE")
    verbose = option("--verbose", "-v", text="option.verbose")
    return [
        _option(texts, "language", False),
        _parameter("config_file", Path | None, None, config),
        _parameter("json_output", bool, False, option("--json", text="option.json")),
        _parameter("verbose", bool, False, verbose),
    ]


def _parameter(name: str, kind: Any, default: object, option: Any) -> inspect.Parameter:
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, option],
    )
