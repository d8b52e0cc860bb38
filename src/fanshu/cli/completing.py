"""Completion in shells: what the word under the cursor may become, and the verb that installs it.

The scripts of `completion_scripts` call `fanshu __complete SHELL +WORD WORDS...`: the word under
the cursor, and those before it. The answer is a line for each candidate, its meaning after a tab;
or `:files`, where names of files belong. Whatever goes wrong, nothing is said: somebody is typing.
"""

import itertools
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from fanshu.cli.candidates import Candidate, places
from fanshu.cli.completion_scripts import SCRIPTS, bash_words
from fanshu.cli.helping import Verb
from fanshu.cli.messages import Texts, asked_language, language_of
from fanshu.errors import FanshuError
from fanshu.library.naming import visible

FILES = ":files"
RECENT = 20  # traces in a list
_OF_FILES = (
    "FILE",
    "FOLDER",
    "[NAME=]PATH",
    "[[NAME=]FOLDER]...",
    "QUESTIONS",
    "RESULTS",
    "A",
    "B",
)
_PLACES = {"read": "chunk_id", "outline": "path", "search": "path"}


def add(app: typer.Typer, texts: Texts) -> None:
    """Put the verb on the program."""
    example = texts("help.example", example='eval "$(fanshu completion bash)"')

    @app.command(
        cls=Verb,
        help=f"{texts('help.completion')}\n\n{example}",
        rich_help_panel=texts("help.more"),
    )
    def completion(
        shell: Annotated[
            str, typer.Argument(metavar="|".join(SCRIPTS), help=texts("help.completion_shell"))
        ],
    ) -> None:
        if shell not in SCRIPTS:
            raise typer.BadParameter(texts("failure.shell", shells=", ".join(SCRIPTS)))
        sys.stdout.write(SCRIPTS[shell])


def answer(arguments: Sequence[str]) -> None:
    """Write what `fanshu __complete` was asked for."""
    shell, current, *words = arguments
    current = current.removeprefix("+")
    cut = 0
    if shell == "bash":
        words, current, cut = bash_words(current)
    for one in complete(words, current):
        if one.value == FILES or one.value.startswith(current):
            _write(one.value if one.value == FILES else one.value[cut:], one.about)


def _write(value: str, about: str) -> None:
    """One row. A name that the encoding cannot say would be another name, and is left out."""
    encoding = sys.stdout.encoding or "utf-8"
    with suppress(UnicodeEncodeError):
        row = value.encode(encoding)
        if about:
            told = visible(" ".join(about.split()))  # some shells show it as it comes
            row += b"\t" + told.encode(encoding, "replace")
        sys.stdout.buffer.write(row + b"\n")


def complete(words: Sequence[str], current: str) -> Iterator[Candidate]:
    """What `current` may become after `words`, which begin after `fanshu`."""
    texts = Texts(language_of(asked_language(words)))
    verb = next((one for one in words if not one.startswith("-")), "")
    if not verb and not current.startswith("-"):
        yield from _verbs(texts)
        return
    spot = _spot(texts, verb, words)
    option, equals, value = current.partition("=")
    if spot.pending is not None:
        yield from _values(spot, spot.pending, current)
    elif spot.text or not current.startswith("-"):
        yield from _positional(spot, current)
    elif equals and (parameter := spot.options.get(option)):
        for one in _values(spot, parameter, value):
            whole = one.value if one.value == FILES else f"{option}={one.value}"
            yield Candidate(whole, one.about)
    else:
        yield from _options(spot)


# ---------------------------------------------------------------- where in the line


@dataclass(slots=True)
class _Spot:
    """Where the cursor stands. `pending`: the option whose value is typed; `text`: after `--`."""

    texts: Texts
    command: Any
    options: dict[str, Any]
    given: dict[str, list[str]]
    positional: list[str]
    pending: Any = None
    text: bool = False


def _spot(texts: Texts, verb: str, words: Sequence[str]) -> _Spot:
    from typer.main import get_command

    from fanshu.cli.program import program

    spot = _Spot(texts, None, {}, {}, [])
    _enter(spot, get_command(program(texts, verb)))
    for word in words:
        _step(spot, word)
    return spot


