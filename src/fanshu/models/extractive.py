"""The extractive reader (原文摘录): what fanshu does when no language model is configured.

A small fixed policy behind the same `Model` interface, driving the same loop with the same
tools: it searches each part of the question, reads the best hits, and shows whole sentences
with their places. It never claims an answer, needs no network and takes milliseconds.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

from fanshu.library.passages import Passage, passages
from fanshu.library.terms import fold, is_cjk, pattern
from fanshu.models import Reply, ToolSpec, Turn
from fanshu.types import Chunk, Hit, Opening, SearchResult, ToolCall

_NAME = re.compile(r"[A-Z\d_]")

SENTENCES = 3  # shown for a part of the question, at most
PARTS = 3
HITS = 5  # looked at for a part
HEADING = 0.5  # what a word is worth that stands in the headings above a passage only
NEARBY = 0.25  # … elsewhere in the chunk only
FIGURE = 0.12  # for a passage with a figure when the question asks for one
RANK = 0.25  # for the rank of the hit, so that the search's judgement breaks ties
GOOD = 0.45  # share of a part's weight from which its best passages are shown alone
KNOWN = 0.5  # … that must occur at all, or the documents are about something else
FITS = 0.5  # … from which a question speaks the documents' language
LARGE = 200  # chunks of a library in which ordinary words can be expected to occur
CLOSE = 0.85  # a further passage is shown when its score is so near the best
GAIN = 0.15  # share of the weight that a further passage must add

_PART = re.compile(
    r"[?？；;。]|，(?=又|再|另|同时|如果|还)|(?:以及|分别|各自)|, (?=and |what |which |how )"
)
_ASKS_FIGURE = re.compile(
    r"多少|几|多久|多大|多长|默认|上限|阈值|比例|how (?:many|much|long|often|large|big)|"
    r"what (?:is|was) the (?:default|maximum|limit|size)|which (?:version|port|status|code)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Found:
    """A passage that may be shown: where it stands, how well it fits, the words it holds.

    `quote` is the passage as it stands in the chunk, `shown` how a reader gets it.
    """

    chunk_id: str
    quote: str
    shown: str
    score: float
    fit: float
    words: frozenset[str]


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
        opening = next((t.data for t in turns if isinstance(t.data, Opening)), None)
        question = opening.question if opening else _question(turns)
        parts = parts_of(question)
        results = _results(turns, opening)
        wanted = [part for part in parts if part not in results]
        if wanted and force != "answer":
            return _calls("search", [{"keyword": part.replace("|", " ")} for part in wanted])
        shown = _shown(parts, results, question)
        read = _read(turns, opening)
        unread = dict.fromkeys(one.chunk_id for one in shown if one.chunk_id not in read)
        tried = {
            call.arguments.get("chunk_id") for t in turns for call in t.calls if call.arguments
        }
        unread = {chunk_id: None for chunk_id in unread if chunk_id not in tried}
        if unread and force != "answer":
            return _calls("read", [{"chunk_id": chunk_id} for chunk_id in unread])
        return _answer(question, [one for one in shown if one.chunk_id in read])

    async def close(self) -> None:
        """Nothing to give back."""


def parts_of(question: str) -> list[str]:
    """The parts of a question that are looked up each for itself; at least one."""
    pieces = [piece.strip(" ,，、\n") for piece in _PART.split(question)]
    parts = [piece for piece in pieces if len(piece) >= (4 if is_cjk(piece) else 12)]
    return [question] if len(parts) < 2 else parts[:PARTS]


def _question(turns: Sequence[Turn]) -> str:
    return next((turn.text for turn in turns if turn.role == "user"), "")


def _results(turns: Sequence[Turn], opening: Opening | None) -> dict[str, SearchResult]:
    """Search results by what was searched for."""
    found = [turn.data for turn in turns if isinstance(turn.data, SearchResult)]
    if opening and opening.search and not opening.earlier:  # else it looked for two questions
        found.insert(0, opening.search)
    return {result.query: result for result in found}


def _read(turns: Sequence[Turn], opening: Opening | None) -> set[str]:
    """Ids of the chunks that count as read: opened, given ahead, or shown whole."""
    read = {chunk.chunk_id for chunk in opening.read} if opening else set()
    read |= {turn.data.chunk_id for turn in turns if isinstance(turn.data, Chunk)}
    for result in _results(turns, opening).values():
        read |= {hit.chunk_id for hit in result.hits if hit.complete}
    return read


def _calls(tool: str, arguments: Sequence[Mapping[str, object]]) -> Reply:
    return Reply(calls=tuple(ToolCall(f"{tool}{n}", tool, a) for n, a in enumerate(arguments)))


def _answer(question: str, shown: Sequence[Found]) -> Reply:
    arguments = {
        "response": "\n".join(dict.fromkeys(one.shown for one in shown)),
        "citations": [{"chunk_id": one.chunk_id, "quote": one.quote} for one in shown],
        "found": bool(shown),
        "question_summary": question,
    }
    return _calls("answer", [arguments])


# ---------------------------------------------------------------- choosing passages


def _shown(parts: Sequence[str], results: Mapping[str, SearchResult], question: str) -> list[Found]:
    """The passages to show, each once, in the order of the question's parts.

    A part that nothing fits well leaves the judgement to the search: the first hits of the
    whole question are shown, one passage each.
    """
    figure = bool(_ASKS_FIGURE.search(question))
    chosen: list[Found] = []
    weak = False
    for result in filter(None, map(results.get, parts)):
        found = sorted(_passages(result, figure=figure), key=lambda one: -one.score)
        if _lacks_name(result, found):
            return []
        good = found and found[0].fit * _known(result) >= GOOD
        weak = weak or not good
        chosen += _covering(found, _weights(result)) if good else []
    whole = results.get(question) or next(iter(results.values()), None)
    if weak and whole and _known(whole) >= KNOWN:
        chosen += _first(whole, figure=figure)
    return list({(one.chunk_id, one.quote): one for one in chosen}.values())


def _covering(found: Sequence[Found], weights: Mapping[str, float]) -> list[Found]:
    """The passages that are about as good as the best, and those that say what they do not.

    This is how "the defaults of A and B" gets two passages, wherever they stand.
    """
    chosen = [one for one in found if one.score >= CLOSE * found[0].score][:SENTENCES]
    total = sum(weights.values()) or 1.0
    while len(chosen) < SENTENCES:
        open_words = weights.keys() - frozenset[str]().union(*(one.words for one in chosen))

        def gain(one: Found, wanted: Collection[str] = open_words) -> float:
            return sum(weights[word] for word in one.words if word in wanted) / total

        best = max(found, key=lambda one: (gain(one), one.score))
        if gain(best) < GAIN:
            break
        chosen.append(best)
    return chosen


def _lacks_name(result: SearchResult, found: Sequence[Found]) -> bool:
    """Whether a name in the question stands nowhere: then nothing here can be about it.

    A missing Latin word is a name in a Chinese question. In an English one it is when it
    looks like one, or when the rest fits well in a large library: whoever speaks the
    documents' language means this word too, and ordinary ones all occur there.
    """
    latin = [word for word in result.missing if not is_cjk(word)]
    if any(is_cjk(char) for char in result.query):
        return bool(latin)
    fits = bool(found) and found[0].fit >= FITS and result.searched >= LARGE
    return any(fits or _NAME.search(word) for word in latin if not result.query.startswith(word))


def _first(result: SearchResult, *, figure: bool) -> list[Found]:
    """The best passage of each of the first hits, in the order of the search."""
    best: dict[str, Found] = {}
    for one in _passages(result, figure=figure):
        if one.chunk_id not in best or one.score > best[one.chunk_id].score:
            best[one.chunk_id] = one
    return list(best.values())[:SENTENCES]


def _weights(result: SearchResult) -> dict[str, float]:
    return {word.word: log(1 + result.searched / max(word.count, 1)) for word in result.words}


def _known(result: SearchResult) -> float:
    """The share of the question's weight that belongs to words which occur at all."""
    weights = _weights(result)
    known = sum(weights[word.word] for word in result.words if word.count)
    return known / (sum(weights.values()) or 1.0)


