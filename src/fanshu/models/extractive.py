"""The extractive reader (原文摘录): what fanshu does when no language model is configured.

A small fixed policy behind the same `Model` interface, driving the same loop with the same
tools: it searches each part of the question, chooses what answers it (`extractive_choice`), looks
for the newer version of what is outdated, and shows whole passages with their places. It never
claims an answer, needs no network and takes milliseconds.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fanshu.library.terms import is_cjk
from fanshu.models import Reply, ToolSpec, Turn
from fanshu.models.extractive_asked import (
    Asked,
    asked,
    is_general,
    other_wordings,
    parts_of,
    wants_old,
)
from fanshu.models.extractive_choice import SENTENCES, chosen, halfway
from fanshu.models.extractive_units import Source
from fanshu.models.extractive_weighing import Fitting, Weighing
from fanshu.types import Chunk, Hit, Opening, SearchResult, ToolCall

__all__ = ["ExtractiveReader", "parts_of"]

KNOWN = 0.5  # of a part's weight that must occur at all, or the documents are about something else
WEAK = 0.1  # … that the best passage must hold to be shown for want of a better one
FITS = 0.5  # … from which a question speaks the documents' language
LARGE = 200  # chunks of a library in which ordinary words can be expected to occur
OF_WHOLE = 0.8  # what a hit of the whole question counts for a part of it
PLACES = 10  # citations, at most

_NAME = re.compile(r"[A-Z\d_]")
_IDENTIFIER = re.compile(r"(?<![\w./-])(?:[A-Za-z][\w./-]*[_\d][\w./-]*|/[\w./-]{3,})", re.ASCII)


class ExtractiveReader:
    """Shows passages; see the module. It keeps no state: each step follows from the turns."""

    name = "extractive"
    extractive = True

    async def next(
        self,
        turns: Sequence[Turn],
        tools: Sequence[ToolSpec],  # noqa: ARG002 - every model gets them; these are known here
        *,
        force: str | None = None,
    ) -> Reply:
        """Search what has not been searched, read what has not been read, then show it."""
        seen = _Seen.of(turns)
        parts = _searched(seen.question)
        if force != "answer" and (searches := list(_searches(parts, seen))):
            return _calls("search", searches)
        shown = _shown(parts, seen)
        if force != "answer" and (steps := _open(shown, seen)):
            return steps
        return _answer(
            seen.question, [one for one in shown if one.unit.source.chunk_id in seen.read]
        )

    async def close(self) -> None:
        """Nothing to give back."""


# ---------------------------------------------------------------- what the turns hold


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a run has brought so far: results by query and path, chunks and calls by id."""

    question: str
    results: Mapping[tuple[str, str], SearchResult]
    chunks: Mapping[str, Chunk]
    read: frozenset[str]
    tried: frozenset[object]
    whole: SearchResult | None

    @classmethod
    def of(cls, turns: Sequence[Turn]) -> "_Seen":
        opening = next((t.data for t in turns if isinstance(t.data, Opening)), None)
        found = [turn.data for turn in turns if isinstance(turn.data, SearchResult)]
        # A search ahead with an earlier conversation looked for two questions.
        whole = opening.search if opening and not opening.earlier else None
        chunks = {one.chunk_id: one for one in (opening.read if opening else ())}
        chunks |= {turn.data.chunk_id: turn.data for turn in turns if isinstance(turn.data, Chunk)}
        question = opening.question if opening else _first_text(turns)
        every = [*([whole] if whole else []), *found]
        results = {(one.query, one.path or ""): one for one in every}
        complete = {hit.chunk_id for one in every for hit in one.hits if hit.complete}
        return cls(
            question=question,
            results=results,
            chunks=chunks,
            read=frozenset(chunks) | complete,
            tried=frozenset(
                value
                for t in turns
                for call in t.calls
                for value in (call.arguments or {}).values()
            ),
            whole=whole or results.get((_keyword(question), "")),
        )

    def is_outdated(self, file_path: str) -> bool:
        """Whether a newer version of a file is known, and what is asked is not the older one."""
        newer = self.newer(file_path)
        return newer is not None and not wants_old(self.question, self._date(file_path))

    def newer(self, file_path: str) -> str | None:
        """The newer version of a file, as far as chunks that were read tell."""
        return next(
            (c.newer_version for c in self.chunks.values() if c.file_path == file_path), None
        )

    def _date(self, file_path: str) -> str | None:
        return next((c.date for c in self.chunks.values() if c.file_path == file_path), None)


