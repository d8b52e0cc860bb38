"""What people decide about approved answers: approve one, keep one that was under review."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fanshu.agent.answer import Strictness
from fanshu.approved.approval import Approved, Contradiction, Kept
from fanshu.approved.approving import MOST_QUESTION, Wish, approve, must_be_writable
from fanshu.approved.examining import as_approved
from fanshu.approved.keeping_up import begin
from fanshu.approved.rivals import known_rivals
from fanshu.approved.standing import Ground, cited_from, successor
from fanshu.approved.stores import ApprovalStore
from fanshu.approved.wordings import marks, stands_alone
from fanshu.errors import ApprovalRefused
from fanshu.library.library import Library
from fanshu.types import EVERYTHING, Answer, Citation, Scope


def accept(
    approvals: ApprovalStore,
    library: Library,
    answer: Answer,
    wish: Wish,
    *,
    scope: Scope = EVERYTHING,
    strictness: Strictness = "strict",
    follows: bool = False,
) -> Kept:
    """Keep an answer as approved. One to the same question becomes a new version of that.

    `follows`: its question went on from earlier ones; then it must be one that means the same
    without them. Raises: ApprovalRefused, ApprovalUnchecked, ApprovalsUnusable, LibraryError.
    """
    question = wish.question or answer.question
    if follows and not stands_alone(question):
        detail = "its question goes on from an earlier one; give one that stands alone"
        raise ApprovalRefused(detail=f"{detail} (--question)")
    one = approve(answer, library, wish, scope=scope, strictness=strictness)
    same = [kept for kept in approvals.matching(question) if all(map(scope.allows, kept.files))]
    if same:
        one = replace(one, id=same[0].id)
    return _put(approvals, library, one, "edited" if same else "approved", scope)


def keep(
    approvals: ApprovalStore, library: Library, kept: Kept, wish: Wish, *, scope: Scope = EVERYTHING
) -> Kept:
    """Keep an answer on the evidence as it was last seen to stand: what changed is cited as it is
    now, what is gone no more, newer versions and contradictions are known from now on.

    Raises: ApprovalRefused, ApprovalUnchecked, ApprovalsUnusable, LibraryError.
    """
    ground = Ground(library, scope)
    cited = tuple(_cited_now(kept, ground))
    if not cited:
        detail = "nothing of its evidence is there any more; drop it, or ask again"
        raise ApprovalRefused(detail=detail)
    answer = replace(kept.approved.answer, citations=cited)
    question = wish.question or kept.approved.question
    one = approve(
        answer,
        library,
        replace(wish, question=question),
        scope=scope,
        strictness=kept.approved.strictness,
    )
    edited = one.edited or kept.approved.edited
    one = replace(one, id=kept.id, edited=edited, accepted=kept.approved.accepted)
    act = "edited" if one.answer.answer != answer.answer else "kept"
    return _put(approvals, library, one, act, scope, kept.examined.contradictions)


def say_also(
    approvals: ApprovalStore, answer_id: str, wording: str, by: str, *, force: bool = False
) -> Kept:
    """Let another wording mean an answer too. One with other figures, names or negations asks
    something else, unless somebody insists.

    Raises: ApprovalMissing, ApprovalRefused, ApprovalsUnusable.
    """
    kept = approvals.one(answer_id)
    must_be_writable(wording + by)
    if len(wording) > MOST_QUESTION:
        raise ApprovalRefused(detail=f"a question has 1 to {MOST_QUESTION:,} characters")
    if not force and marks(wording) != marks(kept.approved.question):
        detail = "the wording has other figures, names or negations than the question"
        raise ApprovalRefused(detail=f"{detail}; --force, if it asks the same nevertheless")
    approvals.add_wording(kept.id, wording, by)
    return approvals.one(kept.id)


def _put(
    approvals: ApprovalStore,
    library: Library,
    one: Approved,
    act: str,
    scope: Scope,
    known: Sequence[Contradiction] = (),
) -> Kept:
    """Keep an answer. What contradicts it counts as accepted by whoever can see that; of the
    contradictions `known` before, those out of sight still stand.
    """
    begin(approvals, library)
    seen = [each.key for each in known_rivals(one, library) if scope.allows(each.file_path)]
    one = replace(one, accepted=tuple(dict.fromkeys((*one.accepted, *seen))))
    examined = as_approved(one)
    if unseen := tuple(each for each in known if not scope.allows(each.file_path)):
        examined = replace(examined, state="contradicted", contradictions=unseen)
    return approvals.put(one, examined, act)


def _cited_now(kept: Kept, ground: Ground) -> Iterator[Citation]:
    """The evidence as it is to be cited from now on, as it was last seen to stand."""
    examined = kept.examined
    for standing, place, evidence in zip(
        examined.standings, examined.now, kept.approved.evidence, strict=True
    ):
        if standing.state in ("unchanged", "moved"):
            yield place
        elif standing.now and (chunk := ground.read(standing.now)):
            then = evidence.citation
            now = cited_from(then, chunk) or successor(then, chunk, evidence.section)
            yield from (now,) if now else ()
