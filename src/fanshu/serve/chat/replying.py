"""One question of a chat, while it is answered."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

from fastapi import Request, Response

from fanshu.agent.prompts import language_of
from fanshu.errors import FanshuError
from fanshu.serve.asking import Asked
from fanshu.serve.chat import forms, steps
from fanshu.serve.chat.conversation import Conversation
from fanshu.serve.chat.footnotes import Message, message
from fanshu.serve.chat.words import say
from fanshu.serve.refusals import error_of
from fanshu.serve.responses import Json, described, explained, status_of
from fanshu.serve.streaming import RUN_HEADER, STILL_HERE, Unfolding, note_cost, waited_for
from fanshu.types import Answer


class Reply:
    """The reply to a question, as its run unfolds.

    `library`: the name of the library. `base`: address of the page, None when it is not known.
    """

    def __init__(
        self,
        envelope: forms.Envelope,
        run: Unfolding,
        said: Conversation,
        library: str,
        base: str | None,
    ) -> None:
        self._envelope, self._run, self._said = envelope, run, said
        self._library, self._base = library, base
        self._language = language_of(said.question)

    async def whole(self, request: Request) -> Response:
        """The reply as one object."""
        answer = (await waited_for(self._run.task, request)).answer
        note_cost(request, answer)
        if answer.status == "error":
            return described("model_error", answer.error or "", 502)
        thoughts = "".join([line async for line in self._thoughts()])
        reply = self._message(answer)
        content = self._envelope.whole(reply.text, thoughts, reply, answer)
        return Json(content, headers={RUN_HEADER: self._run.run_id})

    async def told(self, request: Request) -> AsyncIterator[str]:
        """The reply as it comes about."""
        yield self._envelope.delta(role="assistant", content="")
        async for line in self._thoughts():
            yield self._envelope.delta(reasoning_content=line) if line else STILL_HERE
        yield self._end(self._run.task, request)

    async def _thoughts(self) -> AsyncIterator[str]:
        """The steps, a line each; "" when a sign of life is due."""
        if self._run.waits:
            yield steps.line(say(self._language, "step.waiting", place=self._run.waits))
        async for event in self._run.events():
            if event is None:
                yield ""
            elif text := steps.told(event, self._language):
                yield text

    def _end(self, task: asyncio.Task[Asked], request: Request) -> str:
        error = None if task.cancelled() else task.exception()
        if error or task.cancelled():
            return forms.event(_failure(error)) + forms.DONE
        answer = task.result().answer
        note_cost(request, answer)
        if answer.status == "error":
            problem = {"code": "model_error", "detail": answer.error or ""}
            return forms.event(error_of(problem, 502)) + forms.DONE
        reply = self._message(answer)
        links = {"annotations": forms.annotations(reply)} if reply.links else {}
        return self._envelope.delta(content=reply.text, **links) + self._envelope.last(answer)

    def _message(self, answer: Answer) -> Message:
        return message(answer, self._library, self._base, left_out=self._said.left_out)


def _failure(error: BaseException | None) -> Mapping[str, Any]:
    if isinstance(error, FanshuError):
        return error_of({"code": error.code, "detail": explained(error)}, status_of(error))
    detail = "The run failed; the log of the service says why."
    return error_of({"code": "internal", "detail": detail}, 500)
