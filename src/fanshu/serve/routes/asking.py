"""Asking: an answer as JSON, or the run as it unfolds, as server-sent events."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field, StrictBool

from fanshu.agent.events import Bounced, Ended, RoundStarted, Started, Stepped
from fanshu.errors import FanshuError
from fanshu.serve.asking import Asked, Question, new_run
from fanshu.serve.responses import Json, explained, status_of
from fanshu.serve.routes.told import ANSWER, problems
from fanshu.serve.service import Here, Who
from fanshu.serve.streaming import (
    EVENTS,
    RUN_HEADER,
    STILL_HERE,
    Stream,
    Unfolding,
    note_cost,
    unfolding,
    waited_for,
)
from fanshu.types import Exchange, plain

router = APIRouter(tags=["asking"])

NAMES: dict[type, str] = {
    Started: "started",
    RoundStarted: "round",
    Stepped: "step",
    Bounced: "bounced",
}


class Earlier(BaseModel):
    """A question of the conversation and its answer, as a follow-up is told of them."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(max_length=4_000, description="As it was asked.")
    answer: str = Field(max_length=20_000, description="The text of its answer.")
    places: list[Annotated[str, Field(max_length=1_000)]] = Field(
        default=[], max_length=50, description="Ids of the chunks that it cites."
    )


class Ask(BaseModel):
    """A question."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"question": "What is the write timeout?", "library": "manuals"},
                {
                    "question": "And the read timeout?",
                    "earlier": [
                        {
                            "question": "What is the write timeout?",
                            "answer": "30 seconds.",
                            "places": ["manual.md#2"],
                        }
                    ],
                },
            ]
        },
    )

    question: str = Field(
        min_length=1, max_length=4_000, pattern=r"\S", description="In your own words."
    )
    library: str | None = Field(
        default=None, max_length=64, description="By default the first that you may see."
    )
    earlier: list[Earlier] = Field(
        default=[], max_length=10, description="The conversation so far, oldest first."
    )
    fresh: StrictBool = Field(default=False, description="Ask anew, even if the answer is known.")


@router.post(
    "/v1/ask",
    summary="Ask a question of a library",
    description="The answer, with checked citations. With `Accept: text/event-stream` the run as "
    "it unfolds: events `queued` `started` `round` `step` `bounced`, then `answer` (the same "
    "object) or `error` (a problem). Whoever goes away ends the run. The id of the run stands in "
    f"the header `{RUN_HEADER}` and in `started`.",
    response_class=Response,
    responses={
        200: {
            "description": "The answer, or the run as it unfolds",
            "content": {
                "application/json": {
                    "schema": {"$ref": "#/components/schemas/Answer"},
                    "example": ANSWER,
                },
                EVENTS: {"schema": {"type": "string"}},
            },
        },
        **problems(404, 409, 429, 502, 503),
    },
)
async def ask(body: Ask, request: Request, service: Here, person: Who) -> Response:
    """Ask a question."""
    shelf = service.libraries.find(body.library, person.libraries(service.libraries.all))
    earlier = tuple(Exchange(one.question, one.answer, tuple(one.places)) for one in body.earlier)
    question = Question(person, shelf, body.question.strip(), earlier, body.fresh)
    turn = await service.asking.admit(person)
    run_id = new_run()
    if EVENTS in request.headers.get("accept", ""):
        run = unfolding(service, question, turn, run_id)
        return Stream(_told(run, request), run)
    asked = await waited_for(service.asking.begin(question, turn, run_id), request)
    note_cost(request, asked.answer)
    return Json(asked.answer, headers={RUN_HEADER: run_id})


# ---------------------------------------------------------------- events


async def _told(run: Unfolding, request: Request) -> AsyncIterator[str]:
    """The run as it unfolds, and signs of life in between."""
    if run.waits:
        yield _event("queued", {"run_id": run.run_id, "place": run.waits})
    async for event in run.events():
        if event is None:
            yield STILL_HERE
        elif not isinstance(event, Ended):  # the answer comes last, when it is written down
            data = plain(event)
            if isinstance(event, Started) and isinstance(data, dict):
                data["run_id"] = run.run_id
            yield _event(NAMES[type(event)], data)
    yield _last(run.task, request)


def _last(task: asyncio.Task[Asked], request: Request) -> str:
    """What a run has come to."""
    error = None if task.cancelled() else task.exception()
    if error is None and not task.cancelled():
        answer = task.result().answer
        note_cost(request, answer)
        return _event("answer", plain(answer))
    if isinstance(error, FanshuError):
        known = {"code": error.code, "detail": explained(error), "status": status_of(error)}
        return _event("error", {"type": f"urn:fanshu:{error.code}", **known})
    detail = "The run failed; the log of the service says why."
    return _event("error", {"type": "urn:fanshu:internal", "code": "internal", "detail": detail})


def _event(name: str, data: object) -> str:
    try:
        text = json.dumps(data, ensure_ascii=False)
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = json.dumps(data)
    return f"event: {name}\ndata: {text}\n\n"