def _enter(spot: _Spot, command: Any) -> None:
    spot.command = command
    spot.options = {
        name: one
        for one in command.params
        if one.param_type_name == "option" and not one.hidden
        for name in (*one.opts, *one.secondary_opts)
    }


def _step(spot: _Spot, word: str) -> None:
    """One word further."""
    name, equals, value = word.partition("=")
    if spot.pending is not None:
        spot.given.setdefault(spot.pending.name, []).append(word)
        spot.pending = None
    elif spot.text or not word.startswith("-"):
        inside = getattr(spot.command, "commands", {}).get(word)
        if inside is None:
            spot.positional.append(word)
        else:
            _enter(spot, inside)
    elif word == "--":
        spot.text = True
    elif parameter := spot.options.get(name):
        if equals or parameter.is_flag:
            spot.given.setdefault(parameter.name, []).append(value)
        else:
            spot.pending = parameter


# ---------------------------------------------------------------- what belongs there


def _verbs(texts: Texts) -> Iterator[Candidate]:
    from fanshu.cli.program import ROOMS

    for verb in itertools.chain(*ROOMS.values()):
        yield Candidate(verb, texts.known(f"help.{verb}", ""))


def _options(spot: _Spot) -> Iterator[Candidate]:
    for name, one in spot.options.items():
        shown = name.startswith("--") or len(one.opts) == 1
        if shown and (one.multiple or one.name not in spot.given):
            yield Candidate(name, one.help or "")
    yield Candidate("--help")


def _positional(spot: _Spot, current: str) -> Iterator[Candidate]:
    if commands := getattr(spot.command, "commands", None):
        for name, one in commands.items():
            yield Candidate(name, (one.help or "").partition("\n")[0])
        return
    wanted = [one for one in spot.command.params if one.param_type_name == "argument"]
    at = len(spot.positional)
    if at < len(wanted) or (wanted and wanted[-1].nargs == -1):
        yield from _values(spot, wanted[min(at, len(wanted) - 1)], current)


def _values(spot: _Spot, parameter: Any, current: str) -> Iterable[Candidate]:
    metavar = parameter.metavar or ""
    verb = spot.command.name
    if _PLACES.get(verb) == parameter.name:
        return _places(spot, current, sections=verb == "read")
    if parameter.name == "model":
        return _models()
    if parameter.name == "trace_id":
        return _traces(spot)
    if metavar in _OF_FILES:
        return [Candidate(FILES)]
    if "|" in metavar:
        return [Candidate(one) for one in metavar.split("|")]
    return []


def _models() -> Iterator[Candidate]:
    from fanshu.models.providers import PREFIXES

    return (Candidate(f"{prefix}:") for prefix in sorted(PREFIXES))


def _traces(spot: _Spot) -> Iterator[Candidate]:
    from fanshu.app import open_traces

    yield Candidate("last")
    for one in itertools.islice(open_traces(_settings(spot)).summaries(), RECENT):
        yield Candidate(one.trace_id, one.question)


def _places(spot: _Spot, current: str, *, sections: bool) -> list[Candidate]:
    """Documents by the index as it stands; without one, and on the disk, names of files."""
    from fanshu import app
    from fanshu import places as where

    found: list[Candidate] = []
    with suppress(FanshuError):
        settings = _settings(spot)
        if where.index_file(settings, where.roots(settings)).is_file():
            with closing(app.open_library(settings)) as library:
                found = list(places(library, current, sections=sections))
    return found or [Candidate(FILES)]


def _settings(spot: _Spot) -> Any:
    from pathlib import Path

    from fanshu.settings import Settings, load

    given = {
        name: values[-1] for name, values in spot.given.items() if name in Settings.model_fields
    }
    for name in ("docs", "exclude"):
        if name in given:
            given[name] = tuple(spot.given[name])  # type: ignore[assignment]
    named = spot.given.get("config_file")
    flags = {name: value for name, value in given.items() if value}
    return load(flags, config=Path(named[-1]) if named else None).settings
