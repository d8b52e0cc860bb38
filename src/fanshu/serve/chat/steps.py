"""What a run is doing, a line for each step: what chat clients show as its thinking."""

from collections.abc import Sequence

from fanshu.agent.events import Bounced, Event, Stepped
from fanshu.library.naming import visible
from fanshu.serve.chat.plaintext import literal
from fanshu.serve.chat.words import say
from fanshu.types import COUNTED, Chunk, Language, Observation, SearchResult, ToolCall

SHOWN = 80  # characters of words, a note or a name in one step


def line(text: str) -> str:
    """One step among others: an item of a list, so that each stands on its own."""
    return f"- {text}\n"


def told(event: Event, language: Language) -> str:
    """An event as a line; empty when it is none to tell."""
    if isinstance(event, Stepped):
        return line(_step(event, language))
    if isinstance(event, Bounced):
        return line(say(language, "step.bounced", objections=_short("; ".join(event.objections))))
    return ""


def _step(event: Stepped, language: Language) -> str:
    text = _said(event.call, event.observation, language, ahead=event.round == 0)
    failed = event.observation.error and event.call.name != "answer"
    return say(language, "step.failed", step=text) if failed else text


def _said(call: ToolCall, observation: Observation, language: Language, *, ahead: bool) -> str:
    arguments, data = call.arguments or {}, observation.data
    match call.name:
        case "search":
            words = _short(arguments.get("keyword", ""))
            if not isinstance(data, SearchResult):
                return say(language, "step.again", words=words)
            key = "step.ahead" if ahead else "step.search"
            return say(language, key, words=words, total=_total(data))
        case "read" | "next_chunk" | "prev_chunk":
            key = f"step.{call.name.removesuffix('_chunk')}"
            return say(language, key, place=_place(data, arguments.get("chunk_id", "")))
        case "outline":
            return say(language, "step.outline", path=_short(arguments.get("path", ""))).rstrip()
        case "summarize":
            return say(language, "step.summarize", summary=_short(arguments.get("summary", "")))
        case "answer":
            return say(language, "step.answer")
    return _short(call.name)


def _total(data: SearchResult) -> str:
    return f"{COUNTED:,}+" if data.total > COUNTED else str(data.total)


def _place(data: object, chunk_id: object) -> str:
    if not isinstance(data, Chunk):
        return _short(chunk_id)
    last: Sequence[str] = data.section_path[-1:]
    return " › ".join(_short(name) for name in (visible(data.file_path), *last))


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return literal(text if len(text) <= SHOWN else text[: SHOWN - 1] + "…")
