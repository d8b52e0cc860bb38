"""What somebody asked before, what they think of the answers, and what found no answer."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, ConfigDict, Field, StrictBool
from starlette.concurrency import run_in_threadpool

from fanshu import app
from fanshu.errors import LibraryError, RunMissing, TraceMissing
from fanshu.serve.access import Person, within
from fanshu.serve.register import Run
from fanshu.serve.responses import Json
from fanshu.serve.routes.told import problems, shown
from fanshu.serve.service import Here, Service, Who
from fanshu.traces import Document
from fanshu.types import plain

router = APIRouter(tags=["history"])

MOST_STATES = 100  # runs whose answers are looked at again, a millisecond or a few for each
NOT_SHOWN = frozenset({"settings"})  # of a trace: how the service is set up is nobody's business

RunId = Annotated[
    str,
    Path(
        max_length=64,
        description="As the header Fanshu-Run, and the history, name it.",
        examples=["20260301-101500-3fa2c1"],
    ),
]


class RunInfo(BaseModel):
    """A question that was asked. `when`: ISO form, UTC. `who`: only told to keepers."""

    id: str
    when: str
    question: str
    status: str
    library: str
    cached: bool
    seconds: float
    cost: float
    good: bool | None
    note: str
    who: str | None = None


class Runs(BaseModel):
    """Questions, the newest first."""

    runs: list[RunInfo]


class Unanswered(BaseModel):
    """Questions that found no answer, or one that was marked as not good, the newest first."""

    unanswered: list[RunInfo]


class States(BaseModel):
    """How answers stand today, by the id of their run: `unchanged`, `moved`, `changed`, `gone` or
    `superseded`. What cites nothing is left out.
    """

    states: dict[str, str]


class Feedback(BaseModel):
    """What somebody thinks of an answer."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"good": False, "note": "It is outdated."}]}
    )

    good: StrictBool = Field(description="Whether it was.")
    note: str = Field(default="", max_length=2_000, description="Why.")


TOLD = (Runs, Unanswered, States)


@router.get(
    "/v1/runs",
    summary="What you asked before",
    response_class=Response,
    responses={200: shown("Runs", "Your questions"), **problems()},
)
async def runs(service: Here, person: Who) -> Response:
    """One's own history."""
    found = await run_in_threadpool(service.register.runs, person.key)
    return Json({"runs": [_info(run) for run in found if may_see(person, run, service)]})


@router.get(
    "/v1/runs/states",
    summary="How your latest answers stand today",
    description=f"Whether what they cite is still written there; of the last {MOST_STATES}.",
    response_class=Response,
    responses={200: shown("States", "How they stand"), **problems()},
)
async def states(service: Here, person: Who) -> Response:
    """The evidence of one's latest answers, looked at again."""
    found = await run_in_threadpool(service.register.runs, person.key, MOST_STATES)
    seen = [run for run in found if run.ended and may_see(person, run, service)]
    return Json({"states": await run_in_threadpool(_states, service, person, seen)})


@router.get(
    "/v1/runs/{run_id}",
    summary="A run: its answer, its trace, and what the answer rests on",
    description="`trace` and `account` are null when the trace is no longer kept, or when the run "
    "saw documents that you may no longer see. Your own runs only; the id of a trace does too. "
    "`answer` is null and `status` is `running` while the run goes on, on whatever worker, or "
    "`interrupted` when the worker died; `steps` tell how far it came.",
    response_class=Response,
    responses={
        200: {"description": "The run", "content": {"application/json": {"schema": {}}}},
        **problems(404),
    },
)
async def run(service: Here, person: Who, run_id: RunId) -> Response:
    """One run, as it was."""
    found = await _own(service, person, run_id)
    told = {**_info(found), "answer": found.answer or None, "trace": None, "account": None}
    told["steps"] = found.steps
    if found.trace and (trace := await run_in_threadpool(_trace, service, found)):
        told["trace"], told["account"] = trace
    return Json(told)


@router.post(
    "/v1/runs/{run_id}/feedback",
    summary="Say whether an answer was good",
    status_code=204,
    responses={204: {"description": "It is noted"}, **problems(404)},
)
async def feedback(service: Here, person: Who, run_id: RunId, body: Feedback) -> Response:
    """Thumbs up or down, with a note."""
    found = await _own(service, person, run_id)
    await run_in_threadpool(service.register.mark, found.id, good=body.good, note=body.note)
    return Response(status_code=204)


@router.get(
    "/v1/unanswered",
    summary="Questions that found no answer",
    description="Those of everybody for whoever keeps the documents; else your own.",
    response_class=Response,
    responses={200: shown("Unanswered", "Questions"), **problems()},
)
async def unanswered(service: Here, person: Who) -> Response:
    """What the documents lack, as far as questions show it."""
    found = await run_in_threadpool(service.register.unanswered)
    told = [
        _info(run) | ({"who": ":".join(run.who.split(":")[:2])} if person.keeps else {})
        for run in found
        if (person.keeps or run.who == person.key) and may_see(person, run, service)
    ]
    return Json({"unanswered": told})


async def _own(service: Service, person: Person, run_id: str) -> Run:
    found = await run_in_threadpool(service.register.run, run_id, person.key)
    if found is None or not may_see(person, found, service):
        raise RunMissing(run_id=run_id)
    return found


def may_see(person: Person, run: Run, service: Service) -> bool:
    """Whether all that a run may have shown may still be seen by this person."""
    allowed = person.libraries(service.libraries.all)
    return run.library in allowed and within(run.patterns, person.scope(run.library))


def _states(service: Service, person: Person, runs: Sequence[Run]) -> dict[str, str]:
    from fanshu.approved.examining import state_today
    from fanshu.approved.recorded import from_plain
    from fanshu.approved.standing import Ground

    grounds: dict[str, Ground] = {}
    told: dict[str, str] = {}
    for run in runs:
        if run.library not in grounds:
            library = service.libraries.all[run.library].library
            grounds[run.library] = Ground(library, person.scope(run.library))
        with suppress(LibraryError, ValueError):  # an answer as an older version wrote it
            if state := state_today(from_plain(run.answer), grounds[run.library]):
                told[run.id] = state
    return told


def _info(run: Run) -> dict[str, object]:
    return {
        "id": run.id,
        "when": run.when,
        "question": run.question,
        "status": run.status,
        "library": run.library,
        "cached": run.cached,
        "seconds": run.seconds,
        "cost": run.cost,
        "good": run.good,
        "note": run.note,
    }


def _trace(service: Service, run: Run) -> tuple[Document, object] | None:
    """The trace of a run and the account of its answer, while it is kept."""
    from fanshu.audit.account import account

    shelf = service.libraries.all[run.library]
    try:
        document = app.open_traces(shelf.settings).load(run.trace or "")
    except TraceMissing:
        return None
    told = {name: value for name, value in document.items() if name not in NOT_SHOWN}
    return told, plain(account(document))
