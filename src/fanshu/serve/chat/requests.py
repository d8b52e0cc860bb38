"""What clients of OpenAI's interface send."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, WithJsonSchema

from fanshu.errors import RequestRefused

# Looked at when a question is asked: a client's own chores may ask for more, and get it.
TOOL_CHOICE = {
    "enum": ["auto", "none", None],
    "description": "Functions are never called, and so cannot be demanded.",
}
RESPONSE_FORMAT = {
    "description": "Answers are Markdown; `fanshu` holds the same as data.",
    "anyOf": [
        {
            "type": "object",
            "required": ["type"],
            "properties": {"type": {"const": "text"}},
        },
        {"type": "null"},
    ],
}


class Part(BaseModel):
    """A part of a message. Only text is looked at."""

    type: str = Field(max_length=40)
    text: str | None = None


class ChatMessage(BaseModel):
    """A message of the conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Part] | None = None

    @property
    def text(self) -> str:
        """What it says."""
        if isinstance(self.content, list):
            return "\n".join(one.text for one in self.content if one.text and "text" in one.type)
        return self.content or ""

    @property
    def has_more(self) -> bool:
        """Whether it holds pictures, sounds or files."""
        parts = self.content if isinstance(self.content, list) else ()
        return any("text" not in one.type for one in parts)


class StreamOptions(BaseModel):
    """How a streamed completion is told."""

    include_usage: StrictBool | None = None


class Completion(BaseModel):
    """A conversation with a library. What is not named here is accepted and has no effect."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "model": "fanshu/manuals",
                    "messages": [{"role": "user", "content": "What is the write timeout?"}],
                }
            ]
        }
    )

    model: str = Field(max_length=100, description="`fanshu/LIBRARY`, or `LIBRARY`.")
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=10_000)]
    stream: StrictBool | None = None
    stream_options: StreamOptions | None = None
    n: Annotated[StrictInt, Field(ge=1, le=1)] | None = None
    tool_choice: Annotated[Any, WithJsonSchema(TOOL_CHOICE)] = None
    response_format: Annotated[Any, WithJsonSchema(RESPONSE_FORMAT)] = None


def must_be_possible(body: Completion) -> None:
    """Raises: RequestRefused — a program counts on what cannot be given."""
    wanted = body.response_format
    if wanted is not None and (not isinstance(wanted, dict) or wanted.get("type") != "text"):
        detail = "response_format can only be text; the answer as data stands under `fanshu`."
        raise RequestRefused(detail=detail, status=400)
    if body.tool_choice not in (None, "none", "auto"):
        detail = "tool_choice can only be auto or none: functions are never called."
        raise RequestRefused(detail=detail, status=400)