def _passages(result: SearchResult, *, figure: bool) -> Iterator[Found]:
    known = {word.word for word in result.words if word.count}
    weights = {word: weight for word, weight in _weights(result).items() if word in known}
    total = sum(weights.values()) or 1.0
    top = max((hit.score for hit in result.hits), default=1.0) or 1.0
    for hit in result.hits[:HITS]:
        for passage in passages(hit.text):
            if passage.kind == "heading" or _is_heading(hit, passage):
                continue
            shares = _shares(hit, passage, weights)
            fit = sum(weights[word] * share for word, share in shares.items()) / total
            quote = hit.text[passage.start : passage.end]
            score = fit + RANK * hit.score / top
            if figure and any(char.isdigit() or char in "一二三四五六七八九十百" for char in quote):
                score += FIGURE
            held = frozenset(word for word, share in shares.items() if share >= HEADING)
            yield Found(hit.chunk_id, quote, _readable(hit.text, passage), score, fit, held)


def _is_heading(hit: Hit, passage: Passage) -> bool:
    """Whether a line without marks is the section's own heading (HTML, PDF, text)."""
    text = hit.text[passage.start : passage.end]
    return bool(hit.section_path) and fold(text) == fold(hit.section_path[-1])


def _shares(hit: Hit, passage: Passage, weights: Mapping[str, float]) -> dict[str, float]:
    """What each word is worth by where it stands: in the passage, its headings, its chunk."""
    near = fold(hit.text[passage.start : passage.end])
    if passage.lead:
        near += fold(hit.text[slice(*passage.lead)])
    heads = fold(f"{hit.file_path} {' '.join(hit.section_path)}")
    places = ((near, 1.0), (heads, HEADING), (fold(hit.text), NEARBY))
    shares = {}
    for word in weights:
        looked_for = pattern(word)
        found = (share for text, share in places if looked_for and looked_for.search(text))
        shares[word] = next(found, 0.0)
    return shares


def _readable(text: str, passage: Passage) -> str:
    """A passage on one line; the cells of a table row with the names of their columns."""
    line = " ".join(text[passage.start : passage.end].split())
    if passage.kind != "row" or not passage.lead:
        return line
    names = _cells(text[slice(*passage.lead)])
    cells = _cells(line)
    if len(names) != len(cells) or names == cells:
        return line
    return " · ".join(f"{name} {cell}" for name, cell in zip(names, cells, strict=True) if cell)


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]
