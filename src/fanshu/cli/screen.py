"""stdout for results, stderr for everything else; styles only where a terminal shows them."""

import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Literal, TextIO

from fanshu.cli.messages import Texts
from fanshu.cli.terminals import LACKING, coloured, poor, register
from fanshu.cli.wrapping import rows
from fanshu.errors import FanshuError
from fanshu.settings import DEBUG_VARIABLE
from fanshu.types import plain

if TYPE_CHECKING:
    import rich.progress
    from rich.console import Console

    from fanshu.library.library import OnProgress, Progress

Span = tuple[str, str]
Line = tuple[Span, ...]

QUOTE, HEAD, FAINT, WARNING = "bold yellow", "bold", "dim", "yellow"
TAB = 4  # columns
NARROWEST = 10  # columns of text, whatever the terminal says
MAX_PATH_SHOWN = 40  # a longer name would push the bar out of a terminal of 80 columns
_TURNS = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))  # show a name in another order
_CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160), *_TURNS))


def line(text: str = "", style: str = "") -> Line:
    """A line in one style."""
    return ((text, style),)


@dataclass(frozen=True, slots=True)
class Screen:
    """Where a verb puts what it has to say."""

    texts: Texts
    verbose: bool = False
    as_json: bool = False

    @property
    def live(self) -> bool:
        """Whether somebody watches stderr."""
        return sys.stderr.isatty()

    @property
    def moving(self) -> bool:
        """Whether somebody watches stderr who can see something move."""
        return self.live and not poor()

    @property
    def width(self) -> int:
        """Columns of the terminal; 80 where there is none."""
        return shutil.get_terminal_size().columns

    def show(self, lines: Iterable[Line]) -> None:
        """Lines of a result: wrapped on a terminal, whole in a pipe; styled as `coloured` says."""
        if coloured(sys.stdout):
            width = self.width if sys.stdout.isatty() else None
            _styled(self.console(sys.stdout), lines, width)
            return
        for spans in lines:
            marked = tuple((_marked(span), "") for span in spans)
            for row in wrapped(marked, self.width) if sys.stdout.isatty() else (marked,):
                _write(sys.stdout, "".join(text for text, _ in row))

    def json(self, value: object) -> None:
        """One JSON document on stdout; escapes where the encoding lacks a character."""
        text = json.dumps(plain(value), ensure_ascii=False, indent=2)
        try:
            text.encode(sys.stdout.encoding or "utf-8")
        except UnicodeEncodeError:
            text = json.dumps(plain(value), ensure_ascii=True, indent=2)
        _write(sys.stdout, text)

    def raw(self, text: str) -> None:
        """A file of its own on stdout, as it is."""
        sys.stdout.write(text)

    def note(self, spans: Line) -> None:
        """A line beside the result: on stderr, only where somebody watches or asked for it."""
        if self.live:
            _styled(self.console(sys.stderr), [spans], self.width)
        elif self.verbose:
            _write(sys.stderr, "".join(text for text, _ in spans))

    def warn(self, key: str, **fields: object) -> None:
        """A line on stderr that nobody should miss."""
        self.say(self.texts(key, **fields))

    def fail(self, error: FanshuError) -> None:
        """An error in one line on stderr; with FANSHU_DEBUG, also where it came from.

        Where JSON was asked for, there is one document then too: `error` (its code), `message`.
        """
        if debugging():
            import traceback

            traceback.print_exception(error)
        self.end(error.code, self.texts.error(error))

    def end(self, code: str, text: str) -> None:
        """Why a command ends without a result: a line on stderr, and a document like `fail`'s."""
        self.say(text)
        if self.as_json:
            self.json({"error": code, "message": text})

    def say(self, text: str) -> None:
        """Words that are no message of ours: one line on stderr, wrapped where somebody watches."""
        text = " ".join(text.split())
        if self.live:
            _styled(self.console(sys.stderr), [line(text)], self.width)
        else:
            _write(sys.stderr, text)

    def console(self, stream: TextIO) -> "Console":
        """A rich console on a stream."""
        from rich.console import Console

        # Styles were decided upon: rich looks at the terminal only to see which it knows.
        kind: Literal["auto", "standard"] = "auto" if stream.isatty() else "standard"
        return Console(
            file=stream,
            highlight=False,
            markup=False,
            emoji=False,
            force_terminal=True,
            color_system=kind,
        )

    def spinner(self, text: str) -> "rich.progress.Progress":
        """Something that moves on stderr, with the seconds it has been moving."""
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = SpinnerColumn("line"), TextColumn("{task.description}", markup=False)
        moving = Progress(
            *columns, TimeElapsedColumn(), console=self.console(sys.stderr), transient=True
        )
        moving.add_task(without_controls(text), total=None)
        return moving

    @contextmanager
    def progress(self, title: str = "index.progress") -> Iterator["OnProgress | None"]:
        """What to tell while files (or pages) are read: a bar on a terminal, else nothing.

        `title` is the key of what the bar says.
        """
        if not self.moving:
            yield None
            return
        bar = _Bar(self.console(sys.stderr), self.texts(title))
        try:
            yield bar.update
        finally:
            bar.close()


