"""How a run begins: the question, the library at a glance, a search made ahead.

The search ahead is no round and the model did not ask for it, but it counts like its own.
"""

from dataclasses import replace

from fanshu.agent.context import tokens
from fanshu.agent.events import Stepped
from fanshu.agent.layout import within
from fanshu.agent.prompts import SYSTEM, say
from fanshu.agent.render import ABOUT, render_folders, render_titles
from fanshu.agent.run import State
from fanshu.agent.tools import AHEAD
from fanshu.library.library import Library
from fanshu.models import Turn
from fanshu.types import Chunk, Language, Observation, Opening, Scope, SearchResult, ToolCall

HITS_AHEAD = 6  # a line each; what stands in the first message is paid in every round
AHEAD_TOKENS = 650  # of texts given unasked: one part of 800 Chinese characters is 600
TEXTS_AHEAD = 2
DIRECTORY_TOKENS = 250
TITLES_UP_TO = 20  # files; a longer list says less than folders do, for more tokens


async def open_run(state: State, *, summary: bool | str, first_search: bool) -> None:
    """Write the system text and the first message.

    Raises: LibraryError — the library cannot be searched at all.
    """
    tools = state.tools
    inside = [await _glance(state, summary)]
    found: SearchResult | None = None
    read: tuple[Chunk, ...] = ()
    if first_search:
        text, found, read = await _look_ahead(state)
        inside.append(text)
    lines = [
        tools.say("question", question=state.question),
        tools.say("rounds", rounds=state.max_rounds),
    ]
    if any(inside):
        lines.append(tools.fence.around("\n\n".join(filter(None, inside))))
    state.opening = Opening(state.question, found, read, state.language)
    state.turns.append(Turn("system", SYSTEM[state.language]))
    state.turns.append(Turn("user", "\n".join(lines), call_id=AHEAD.call_id, data=state.opening))
    _tell(state, state.opening)


async def _look_ahead(state: State) -> tuple[str, SearchResult, tuple[Chunk, ...]]:
    """A search with the question's own words; a strong one brings its best texts along."""
    tools = state.tools
    found = await tools.search(state.question, k=HITS_AHEAD, question=True)
    best = tools.best(found, AHEAD_TOKENS)[:TEXTS_AHEAD]
    # Files that hold some common words of a whole question are no lead, and pieces of Chinese
    # sentences are no words; what counts is whether its names and numbers occur.
    names = tuple(word for word in found.words if word.word.isascii())
    shown = replace(found, other_files=(), words=names)
    text, read = await tools.show(shown, best, verdict=False)
    said = tools.say("ahead" if found.strong else "ahead_weak")
    return f"{said}\n{text}", found, read


def _tell(state: State, opening: Opening) -> None:
    if opening.search is None:
        return
    call = ToolCall(AHEAD.call_id, "search", {"keyword": opening.question})
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
    lines = _overview(library, scope, language)
    shown = list(within(lines, DIRECTORY_TOKENS))
    rest = len(lines) - len(shown)
    more = [say(language, "more_lines", count=rest)] if rest else []
    return "\n".join([say(language, "directory"), *shown, *more])


def _overview(library: Library, scope: Scope, language: Language) -> list[str]:
    """Rather all folders by name than some of them in detail."""
    folders = library.folders(scope=scope)
    if sum(folder.files for folder in folders) <= TITLES_UP_TO:
        return render_titles(library.titles(scope=scope))
    for about in (ABOUT, 1):
        lines = render_folders(folders, language, about)
        if tokens("\n".join(lines)) <= DIRECTORY_TOKENS:
            return lines
    return render_folders(folders, language, 0)
