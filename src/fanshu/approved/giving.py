"""Giving an approved answer again: first of all, at no cost, and only while its evidence stands.

The evidence is looked at again at that moment, as the cache does. An answer whose evidence has
changed is not given: the question is asked anew, and the new answer says that an approved one
waits for review. Whoever may not see all that an answer rests on is given none, and not told.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from fanshu.agent.events import Ended, OnEvent, Started
from fanshu.approved.approval import Kept
from fanshu.approved.examining import still
from fanshu.approved.opening import Asked
from fanshu.approved.standing import Ground
from fanshu.approved.stores import ApprovalStore
from fanshu.approved.wordings import stands_alone
from fanshu.errors import ApprovalsUnusable
from fanshu.library.library import Library
from fanshu.types import Answer, Approval, Scope


@dataclass(frozen=True, slots=True)
class Found:
    """What is known of a question: an answer to give, or one that waits for review."""

    answer: Answer | None = None
    under_review: Approval | None = None
    trouble: str = ""

    def told(self, answer: Answer) -> Answer:
        """An answer that was found anew, with what is known of an approved one."""
        if self.trouble:
            warning = f"the approved answers could not be used: {self.trouble}"
            answer = replace(answer, warnings=(*answer.warnings, warning))
        return replace(answer, under_review=self.under_review) if self.under_review else answer


async def first(
    asked: Asked,
    approvals: ApprovalStore,
    library: Library,
    otherwise: Callable[[], Awaitable[Answer]],
    holds: Callable[[str], bool],
    on_event: OnEvent | None = None,
) -> Answer:
    """The approved answer to a question, else what `otherwise` gives. Raises: LibraryError."""
    found = await asyncio.to_thread(find, asked, approvals, library, holds)
    if not found.answer:
        return found.told(await otherwise())
    if on_event:
        on_event(Started(asked.question, asked.reader, 0))
        on_event(Ended(found.answer))
    return found.answer


def find(
    asked: Asked, approvals: ApprovalStore, library: Library, holds: Callable[[str], bool]
) -> Found:
    """What to say to a question that somebody approved an answer to.

    A question that goes on from earlier ones must mean the same without them. `holds`: whether a
    trace is still kept. Raises: LibraryError.
    """
    began = time.perf_counter()
    if asked.follows and not stands_alone(asked.question):
        return Found()
    try:
        known = _visible(approvals.matching(asked.question), asked.scope)
    except ApprovalsUnusable as error:
        return Found(trouble=str(error.fields["detail"]))
    ground = Ground(library)
    waiting: Approval | None = None
    for kept in known:
        # What waits is looked at by the next sync, which knows what is new, and by a person.
        today = kept if kept.examined.waits else still(kept, ground)
        if not _visible([today], asked.scope):
            continue
        if not today.examined.waits:
            answer = today.given(asked.question, time.perf_counter() - began, asked.scope)
            held = answer.trace_id and holds(answer.trace_id)
            return Found(answer if held else replace(answer, trace_id=None))
        waiting = waiting or today.approval
    return Found(under_review=waiting)


def _visible(known: Sequence[Kept], scope: Scope) -> list[Kept]:
    """Those of which somebody may see every file."""
    return [kept for kept in known if all(map(scope.allows, kept.files))]
