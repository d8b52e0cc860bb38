"""Approved answers of all workers over one store.

An answer is one record: every version of it, who did what, how it stands now. A change is a compare
and swap of that record, so that of two who approve at once neither is lost. A small record counts
the changes; while it says the same, a worker goes by what it has read, and else reads what was
written since. What files were when the answers were last looked at lies in a few records more.
"""

import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary
from zlib import crc32

from fanshu.approved.approval import (
    Approved,
    Examined,
    Kept,
    approved_of,
    closed,
    examined_of,
    now,
)
from fanshu.approved.footing import Footing, footings
from fanshu.approved.stores import MOST_WORDINGS, Revision, Seen
from fanshu.approved.wordings import form
from fanshu.cluster import packing
from fanshu.cluster.changing import change
from fanshu.cluster.leases import Leases
from fanshu.cluster.records import Record, Records
from fanshu.errors import ApprovalMissing, ApprovalRefused, ApprovalsUnusable, StoreError

ANSWERS, SEEN, STATE = "approved", "approved-seen", "approved-state"
KEY = "state"
MOST = 10_000  # answers
BUCKETS = 64  # records that files are spread over
OVERLAP_SECONDS = 60.0  # that clocks of workers may differ, and after which all is read again
LOOK_SECONDS = 60.0  # for which one worker looks answers again, unless it goes on


@dataclass(frozen=True, slots=True)
class _Item:
    """An answer as its record holds it. `kept` is None once it was dropped."""

    key: str
    kept: Kept | None
    order: int
    told: str
    revisions: tuple[Revision, ...]


@dataclass(slots=True)
class _Held:
    """What a process has read of one store."""

    changes: int = 0
    latest: float = 0.0
    read: float = float("-inf")
    items: dict[str, _Item] = field(default_factory=dict)
    seen_changes: int = -1
    seen: dict[str, Seen] = field(default_factory=dict)
    guard: threading.RLock = field(default_factory=threading.RLock)


_held: "WeakKeyDictionary[Records, _Held]" = WeakKeyDictionary()
_guard = threading.Lock()