def _first_text(turns: Sequence[Turn]) -> str:
    return next((turn.text for turn in turns if turn.role == "user"), "")


# ---------------------------------------------------------------- looking


def _searched(question: str) -> list[tuple[str, Asked]]:
    """What to search for each part, and what it asks.

    A later part without a name of its own is about the one named before.
    """
    parts = parts_of(question)
    names = _IDENTIFIER.findall(parts[0])
    words = [parts[0]]
    for part in parts[1:]:
        own = _IDENTIFIER.search(part)
        words.append(part if own or not names else f"{' '.join(names)} {part}")
    return [(_keyword(word), asked(part)) for word, part in zip(words, parts, strict=True)]


def _keyword(text: str) -> str:
    """A text as a search takes it: `|` would make two wordings of it."""
    return text.replace("|", " ")


def _searches(parts: Sequence[tuple[str, Asked]], seen: _Seen) -> Iterator[Mapping[str, object]]:
    """Searches that are still to be made: each part, and the words of the other language."""
    whole = _keyword(seen.question)
    if seen.whole is None and len(parts) > 1 and whole not in seen.tried:
        yield {"keyword": whole}
    for words, _ in parts:
        result = seen.results.get((words, ""))
        if result is None and words not in seen.tried:
            yield {"keyword": words}
        elif result and (other := _reworded(result)) and other not in seen.tried:
            yield {"keyword": other}


def _reworded(result: SearchResult) -> str:
    """The words that occur, with those about the asking that do not in the other language."""
    others = list(other_wordings(result.missing))
    known = [word.word for word in result.words if word.count]
    return " ".join([*known, *others]) if others and known else ""


def _open(shown: Sequence[Fitting], seen: _Seen) -> Reply | None:
    """The next calls for what is to be shown: read it, then see what has replaced it."""
    sources = {one.unit.source.chunk_id: one.unit.source for one in shown}
    unread = [key for key in sources if key not in seen.chunks and key not in seen.tried]
    if unread:
        return _calls("read", [{"chunk_id": key} for key in unread])
    calls: dict[str, Mapping[str, object]] = {}
    for one in sources.values():
        newer = seen.newer(one.file_path)
        if newer is None or not seen.is_outdated(one.file_path):
            continue
        same = [key for key in one.same if key.rpartition("#")[0] == newer]
        if same and same[0] not in seen.tried:
            return _calls("read", [{"chunk_id": same[0]}])
        if not same and newer not in seen.tried:
            calls[newer] = {"keyword": _keyword(seen.question), "path": newer}
    return _calls("search", list(calls.values())) if calls else None


# ---------------------------------------------------------------- choosing


def _shown(parts: Sequence[tuple[str, Asked]], seen: _Seen) -> list[Fitting]:
    """The passages to show, each once, in the order of the question's parts.

    A part that nothing fits well leaves the judgement to the search: the first hits of the
    whole question are shown, one passage each.
    """
    shown: list[Fitting] = []
    any_good = False
    for words, part in parts:
        result = seen.results.get((words, ""))
        if result is None:
            continue
        context = seen.whole if seen.whole is not result else None
        weighing = Weighing(part, result, context)
        fittings = weighing.fittings(_sources(result, seen))
        if _lacks_name(result, fittings, weighing):
            return []
        good = chosen(fittings, weighing)
        shown += good or halfway(fittings)
        any_good = any_good or bool(good)
    whole = seen.whole or next(iter(seen.results.values()), None)
    if whole and not any_good:
        shown = _first(whole, seen, asked(seen.question))
    unique = {(one.unit.source.chunk_id, one.unit.quote): one for one in shown}
    return list(unique.values())[:PLACES]


