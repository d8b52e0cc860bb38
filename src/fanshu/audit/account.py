"""What an answer rests on, gathered from the record of its run: places, figures, checks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Literal

from fanshu.agent.citing import Place
from fanshu.agent.evidence import Found, find, left_out, mentions
from fanshu.agent.planted import is_planted
from fanshu.agent.prompts import language_of
from fanshu.audit.facts import Fact, facts
from fanshu.types import Answer, Chunk, Citation, Language

Document = Mapping[str, Any]
Outcome = Literal["passed", "failed", "noted"]


@dataclass(frozen=True, slots=True)
class Source:
    """A citation by its number, from 1, and the chunk it points into, if the record has it."""

    number: int
    citation: Citation
    chunk: Chunk | None

    @property
    def found(self) -> Found | None:
        """Where the quote stands in the chunk."""
        return find(self.citation.quote, self.chunk) if self.chunk else None


@dataclass(frozen=True, slots=True)
class Refused:
    """A citation that failed the check."""

    chunk_id: str
    quote: str


@dataclass(frozen=True, slots=True)
class SentBack:
    """An answer that the check sent back, and why, in the words that the model was given."""

    round: int
    objections: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """A check and how it came out: of `all` things `good` were as they should be.

    `noted`: nothing failed, but somebody should look.
    """

    code: str
    outcome: Outcome
    good: int
    all: int


@dataclass(frozen=True, slots=True)
class Account:
    """An answer with everything that was found out about it."""

    answer: Answer
    language: Language
    sources: tuple[Source, ...]
    facts: tuple[Fact, ...]
    refused: tuple[Refused, ...]
    sent_back: tuple[SentBack, ...]
    checks: tuple[Check, ...]


def account(document: Document) -> Account:
    """The account of a recorded run, from its trace (`fanshu.traces`)."""
    answer = answer_of(document)
    read = chunks_in(document)
    sources = tuple(
        Source(number, cited, read.get((cited.chunk_id, cited.hash)))
        for number, cited in enumerate(answer.citations, 1)
    )
    verdicts = list(_verdicts(document))
    last = verdicts[-1][1] if verdicts else {}
    # What a not-found answer cites as nearest was not meant as evidence.
    rejected = last.get("rejected", ()) if answer.citations_rejected else ()
    refused = tuple(Refused(one["chunk_id"], one["quote"]) for one in rejected)
    chunks = [source.chunk for source in sources]
    told = facts(answer, chunks) if sources and answer.status != "passages" else ()
    return Account(
        answer=answer,
        language=language_of(answer.question),
        sources=sources,
        facts=told,
        refused=refused,
        sent_back=tuple(_sent_back(verdicts))[: answer.bounces],
        checks=tuple(_checks(answer, sources, told, refused)),
    )


def answer_of(document: Document) -> Answer:
    """The answer of a trace."""
    found: Answer = _reader(Answer).validate_python(document["answer"])
    return found


def chunks_in(document: Document) -> dict[tuple[str, str], Chunk]:
    """Every text that a trace holds, by chunk id and hash."""
    found: dict[tuple[str, str], Chunk] = {}
    places = [document.get("opening"), *(step["observations"] for step in document["rounds"])]
    for data in _texts(places):
        place = str(data["chunk_id"]), str(data["hash"])
        if place not in found or "part" in data:
            found[place] = _chunk(data)
    return found


def last_draft(document: Document) -> Mapping[str, object] | None:
    """The arguments of the last answer that was checked."""
    return next((call["arguments"] for call, _ in reversed(list(_answers(document)))), None)


@cache
def _reader(kind: type) -> Any:
    from pydantic import TypeAdapter  # slow to import, and only an audit needs it

    return TypeAdapter(kind)


def _texts(data: object) -> Iterator[Mapping[str, Any]]:
    """What looks like a chunk or a hit, however deep it lies."""
    if isinstance(data, Mapping):
        if {"chunk_id", "text", "hash"} <= data.keys():
            yield data
        for inside in data.values():
            yield from _texts(inside)
    elif isinstance(data, Sequence) and not isinstance(data, str):
        for inside in data:
            yield from _texts(inside)


def _chunk(data: Mapping[str, Any]) -> Chunk:
    """A chunk from the record of one, or of a hit, which lacks a few fields."""
    known = {name.name for name in fields(Chunk)}
    given = {name: value for name, value in data.items() if name in known}
    chunk: Chunk = _reader(Chunk).validate_python({"level": 0, "part": (1, 1)} | given)
    return chunk


def _answers(document: Document) -> Iterator[tuple[Document, tuple[int, Document]]]:
    """Each `answer` call that was checked, with its round and verdict."""
    for step in document["rounds"]:
        for call, given in zip(step["calls"], step["observations"], strict=False):
            verdict = given["data"]
            if call["name"] == "answer" and isinstance(verdict, Mapping) and "rejected" in verdict:
                yield call, (step["round"], verdict)


def _verdicts(document: Document) -> Iterator[tuple[int, Document]]:
    return (verdict for _, verdict in _answers(document))


def _sent_back(verdicts: Sequence[tuple[int, Document]]) -> Iterator[SentBack]:
    for number, verdict in verdicts:
        if verdict["objections"]:
            yield SentBack(number, tuple(verdict["objections"]))


# ---------------------------------------------------------------- the checks


def _checks(
    answer: Answer, sources: Sequence[Source], told: Sequence[Fact], refused: Sequence[Refused]
) -> Iterator[Check]:
    if not sources:
        return
    cited = len(sources) + len(refused)
    yield _counted("quotes", len(sources), cited)
    if told:
        standing = [fact for fact in told if fact.kind != "unsupported"]
        yield _counted("figures", len(standing), len(told))
    seen = [source for source in sources if source.chunk]
    plain = [source for source in seen if not _edge(source, answer.answer)]
    yield _counted("edges", len(plain), len(seen), "noted")
    calm = [source for source in seen if not _orders(source)]
    yield _counted("orders", len(calm), len(seen))
    current = [source for source in sources if not source.citation.newer_version]
    yield _counted("versions", len(current), len(sources), "noted")


def _counted(code: str, good: int, whole: int, otherwise: Outcome = "failed") -> Check:
    return Check(code, "passed" if good == whole else otherwise, good, whole)


def _edge(source: Source, response: str) -> str | None:
    """A negation beside the quote that the answer does not repeat."""
    found, chunk = source.found, source.chunk
    word = left_out(found, chunk.text) if found and chunk else None
    return word if word and not mentions(response, word) else None


def _orders(source: Source) -> bool:
    found, chunk = source.found, source.chunk
    return bool(found and chunk and is_planted(Place(chunk, found)))
