"""The lines of a chat: edited on a terminal, else as they come."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

from fanshu.cli.screen import FAINT, HEAD, Screen, line
from fanshu.cli.terminals import poor

if TYPE_CHECKING:
    from fanshu.cli.editing import Complete
    from fanshu.cli.history import History

PROMPT = "> "
HEARD_WITHIN = 0.25  # seconds
Ask = Callable[[], str]  # raises KeyboardInterrupt, EOFError


def lines(screen: Screen, history: "History", complete: "Complete") -> Iterator[str]:
    """Lines with something in them, until there are no more."""
    if sys.stdin is None:
        return
    sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]  # of a text stream
    if sys.stdin.isatty():
        typed = _typed(screen, _editor(history, complete) or _plainly)
    else:
        typed = _piped(screen, sys.stdin)
    for text in typed:
        if stripped := text.strip().removeprefix("\ufeff"):
            yield stripped


def _piped(screen: Screen, stdin: TextIO) -> Iterator[str]:
    """Lines of a pipe; each is shown, as it stands on the screen of whoever types it."""
    for text in stdin:
        if text.strip() and not screen.as_json:
            screen.show([line(PROMPT + text.strip(), HEAD)])
        yield text


def _typed(screen: Screen, ask: Ask) -> Iterator[str]:
    """Lines of a terminal. Ctrl-C drops the line, Ctrl-D ends them."""
    screen.note(line(screen.texts("chat.welcome"), FAINT))
    while True:
        try:
            yield ask()
        except KeyboardInterrupt:
            sys.stderr.write("\n" * (ask is _plainly))
        except EOFError:
            sys.stderr.write("\n" * (ask is _plainly))
            return


def _editor(history: "History", complete: "Complete") -> Ask | None:
    """What edits lines where that can be shown; None: it cannot."""
    if not sys.stdout.isatty() or poor():
        return None
    try:
        from fanshu.cli.editing import Editor

        editor = Editor(history, complete)
    except Exception:  # noqa: BLE001 - of a console that is none; plain lines always work
        return None
    return lambda: editor.line(PROMPT)


def _plainly() -> str:
    """A line, asked for where it is seen: stdout may lead into a file. Raises: EOFError."""
    with _woken():
        if sys.stdout.isatty():
            with suppress(ImportError):  # not everywhere; lines are then as the terminal edits them
                import readline  # noqa: F401 - `input` edits lines with it
            return input(PROMPT)
        sys.stderr.write(PROMPT)
        sys.stderr.flush()
        text = sys.stdin.readline()
    if not text:
        raise EOFError
    return text


@contextmanager
def _woken() -> Iterator[None]:
    """Waiting for a line is broken off a moment every `HEARD_WITHIN`, to see whether Ctrl-C came.

    Python only notes a signal, and looks at its notes when waiting is broken off. One that comes
    after the prompt is shown and before `input` waits would be heard at the next key only.
    """
    if not hasattr(signal, "SIGALRM"):
        yield
        return
    # Stays: an alarm that comes late must find somebody who does nothing about it.
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, HEARD_WITHIN, HEARD_WITHIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
