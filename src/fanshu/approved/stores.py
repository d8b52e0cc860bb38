"""What every place of approved answers can do: the file of a user, and a store of many workers."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from fanshu.approved.approval import Approved, Examined, Kept
from fanshu.approved.footing import Footing

MOST_WORDINGS = 50  # of one answer


@dataclass(frozen=True, slots=True)
class Revision:
    """A line of the history. `act`: approved, edited, kept, wording, dropped or imported."""

    number: int
    act: str
    by: str
    at: str
    note: str
    approved: Approved

    @property
    def files(self) -> frozenset[str]:
        """The files that it rested on."""
        return frozenset(one.citation.file_path for one in self.approved.evidence)


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was when the answers were last looked at: its version, and its chunks'."""

    mark: str
    chunks: tuple[str, ...]


class ApprovalStore(Protocol):
    """Where approved answers are kept: a file of this user, or a store that workers share.

    Thread-safe. Every method raises ApprovalsUnusable when it cannot be used.
    """

    @property
    def documents(self) -> str: ...
    def empty(self) -> bool: ...
    def matching(self, question: str) -> tuple[Kept, ...]: ...
    def all(self) -> tuple[Kept, ...]: ...
    def waiting(self) -> tuple[Kept, ...]: ...
    def some(self, ids: Collection[str]) -> tuple[Kept, ...]: ...
    def one(self, answer_id: str) -> Kept: ...
    def foreign(self, answer_id: str) -> bool: ...
    def history(self, answer_id: str) -> tuple[Revision, ...]: ...
    def put(
        self,
        one: Approved,
        examined: Examined,
        act: str,
        wordings: Sequence[str] = (),
        *,
        who: str = "",
    ) -> Kept: ...
    def add_wording(self, answer_id: str, text: str, by: str) -> None: ...
    def drop(self, answer_id: str, by: str, note: str = "") -> None: ...
    def mine(self) -> bool: ...
    def footings(self) -> tuple[Footing, ...]: ...
    def marks(self) -> Mapping[str, str]: ...
    def chunks(self, paths: Collection[str]) -> frozenset[str]: ...
    def examined(
        self, results: Sequence[tuple[Kept, Examined]], files: Mapping[str, Seen | None]
    ) -> None: ...
    def untold(self) -> tuple[Kept, ...]: ...
