"""The tools that look things up: the same code, and the same text, as for fanshu's own model."""

from collections.abc import Callable
from functools import partial

from fanshu.agent.layout import one_line
from fanshu.agent.orders import reads_like_orders
from fanshu.agent.others import most_telling
from fanshu.agent.outlines import MOST_ENTRIES, render_outline
from fanshu.agent.prompts import language_of
from fanshu.agent.prompts import say as say_of_run
from fanshu.agent.render import render_chunk
from fanshu.agent.tools import BEST_TOKENS, Tools
from fanshu.errors import RequestRefused, UnknownChunk, UnknownPath
from fanshu.library.library import Library
from fanshu.protocol import arguments as takes
from fanshu.protocol import results as gives
from fanshu.protocol.desk import Opened
from fanshu.protocol.visiting import Told, Visit, together, tools_for
from fanshu.protocol.words import how_far, say
from fanshu.types import Chunk, Language, Outline

MOST_DOCUMENTS = 200  # of a library in an outline as data; the text groups them
MOST_SECTIONS = 300
BEGINNING = 80  # characters of a section's first line
Turn = Callable[..., Chunk | None]


# ---------------------------------------------------------------- search, suggest


async def search(visit: Visit, given: takes.Search) -> Told:
    """Search one library, or all. Raises: UnknownLibrary, UnknownPath, LibraryError."""
    language = language_of(given.keyword)
    names = visit.meant(given.library)
    parts: list[tuple[Opened, str]] = []
    found: list[gives.FoundIn] = []
    nowhere: UnknownPath | None = None
    for name in names:
        async with visit.open(name, language) as opened:
            try:
                text, data = await _search(opened, given, language)
            except UnknownPath as error:
                nowhere = error
                continue
            parts.append((opened, text))
            found.append(data)
    if nowhere and not found:
        raise nowhere
    return Told(
        together(parts, language, several=len(names) > 1), gives.Found(given.keyword, found)
    )


async def _search(
    opened: Opened, given: takes.Search, language: Language
) -> tuple[str, gives.FoundIn]:
    tools = tools_for(opened, language, given.hits)
    result = await tools.search(given.keyword, path=given.path or None)
    best = tools.best(result, BEST_TOKENS)[:1] if result.total <= len(result.hits) else []
    text, whole = await tools.show(result, best)
    shown = tools.fence.around(text)
    reading = how_far(language, opened.name, opened.reading)
    return shown, gives.found_in(
        opened.name, result, {chunk.chunk_id: chunk for chunk in whole}, reading
    )


async def suggest(visit: Visit, given: takes.Suggest) -> Told:
    """Searches worth trying. Raises: UnknownLibrary, LibraryError."""
    language = language_of(given.query)
    found: list[gives.SuggestedWords] = []
    for name in visit.meant(given.library):
        async with visit.open(name, language) as opened:
            tools = tools_for(opened, language)
            look = partial(opened.library.suggest, given.query, scope=opened.scope)
            suggested = (await tools.call(look)).found
            found += [
                gives.SuggestedWords(name, one.words, one.kind, one.places) for one in suggested
            ]
    lines = [say(language, "places", words=one.words, places=one.places) for one in found]
    head = say(language, "suggestions" if lines else "no_suggestions")
    return Told("\n".join([head, *lines]), gives.Suggested(given.query, found))


# ---------------------------------------------------------------- reading


async def read(visit: Visit, given: takes.Read) -> Told:
    """A chunk in full. Raises: UnknownLibrary, UnknownChunk, LibraryError."""
    return await _page(visit, given, lambda library: library.read)


async def next_chunk(visit: Visit, given: takes.Read) -> Told:
    """The chunk after it. Raises: as `read`."""
    return await _page(visit, given, lambda library: library.next)


async def prev_chunk(visit: Visit, given: takes.Read) -> Told:
    """The chunk before it. Raises: as `read`."""
    return await _page(visit, given, lambda library: library.prev, "file_begins")


async def _page(
    visit: Visit, given: takes.Read, turn: Callable[[Library], Turn], at_end: str = "file_ends"
) -> Told:
    """A chunk of the library named, or of the only one that has it."""
    language = language_of(given.chunk_id)
    pages: dict[str, Told] = {}
    missing: list[UnknownChunk] = []
    for name in visit.meant(given.library):
        async with visit.open(name, language) as opened:
            tools = tools_for(opened, language)
            work = partial(turn(opened.library), given.chunk_id, scope=opened.scope)
            try:
                chunk = await tools.call(work)
            except UnknownChunk as error:
                missing.append(error)
                continue
            pages[name] = await _shown(opened, tools, chunk, given.chunk_id, at_end)
    if len(pages) > 1:
        detail = f"{given.chunk_id!r} is in {', '.join(pages)}: name one of them as `library`."
        raise RequestRefused(detail=detail)
    if missing and not pages:
        raise most_telling(missing)
    return next(iter(pages.values()))


async def _shown(
    opened: Opened, tools: Tools, chunk: Chunk | None, asked: str, at_end: str
) -> Told:
    if chunk is None:
        text = say(language_of(asked), at_end, chunk_id=asked)
        return Told(tools.fence.beside(text), gives.Page(end=True))
    language = language_of(chunk.text)

    def neighbours() -> tuple[Chunk | None, Chunk | None]:
        library, scope = opened.library, opened.scope
        before, after = library.prev, library.next
        return before(chunk.chunk_id, scope=scope), after(chunk.chunk_id, scope=scope)

    before, after = await tools.call(neighbours)
    page = gives.page_of(opened.name, chunk, before, after)
    text = render_chunk(chunk, language=language, before=before, after=after)
    ordered = f"{say_of_run(language, 'orders')}\n" if reads_like_orders(chunk.text) else ""
    return Told(ordered + tools.fence.around(text), page)


# ---------------------------------------------------------------- outline


async def outline(visit: Visit, given: takes.Outline) -> Told:
    """Libraries, files, headings. Raises: UnknownLibrary, UnknownPath, LibraryError."""
    language = language_of(given.words or given.path)
    names = visit.meant(given.library)
    parts: list[tuple[Opened, str]] = []
    told: list[gives.OutlineOf] = []
    nowhere: UnknownPath | None = None
    for name in names:
        async with visit.open(name, language) as opened:
            tools = tools_for(opened, language)
            look = partial(
                opened.library.contents,
                given.path or None,
                scope=opened.scope,
                words=given.words,
                at_most=MOST_ENTRIES,
            )
            try:
                contents = await tools.call(look)
            except UnknownPath as error:
                nowhere = error
                continue
            text = tools.fence.around(render_outline(contents, language=language))
            parts.append((opened, text))
            told.append(_outlined(opened, contents, language))
    if nowhere and not told:
        raise nowhere
    text = together(parts, language, several=len(names) > 1)
    return Told(text, gives.Outlined(told))


def _outlined(opened: Opened, contents: Outline, language: Language) -> gives.OutlineOf:
    entries = contents.entries or ()
    return gives.OutlineOf(
        library=opened.name,
        title=opened.title,
        files=len(contents.files),
        documents=[
            gives.FileEntry(one.file_path, one.title, one.chunks, one.characters)
            for one in contents.files[:MOST_DOCUMENTS]
        ],
        sections=[
            gives.SectionEntry(one.chunk_id, one.section_path, one_line(one.beginning, BEGINNING))
            for one in entries[:MOST_SECTIONS]
        ],
        more=len(contents.files) > MOST_DOCUMENTS
        or contents.entries is None
        or len(entries) > MOST_SECTIONS,
        reading=how_far(language, opened.name, opened.reading),
    )
