"""Approved answers over a library: where they are kept, and the cheap look whether there are any.

Most libraries have none. Nothing of the rest of this package is loaded then.
"""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fanshu import keeping
from fanshu.errors import ApprovalsUnusable, LibraryError
from fanshu.library.library import Library
from fanshu.places import identity
from fanshu.settings import user_data
from fanshu.types import Scope

if TYPE_CHECKING:
    from fanshu.approved.stores import ApprovalStore

FILE = "answers.db"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and for whom. `follows`: it goes on from earlier ones. `reader`: the model that
    would answer it.
    """

    question: str
    scope: Scope
    follows: bool
    reader: str


def place() -> Path:
    """The file of all approved answers of this user; it need not exist."""
    return user_data() / keeping.APPROVED / FILE


def approvals_of(library: Library) -> "ApprovalStore":
    """The approved answers over the documents of a library: this user's, or those of its store."""
    if library.shared:
        from fanshu.approved.shared_store import SharedApprovals

        return SharedApprovals(library.shared.records, library.shared.place)
    from fanshu.approved.store import Approvals

    return Approvals(place(), identity(library.roots))


def open_approvals(library: Library) -> "ApprovalStore | None":
    """The same; None when there is not even a file of them."""
    return approvals_of(library) if library.shared or place().exists() else None


def after_sync(library: Library) -> None:
    """Look again at the approved answers that a sync may have touched; never in its way.

    A file that cannot be used is told when a question is asked. Of the workers over one store one
    does it.
    """
    if not (approvals := open_approvals(library)):
        return
    from fanshu.approved.keeping_up import keep_up

    with suppress(ApprovalsUnusable, LibraryError):
        if not approvals.empty() and approvals.mine():
            keep_up(approvals, library)
