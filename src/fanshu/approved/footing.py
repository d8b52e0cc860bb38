"""What an approved answer rests on, in short: enough to know which changes may matter to it."""

from collections.abc import Iterator
from dataclasses import dataclass

from fanshu.approved.approval import GIVEN, Approved, Examined
from fanshu.approved.standing import squashed
from fanshu.approved.subjects import Subject, subjects_of


@dataclass(frozen=True, slots=True)
class Footing:
    """One file that an answer rests on, in short, so that only what may matter is looked at.

    `newer`: the newer version that is known of. `quote`: as it is compared; empty for a file that
    contradicts the answer. `stands`: whether it stood when it was last looked at. `subjects`: what
    the passage makes claims about.
    """

    id: str
    path: str
    newer: str = ""
    quote: str = ""
    stands: bool = True
    subjects: tuple[Subject, ...] = ()


def footings(one: Approved, examined: Examined) -> Iterator[Footing]:
    """All that an answer rests on, and what contradicts it."""
    for evidence, cited, standing in zip(
        one.evidence, examined.now, examined.standings, strict=True
    ):
        yield Footing(
            one.id,
            cited.file_path,
            newer=standing.newer_version or evidence.citation.newer_version or "",
            quote=squashed(cited.quote),
            stands=standing.state in GIVEN,
            subjects=tuple(subjects_of(evidence)),
        )
    for against in examined.contradictions:
        yield Footing(one.id, against.file_path)
