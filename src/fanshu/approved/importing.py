"""Taking in answers that were approved elsewhere: each is looked at over the documents here."""

import hashlib
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fanshu.agent.answer import Strictness
from fanshu.approved.approval import Approved, Evidence, Examined, Kept
from fanshu.approved.approving import (
    ID_BYTES,
    Wish,
    checked,
    evidence_of,
    must_be_text,
    unchecked,
)
from fanshu.approved.examining import as_approved, examine
from fanshu.approved.exporting import Row
from fanshu.approved.keeping_up import begin
from fanshu.approved.rivals import known_rivals
from fanshu.approved.standing import Ground
from fanshu.approved.stores import MOST_WORDINGS, ApprovalStore
from fanshu.errors import ApprovalRefused
from fanshu.library.library import Library

_ID = re.compile(r"[0-9a-f]{4,32}")


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of the rows of a file. `waiting`: those whose evidence is not here as it was."""

    taken: tuple[Kept, ...]
    unchanged: int

    @property
    def waiting(self) -> int:
        return sum(one.examined.waits for one in self.taken)


def take_in(
    approvals: ApprovalStore,
    library: Library,
    rows: Sequence[Row],
    by: str,
    strictness: Strictness = "strict",
) -> Imported:
    """Keep the answers of a file. What is there already, word for word, is left alone.

    What a file says of itself is not believed: an answer whose evidence does not stand here, whose
    text that does not hold, or that another document here contradicts, waits for review. Raises:
    ApprovalRefused — a row cannot be an answer, none is taken; ApprovalsUnusable, LibraryError.
    """
    for row in rows:
        _must_be_answer(row)
    begin(approvals, library)
    ground = Ground(library)
    known = {kept.id: kept for kept in approvals.all()}
    taken = []
    for row in rows:
        one = replace(row.approved, id=_own_id(row.approved.id, approvals))
        there = known.get(one.id)
        if there and _says(there.approved) == _says(one):
            if set(row.wordings) <= set(there.wordings):
                continue
            one, examined = there.approved, there.examined
        else:
            one, examined = _as_here(replace(one, strictness=strictness), ground)
        taken.append(approvals.put(one, examined, "imported", row.wordings, who=by))
    return Imported(tuple(taken), len(rows) - len(taken))


def _must_be_answer(row: Row) -> None:
    """Raises: ApprovalRefused."""
    one = row.approved
    try:
        must_be_text(one.answer.answer.strip(), one.question.strip(), Wish(one.by, note=one.note))
        for wording in row.wordings:
            must_be_text(one.answer.answer, wording, Wish(one.by))
        if len(row.wordings) > MOST_WORDINGS:
            raise ApprovalRefused(detail=f"an answer has at most {MOST_WORDINGS} wordings")
        if not one.evidence:
            raise ApprovalRefused(detail="it cites nothing, so nothing could be looked at again")
    except ApprovalRefused as error:
        detail = f"line {row.number}: {error.fields['detail']}"
        raise ApprovalRefused(detail=detail) from error


def _own_id(wanted: str, approvals: ApprovalStore) -> str:
    """The id of a file, unless other documents have an answer of that id: that one stays theirs."""
    if not _ID.fullmatch(wanted):
        return secrets.token_hex(ID_BYTES)
    if not approvals.foreign(wanted):
        return wanted
    own = f"{approvals.documents}\0{wanted}".encode()  # the same each time the file is taken in
    return hashlib.sha256(own).hexdigest()[: 2 * ID_BYTES]


def _says(one: Approved) -> tuple[object, ...]:
    """What makes two answers one, word for word."""
    quotes = tuple((each.citation.file_path, each.citation.quote) for each in one.evidence)
    return (one.question, one.answer.answer, one.by, one.at, one.note, one.edited, quotes)


def _as_here(one: Approved, ground: Ground) -> tuple[Approved, Examined]:
    """An answer over the documents here, and how it stands: as if it had just been written."""
    doubted = _doubted(one)
    examined = examine(doubted, ground)
    if examined.waits:
        return doubted, examined
    if against := tuple(known_rivals(doubted, ground.library)):
        return doubted, replace(examined, state="contradicted", contradictions=against)
    chunks = [chunk for cited in examined.now if (chunk := ground.read(cited.chunk_id))]
    here = replace(
        doubted,
        answer=checked(doubted.answer, examined.now, chunks, one.strictness),
        evidence=tuple(evidence_of(examined.now, chunks, ground)),
    )
    return here, as_approved(here)


def _doubted(one: Approved) -> Approved:
    """An answer of which nothing counts as seen here: without the hashes, its passages and what
    its text says are compared with the documents each time that it is looked at.
    """
    answer = replace(unchecked(one.answer), question=one.question, unsupported=())
    return replace(one, answer=answer, evidence=tuple(map(_unseen, one.evidence)), accepted=())


def _unseen(one: Evidence) -> Evidence:
    return replace(one, citation=replace(one.citation, hash="", newer_version=None))