def _sources(result: SearchResult, seen: _Seen) -> list[Source]:
    """The texts to choose from for a part, without those that a newer version has replaced."""
    sources: dict[str, Source] = {}
    for found, worth in _results(result, seen):
        top = max((hit.score for hit in found.hits), default=1.0) or 1.0
        for hit in found.hits:
            one = _source(hit, worth * hit.score / top, seen)
            sources.setdefault(one.chunk_id, one)
            for key in hit.same:
                if key in seen.chunks:
                    sources.setdefault(key, _of_chunk(seen.chunks[key], one.score))
    current = [one for one in sources.values() if not seen.is_outdated(one.file_path)]
    newer = {one.file_path for one in current}
    return [
        one for one in sources.values() if one in current or seen.newer(one.file_path) not in newer
    ]


def _results(result: SearchResult, seen: _Seen) -> Iterator[tuple[SearchResult, float]]:
    """The results that serve a part, each with what its hits count for."""
    yield result, 1.0
    other = _reworded(result)
    for (words, path), one in seen.results.items():
        if path or words == other:
            yield one, 1.0
    if seen.whole and seen.whole is not result:
        yield seen.whole, OF_WHOLE


def _source(hit: Hit, score: float, seen: _Seen) -> Source:
    read = seen.chunks.get(hit.chunk_id)
    carried = read.carried if read else ""
    return Source(hit.chunk_id, hit.file_path, hit.section_path, hit.text, score, carried, hit.same)


def _of_chunk(chunk: Chunk, score: float) -> Source:
    return Source(
        chunk.chunk_id, chunk.file_path, chunk.section_path, chunk.text, score, chunk.carried
    )


def _lacks_name(result: SearchResult, fittings: Sequence[Fitting], weighing: Weighing) -> bool:
    """Whether a name in the question stands nowhere: then nothing here can be about it.

    A missing Latin word is a name in a Chinese question. In an English one it is when it
    looks like one, or when the rest fits well in a large library: whoever speaks the
    documents' language means this word too, and ordinary ones all occur there.
    """
    there = {word.text for word in weighing.words if word.occurs}
    missing = [word for word in result.missing if word not in there and not is_general(word)]
    latin = [word for word in missing if not is_cjk(word)]
    if any(is_cjk(char) for char in result.query):
        return bool(latin)
    fits = bool(fittings) and weighing.fit_of_known(fittings[0]) >= FITS
    fits = fits and result.searched >= LARGE
    return any(fits or _NAME.search(word) for word in latin if not result.query.startswith(word))


def _first(result: SearchResult, seen: _Seen, question: Asked) -> list[Fitting]:
    """The best passage of each of the first hits, in the order of the search.

    None when most of what was asked occurs nowhere.
    """
    weighing = Weighing(question, result)
    if weighing.known < KNOWN or weighing.lacks_subject:
        return []
    best: dict[str, Fitting] = {}
    for one in weighing.fittings(_sources(result, seen)):
        best.setdefault(one.unit.source.chunk_id, one)
    if max(map(weighing.fit_of_known, best.values()), default=0.0) < WEAK:
        return []
    order = [hit.chunk_id for hit in result.hits if hit.chunk_id in best]
    return [best[key] for key in order[:SENTENCES]]


# ---------------------------------------------------------------- replying


def _calls(tool: str, arguments: Sequence[Mapping[str, object]]) -> Reply:
    return Reply(calls=tuple(ToolCall(f"{tool}{n}", tool, a) for n, a in enumerate(arguments)))


def _answer(question: str, shown: Sequence[Fitting]) -> Reply:
    arguments = {
        "response": "\n".join(dict.fromkeys(map(_said, shown))),
        "citations": [
            {"chunk_id": one.unit.source.chunk_id, "quote": one.unit.quote} for one in shown
        ],
        "found": bool(shown),
        "question_summary": question,
    }
    return _calls("answer", [arguments])


def _said(one: Fitting) -> str:
    """A passage, under the heading that holds what is asked for when it does not itself."""
    return f"{one.over}\n{one.unit.shown}" if one.over else one.unit.shown
