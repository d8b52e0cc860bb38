"""② The tools: what a model may do, and what it is told of it.

Each call becomes one `Observation`: typed data for programs and text for the model. All are
read-only and stay in the library. What the model has had before its eyes is remembered in
`Seen`: results say what is new and refer to the rest.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import ParamSpec, TypeVar

from fanshu.agent import calls, compact
from fanshu.agent.context import Fence, tokens
from fanshu.agent.earlier import told
from fanshu.agent.layout import body, one_line, trail
from fanshu.agent.orders import reads_like_orders
from fanshu.agent.outlines import MOST_ENTRIES, render_outline
from fanshu.agent.owntools import Tool, by_name, use
from fanshu.agent.prompts import say, tool_specs
from fanshu.agent.render import render_chunk, render_search
from fanshu.agent.seen import Given, Key, Seen
from fanshu.agent.whole import with_path
from fanshu.errors import ChunkChanged, LibraryError, UnknownChunk, UnknownPath
from fanshu.library.library import Library
from fanshu.library.naming import visible
from fanshu.models import Turn
from fanshu.types import (
    Chunk,
    Hit,
    Language,
    Observation,
    Opening,
    Scope,
    SearchResult,
    ToolCall,
)

# The text of a best hit is given unasked after a strong search, so that it need not be read in
# a round of its own (6 of 22 prototype conversations spent one so). Not a long one: what has
# been given is paid again in every round.
BEST_TOKENS = 350
PLACES_IN_FILE = 15  # lines, in the order of the text; of more places, the best and numbers
PLACES_IF_WEAK = 5  # of a file or folder that has not all of the words
PLACES_COUNTED = 100  # a word that stands in more places finds nothing
NEAR_BEST = 0.7  # of the best hit's score: the other half of a question is often that near
AHEAD_OF_NEXT = 1.3  # times the second's score: a first hit that stands out is worth its text
BEST_AMONG = 3  # a hit further down is no best hit, however short

P = ParamSpec("P")
T = TypeVar("T")
Result = tuple[str, object]
AHEAD = Given(0, "ahead")  # where that stands which was given before the first round


@dataclass(frozen=True, slots=True)
class Repeat:
    """A call that was made before and whose result still stands above: nothing was done."""

    round: int


class Tools:
    """The tools of one run, over one library and one scope; `without` some of them.

    `search_path`: searches may take one. `small`: those for a small model. `own`: the owner's.
    """

    def __init__(
        self,
        library: Library,
        *,
        language: Language,
        hits: int,
        scope: Scope,
        fence: Fence,
        without: Collection[str] = (),
        small: bool = False,
        search_path: bool = True,
        own: Sequence[Tool] = (),
        executor: Executor | None = None,
    ) -> None:
        offered = compact.specs(language) if small else tool_specs(language)
        self.own = by_name(own)
        ours = [with_path(spec, search_path) for spec in offered if spec.name not in without]
        self.specs = (*ours, *(tool.spec for tool in self.own.values()))
        self.small, self.path = small, search_path
        self.names = [spec.name for spec in self.specs]
        self.seen = Seen()
        self.fence = fence
        self.say = partial(say, language)
        self.library, self.scope, self._hits = library, scope, hits
        self.language: Language = language
        self._executor = executor
        self._place = AHEAD
        self._tools: Mapping[str, Callable[..., Awaitable[Result]]] = {
            "search": self._search,
            "read": self._read,
            "next_chunk": partial(self._turn_page, library.next, "file_ends"),
            "prev_chunk": partial(self._turn_page, library.prev, "file_begins"),
            "outline": self._outline,
            "summarize": self._summarize,
        }

    async def run(self, call: ToolCall, round_: int) -> Observation:
        """Do what a call asks, once; whatever goes wrong is an observation that teaches."""
        if tool := self.own.get(call.name):
            return await self._run_own(tool, call, round_)
        problem = calls.problem(call, self.names, self.language)
        if problem:
            return Observation(call.id, call.name, self.fence.harmless(problem), error=True)
        arguments = calls.arguments(call)
        if "chunk_id" in arguments:
            arguments["chunk_id"] = self.seen.full_id(arguments["chunk_id"])
        key = calls.key(call.name, arguments)
        if repeat := self._repeated(call, key):
            return repeat
        self._place = Given(round_, call.id)
        try:
            text, data = await self._tools[call.name](**arguments)
        except LibraryError as error:
            return Observation(call.id, call.name, self._teach(error), error=True)
        self.seen.done[key] = self._place
        return Observation(call.id, call.name, text, data)

    def _repeated(self, call: ToolCall, key: Key) -> Observation | None:
        earlier = self.seen.done.get(key)
        if earlier is None:
            return None
        text = self.say("repeat", round=earlier.round)
        return Observation(call.id, call.name, text, Repeat(earlier.round))

    async def _run_own(self, tool: Tool, call: ToolCall, round_: int) -> Observation:
        key = (call.name, *sorted(calls.given(call, tuple(tool.parameters)).items()))
        if repeat := self._repeated(call, key):
            return repeat
        self._place = Given(round_, call.id)
        observation = await use(self, tool, call)
        if not observation.error:
            self.seen.done[key] = self._place
        return observation

    async def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """A call of the library, in a thread of the pool; state changes only outside of it."""
        run = partial(function, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._executor, run)

    # ------------------------------------------------------------ search

    async def search(
        self, words: str, *, k: int | None = None, path: str | None = None, question: bool = False
    ) -> SearchResult:
        """`find`, remembered."""
        result = await self.call(
            find,
            self.library,
            words,
            k=k or self._hits,
            path=path,
            scope=self.scope,
            question=question,
        )
        self.seen.found(result, ahead=question)
        return result

    async def _search(self, keyword: str, path: str | None = None) -> Result:
        try:
            result, note = await self.search(keyword, path=path), ""
        except UnknownPath as error:
            # Small models invent paths. The words are what they mean; say it and go on.
            note = f"{self._teach(error)}\n{self.say('everywhere')}\n"
            result = await self.search(keyword)
        few = result.total <= self._hits  # among many, which one is best is anybody's guess
        best = self.best(result, BEST_TOKENS)[:1] if few else []
        if self.small:
            best = self.first(result)
        text, _ = await self.show(result, best)
        text = note + self.fence.around(text)
        return (text if result.hits else f"{text}\n{self.say('empty_moves')}"), result

    def best(self, result: SearchResult, budget: int) -> list[Hit]:
        """The best hits of a search, if unread and of so many tokens together.

        Of a weak search only the first, when it is well ahead of the others and short.
        """
        chosen: list[Hit] = []
        for hit in _leading(result):
            known = hit.complete or hit.chunk_id in self.seen.visible
            if not known and tokens(hit.text) <= budget:
                chosen.append(hit)
                budget -= tokens(hit.text)
        return chosen

    def first(self, result: SearchResult) -> list[Hit]:
        """The first unread hits, whose texts a small model is given at once."""
        chosen: list[Hit] = []
        budget = compact.TEXT_TOKENS
        for hit in result.hits[: compact.TEXTS]:
            near = hit.score >= compact.NEAR_BEST * result.hits[0].score
            known = hit.complete or hit.chunk_id in self.seen.visible
            if near and not known and tokens(hit.text) <= budget:
                chosen.append(hit)
                budget -= tokens(hit.text)
        return chosen

    async def show(
        self, result: SearchResult, best: Sequence[Hit], *, verdict: bool = True
    ) -> tuple[str, tuple[Chunk, ...]]:
        """The text of a result, with the texts of `best`, and what counts as read by it.

        `verdict`: say first how well the search went.
        """
        seen = self.seen
        lines = [
            render_search(
                result,
                language=self.language,
                read=seen.visible,
                listed=seen.listed,
                below=[hit.chunk_id for hit in best],
                verdict=verdict,
            )
        ]
        for hit in result.hits:
            seen.lists(hit, self._place)
        chunks = []
        for hit in result.hits:
            if hit.chunk_id in seen.visible or not (hit.complete or hit in best):
                continue
            chunk = await self._behind(hit)
            if chunk is None:
                continue
            if not hit.complete:
                lines += [
                    self.say("best", chunk_id=hit.chunk_id),
                    body(chunk.text, chunk.section_path),
                ]
            seen.gave(chunk, self._place)
            chunks.append(chunk)
        if ordered := [chunk.chunk_id for chunk in chunks if reads_like_orders(chunk.text)]:
            lines.insert(
                0, f"{self.say('orders')}{self.say('colon')}{' '.join(map(visible, ordered))}"
            )
        return "\n".join(lines), tuple(chunks)

    def give(self, chunks: Sequence[Chunk]) -> str:
        """Chunks of which an answer quotes a line, in full, to be read before it answers."""
        lines = []
        for chunk in chunks:
            self.seen.gave(chunk, self._place)
            lines += [
                self.say("best", chunk_id=chunk.chunk_id),
                body(chunk.text, chunk.section_path),
            ]
        ordered = any(reads_like_orders(chunk.text) for chunk in chunks)
        warning = f"{self.say('orders')}\n" if ordered else ""
        return f"{self.say('read_first')}\n{warning}{self.fence.around(chr(10).join(lines))}"

    async def _behind(self, hit: Hit) -> Chunk | None:
        """The chunk of a hit, unless its file has changed this very moment."""
        expect = hit.hash or None
        try:
            return await self.call(self.library.read, hit.chunk_id, scope=self.scope, expect=expect)
        except LibraryError:
            return None

    # ------------------------------------------------------------ reading

    async def read(self, chunk_id: str) -> Chunk:
        """A chunk, provided that its text is still what was shown under this id.

        Raises: UnknownChunk; ChunkChanged, once: then the new text may be read.
        """
        expect = self.seen.shown.get(chunk_id) or None
        try:
            return await self.call(self.library.read, chunk_id, scope=self.scope, expect=expect)
        except ChunkChanged:
            self.seen.forget(chunk_id)
            raise

    async def _read(self, chunk_id: str) -> Result:
        return await self._page(await self.read(chunk_id))

    async def pages(self, chunk_ids: Sequence[str]) -> str:
        """Several chunks, each as `read` shows it; what cannot be read is said in its place."""
        texts = []
        for chunk_id in chunk_ids:
            try:
                texts.append((await self._read(self.seen.full_id(chunk_id)))[0])
            except LibraryError as error:
                texts.append(self._teach(error))
        return "\n".join(texts)

    async def _turn_page(
        self, step: Callable[..., Chunk | None], at_end: str, chunk_id: str
    ) -> Result:
        await self.read(chunk_id)
        chunk = await self.call(step, chunk_id, scope=self.scope)
        return await self._page(chunk) if chunk else (self.say(at_end), None)

    async def _page(self, chunk: Chunk) -> Result:
        if chunk.chunk_id in self.seen.visible and self.seen.read[chunk.chunk_id] == chunk:
            return self.fence.beside(self.say("already_read", chunk_id=chunk.chunk_id)), chunk
        before, after = await self.call(self._neighbours, chunk.chunk_id)
        self.seen.gave(chunk, self._place)
        text = render_chunk(chunk, language=self.language, before=before, after=after)
        warning = f"{self.say('orders')}\n" if reads_like_orders(chunk.text) else ""
        return warning + self.fence.around(text), chunk

    def _neighbours(self, chunk_id: str) -> tuple[Chunk | None, Chunk | None]:
        library, scope = self.library, self.scope
        return library.prev(chunk_id, scope=scope), library.next(chunk_id, scope=scope)

    # ------------------------------------------------------------ outline, notes

    async def _outline(self, path: str | None = None, words: str = "") -> Result:
        look = partial(self.library.contents, scope=self.scope, words=words, at_most=MOST_ENTRIES)
        outline = await self.call(look, path)
        for entry in outline.entries or ():
            self.seen.shown.setdefault(entry.chunk_id, "")
        return self.fence.around(render_outline(outline, language=self.language)), outline

    async def _summarize(self, summary: str) -> Result:
        self.seen.notes.append(summary)
        return self.say("noted"), summary

    # ------------------------------------------------------------ folding away

    def folded(self, turn: Turn, place: Given, *, sent: bool) -> Turn:
        """A tool turn without its text; what was never `sent` does not count as read."""
        self.seen.fold(place, sent=sent)
        tool, before, earlier = turn.tool, "", ""
        match turn.data:
            case Opening() as opening:
                before = f"{self.say('question', question=opening.question)}\n"
                what, tool = one_line(opening.question, 60), "search"
                earlier = f"{told(opening.earlier, self.language)}\n" if opening.earlier else ""
            case Chunk() as chunk:
                what = f"{visible(chunk.chunk_id)} {trail(chunk.section_path)}".strip()
            case SearchResult() as result:
                what = f"{one_line(result.query, 60)} · {len(result.hits)}"
            case _:
                what = turn.tool
        text = self.say("folded" if sent else "no_room", what=what, tool=tool)
        return replace(turn, text=before + self.fence.around(earlier + text))

    # ------------------------------------------------------------ when the library says no

    def _teach(self, error: LibraryError) -> str:
        """What a model can do about an error of the library."""
        match error:
            case UnknownPath():
                known = error.fields["closest"] not in ("", "-")
                key = "unknown_path" if known else "no_such_path"
                return self.fence.around(self.say(key, **error.fields))
            case UnknownChunk():
                wanted = calls.echo(str(error.fields["chunk_id"]))
                said = self.say("unknown_chunk", chunk_id=wanted)
            case ChunkChanged():
                said = self.say("moved" if error.now else "gone", **error.fields)
            case _:
                said = self.say("library_error", error=error)
        return self.fence.beside(said)


def _best_first(result: SearchResult) -> SearchResult:
    """The places of one file, some shown and the others by number."""
    shown, others = result.hits[:PLACES_IN_FILE], result.hits[PLACES_IN_FILE:]
    return replace(result, hits=shown, rest=tuple(hit.chunk_id for hit in others))


def find(
    library: Library, words: str, *, k: int, path: str | None, scope: Scope, question: bool = False
) -> SearchResult:
    """The search of a run. In a single file it shows every place, of many some as numbers.

    Raises: UnknownPath.
    """
    search = partial(library.search, words, path=path, scope=scope, question=question)
    result = search(k=k)
    if path and result.level == "some":
        return replace(result, hits=result.hits[:PLACES_IF_WEAK])
    in_one_file = path and result.files == 1
    if in_one_file and len(result.hits) < result.total <= PLACES_COUNTED:
        return _best_first(search(k=PLACES_COUNTED))
    return result


def _leading(result: SearchResult) -> Sequence[Hit]:
    """The hits whose texts may be worth giving unasked."""
    if result.leads:
        return [hit for hit in result.hits if hit.chunk_id in result.leads]
    if result.strong:
        near = NEAR_BEST * result.hits[0].score
        return [hit for hit in result.hits[:BEST_AMONG] if hit.score >= near]
    scores = [hit.score for hit in result.hits[:2]]
    ahead = len(scores) == 2 and scores[0] >= AHEAD_OF_NEXT * scores[1]
    return result.hits[:1] if ahead and tokens(result.hits[0].text) <= BEST_TOKENS else ()
