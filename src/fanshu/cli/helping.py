"""Help in sections, plain: it fits a narrow terminal, a pipe and Chinese text alike."""

import importlib
import importlib.util
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from fanshu.cli.messages import Texts
from fanshu.cli.wrapping import columns, wide, wrap

LEFT = 30  # columns for names; longer ones get a line of their own
MARGIN = 2
NARROWEST = 20  # columns of text, whatever the terminal says
Rows = list[tuple[str, str]]


class _InSections:
    """The parts of help that a verb and a group have in common, in the language of the face."""

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Write the line that says how it is called."""
        pieces = " ".join(ctx.command.collect_usage_pieces(ctx))
        texts = _texts(ctx)
        prefix = texts("help.section", title=texts("help.title.Usage"))
        prefix += "" if wide(prefix[-1]) else " "
        for number, row in enumerate(wrap(f"{ctx.command_path} {pieces}", formatter.width - 4)):
            formatter.write((prefix if number == 0 else "    ") + row + "\n")

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write what it does, a paragraph for each of its paragraphs."""
        for paragraph in (ctx.command.help or "").split("\n\n"):
            formatter.write("\n")
            for row in wrap(paragraph, formatter.width - MARGIN):
                formatter.write(" " * MARGIN + row + "\n")


class Verb(_InSections, TyperCommand):
    """A command whose options stand under the panel they were given."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options, each section under its name."""
        _write(formatter, _sections(self.get_params(ctx), ctx), _texts(ctx))


class Verbs(_InSections, TyperGroup):
    """Commands by panel. Those of `elsewhere` are imported when named, and not shown if absent."""

    elsewhere: ClassVar[Mapping[str, str]] = {}

    def list_commands(self, ctx: Any) -> list[str]:
        """All commands that can be had here."""
        return [*super().list_commands(ctx), *filter(self._present, self.elsewhere)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name, or None."""
        if cmd_name not in self.elsewhere or not self._present(cmd_name):
            return super().get_command(ctx, cmd_name)
        command = get_command(importlib.import_module(self.elsewhere[cmd_name]).app)
        command.name = cmd_name
        return command

    def _present(self, name: str) -> bool:
        try:
            return importlib.util.find_spec(self.elsewhere[name]) is not None
        except ModuleNotFoundError:
            return False

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write options and commands, each section under its name."""
        sections = _sections(self.get_params(ctx), ctx)
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                panel = _panel(command, "Commands")
                sections.setdefault(panel, []).append((name, _first_line(command.help)))
        _write(formatter, sections, _texts(ctx))


def _texts(ctx: Any) -> Texts:
    """The language that the command line was called in."""
    return ctx.obj if isinstance(ctx.obj, Texts) else Texts("en")


def _sections(parameters: Iterable[Any], ctx: Any) -> dict[str, Rows]:
    sections: dict[str, Rows] = {}
    for parameter in parameters:
        if parameter.param_type_name == "argument":
            row = parameter.metavar or parameter.name, parameter.help or ""
            sections.setdefault("Arguments", []).append(row)
        elif (row := parameter.get_help_record(ctx)) is not None:
            sections.setdefault(_panel(parameter, "Options"), []).append(row)
    return sections


def _panel(item: Any, otherwise: str) -> str:
    named = getattr(item, "rich_help_panel", None)
    return named if isinstance(named, str) else otherwise


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0]


def _write(formatter: Any, sections: Mapping[str, Rows], texts: Texts) -> None:
    for title, rows in sections.items():
        heading = texts("help.section", title=texts.known(f"help.title.{title}", title))
        formatter.write(f"\n{heading}\n")
        for name, text in rows:
            for line in _row(name, texts.detail(text), formatter.width):
                formatter.write(line + "\n")


def _row(name: str, text: str, width: int) -> Iterator[str]:
    """A name and its text beside it, the text in as many lines as it needs."""
    lines = list(wrap(text, max(width - LEFT - MARGIN, NARROWEST)))
    head = " " * MARGIN + name
    if columns(head) < LEFT and lines:
        head += " " * (LEFT - columns(head)) + lines.pop(0)
    yield head.rstrip()
    for line in lines:
        yield " " * LEFT + line