class SharedApprovals:
    """`Approvals` over records. Every method raises ApprovalsUnusable when they cannot be used."""

    def __init__(
        self, records: Records, place: str, clock: Callable[[], float] = time.time
    ) -> None:
        self._records, self.place, self._clock = records, place, clock
        self.documents = place
        with _guard:
            self._held = _held.setdefault(records, _Held())

    # ---------------------------------------------------------------- reading

    def empty(self) -> bool:
        """Whether there are none."""
        return not self.all()

    def matching(self, question: str) -> tuple[Kept, ...]:
        """The answers to a question, the last approved first."""
        wanted = form(question)
        said = (one for one in self.all() if wanted in map(form, one.wordings))
        return tuple(said) if wanted else ()

    def all(self) -> tuple[Kept, ...]:
        """Every answer, the last approved first."""
        items = sorted(self._items().values(), key=lambda item: item.order, reverse=True)
        return tuple(item.kept for item in items if item.kept)

    def waiting(self) -> tuple[Kept, ...]:
        """Those that somebody has to review."""
        return tuple(one for one in self.all() if one.examined.waits)

    def some(self, ids: Collection[str]) -> tuple[Kept, ...]:
        """Those of these ids that there are."""
        return tuple(one for one in self.all() if one.id in ids)

    def one(self, answer_id: str) -> Kept:
        """The answer of this id, or of an id that begins so. Raises: ApprovalMissing."""
        known = self.all() if answer_id.isalnum() else ()
        found = [kept for kept in known if kept.id.startswith(answer_id)]
        exact = [kept for kept in found if kept.id == answer_id] or found
        if len(exact) != 1:
            raise ApprovalMissing(answer_id=answer_id)
        return exact[0]

    def foreign(self, answer_id: str) -> bool:  # noqa: ARG002
        """No: a store is of one set of documents."""
        return False

    def history(self, answer_id: str) -> tuple[Revision, ...]:
        """Who approved and changed what, the first first; also of answers that were dropped."""
        item = self._items().get(answer_id)
        return item.revisions if item else ()

    def _items(self) -> Mapping[str, _Item]:
        """All answers as they are now."""
        held = self._held
        with self._reached(), held.guard:
            changes = self._changes("answers")
            began = self._clock()
            fresh = began - held.read < OVERLAP_SECONDS
            if changes != held.changes or (changes and not fresh):
                since = {"changed": held.latest - OVERLAP_SECONDS} if held.items else None
                for record in self._records.find(ANSWERS, least=since, limit=MOST):
                    held.items[record.key] = _item(record)
                    held.latest = max(held.latest, float(str(record.fields["changed"])))
                held.changes, held.read = changes, began
            return dict(held.items)

    def _changes(self, of: str) -> int:
        state = self._records.get(STATE, KEY)
        return int(state.body.get(of, 0)) if state else 0

    # ---------------------------------------------------------------- changes

    def put(
        self,
        one: Approved,
        examined: Examined,
        act: str,
        wordings: Sequence[str] = (),
        *,
        who: str = "",
    ) -> Kept:
        """Keep a new answer, or a new version of one; what it was before stays in the history.

        `who`: did it, where that is not who approved the answer.
        """

        def put(item: _Item | None) -> _Item:
            known = item.kept.wordings if item and item.kept else ()
            said = _distinct((*known, one.question, *wordings))
            noted = self._noted(item, one, act, who or one.by, one.note)
            return _Item(one.id, Kept(one, examined, said), noted[0], examined.state, noted[1])

        self._change(one.id, put)
        return self.one(one.id)

    def add_wording(self, answer_id: str, text: str, by: str) -> None:
        """Let another wording mean an answer too. Raises: ApprovalMissing, ApprovalRefused."""
        answer_id, text = self.one(answer_id).id, text.strip()
        if not form(text):
            raise ApprovalRefused(detail="the wording asks nothing")

        def said(item: _Item | None) -> _Item:
            kept = _there(item, answer_id)
            if len(kept.wordings) >= MOST_WORDINGS:
                raise ApprovalRefused(detail=f"an answer has at most {MOST_WORDINGS} wordings")
            wordings = _distinct((*kept.wordings, text))
            noted = self._noted(item, kept.approved, "wording", by, text)
            now_kept = Kept(kept.approved, kept.examined, wordings)
            order, told = (item.order, item.told) if item else (noted[0], "")
            return _Item(answer_id, now_kept, order, told, noted[1])

        self._change(answer_id, said)

    def drop(self, answer_id: str, by: str, note: str = "") -> None:
        """Give an answer no more; its history stays. Raises: ApprovalMissing."""
        answer_id = self.one(answer_id).id

        def dropped(item: _Item | None) -> _Item:
            approved = _there(item, answer_id).approved
            noted = self._noted(item, approved, "dropped", by, note)
            return _Item(answer_id, None, noted[0], "", noted[1])

        self._change(answer_id, dropped)

    def _noted(
        self, item: _Item | None, one: Approved, act: str, by: str, note: str
    ) -> tuple[int, tuple[Revision, ...]]:
        """The history with one line more, and its number: microseconds since 1970, ascending."""
        before = item.revisions if item else ()
        last = before[-1].number if before else 0
        number = max(last + 1, int(self._clock() * 1_000_000))
        return number, (*before, Revision(number, act, by, now(), note, one))

    def _change(self, key: str, work: Callable[[_Item | None], _Item | None]) -> bool:
        """Change the record of an answer; whether it was changed."""

        def changed(before: Record | None) -> Record | None:
            item = work(_item(before) if before else None)
            return _record(item, self._clock()) if item else None

        with self._reached():
            if change(self._records, ANSWERS, key, changed) is None:
                return False
            self._count("answers")
        return True

    def _count(self, of: str) -> None:
        """One change more, so that others look."""

        def counted(before: Record | None) -> Record:
            known = dict(before.body) if before else {}
            return Record(KEY, known | {of: int(known.get(of, 0)) + 1})

        change(self._records, STATE, KEY, counted)

    # ---------------------------------------------------------------- looking again

    def mine(self) -> bool:
        """Whether this worker is the one that looks answers again after a sync."""
        with self._reached():
            return Leases(self._records).take("look approved answers again", LOOK_SECONDS)

    def footings(self) -> tuple[Footing, ...]:
        """What all answers rest on."""
        return tuple(foot for one in self.all() for foot in footings(one.approved, one.examined))

    def marks(self) -> Mapping[str, str]:
        """The version of each file when the answers were last looked at, by path."""
        return {path: seen.mark for path, seen in self._seen().items()}

    def chunks(self, paths: Collection[str]) -> frozenset[str]:
        """The hashes of the chunks that some files had then."""
        seen = self._seen()
        return frozenset(one for path in paths if path in seen for one in seen[path].chunks)

    def _seen(self) -> Mapping[str, Seen]:
        held = self._held
        with self._reached(), held.guard:
            changes = self._changes("seen")
            if changes != held.seen_changes:
                files: dict[str, Seen] = {}
                for record in self._records.find(SEEN, limit=BUCKETS):
                    with self._understood():
                        opened = packing.opened(record.body)
                    files |= {
                        path: Seen(mark, tuple(c.split())) for path, (mark, c) in opened.items()
                    }
                held.seen, held.seen_changes = files, changes
            return dict(held.seen)

    def examined(
        self, results: Sequence[tuple[Kept, Examined]], files: Mapping[str, Seen | None]
    ) -> None:
        """Write down how answers stand, and files as they are now; None: gone.

        An answer that was changed meanwhile is left as it is. Files come last: of a worker that
        dies in between, the next one looks at the same changes again.
        """
        for kept, examined in results:
            self._change(kept.id, lambda item, k=kept, e=examined: _examined(item, k, e))  # type: ignore[misc]
        buckets: dict[str, dict[str, Seen | None]] = {}
        for path, seen in files.items():
            buckets.setdefault(_bucket(path), {})[path] = seen
        with self._reached():
            for key, some in buckets.items():
                change(self._records, SEEN, key, lambda was, k=key, s=some: _noted_files(was, k, s))  # type: ignore[misc]
            if buckets:
                self._count("seen")

    def untold(self) -> tuple[Kept, ...]:
        """Answers that wait in a state which nobody has been told of; they count as told then."""

        def tell(item: _Item | None) -> _Item | None:
            if not item or not item.kept or item.kept.examined.state == item.told:
                return None  # another worker tells of it
            state = item.kept.examined.state
            return _Item(item.key, item.kept, item.order, state, item.revisions)

        items = self._items().values()
        new = [one for one in items if one.kept and one.kept.examined.state != one.told]
        ids = [one.key for one in new if self._change(one.key, tell)]
        return tuple(one for one in self.some(ids) if one.examined.waits)

    @contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            with self._understood():
                yield
        except StoreError as error:
            raise ApprovalsUnusable(path=self.place, detail=str(error)) from error

    @contextmanager
    def _understood(self) -> Iterator[None]:
        try:
            yield
        except (ValueError, KeyError, TypeError) as error:
            detail = "another version of fanshu wrote an answer in it"
            raise ApprovalsUnusable(path=self.place, detail=detail) from error


