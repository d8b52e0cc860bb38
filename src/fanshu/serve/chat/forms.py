"""Chat completions, whole and in chunks, as OpenAI's interface has them.

`fanshu` is an extension: the whole answer, as `/v1/ask` gives it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fanshu.serve.chat.footnotes import Message
from fanshu.types import Answer, Usage, plain

Fields = Mapping[str, Any]
DONE = "data: [DONE]\n\n"


@dataclass(frozen=True, slots=True)
class Envelope:
    """What all parts of one completion share. `created`: seconds since 1970."""

    id: str
    model: str
    created: int
    include_usage: bool = False

    def whole(
        self,
        text: str,
        thoughts: str = "",
        message: Message | None = None,
        answer: Answer | None = None,
    ) -> Fields:
        """A completion."""
        said: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
        if thoughts:
            said["reasoning_content"] = thoughts
        if message and message.links:
            said["annotations"] = annotations(message)
        choice = {"index": 0, "message": said, "finish_reason": "stop", "logprobs": None}
        made = self._object("chat.completion", [choice])
        made["usage"] = usage(answer.usage if answer else Usage())
        if answer:
            made["fanshu"] = plain(answer)
        return made

    def delta(self, **said: Any) -> str:
        """A part of the message."""
        return self._chunk([self._choice(said, None)])

    def last(self, answer: Answer | None) -> str:
        """The end of the message, the whole answer, and what it took."""
        more = {"fanshu": plain(answer)} if answer else {}
        end = self._chunk([self._choice({}, "stop")], **more)
        if not self.include_usage:
            return end + DONE
        told = usage(answer.usage if answer else Usage())
        return end + self._chunk([], usage=told) + DONE

    @staticmethod
    def _choice(delta: Fields, finish: str | None) -> Fields:
        return {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}

    def _chunk(self, choices: list[Fields], **more: Any) -> str:
        made = self._object("chat.completion.chunk", choices)
        if self.include_usage:
            made["usage"] = None  # in all chunks but the last, as OpenAI sends it
        return event({**made, **more})

    def _object(self, kind: str, choices: list[Fields]) -> dict[str, Any]:
        return {
            "id": f"chatcmpl-{self.id}",
            "object": kind,
            "created": self.created,
            "model": self.model,
            "choices": choices,
        }


def event(data: object) -> str:
    """A server-sent event. Characters that UTF-8 cannot hold are written as escapes."""
    text = json.dumps(data, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = json.dumps(data)
    return f"data: {text}\n\n"


def annotations(message: Message) -> list[Fields]:
    """Where the numbers of a message lead."""
    return [
        {
            "type": "url_citation",
            "url_citation": {
                "start_index": mark.start,
                "end_index": mark.end,
                "title": title,
                "url": url,
            },
        }
        for mark, title, url in message.links
    ]


def usage(spent: Usage) -> Fields:
    """Tokens of all calls of the model together."""
    return {
        "prompt_tokens": spent.prompt,
        "completion_tokens": spent.completion,
        "total_tokens": spent.prompt + spent.completion,
        "prompt_tokens_details": {"cached_tokens": spent.cached},
    }
