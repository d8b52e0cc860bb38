"""Turns to pydantic-ai's messages and its responses to replies, no more.

Calls are numbered `call_1`, `call_2` … through the whole run, whatever ids a service gives:
some repeat them, some send none, and the same run must read the same twice.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai.exceptions import ContentFilterError, UnexpectedModelBehavior
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from fanshu.models import Reply, ToolSpec, Turn
from fanshu.models.repair import repair_arguments, without_thoughts
from fanshu.models.written import calls_in_text
from fanshu.types import ToolCall, Usage


def to_parameters(tools: Sequence[ToolSpec]) -> ModelRequestParameters:
    """The tools as pydantic-ai wants them; never strict, which rewrites schemas and costs calls."""
    return ModelRequestParameters(
        function_tools=[
            ToolDefinition(
                name=tool.name,
                parameters_json_schema=dict(tool.parameters),
                description=tool.description,
                strict=False,
            )
            for tool in tools
        ]
    )


def to_messages(turns: Sequence[Turn], system: str | None) -> list[ModelMessage]:
    """The turns for the provider `system`, whose own earlier responses go back as they came.

    With None no response goes back as it came, only its text and calls.
    """
    messages: list[ModelMessage] = []
    waiting: list[ModelRequestPart] = []
    for turn in turns:
        if turn.role != "assistant":
            waiting.append(_request_part(turn))
            continue
        if waiting:
            messages.append(ModelRequest(parts=waiting))
        waiting = []
        messages.append(_response(turn, system))
    if waiting:
        messages.append(ModelRequest(parts=waiting))
    return messages


def to_reply(response: ModelResponse, turns: Sequence[Turn], tools: Collection[str]) -> Reply:
    """What the model said, with its calls numbered on from those of the turns.

    Raises: ContentFilterError, UnexpectedModelBehavior — there is nothing to be used.
    """
    _check(response)
    response = replace(response, parts=[_sendable_part(part) for part in response.parts])
    text = without_thoughts("".join(p.content for p in response.parts if isinstance(p, TextPart)))
    parts = [part for part in response.parts if isinstance(part, ToolCallPart)]
    calls = [_call(part) for part in parts] or list(calls_in_text(text, tools))
    first = sum(len(turn.calls) for turn in turns) + 1
    numbered = tuple(replace(call, id=f"call_{n}") for n, call in enumerate(calls, start=first))
    return Reply(
        text="" if numbered and not parts else text,
        calls=numbered,
        usage=_usage(response),
        native=replace(response, parts=_replayable(response.parts, numbered)),
    )


def _check(response: ModelResponse) -> None:
    if response.finish_reason == "content_filter":
        words = (response.provider_details or {}).get("refusal")
        raise ContentFilterError(str(words or "content filter"))
    said = any(isinstance(part, TextPart | ToolCallPart) for part in response.parts)
    if response.finish_reason == "length" and not said:
        raise UnexpectedModelBehavior("it reached its limit of tokens before it said anything")


def _request_part(turn: Turn) -> ModelRequestPart:
    text = sendable(turn.text)
    if turn.role == "system":
        return SystemPromptPart(text)
    if turn.role == "tool":
        return ToolReturnPart(turn.tool, text, tool_call_id=turn.call_id)
    return UserPromptPart(text)


def sendable(text: str) -> str:
    """The text with halves of surrogate pairs spelled out, which no request can hold.

    They come from replies cut within an emoji, and from questions typed in another encoding.
    """
    return text.encode("utf-8", "backslashreplace").decode()


def _sendable_part(part: ModelResponsePart) -> ModelResponsePart:
    if isinstance(part, TextPart | ThinkingPart):
        return replace(part, content=sendable(part.content))
    if isinstance(part, ToolCallPart):
        anything: Any = part  # its subclasses know their name by type
        named: ModelResponsePart = replace(anything, tool_name=sendable(part.tool_name))
        return named
    return part


def _response(turn: Turn, system: str | None) -> ModelResponse:
    native = turn.native
    if isinstance(native, ModelResponse) and native.provider_name == system:
        ids = [part.tool_call_id for part in native.parts if isinstance(part, ToolCallPart)]
        if ids == [call.id for call in turn.calls]:
            return native
    text: list[ModelResponsePart] = [TextPart(turn.text)] if turn.text else []
    return ModelResponse(parts=[*text, *(_call_part(call) for call in turn.calls)])


def _call(part: ToolCallPart) -> ToolCall:
    if isinstance(part.args, dict):
        raw = json.dumps(part.args, ensure_ascii=False)
    else:
        raw = part.args or ""
    return ToolCall(part.tool_call_id, part.tool_name, repair_arguments(raw), raw)


def _call_part(call: ToolCall) -> ToolCallPart:
    """A call with arguments that are a JSON object whatever the model wrote."""
    return ToolCallPart(call.name, dict(call.arguments or {}), tool_call_id=call.id)


def _replayable(
    parts: Sequence[ModelResponsePart], calls: Sequence[ToolCall]
) -> list[ModelResponsePart]:
    """The parts with our ids and whole arguments; text that was really calls becomes calls."""
    if calls and not any(isinstance(part, ToolCallPart) for part in parts):
        kept = [part for part in parts if not isinstance(part, TextPart)]
        return [*kept, *(_call_part(call) for call in calls)]
    replayed: list[ModelResponsePart] = []
    waiting = iter(calls)
    for part in parts:
        if isinstance(part, ToolCallPart):
            call = next(waiting)
            arguments: Any = dict(call.arguments or {})
            replayed.append(replace(part, args=arguments, tool_call_id=call.id))
        else:
            replayed.append(part)
    return replayed


def _usage(response: ModelResponse) -> Usage:
    usage = response.usage
    return Usage(usage.input_tokens, usage.cache_read_tokens, usage.output_tokens, _cost(response))


def _cost(response: ModelResponse) -> float | None:
    """US dollars by the price list that pydantic-ai ships; None where it has no price."""
    if not response.model_name:
        return None
    try:
        return float(response.cost().total_price)
    except (LookupError, ValueError):
        return None
