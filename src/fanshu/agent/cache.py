"""Answers kept with their evidence, and given again only while the evidence is the same.

    cache.keep(question, run, answer)  # after a run that came to an answer
    cache.find(question)               # later: the answer, or None

An entry is found by its question (see `asked.py`) within one context: scope, reader, prompts and
settings. It counts only when every call of its run, made again, shows what it showed (see
`looks.py`); of an answer "not found" the whole index must be the same. No model is asked. What
the answer says of places is then said of where they are now.
"""

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from fanshu.agent.asked import content, stands_for
from fanshu.agent.draft import Draft, parse_draft
from fanshu.agent.entries import Entry, EntryStore
from fanshu.agent.looks import Eyes, Look, Unprovable, looks_of, same, shown
from fanshu.agent.run import Run
from fanshu.errors import CacheUnusable, LibraryError
from fanshu.library.library import Library
from fanshu.types import (
    TOO_SLOW,
    Answer,
    Chunk,
    Citation,
    Lines,
    Scope,
    SearchRecord,
    SearchResult,
    Usage,
)

if TYPE_CHECKING:
    from pydantic import TypeAdapter

KEPT = (("answered", "answered"), ("not_found", "not_found"))  # status, stop reason


@dataclass(frozen=True, slots=True)
class Cited:
    """A chunk that an answer cites: what it showed (see `looks.shown`), and where it stood."""

    shown: tuple[str, ...]
    lines: Lines | None
    page: int | None


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer with its evidence. `cited`: the chunks of its citations, in their order.

    An answer "not found" has no looks: any change of the index is a change of its evidence.
    """

    answer: Answer
    looks: tuple[Look, ...] = ()
    cited: tuple[Cited, ...] = ()


class Cache:
    """The cached answers over one library, within one context.

    Synchronous and thread-safe. `context`: whatever else must be the same for an answer to be
    the answer (reader, prompts, settings). `hits`: the lines of a search, as the loop has them.
    """

    def __init__(
        self,
        entries: EntryStore,
        library: Library,
        *,
        scope: Scope,
        hits: int,
        context: str,
    ) -> None:
        self._entries, self._library, self._scope = entries, library, scope
        self._eyes = Eyes(library, scope=scope, hits=hits)
        self.context = digest(context, *sorted(scope.patterns))

    def find(self, question: str) -> Answer | None:
        """The answer to a question that was asked before, if its evidence still is the same.

        It says `cached`, costs no tokens, and names the trace of its run.
        Raises: CacheUnusable.
        """
        began = time.perf_counter()
        asked = content(question)
        known = self._entries.matching(self.context, asked) if asked else ()
        for entry in known:
            kept = opened(entry.body)
            if kept and (proven := self._proven(kept, entry.state)):
                now, state = proven
                with suppress(CacheUnusable):
                    self._entries.used(replace(entry, body=_closed(now), state=state))
                return _given(now.answer, question, time.perf_counter() - began)
        with suppress(CacheUnusable):
            self._entries.unused(stale=bool(known))
        return None

    @property
    def place(self) -> str:
        """Where it is kept."""
        return self._entries.place

    def take(self, name: str, seconds: float) -> bool:
        """Whether to find an answer oneself (see `EntryStore.take`). Raises: CacheUnusable."""
        return self._entries.take(name, seconds)

    def give_back(self, name: str) -> None:
        """It has been found, or given up. Raises: CacheUnusable."""
        self._entries.give_back(name)

    def state(self) -> str:
        """What the index holds now, in short."""
        return self._library.digest(scope=self._scope)

    def keep(self, question: str, run: Run, answer: Answer, before: str) -> bool:
        """Keep the `answer` of a run (with its trace's id) that came to one; whether it was kept.

        `before`: the `state` when the run began.

        Raises: CacheUnusable.
        """
        asked = content(question)
        if not asked or (run.answer.status, run.answer.stop_reason) not in KEPT:
            return False
        state = self._still(before)
        if answer.status == "not_found" and not state:
            return False
        try:
            kept = replace(self._evidence(run), answer=answer)
        except (Unprovable, LibraryError):
            return False
        summary = _summary(run)
        entry = Entry(
            context=self.context,
            asked=asked,
            summary="" if summary == asked else summary,
            question=question,
            status=answer.status,
            reader=answer.reader,
            tokens=answer.usage.prompt + answer.usage.completion,
            body=_closed(kept),
            state=state,
        )
        self._entries.put(entry)
        return True

    def _still(self, state: str) -> str:
        """The state, if it is the same now; nothing can be said of an index that changed."""
        return state if self.state() == state else ""

    def _evidence(self, run: Run) -> Kept:
        """Raises: Unprovable, LibraryError."""
        if TOO_SLOW in run.answer.warnings:  # what was not searched to the end may be there
            raise Unprovable
        if run.answer.status == "not_found":
            return Kept(run.answer)
        chunks = [self._eyes.chunk(one.chunk_id, one.hash) for one in run.answer.citations]
        return Kept(run.answer, looks_of(run, self._eyes), tuple(map(_cited, chunks)))

    def _proven(self, kept: Kept, then: str) -> tuple[Kept, str] | None:
        """The answer as it is to be given now, and the state of the index that it is proven for.

        Looking at a file may find that it has changed, and that changes the index.
        """
        state = self.state()
        now = self._now(kept, same_index=state == then)
        if now and state == then and not self._still(state):
            state = self.state()
            now = self._now(kept, same_index=False)
        return (now, self._still(state)) if now else None

    def _now(self, kept: Kept, *, same_index: bool) -> Kept | None:
        """The answer as it is to be given now; None when its evidence has changed.

        While the whole index is the same, so is all that it shows; then only the cited files are
        looked at again.
        """
        records = list(kept.answer.searches)
        if not same_index and (
            kept.answer.status == "not_found" or not self._same(kept.looks, records)
        ):
            return None
        try:
            chunks = [self._eyes.chunk(one.chunk_id, one.hash) for one in kept.answer.citations]
        except LibraryError:
            return None
        cited = tuple(map(_cited, chunks))
        if [one.shown for one in cited] != [one.shown for one in kept.cited]:
            return None
        if kept.answer.warnings and [c.page for c in cited] != [c.page for c in kept.cited]:
            return None  # a warning may name the pages
        moved = tuple(map(_moved, kept.answer.citations, kept.cited, chunks))
        answer = replace(kept.answer, citations=moved, searches=tuple(records))
        return Kept(answer, kept.looks, cited)

    def _same(self, looks: tuple[Look, ...], records: list[SearchRecord]) -> bool:
        """Whether every look shows what it showed; `records` become those of its searches now."""
        records.clear()

        def note(look: Look, data: object) -> None:
            if isinstance(data, SearchResult):
                ahead = look.tool == "ahead"
                records.append(SearchRecord(data.query, data.path, data.level, data.total, ahead))

        return same(looks, self._eyes, note)


def digest(*parts: str) -> str:
    """A short name for all of the parts together."""
    whole = "\0".join(parts).encode("utf-8", "backslashreplace")
    return sha256(whole).hexdigest()[:32]


def _given(answer: Answer, question: str, seconds: float) -> Answer:
    """An answer as one that cost nothing."""
    return replace(
        answer, question=question, seconds=seconds, cached=True, usage=Usage(), rounds=0, bounces=0
    )


def _cited(chunk: Chunk) -> Cited:
    return Cited(shown(chunk), chunk.lines, chunk.page)


def _moved(cited: Citation, then: Cited, now: Chunk) -> Citation:
    """A citation at the place where its chunk stands now; the text is the same."""
    pictures = now.images or tuple(
        f"{now.file_path}#page={now.page}" if "#page=" in image else image for image in cited.images
    )
    lines = cited.lines
    if lines is None or then.lines is None or now.lines is None or lines == then.lines:
        lines = now.lines
    else:
        down = now.lines[0] - then.lines[0]
        lines = (lines[0] + down, lines[1] + down)
    return replace(cited, chunk_id=now.chunk_id, lines=lines, page=now.page, images=pictures)


def _summary(run: Run) -> str:
    """The question as the model put it, if that is a question this answer answers too."""
    search = run.opening.search if run.opening else None
    draft = _draft(run)
    if not search or not draft or not draft.question_summary:
        return ""
    weighty = [word.word for word in search.words]
    stands = stands_for(draft.question_summary, run.answer.question, weighty)
    return content(draft.question_summary) if stands else ""


def _draft(run: Run) -> Draft | None:
    """The last answer that the model sent."""
    for step in reversed(run.steps):
        for call in reversed(step.calls):
            if call.name == "answer" and call.arguments is not None:
                draft = parse_draft(call.arguments)
                return draft if isinstance(draft, Draft) else None
    return None


@cache
def _adapter() -> "TypeAdapter[Kept]":
    from pydantic import TypeAdapter

    return TypeAdapter(Kept)


def _closed(kept: Kept) -> str:
    return _adapter().dump_json(kept).decode("utf-8")


def opened(body: str) -> Kept | None:
    """What an entry holds; None when another version of the program wrote it."""
    try:
        return _adapter().validate_json(body)
    except ValueError:
        return None
