"""Whether another document states another value for what an approved answer rests on.

By the claims of the check-up, of the passages cited alone: what else their sections say is no
matter of the answer.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from fanshu.agent.evidence import find
from fanshu.approved.approval import Approved, Contradiction, Evidence
from fanshu.checkup.claims import Claim, claims_of
from fanshu.checkup.contradictions import contradicts
from fanshu.checkup.qualifiers import is_past
from fanshu.library.library import Library
from fanshu.types import Chunk

# How sure the check-up must be. Less than it asks of a finding: somebody vouched for this value,
# and 606 files of another manual gave no false alarm (see docs/performance.md).
SURE = 0.4
LOOKED_AT = 20  # sections with the words of a passage, for what contradicts it from the first
KEPT_CHUNKS = 200  # new chunks whose claims are remembered
KEPT_CLAIMS = 2_000  # pieces of evidence whose claims are remembered; a big set of answers


def rivals(evidence: Sequence[Evidence], chunks: Sequence[Chunk]) -> Iterator[Contradiction]:
    """Claims of chunks that cannot hold together with those of the evidence, in other documents."""
    cited = {one.citation.file_path for one in evidence}
    others = [
        chunk
        for chunk in chunks
        if chunk.file_path not in cited and not is_past(" ".join(chunk.section_path))
    ]
    for number, one in enumerate(evidence, 1):
        own = claims_in(one)
        for chunk in others if own else ():
            yield from _against(number, own, chunk)


def known_rivals(one: Approved, library: Library) -> Iterator[Contradiction]:
    """What contradicts an answer already when it is approved: whoever approves it knows that."""
    for evidence in one.evidence:
        if not claims_in(evidence):
            continue
        found = library.search(evidence.citation.quote, k=LOOKED_AT, question=True)
        chunks = [chunk for hit in found.hits if (chunk := _chunk(library, hit.chunk_id))]
        yield from rivals(one.evidence, chunks)


def _chunk(library: Library, chunk_id: str) -> Chunk | None:
    path, _, number = chunk_id.rpartition("#")
    return library.store.chunk(path, int(number))


def _against(number: int, own: Sequence[Claim], chunk: Chunk) -> Iterator[Contradiction]:
    for other in _claims(chunk):
        for claim in own:
            if not claim.keys.isdisjoint(other.keys) and contradicts(claim, other) >= SURE:
                yield Contradiction(
                    chunk_id=chunk.chunk_id,
                    file_path=chunk.file_path,
                    section_path=chunk.section_path,
                    passage=chunk.text[slice(*other.passage)],
                    says=other.value.text,
                    said=claim.value.text,
                    number=number,
                )
                break


@lru_cache(maxsize=KEPT_CHUNKS)  # several answers ask for the same
def _claims(chunk: Chunk) -> tuple[Claim, ...]:
    return claims_of(chunk)


@lru_cache(maxsize=KEPT_CLAIMS)  # the same evidence is asked again whenever a file changes
def claims_in(evidence: Evidence) -> tuple[Claim, ...]:
    """The claims of the cited passage."""
    chunk = _as_chunk(evidence)
    found = find(evidence.citation.quote, chunk)
    if not found:
        return ()
    start, end = found.passage
    inside = (one for one in claims_of(chunk) if one.passage[0] < end and start < one.passage[1])
    return tuple(inside)


def _as_chunk(evidence: Evidence) -> Chunk:
    """The section of some evidence as it was."""
    cited = evidence.citation
    return Chunk(
        chunk_id=cited.chunk_id,
        file_path=cited.file_path,
        section_path=cited.section_path,
        level=0,
        text=evidence.section,
        lines=None,
        page=None,
        part=(1, 1),
        hash=cited.hash,
    )
