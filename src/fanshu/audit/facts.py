"""Which figure of an answer stands where: in which quoted passage, or by which arithmetic."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from fanshu.agent.amounts import Figure, plain
from fanshu.agent.claims import claims
from fanshu.agent.support import Evidence, Quoted
from fanshu.types import Answer, Chunk, Citation

Kind = Literal["quoted", "nearby", "derived", "unsupported"]


@dataclass(frozen=True, slots=True)
class Fact:
    """A number, version, identifier or date of an answer, as the answer writes it.

    `sources`: the numbers of the citations whose passage, headings or file name hold it; of a
    `nearby` one, which only a lenient check accepts, those whose section does.
    `arithmetic`: how it follows from others, when it is derived.
    """

    text: str
    kind: Kind
    sources: tuple[int, ...] = ()
    arithmetic: str = ""


def facts(answer: Answer, chunks: Sequence[Chunk | None]) -> tuple[Fact, ...]:
    """The figures of an answer, in its order; `chunks` are those of its citations."""
    evidence = [_evidence(*pair) for pair in zip(answer.citations, chunks, strict=True)]
    around = [Evidence((Quoted(chunk.text if chunk else ""),)) for chunk in chunks]
    found: dict[str, Fact] = {}
    for claim in claims(plain(answer.answer)):
        if claim.text not in found and (fact := _fact(claim, answer, evidence, around)):
            found[claim.text] = fact
    for short in [text for text in found if any(_longer(text, other) for other in found)]:
        del found[short]
    missing = (Fact(text, "unsupported") for text in answer.unsupported if text not in found)
    return (*found.values(), *missing)


def _longer(text: str, other: str) -> bool:
    """Whether a figure is written out elsewhere: 120 in a sum, 120 次 in the sentence."""
    return other != text and other.startswith(text) and not other[len(text)].isdigit()


def _fact(
    claim: Figure, answer: Answer, evidence: Sequence[Evidence], around: Sequence[Evidence]
) -> Fact | None:
    """What became of a claim; None for what only takes part in arithmetic."""
    derived = next((one.arithmetic for one in answer.derived if one.figure == claim.text), "")
    if claim.text in answer.unsupported:
        return Fact(claim.text, "unsupported")
    if derived:
        return Fact(claim.text, "derived", arithmetic=derived)
    if sources := _holding(claim, evidence):
        return Fact(claim.text, "quoted", sources)
    nearby = _holding(claim, around)
    return Fact(claim.text, "nearby", nearby) if nearby else None


def _holding(claim: Figure, evidence: Sequence[Evidence]) -> tuple[int, ...]:
    """The numbers, from 1, of what holds a claim."""
    return tuple(number for number, one in enumerate(evidence, 1) if one.supports(claim))


def _evidence(citation: Citation, chunk: Chunk | None) -> Evidence:
    return Evidence(
        (Quoted(citation.passage, chunk.text if chunk else ""),), tuple(_over(citation, chunk))
    )


def _over(citation: Citation, chunk: Chunk | None) -> Iterator[str]:
    """What stands over a passage."""
    yield from citation.section_path
    yield citation.file_path
    if chunk:
        yield chunk.title
        yield chunk.date or ""