class _Bar:
    """A progress bar that appears with the first file, so that no work shows no bar."""

    def __init__(self, console: "Console", title: str) -> None:
        self._console = console
        self._title = title
        self._bar: tuple[rich.progress.Progress, rich.progress.TaskID] | None = None

    def update(self, progress: "Progress") -> None:
        """Show how far it is."""
        bar, task = self._bar = self._bar or self._open(progress.total)
        bar.update(
            task, completed=progress.done, total=progress.total, path=_short(progress.file_path)
        )

    def close(self) -> None:
        """Take the bar away."""
        if self._bar:
            self._bar[0].stop()

    def _open(self, total: int) -> "tuple[rich.progress.Progress, rich.progress.TaskID]":
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
        )

        columns = BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
        names = TextColumn("{task.description}"), TextColumn("{task.fields[path]}", markup=False)
        bar = Progress(names[0], *columns, names[1], console=self._console, transient=True)
        bar.start()
        return bar, bar.add_task(self._title, total=total, path="")


def _short(path: str) -> str:
    path = without_controls(path)
    return path if len(path) <= MAX_PATH_SHOWN else "…" + path[-MAX_PATH_SHOWN + 1 :]


def _styled(console: "Console", lines: Iterable[Line], width: int | None) -> None:
    from rich.text import Text

    for spans in lines:
        for row in wrapped(spans, width) if width else (_clean(spans),):
            console.print(Text.assemble(*row), soft_wrap=True)


def wrapped(spans: Line, width: int) -> Iterator[Line]:
    """A line in rows that fit, those after the first indented like it."""
    from rich.cells import cell_len

    clean = _clean(spans)
    styles = [style for text, style in clean for _ in text]
    whole = "".join(text for text, _ in clean)
    at = 0
    for text in whole.split("\n"):
        indent = min(len(text) - len(text.lstrip(" ")), width // 2)
        begin = at + len(text) - len(text.lstrip(" "))
        body = text.lstrip(" ")
        found = list(rows(body, max(width - indent, NARROWEST), cell_len))
        for start, end in found or [(0, 0)]:
            part = zip(body[start:end], styles[begin + start : begin + end], strict=True)
            yield ((" " * indent, ""), *_spans(part))
        at += len(text) + 1


def _clean(spans: Line) -> Line:
    return tuple((without_controls(text).expandtabs(TAB), style) for text, style in spans)


def _spans(characters: Iterable[tuple[str, str]]) -> Iterator[Span]:
    for style, run in groupby(characters, lambda pair: pair[1]):
        yield "".join(character for character, _ in run), style


def _marked(span: Span) -> str:
    """Emphasis that survives a pipe."""
    text, style = span
    return f"**{text}**" if style == QUOTE and text.strip() else text


def without_controls(text: str) -> str:
    """Text without control characters: a document must not steer the terminal."""
    return text.translate(_CONTROLS)


def _write(stream: TextIO, text: str) -> None:
    stream.write(without_controls(text) + "\n" if stream.isatty() else text + "\n")


def prepare_streams() -> None:
    """Let no character that a terminal lacks end a command, nor a stream that is closed."""
    register()
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors=LACKING)


def _nowhere() -> TextIO:
    return os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


def debugging() -> bool:
    """Whether full tracebacks are wanted."""
    return os.environ.get(DEBUG_VARIABLE, "") not in ("", "0")
