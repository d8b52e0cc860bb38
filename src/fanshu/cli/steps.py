"""What a run is doing, as it does it: a line a step on stderr, and how long it has been."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fanshu.agent.events import Bounced, Ended, Event, RoundStarted, Started, Stepped
from fanshu.cli.messages import Texts
from fanshu.cli.screen import FAINT, Screen, line
from fanshu.cli.show import trail
from fanshu.errors import ModelError
from fanshu.types import COUNTED, Chunk, Observation, SearchResult, ToolCall

if TYPE_CHECKING:
    from rich.progress import Progress

NOTICED = 0.1  # seconds; less is no news
SHOWN = 60  # characters of words or a note in one step; more would wrap


class Steps:
    """Shows the events of one run; use as a context manager around it."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._spinner: Progress | None = None

    def __enter__(self) -> "Steps":
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def __call__(self, event: Event) -> None:
        """Show one event."""
        texts = self._screen.texts
        match event:
            case RoundStarted(round=number, left=left):
                self._think(texts("step.thinking", round=number, rounds=number + left - 1))
            case Stepped():
                self._say(said(texts, event))
            case Bounced(objections=objections):
                self._say(texts("step.bounced", objections="; ".join(objections)))
            case Started():
                pass
            case Ended():
                self._stop()

    def waiting(self, error: ModelError, seconds: float) -> None:
        """The model's service asks for patience."""
        texts = self._screen.texts
        self._say(texts("step.waiting", seconds=seconds, reason=texts.error(error)))

    def _say(self, text: str) -> None:
        self._stop()
        self._screen.note(line("  " + text, FAINT))

    def _think(self, text: str) -> None:
        self._stop()
        if self._screen.moving:
            self._spinner = self._screen.spinner(text)
            self._spinner.start()

    def _stop(self) -> None:
        if self._spinner is not None:
            self._spinner.stop()
            self._spinner = None


def said(texts: Texts, step: Stepped) -> str:
    """One step in words: what was looked up, and what came of it."""
    text = _said(texts, step.call, step.observation, ahead=step.round == 0)
    if step.observation.error and step.call.name != "answer":
        text = texts("step.failed", step=text)
    return f"{text}  {step.seconds:.1f} s" if step.seconds >= NOTICED else text


def _said(texts: Texts, call: ToolCall, observation: Observation, *, ahead: bool) -> str:
    arguments = call.arguments or {}
    data = observation.data
    match call.name:
        case "search":
            words = _short(arguments.get("keyword", ""))
            if not isinstance(data, SearchResult):
                return texts("step.again", words=words)
            return texts("step.ahead" if ahead else "step.search", words=words, total=_total(data))
        case "read" | "next_chunk" | "prev_chunk":
            key = f"step.{call.name.removesuffix('_chunk')}"
            return texts(key, place=_place(data, str(arguments.get("chunk_id", ""))))
        case "outline":
            return texts("step.outline", path=_short(arguments.get("path", ""))).rstrip()
        case "summarize":
            return texts("step.summarize", summary=_short(arguments.get("summary", "")))
        case "answer":
            return texts("step.answer")
    return call.name


def _total(data: SearchResult) -> str:
    return f"{COUNTED:,}+" if data.total > COUNTED else str(data.total)


def _place(data: object, chunk_id: str) -> str:
    if not isinstance(data, Chunk):
        return _short(chunk_id)
    return trail(data.file_path, _last(data.section_path))


def _last(section_path: Sequence[str]) -> Sequence[str]:
    return section_path[-1:]


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
