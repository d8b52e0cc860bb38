"""After a sync: which approved answers may be touched by what changed, and how those stand now.

Of all answers only those are looked at whose evidence lies in a file that changed, moved or went,
that has a newer version now, whose passage was missing and stands in new text, or of which new
text states another value. New text is a chunk that no changed file held before, so that a large
file with one edit costs one chunk.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fanshu.approved.approval import Examined, Kept
from fanshu.approved.examining import examine
from fanshu.approved.footing import Footing
from fanshu.approved.rivals import rivals
from fanshu.approved.standing import Ground, squashed
from fanshu.approved.stores import ApprovalStore, Seen
from fanshu.approved.subjects import Subjects
from fanshu.library.library import Library
from fanshu.library.store import DocumentRecord
from fanshu.types import Chunk

HASH_CHARS = 12  # of a chunk's hash: two chunks of one file with the same would be a wonder


@dataclass(frozen=True, slots=True)
class Change:
    """An answer whose state is another one now."""

    before: Kept
    after: Kept


@dataclass(frozen=True, slots=True)
class Report:
    """What looking again came to. `examined`: how many answers were looked at, `reads`: how many
    chunks were read for them.
    """

    examined: int = 0
    reads: int = 0
    changes: tuple[Change, ...] = ()


def keep_up(approvals: ApprovalStore, library: Library) -> Report:
    """Look again at the approved answers that changes since the last time may touch.

    The library must be up to date. Raises: ApprovalsUnusable, LibraryError.
    """
    if approvals.empty():
        return Report()
    changes = _changed(approvals, library)
    footings = approvals.footings()
    if not changes.paths and not _superseded(footings, changes):
        return Report()
    ground = Ground(library)
    fresh = tuple(_fresh(changes, ground, approvals.chunks(changes.paths)))
    if changes.compared:
        ground.fresh = frozenset(chunk.hash for chunk in fresh)
    named = _named(footings, fresh)
    touched = _touched(footings, changes, fresh)
    touched.update(_contradicted(approvals, named, touched))
    results = [
        (kept, examine(kept.approved, ground, kept.examined, named.get(kept.id, ())))
        for kept in approvals.some(touched)
    ]
    approvals.examined(results, _seen(changes, ground))
    return Report(len(results), ground.reads, tuple(_changes(results)))


@dataclass(frozen=True, slots=True)
class _Changed:
    """Files that are not what they were: `marks` are those of all files now, `newer` the newer
    versions. `compared`: whether anything was known of them before.
    """

    changed: frozenset[str]
    gone: frozenset[str]
    marks: Mapping[str, str]
    newer: Mapping[str, str]
    compared: bool

    @property
    def paths(self) -> frozenset[str]:
        return self.changed | self.gone


def _changed(approvals: ApprovalStore, library: Library) -> _Changed:
    view, before = library.view(), approvals.marks()
    marks = {path: _mark(record) for path, record in view.documents.items()}
    changed = frozenset(path for path, mark in marks.items() if before.get(path) != mark)
    gone = frozenset(before.keys() - marks.keys())
    return _Changed(changed, gone, marks, view.newer, bool(before))


def _touched(footings: Sequence[Footing], changes: _Changed, fresh: Sequence[Chunk]) -> set[str]:
    """Answers whose evidence the changes may have touched."""
    direct = {one.id for one in footings if one.path in changes.paths}
    return direct | _superseded(footings, changes) | set(_come_back(footings, fresh))


def _seen(changes: _Changed, ground: Ground) -> dict[str, Seen | None]:
    """What to remember of the files that changed; None: gone."""
    there = {path: _seen_file(changes.marks[path], ground, path) for path in changes.changed}
    return {**dict.fromkeys(changes.gone), **there}


def _seen_file(mark: str, ground: Ground, path: str) -> Seen:
    return Seen(mark, tuple(map(_short, ground.file(path))))


def begin(approvals: ApprovalStore, library: Library) -> None:
    """Remember the files as they are, before the first answer is kept. Raises as `keep_up`."""
    changes = _changed(approvals, library)
    if not changes.compared:
        approvals.examined([], _seen(changes, Ground(library)))


def _mark(record: DocumentRecord) -> str:
    """What is another one when the text of a file may be."""
    return f"{record.hash} {record.made_by}"


def _short(chunk: Chunk) -> str:
    return chunk.hash[:HASH_CHARS]


def _fresh(changes: _Changed, ground: Ground, old: Collection[str]) -> Iterator[Chunk]:
    """The chunks whose text was in none of the files that changed; none at the first look."""
    for path in changes.changed if changes.compared else ():
        yield from (chunk for chunk in ground.file(path) if _short(chunk) not in old)


def _superseded(footings: Sequence[Footing], changes: _Changed) -> set[str]:
    """Answers of whose files another newer version is known now, or none any more."""
    own = [one for one in footings if one.quote and one.path in changes.marks]
    return {one.id for one in own if changes.newer.get(one.path, "") != one.newer}


def _come_back(footings: Sequence[Footing], fresh: Sequence[Chunk]) -> Iterator[str]:
    """Answers whose missing passage may stand in new text."""
    missing = [one for one in footings if one.quote and not one.stands]
    texts = [squashed(chunk.text) for chunk in fresh] if missing else []
    return (one.id for one in missing if any(one.quote in text for text in texts))


def _named(footings: Sequence[Footing], fresh: Sequence[Chunk]) -> Mapping[str, Sequence[Chunk]]:
    """The answers whose subjects new text names, and which."""
    subjects = Subjects((one.id, each) for one in footings for each in one.subjects)
    named: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in fresh:
        for answer_id in subjects.named_in(chunk):
            named[answer_id].append(chunk)
    return named


def _contradicted(
    approvals: ApprovalStore, named: Mapping[str, Sequence[Chunk]], but: Collection[str]
) -> Iterator[str]:
    """Answers of whose subjects new text says something else."""
    for kept in approvals.some(named.keys() - set(but)):
        if any(rivals(kept.approved.evidence, named[kept.id])):
            yield kept.id


def _changes(results: Sequence[tuple[Kept, Examined]]) -> Iterator[Change]:
    for kept, examined in results:
        if examined.state != kept.examined.state:
            yield Change(kept, Kept(kept.approved, examined, kept.wordings))
