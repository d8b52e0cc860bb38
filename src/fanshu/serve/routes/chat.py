"""OpenAI's interface: each library is a model, and a chat with it asks questions."""

import time
from collections.abc import Mapping
from typing import Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from fanshu.agent.prompts import language_of
from fanshu.errors import UnknownLibrary
from fanshu.serve.access import Person
from fanshu.serve.asking import Question, new_run
from fanshu.serve.chat import chores, forms
from fanshu.serve.chat.conversation import Conversation, conversation, must_be_short
from fanshu.serve.chat.replying import Reply
from fanshu.serve.chat.requests import Completion, must_be_possible
from fanshu.serve.chat.words import say
from fanshu.serve.libraries import Shelf
from fanshu.serve.responses import Json
from fanshu.serve.routes.told import ANSWER, openai_problems, shown
from fanshu.serve.service import Here, Service, Who
from fanshu.serve.streaming import EVENTS, Stream, unfolding

router = APIRouter(tags=["openai"])

OWNER = "fanshu"
PREFIX = f"{OWNER}/"


class ModelCard(BaseModel):
    """A library as a model. `name` is what people call it."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str
    name: str


class ModelList(BaseModel):
    """The libraries that you may see."""

    object: Literal["list"]
    data: list[ModelCard]


TOLD = (ModelCard, ModelList)
MODEL = {
    "id": "fanshu/manuals",
    "object": "model",
    "created": 0,
    "owned_by": OWNER,
    "name": "Product manuals",
}


@router.get(
    "/v1/models",
    summary="The libraries that you may see, as models",
    response_class=Response,
    responses={
        200: shown("ModelList", "Them", {"object": "list", "data": [MODEL]}),
        **openai_problems(),
    },
)
async def models(service: Here, person: Who) -> Response:
    """All of them."""
    names = person.libraries(service.libraries.all)
    data = [_card(service.libraries.all[name]) for name in names]
    return Json({"object": "list", "data": data})


@router.get(
    "/v1/models/{model:path}",
    summary="One library as a model",
    response_class=Response,
    responses={200: shown("ModelCard", "It", MODEL), **openai_problems(404)},
)
async def model(model: str, service: Here, person: Who) -> Response:
    """By its name."""
    return Json(_card(_shelf(model, service, person)))


def _card(shelf: Shelf) -> Mapping[str, object]:
    return {
        "id": f"{PREFIX}{shelf.name}",
        "object": "model",
        "created": 0,  # unknown, and of no use: documents change all the time
        "owned_by": OWNER,
        "name": shelf.planned.title,
    }


def _shelf(name: str, service: Service, person: Person) -> Shelf:
    """Raises: UnknownLibrary."""
    allowed = person.libraries(service.libraries.all)
    wanted = name.removeprefix(PREFIX)
    if wanted in allowed:
        return service.libraries.find(wanted, allowed)
    known = ", ".join(f"{PREFIX}{one}" for one in allowed)
    raise UnknownLibrary(library=name, known=known or "-")


# ---------------------------------------------------------------- completions


@router.post(
    "/v1/chat/completions",
    summary="Chat with a library, as with a model of OpenAI",
    description="The last message is the question, the messages before it what it goes on from. "
    "The reply is the answer as Markdown, its numbers name the sources below it; `fanshu` holds "
    "the answer as `/v1/ask` gives it. With `stream` the steps come as `reasoning_content`.",
    response_class=Response,
    responses={
        200: {
            "description": "The reply, whole or in chunks",
            "content": {
                "application/json": {
                    "schema": {"$ref": "#/components/schemas/ChatCompletion"},
                    "example": {
                        "id": "chatcmpl-20260301-101500-3fa2c1",
                        "object": "chat.completion",
                        "created": 1_772_360_100,
                        "model": "fanshu/manuals",
                        "choices": [
                            {
                                "index": 0,
                                "message": {
                                    "role": "assistant",
                                    "content": "The write timeout is 30 seconds [1].",
                                },
                                "finish_reason": "stop",
                            }
                        ],
                        "usage": {
                            "prompt_tokens": 2_100,
                            "completion_tokens": 120,
                            "total_tokens": 2_220,
                        },
                        "fanshu": ANSWER,
                    },
                },
                EVENTS: {},
            },
        },
        **openai_problems(404, 409, 502, 503),
    },
)
async def complete(body: Completion, request: Request, service: Here, person: Who) -> Response:
    """Answer the last message."""
    shelf = _shelf(body.model, service, person)
    said = conversation(body.messages)
    options = body.stream_options
    envelope = forms.Envelope(
        new_run(),
        f"{PREFIX}{shelf.name}",
        int(time.time()),
        bool(options and options.include_usage),
    )
    if (reply := _without_a_run(said, shelf)) is not None:
        return _replied(reply, envelope, stream=bool(body.stream))
    must_be_possible(body)
    must_be_short(said.question)
    question = Question(person, shelf, said.question, said.earlier)
    run = unfolding(service, question, await service.asking.admit(person), envelope.id)
    coming = Reply(envelope, run, said, shelf.name, page_address(request, service))
    if body.stream:
        return Stream(coming.told(request), run)
    return await coming.whole(request)


def _without_a_run(said: Conversation, shelf: Shelf) -> str | None:
    """The reply to what is no question of the user; None when it is one."""
    asked = chores.Asked(said.instructions, said.question, said.first)
    if (reply := chores.done(asked)) is not None:
        return reply
    if chores.greets(said.question) and not said.left_out:
        return say(language_of(said.question), "hello", title=shelf.planned.title)
    return None


def _replied(reply: str, envelope: forms.Envelope, *, stream: bool) -> Response:
    if not stream:
        return Json(envelope.whole(reply))
    told = envelope.delta(role="assistant", content=reply) + envelope.last(None)
    return Response(told, media_type=EVENTS)


def page_address(request: Request, service: Service) -> str | None:
    """Where people open the page: as set, or for this machine's own users as it is called here."""
    settings = service.settings
    if settings.public_url:
        return settings.public_url
    alone = settings.local and not settings.hosts and not settings.proxies
    return str(request.base_url) if alone else None
