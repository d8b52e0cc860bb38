"""How a run begins: the question, the library at a glance, a search made ahead.

The search ahead is no round and the model did not ask for it, but it counts like its own.
"""

import re
from dataclasses import replace

from fanshu.agent import compact
from fanshu.agent.budget import tokens_of
from fanshu.agent.earlier import searched_with, told
from fanshu.agent.events import Stepped
from fanshu.agent.outlines import render_folders, render_titles
from fanshu.agent.prompts import say
from fanshu.agent.run import State
from fanshu.agent.tools import AHEAD
from fanshu.agent.whole import system_text
from fanshu.library.library import Library
from fanshu.library.query import is_name
from fanshu.models import Turn
from fanshu.types import Chunk, Language, Observation, Opening, Scope, SearchResult, ToolCall

_ASKED = re.compile(r"[?？]+")
HITS_IF_WEAK = 4  # most of what a weak search finds is beside the point
HITS_AHEAD = 6  # a line each; what stands in the first message is paid in every round
AHEAD_TOKENS = 650  # of texts given unasked: one part of 800 Chinese characters is 600
TEXTS_AHEAD = 2
DIRECTORY_TOKENS = 160  # paid in every round; folders' names alone say most
FLAT_TOKENS = 50  # of one folder that holds everything: names out of hundreds lead nowhere
TITLES_UP_TO = 20  # files; a longer list says less than folders do, for more tokens


async def open_run(
    state: State, *, summary: bool | str, first_search: bool, text_ahead: bool = True
) -> None:
    """Write the system text and the first message.

    `text_ahead`: with the best texts of a search that went well.

    Raises: LibraryError — the library cannot be searched at all.
    """
    tools = state.tools
    small = tools.small
    summary = summary if not small else False
    inside = [told(state.earlier, state.language), await _glance(state, summary)]
    found: SearchResult | None = None
    read: tuple[Chunk, ...] = ()
    if first_search:
        text, found, read = await _look_ahead(state, text_ahead=text_ahead)
        inside.append(text)
    asked = questions_in(state.question)
    lines = [
        tools.say("question", question=state.question),
        *([tools.say("several", count=asked)] if asked > 1 else []),
        *([] if small else [tools.say("rounds", rounds=state.max_rounds)]),
    ]
    if any(inside):
        # What stands last weighs most with a small model.
        material = tools.fence.around("\n\n".join(filter(None, inside)))
        lines.insert(0 if small else len(lines), material)
    state.opening = Opening(state.question, found, read, state.language, state.earlier)
    rules = (
        compact.SYSTEM[state.language] if small else system_text(tools.language, path=tools.path)
    )
    state.turns.append(Turn("system", rules))
    state.turns.append(Turn("user", "\n".join(lines), call_id=AHEAD.call_id, data=state.opening))
    _tell(state, state.opening)


def questions_in(text: str) -> int:
    """How many questions a text asks, going by its question marks."""
    return len(_ASKED.findall(text))


async def _look_ahead(
    state: State, *, text_ahead: bool
) -> tuple[str, SearchResult, tuple[Chunk, ...]]:
    """A search with the question's own words; a strong one brings its best texts along."""
    tools = state.tools
    words = searched_with(state.question, state.earlier)
    found = await tools.search(words, k=HITS_AHEAD, question=True)
    best = tools.best(found, AHEAD_TOKENS)[: max(TEXTS_AHEAD, len(found.leads))]
    if tools.small:
        best = tools.first(found)
    if not text_ahead:
        best = []
    text, read = await tools.show(_told(found), best, verdict=False)
    said = tools.say("ahead" if found.strong else "ahead_weak")
    return f"{said}\n{text}", found, read


def _told(found: SearchResult) -> SearchResult:
    """Of a search with a whole question, what is worth a place in the first message.

    Files that hold some common words of it are no lead, and pieces of sentences are no words; what
    counts is whether its names occur. Of a search that found little, a few lines will do.
    """
    names = tuple(word for word in found.words if is_name(word.word))
    missing = tuple(word for word in found.missing if is_name(word))
    told = replace(found, other_files=(), words=names, missing=missing)
    if not missing:
        told = replace(told, suggestions=())
    if found.strong or found.leads:
        return told
    few = [replace(hit, complete=False) for hit in found.hits[:HITS_IF_WEAK]]
    return replace(told, hits=tuple(few))


def _tell(state: State, opening: Opening) -> None:
    if opening.search is None:
        return
    call = ToolCall(AHEAD.call_id, "search", {"keyword": opening.search.query})
    _step(state, call, opening.search)
    for chunk in opening.read:
        _step(state, ToolCall(AHEAD.call_id, "read", {"chunk_id": chunk.chunk_id}), chunk)


def _step(state: State, call: ToolCall, data: object) -> None:
    observation = Observation(call.id, call.name, "", data)
    state.tell(Stepped(AHEAD.round, call, observation, state.seconds))


async def _glance(state: State, summary: bool | str) -> str:
    if isinstance(summary, str):
        return summary
    if not summary:
        return ""
    tools = state.tools
    return await tools.call(glance, tools.library, tools.scope, state.language)


def glance(library: Library, scope: Scope, language: Language) -> str:
    """The library in a few hundred tokens: titles of few files, else folders with counts."""
    folders = library.folders(scope=scope)
    files = sum(folder.files for folder in folders)
    if files <= TITLES_UP_TO:
        lines = render_titles(library.titles(scope=scope))
        head = say(language, "directory")
    else:
        room = DIRECTORY_TOKENS if len(folders) > 1 else FLAT_TOKENS
        lines = render_folders(folders, language, room)
        head = say(language, "directory_folders", count=files)
    shown = list(tokens_of(DIRECTORY_TOKENS).within(lines))
    rest = len(lines) - len(shown)
    more = [say(language, "more_outline", count=rest)] if rest else []
    return "\n".join([head, *shown, *more])
