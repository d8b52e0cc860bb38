"""Approved answers: approve a run, list, look at one, change, drop, and what waits for review."""

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, ConfigDict, Field, StrictBool
from starlette.concurrency import run_in_threadpool

from fanshu import app
from fanshu.approved import deciding
from fanshu.approved.approval import Kept
from fanshu.approved.approving import Wish
from fanshu.approved.opening import approvals_of
from fanshu.approved.recorded import followed, from_plain
from fanshu.approved.stores import ApprovalStore
from fanshu.approved.telling import told, told_revision
from fanshu.errors import ApprovalMissing, ApprovalUnchecked, RunMissing, TraceMissing
from fanshu.serve.access import Person
from fanshu.serve.register import Run
from fanshu.serve.responses import Json, described, explained
from fanshu.serve.routes.history import may_see
from fanshu.serve.routes.told import problems, shown
from fanshu.serve.service import Door, Here, Through, Who
from fanshu.types import Scope

router = APIRouter(tags=["approved answers"])

ApprovedId = Annotated[str, Path(max_length=32, examples=["3fa2c1d0"])]
Text = Annotated[str, Field(min_length=1, max_length=8_000, pattern=r"\S")]
Question = Annotated[str, Field(min_length=1, max_length=4_000, pattern=r"\S")]
Note = Annotated[str, Field(max_length=2_000)]


class ApprovedAnswer(BaseModel):
    """An approved answer. `state`: `unchanged` and `moved` are given, all others wait for review.
    `evidence`: each passage then and now, `before` and `after` in pieces of [text, differs].
    `unsupported`: what the cited text never held, approved all the same. `history`: only of one.
    """

    id: str
    question: str
    wordings: list[str]
    answer: str
    state: str
    waits: bool
    by: str
    at: str
    note: str
    edited: bool
    unsupported: list[str]
    no_longer_supported: list[str]
    examined_at: str
    citations: list[dict[str, Any]]
    evidence: list[dict[str, Any]]
    contradictions: list[dict[str, Any]]
    history: list[dict[str, str]] | None = None


class ApprovedAnswers(BaseModel):
    """Approved answers, the last approved first."""

    approved: list[ApprovedAnswer]


