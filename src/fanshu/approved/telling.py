"""An approved answer as data for every face: the command line's JSON, HTTP, the page, a webhook."""

from collections.abc import Mapping

from fanshu.approved.approval import Contradiction, Kept
from fanshu.approved.marking import side_by_side
from fanshu.approved.standing import Standing
from fanshu.approved.stores import Revision
from fanshu.types import EVERYTHING, Scope, plain

Told = dict[str, object]


def told(kept: Kept, scope: Scope = EVERYTHING) -> Told:
    """An answer, how it stands, and its evidence then and now; without what may not be seen."""
    one, examined = kept.approved, kept.examined
    return {
        "id": kept.id,
        "question": one.question,
        "wordings": list(kept.wordings),
        "answer": one.answer.answer,
        "state": examined.state,
        "waits": examined.waits,
        "by": one.by,
        "at": one.at,
        "note": one.note,
        "edited": one.edited,
        "unsupported": list(one.answer.unsupported),
        "no_longer_supported": list(examined.unsupported),
        "examined_at": examined.at,
        "citations": plain(kept.citations(scope)),
        "evidence": [_standing(standing, scope) for standing in examined.standings],
        "contradictions": [
            _contradiction(against)
            for against in examined.contradictions
            if scope.allows(against.file_path)
        ],
    }


def told_revision(one: Revision) -> Told:
    """A line of the history: who did what, when, and what the answer was then."""
    return {
        "act": one.act,
        "by": one.by,
        "at": one.at,
        "note": one.note,
        "answer": one.approved.answer.answer,
    }


def _standing(one: Standing, scope: Scope) -> Told:
    data = plain(one)
    assert isinstance(data, Mapping)  # noqa: S101 - a dataclass is a mapping
    newer = one.newer_version if one.newer_version and scope.allows(one.newer_version) else None
    before, after = side_by_side(one.passage, one.passage_now) if one.passage_now else ((), ())
    return {
        **data,
        "newer_version": newer,
        "superseded": bool(one.newer_version),
        "before": [list(piece) for piece in before],
        "after": [list(piece) for piece in after],
    }


def _contradiction(one: Contradiction) -> Told:
    return {
        "number": one.number,
        "chunk_id": one.chunk_id,
        "file_path": one.file_path,
        "section_path": list(one.section_path),
        "passage": one.passage,
        "says": one.says,
        "said": one.said,
    }
