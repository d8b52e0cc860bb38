"""What a run looked at, so that it can be looked at again: the evidence of a cached answer.

A look is one call of the library and what it showed: of a search the chunks found, by file,
headings and hash of the text, and the words that stand nowhere; of a chunk read also its date and
whether a newer version exists. Counts, ranks, snippets and numbers of chunks play no part, so
that an edit elsewhere changes nothing, while any that a model could have noticed does.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256

from fanshu.agent.calls import arguments
from fanshu.agent.opening import HITS_AHEAD
from fanshu.agent.outlines import MOST_ENTRIES
from fanshu.agent.run import Run
from fanshu.agent.seen import Seen
from fanshu.agent.tools import Repeat, find
from fanshu.errors import ChunkChanged, LibraryError, UnknownPath
from fanshu.library.freshness import is_stale
from fanshu.library.library import Library
from fanshu.types import (
    TOO_MANY,
    Chunk,
    Hit,
    Observation,
    Outline,
    OutlineEntry,
    Scope,
    SearchResult,
    ToolCall,
)

FAILED = ("failed",)
_CHUNKS = frozenset({"read", "next_chunk", "prev_chunk"})
_NO_LOOKS = frozenset({"summarize", "answer"})


@dataclass(frozen=True, slots=True)
class Look:
    """One call and what it showed.

    `tool`: `ahead` (the search before the first round), or the name of a tool. `hash`: of the text
    of the chunk that was asked for, under whatever number it stands now. `shown` are marks that are
    equal when what was shown is.
    """

    tool: str
    arguments: Mapping[str, str]
    shown: tuple[str, ...]
    hash: str = ""


class Unprovable(Exception):
    """A run that saw something which cannot be looked at again, and so is not kept."""


class Eyes:
    """Looks at a library as a run with these settings does."""

    def __init__(self, library: Library, *, scope: Scope, hits: int) -> None:
        self._library, self._scope, self._hits = library, scope, hits

    def again(self, look: Look) -> object:
        """What the same call gives now: a SearchResult, a Chunk, None, or an Outline.

        Raises: LibraryError.
        """
        given = look.arguments
        match look.tool:
            case "ahead":
                return self._find(given["keyword"], None, HITS_AHEAD, question=True)
            case "search":
                return self._search(given["keyword"], given.get("path"))
            case "next_chunk":
                return self._library.next(self._now(look), scope=self._scope)
            case "prev_chunk":
                return self._library.prev(self._now(look), scope=self._scope)
            case "outline":
                look_at = partial(self._library.contents, at_most=MOST_ENTRIES)
                return look_at(given.get("path"), scope=self._scope, words=given.get("words", ""))
        return self.chunk(given["chunk_id"], look.hash or None)

    def chunk(self, chunk_id: str, text_hash: str | None) -> Chunk:
        """The chunk with this text, wherever in its file it stands now. Raises: LibraryError."""
        try:
            return self._library.read(chunk_id, scope=self._scope, expect=text_hash)
        except ChunkChanged as changed:
            if not changed.now:
                raise
            return self._library.read(changed.now, scope=self._scope, expect=text_hash)

    def _now(self, look: Look) -> str:
        return self.chunk(look.arguments["chunk_id"], look.hash or None).chunk_id

    def _search(self, words: str, path: str | None) -> SearchResult:
        try:
            return self._find(words, path, self._hits)
        except UnknownPath:  # the tool then searches everywhere
            return self._find(words, None, self._hits)

    def _find(
        self, words: str, path: str | None, k: int, *, question: bool = False
    ) -> SearchResult:
        return find(self._library, words, k=k, path=path, scope=self._scope, question=question)


def _harmless(warning: str) -> bool:
    return warning == TOO_MANY or is_stale(warning)


def shown(data: object) -> tuple[str, ...]:
    """The marks of what a call gave; of a search that was cut short there are none.

    Raises: Unprovable.
    """
    match data:
        case None:
            return ()
        case Chunk():
            around = (data.title, data.date, data.newer_version, data.carried)
            return (_mark(data, *(text or "" for text in around)),)
        case SearchResult() if data.complete and all(map(_harmless, data.warnings)):
            missing = sorted({word.word for word in data.words if not word.count})
            rest = [f"more: {len(data.rest)}"] if data.rest else []
            return (*sorted(map(_mark, data.hits)), *(f"none: {word}" for word in missing), *rest)
        case Outline():
            return (
                *(f"{file.file_path} {file.title}" for file in data.files),
                *map(_heading, data.entries or ()),
            )
    raise Unprovable


def _mark(one: Chunk | Hit, *more: str) -> str:
    trail = " › ".join(one.section_path)
    said = "\0".join((trail, *more))
    return (
        f"{one.file_path} {one.hash[:16]} {sha256(said.encode('utf-8', 'replace')).hexdigest()[:8]}"
    )


def _heading(entry: OutlineEntry) -> str:
    part = f" {entry.part[0]}/{entry.part[1]}" if entry.part[1] > 1 else ""
    return f"{entry.file_path} {' › '.join(entry.section_path)}{part}"


def looks_of(run: Run, eyes: Eyes) -> tuple[Look, ...]:
    """Every look of a run that is over, each once. Raises: Unprovable, LibraryError."""
    looks = list(_ahead(run))
    seen = Seen()
    for given in (run.opening.search, *run.opening.read) if run.opening else ():
        _remember(seen, given)
    for call, observation in _calls(run):
        if look := _look(call, observation, seen, eyes):
            looks.append(look)
        _remember(seen, observation.data)
    return tuple(
        {(one.tool, *sorted(one.arguments.items()), one.hash): one for one in looks}.values()
    )


def _ahead(run: Run) -> Iterator[Look]:
    if run.opening and run.opening.search:
        words = {"keyword": run.opening.question}
        yield Look("ahead", words, shown(run.opening.search))
    for chunk in run.opening.read if run.opening else ():
        yield Look("read", {"chunk_id": chunk.chunk_id}, shown(chunk), chunk.hash)


def _calls(run: Run) -> Iterator[tuple[ToolCall, Observation]]:
    for step in run.steps:
        yield from zip(step.calls, step.observations, strict=True)


def _remember(seen: Seen, data: object) -> None:
    """What the model was shown decides which chunk a short id means."""
    match data:
        case SearchResult():
            seen.found(data)
        case Chunk():
            seen.shown[data.chunk_id] = data.hash
        case Outline():
            for entry in data.entries or ():
                seen.shown.setdefault(entry.chunk_id, "")


def _look(call: ToolCall, observation: Observation, seen: Seen, eyes: Eyes) -> Look | None:
    """A call as a look; None for one that looked at nothing. Raises: Unprovable, LibraryError."""
    if call.name in _NO_LOOKS or isinstance(observation.data, Repeat):
        return None
    if call.name in _CHUNKS:
        return _page(call, observation, seen, eyes)
    if call.name not in ("search", "outline") or observation.error:
        raise Unprovable
    return Look(call.name, arguments(call), shown(observation.data))


def _page(call: ToolCall, observation: Observation, seen: Seen, eyes: Eyes) -> Look | None:
    given = arguments(call) if call.arguments is not None else {}
    if not given.get("chunk_id"):
        return None  # refused before anything was looked at
    asked = {"chunk_id": seen.full_id(given["chunk_id"])}
    if observation.error:
        return Look(call.name, asked, FAILED)
    data = observation.data
    if call.name == "read" and isinstance(data, Chunk):
        return Look("read", {"chunk_id": data.chunk_id}, shown(data), data.hash)
    return Look(call.name, asked, shown(data), eyes.chunk(asked["chunk_id"], None).hash)


def same(looks: Sequence[Look], eyes: Eyes, on_data: Callable[[Look, object], None]) -> bool:
    """Whether every look shows now what it showed; `on_data` hears what each gives."""
    for look in looks:
        try:
            data = eyes.again(look)
            now = shown(data)
        except LibraryError:
            data, now = None, FAILED
        except Unprovable:
            return False
        if now != look.shown:
            return False
        on_data(look, data)
    return True
