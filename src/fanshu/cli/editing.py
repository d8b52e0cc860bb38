"""Lines typed on a terminal, edited as they are: history, completion, wide characters, pastes.

Imported only where a terminal can show it; what else there is, `typed_lines` reads.
"""

import sys
from collections.abc import Callable, Iterable, Iterator

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import History as Shown
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import create_output
from prompt_toolkit.output.vt100 import Vt100_Output

from fanshu.cli.candidates import Candidate
from fanshu.cli.history import History
from fanshu.cli.wrapping import columns

Complete = Callable[[str], tuple[str, Iterable[Candidate]]]
MENU_ABOUT = 40  # columns of what stands beside a candidate


class Editor:
    """Asks for lines. `complete` tells what the end of a line may become, and which end that is."""

    def __init__(self, history: History, complete: Complete) -> None:
        output = create_output(sys.stdout)
        if isinstance(output, Vt100_Output):
            # No asking where the cursor is: the answer of a slow terminal would be typed text.
            output.enable_cpr = False
        self._session: PromptSession[str] = PromptSession(
            history=_Shown(history),
            completer=_Completer(complete),
            complete_while_typing=Condition(self._in_command),
            key_bindings=_keys(),
            output=output,
            enable_suspend=True,
            refresh_interval=0,
        )

    def _in_command(self) -> bool:
        """Commands are shown while they are typed; questions are completed by Tab alone."""
        text = self._session.default_buffer.document.text
        return text.startswith("/") and " " not in text

    def line(self, prompt: str) -> str:
        """One line, or several that were pasted. Raises: KeyboardInterrupt, EOFError."""
        return self._session.prompt(prompt, prompt_continuation=" " * columns(prompt))


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("escape", "enter")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    return keys


class _Shown(Shown):
    """The lines of a `History` as the editor wants them: newest first."""

    def __init__(self, history: History) -> None:
        super().__init__()
        self._history = history

    def load_history_strings(self) -> Iterable[str]:
        return reversed(self._history.lines)

    def store_string(self, string: str) -> None:
        self._history.add(string)


class _Completer(Completer):
    def __init__(self, complete: Complete) -> None:
        self._complete = complete

    def get_completions(self, document: Document, _event: CompleteEvent) -> Iterator[Completion]:
        typed, found = self._complete(document.text_before_cursor)
        for one in found:
            yield Completion(one.value, -len(typed), display_meta=one.about[:MENU_ABOUT])
