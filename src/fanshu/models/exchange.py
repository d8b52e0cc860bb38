"""One request, one reply, in the way that an endpoint has shown to understand."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai.direct import model_request
from pydantic_ai.models import Model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.settings import ModelSettings

from fanshu.models import Reply, ToolSpec, Turn
from fanshu.models.failures import Part
from fanshu.models.json_mode import Habits, Way, after, in_words, response_format
from fanshu.models.messages import to_messages, to_parameters, to_reply

# Further attempts are ours to make and to tell of. A cached prefix costs 1.25 times its tokens
# once and 0.1 times after that: worth it from the second round on. Services that cache unasked,
# or not at all, ignore it.
SETTINGS = ModelSettings(max_retries=0, cache=True)


async def exchange(
    client: Model[Any],
    turns: Sequence[Turn],
    tools: Sequence[ToolSpec],
    force: str | None,
    habits: Habits,
) -> Reply:
    """Ask once. Raises whatever the adapter raises."""
    settings = ModelSettings(**SETTINGS)
    offered = [tool for tool in tools if force in (None, tool.name)]
    if habits.way != "tools":
        return await _in_json(client, turns, tools, offered, habits.way, settings)
    if force is not None and habits.choice:
        settings["tool_choice"] = [force]
        offered = list(tools)
    response = await model_request(
        client,
        to_messages(turns, client.system if habits.fields else None),
        model_settings=settings,
        model_request_parameters=to_parameters(offered),
        instrument=False,
    )
    return to_reply(response, turns, {tool.name for tool in tools})


async def _in_json(
    client: Model[Any],
    turns: Sequence[Turn],
    tools: Sequence[ToolSpec],
    offered: Sequence[ToolSpec],
    way: Way,
    settings: ModelSettings,
) -> Reply:
    shape = response_format(way, offered, turns)
    if shape and isinstance(client, OpenAIChatModel):
        settings["extra_body"] = {"response_format": shape}
    response = await model_request(
        client,
        to_messages(in_words(turns, tools), None),
        model_settings=settings,
        instrument=False,
    )
    return replace(to_reply(response, turns, {tool.name for tool in tools}), native=None)


def after_reply(
    habits: Habits, turns: Sequence[Turn], reply: Reply, force: str | None, client: Model[Any]
) -> tuple[Habits, bool]:
    """What a reply teaches, and whether to ask again in another way because of it.

    One reply without a call that can be read may be chatter or a slip; a second in the same
    conversation, from an endpoint that never made one, shows that it cannot.
    """
    readable = any(call.arguments is not None for call in reply.calls)
    habits = replace(habits, calls=habits.calls or readable)
    if habits.way != "tools":
        return habits, False
    if force and habits.choice and all(call.name != force for call in reply.calls):
        return replace(habits, choice=False), True
    before = [turn for turn in turns if turn.role == "assistant"][-1:]
    switches = not habits.settled and isinstance(client, OpenAIChatModel)
    if not habits.calls and before and switches:
        return replace(habits, way="json_schema"), True
    return habits, False


def after_refusal(
    habits: Habits, refused: Part, turns: Sequence[Turn], force: str | None, client: Model[Any]
) -> Habits:
    """What a refused part of a request teaches; the same habits where there is no other way."""
    in_json = habits.way != "tools"
    match refused:
        case "tools" if not (in_json or habits.settled) and isinstance(client, OpenAIChatModel):
            return replace(habits, way="json_schema")
        case "format" if in_json:
            return replace(habits, way=after(habits.way))
        case "choice" if force and habits.choice and not in_json:
            return replace(habits, choice=False)
        case "fields" if habits.fields and any(turn.native for turn in turns):
            return replace(habits, fields=False)
        case _:
            return habits