def _there(item: _Item | None, answer_id: str) -> Kept:
    """Raises: ApprovalMissing — it was dropped meanwhile."""
    if item is None or item.kept is None:
        raise ApprovalMissing(answer_id=answer_id)
    return item.kept


def _examined(item: _Item | None, kept: Kept, examined: Examined) -> _Item | None:
    if item is None or item.kept is None or closed(item.kept.approved) != closed(kept.approved):
        return None
    now_kept = Kept(item.kept.approved, examined, item.kept.wordings)
    return _Item(item.key, now_kept, item.order, item.told, item.revisions)


def _distinct(wordings: Sequence[str]) -> tuple[str, ...]:
    """Wordings without those that mean the same as an earlier one."""
    by_form: dict[str, str] = {}
    for text in wordings:
        by_form.setdefault(form(text), text)
    return tuple(by_form.values())


def _bucket(path: str) -> str:
    return f"{crc32(path.encode('utf-8', 'surrogateescape')) % BUCKETS:02d}"


def _noted_files(before: Record | None, key: str, files: Mapping[str, Seen | None]) -> Record:
    known: dict[str, Any] = packing.opened(before.body) if before else {}
    for path, seen in files.items():
        known.pop(path, None)
        if seen:
            known[path] = [seen.mark, " ".join(seen.chunks)]
    return Record(key, packing.closed(known))


def _record(item: _Item, changed: float) -> Record:
    lines = [(r.number, r.act, r.by, r.at, r.note, closed(r.approved)) for r in item.revisions]
    kept = item.kept
    current = (
        {
            "approved": closed(kept.approved),
            "examined": closed(kept.examined),
            "wordings": kept.wordings,
        }
        if kept
        else None
    )
    data = {"current": current, "order": item.order, "told": item.told, "revisions": lines}
    return Record(item.key, packing.closed(data), {"changed": changed})


def _item(record: Record) -> _Item:
    """Raises: ValueError, KeyError, TypeError — another version of the program wrote it."""
    data = packing.opened(record.body)
    current = data["current"]
    kept = current and Kept(
        approved_of(current["approved"]),
        examined_of(current["examined"]),
        tuple(current["wordings"]),
    )
    lines = tuple(
        Revision(number, act, by, at, note, approved_of(body))
        for number, act, by, at, note, body in data["revisions"]
    )
    return _Item(record.key, kept, data["order"], data["told"], lines)