class Approve(BaseModel):
    """Approve the answer of one of your runs, as it is or with another text."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"run_id": "20260301-101500-3fa2c1", "note": "as agreed"}]},
    )

    run_id: Annotated[str, Field(min_length=1, max_length=64)]
    answer: Text | None = Field(default=None, description="In the place of the answer's own text.")
    question: Question | None = Field(
        default=None, description="The question it answers, where that is not the one asked."
    )
    note: Note = ""
    force: StrictBool = Field(
        default=False, description="Also what the cited text does not hold; it stays marked."
    )


class Change(BaseModel):
    """Change an approved answer. `wording`: another way to ask for it. `keep` or `answer`: it is
    approved anew, on the evidence as it stands now.
    """

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"keep": True}, {"wording": "Timeout?"}]}
    )

    answer: Text | None = None
    wording: Question | None = None
    keep: StrictBool = False
    note: Note = ""
    force: StrictBool = False


TOLD = (ApprovedAnswers, ApprovedAnswer)


@router.post(
    "/v1/approved",
    summary="Approve the answer of a run",
    description="For whoever may approve. A text that its evidence does not hold is a problem "
    "`approval_unchecked`, whose `unsupported` says what; `force` keeps it, marked.",
    response_class=Response,
    responses={201: shown("ApprovedAnswer", "It is given first now"), **problems(404, 409, 503)},
)
async def approve(service: Here, person: Who, body: Approve) -> Response:
    """Keep an answer; it is given first from now on."""
    person.must_approve()
    run = await run_in_threadpool(service.register.run, body.run_id, person.key)
    if run is None or not run.ended or not may_see(person, run, service):
        raise RunMissing(run_id=body.run_id)
    shelf = service.libraries.all[run.library]
    wish = Wish(_name(person), body.answer, body.note, body.question, body.force)
    async with service.libraries.using(shelf):
        door = Door(shelf, person.scope(shelf.name))
        return await _unless_unchecked(door, _approve, run, wish, status=201)


@router.get(
    "/v1/approved",
    summary="Approved answers",
    description="Those whose whole evidence you may see, for whoever may approve.",
    response_class=Response,
    responses={200: shown("ApprovedAnswers", "Answers"), **problems(404, 503)},
)
async def list_(door: Through, person: Who) -> Response:
    """All of a library."""
    person.must_approve()
    return Json({"approved": await door.call(_listed, door, waiting=False)})


@router.get(
    "/v1/approved/review",
    summary="Approved answers that wait for review",
    description="Their evidence is changed, gone, superseded or contradicted; they are not given.",
    response_class=Response,
    responses={200: shown("ApprovedAnswers", "Answers"), **problems(404, 503)},
)
async def review(door: Through, person: Who) -> Response:
    """What somebody has to look at."""
    person.must_approve()
    return Json({"approved": await door.call(_listed, door, waiting=True)})


@router.get(
    "/v1/approved/{answer_id}",
    summary="An approved answer and its history",
    response_class=Response,
    responses={200: shown("ApprovedAnswer", "The answer"), **problems(404, 503)},
)
async def one(door: Through, person: Who, answer_id: ApprovedId) -> Response:
    """One, with who approved and changed it when."""
    person.must_approve()
    return Json(await door.call(_one, door, answer_id))


@router.patch(
    "/v1/approved/{answer_id}",
    summary="Change an approved answer, or keep it after review",
    response_class=Response,
    responses={200: shown("ApprovedAnswer", "As it is now"), **problems(404, 409, 503)},
)
async def change(door: Through, person: Who, answer_id: ApprovedId, body: Change) -> Response:
    """Another text, another wording, or the evidence of now."""
    person.must_approve()
    wish = Wish(_name(person), body.answer, body.note, None, body.force)
    return await _unless_unchecked(door, _change, answer_id, body, wish)


@router.delete(
    "/v1/approved/{answer_id}",
    summary="Give an approved answer no more",
    description="Its history stays.",
    status_code=204,
    responses={204: {"description": "It is dropped"}, **problems(404, 503)},
)
async def drop(door: Through, person: Who, answer_id: ApprovedId) -> Response:
    """Drop one."""
    person.must_approve()
    await door.call(_drop, door, answer_id, _name(person))
    return Response(status_code=204)


# ---------------------------------------------------------------- in threads


async def _unless_unchecked(door: Door, work: Any, *args: object, status: int = 200) -> Response:
    """What comes of `work`, or a problem that names what the evidence does not hold."""
    try:
        return Json(await door.call(work, door, *args), status)
    except ApprovalUnchecked as error:
        items = error.fields["unsupported"]
        return described(error.code, explained(error), 409, unsupported=items)


def _approve(door: Door, run: Run, wish: Wish) -> dict[str, object]:
    kept = deciding.accept(
        approvals_of(door.library),
        door.library,
        replace(from_plain(run.answer), question=run.question),
        wish,
        scope=door.scope,
        strictness=door.shelf.settings.check,
        follows=_follows(door, run),
    )
    return told(kept, door.scope)


def _follows(door: Door, run: Run) -> bool:
    """Whether its question went on from earlier ones, or nobody knows any more."""
    try:
        return followed(app.open_traces(door.shelf.settings).load(run.trace or ""))
    except TraceMissing:
        return True


def _listed(door: Door, *, waiting: bool) -> list[dict[str, object]]:
    approvals = approvals_of(door.library)
    kept = approvals.waiting() if waiting else approvals.all()
    return [told(one, door.scope) for one in kept if _visible(one, door.scope)]


def _one(door: Door, answer_id: str) -> dict[str, object]:
    approvals = approvals_of(door.library)
    kept = _known(approvals, answer_id, door.scope)
    history = approvals.history(kept.id)
    seen = [one for one in history if all(map(door.scope.allows, one.files))]
    return told(kept, door.scope) | {"history": [told_revision(one) for one in seen]}


def _change(door: Door, answer_id: str, body: Change, wish: Wish) -> dict[str, object]:
    approvals = approvals_of(door.library)
    kept = _known(approvals, answer_id, door.scope)
    if body.wording:
        kept = deciding.say_also(approvals, kept.id, body.wording, wish.by, force=body.force)
    if body.keep or body.answer is not None:
        kept = deciding.keep(approvals, door.library, kept, wish, scope=door.scope)
    return told(kept, door.scope)


def _drop(door: Door, answer_id: str, by: str) -> None:
    approvals = approvals_of(door.library)
    approvals.drop(_known(approvals, answer_id, door.scope).id, by)


def _known(approvals: ApprovalStore, answer_id: str, scope: Scope) -> Kept:
    """Raises: ApprovalMissing — there is none, for whoever asks."""
    kept = approvals.one(answer_id)
    if not _visible(kept, scope):
        raise ApprovalMissing(answer_id=answer_id)
    return kept


def _visible(kept: Kept, scope: Scope) -> bool:
    return all(map(scope.allows, kept.files))


def _name(person: Person) -> str:
    """Who approves; a token is not the user of that name."""
    return person.label if person.kind == "token" else person.name
