"""Help in sections, plain: it fits a narrow terminal, a pipe and Chinese text alike."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

from fanshu.cli.dashes import as_text, cannot_be_option, taken_as_option
from fanshu.cli.examples import EXAMPLES
from fanshu.cli.messages import Texts
from fanshu.cli.wrapping import beside, wide, wrap

LEFT = 30  # columns for names; longer ones get a line of their own
MARGIN = 2
USAGE_INDENT = 4  # columns, of rows after the first
Rows = list[tuple[str, str]]


class _InSections:
    """The parts of help that a verb and a group have in common, in the language of the face."""

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Write the line that says how it is called."""
        pieces = " ".join(_bare(piece) for piece in ctx.command.collect_usage_pieces(ctx))
        texts = _texts(ctx)
        prefix = texts("help.section", title=texts("help.title.Usage"))
        prefix += "" if wide(prefix[-1]) else " "
        rows = wrap(f"{prefix}{ctx.command_path} {pieces}", formatter.width - USAGE_INDENT)
        for number, row in enumerate(rows):
            formatter.write(" " * (USAGE_INDENT if number else 0) + row + "\n")

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write what it does, a paragraph for each of its paragraphs."""
        paragraphs = (ctx.command.help or "").split("\n\n")
        if example := EXAMPLES.get(ctx.command_path):
            paragraphs.append(_texts(ctx)("help.example", example=example))
        for paragraph in paragraphs:
            formatter.write("\n")
            for row in wrap(paragraph, formatter.width - MARGIN):
                formatter.write(" " * MARGIN + row + "\n")


class Verb(_InSections, TyperCommand):
    """A command whose options stand under the panel they were given.

    A word that begins with a dash and cannot be an option is text.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Understand the arguments."""
        try:
            return super().parse_args(ctx, [*args])
        except TyperException as error:
            word = taken_as_option(args, error)
            if word is None or not cannot_be_option(word):
                raise
        return self.parse_args(ctx, as_text(args, word))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options, each section under its name."""
        _write(formatter, _sections(self.get_params(ctx), ctx), _texts(ctx))


class Verbs(_InSections, TyperGroup):
    """Commands by panel, each with its example. Those of `front` stand first."""

    front: ClassVar[Sequence[str]] = ()

    def list_commands(self, ctx: Any) -> list[str]:
        """All commands, in the order of the help."""
        known = super().list_commands(ctx)
        first = [name for name in self.front if name in known]
        return first + [name for name in known if name not in first]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write options and commands, each section under its name."""
        sections = _sections(self.get_params(ctx), ctx)
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                panel = _panel(command, "Commands")
                rows = sections.setdefault(panel, [])
                rows.append((name, _first_line(command.help)))
                path = f"{ctx.command_path} {name}"
                if example := _example(command.help) or EXAMPLES.get(path):
                    rows.append(("", example))
        _write(formatter, sections, _texts(ctx))


def _bare(piece: str) -> str:
    """A piece of a usage line without brackets that say nothing: `{WORDS}...`, `[[PATH]]`."""
    if needed := re.fullmatch(r"\{([^|{}]+)\}(\.\.\.)?", piece):
        return needed[1] + (needed[2] or "")
    if piece.startswith("[[") and piece.endswith("]...]..."):
        return piece[1:-4]
    if piece.startswith("[[") and piece.endswith("]]"):
        return piece[1:-1]
    return piece


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


def _example(text: str | None) -> str:
    """The command that the last paragraph of a help text gives as an example.

    It may stand within another, as in `eval "$(fanshu …)"`; what only mentions one is no example.
    """
    found = re.fullmatch(r"(?:Example: |例：)(.*\bfanshu .*)", (text or "").rpartition("\n\n")[2])
    return found[1] if found else ""


def _write(formatter: Any, sections: Mapping[str, Rows], texts: Texts) -> None:
    for title, rows in sections.items():
        heading = texts("help.section", title=texts.known(f"help.title.{title}", title))
        formatter.write(f"\n{heading}\n")
        for name, text in rows:
            for line in beside(
                MARGIN * " " + name, texts.detail(text), formatter.width - MARGIN, LEFT
            ):
                formatter.write(line + "\n")
