import pytest

from fanshu.errors import ModelBadReply, ModelUnreachable
from fanshu.models import Reply, ToolSpec, Turn
from fanshu.models.scripted import ScriptedModel

TOOL = ToolSpec("search", "Search.", {"type": "object", "properties": {}})
TURNS = [Turn("system", "You search."), Turn("user", "超时是多少?")]


async def test_replies_come_in_order_with_calls_numbered_through() -> None:
    model = ScriptedModel(
        [
            [("search", {"keyword": "超时"}), ("search", {"keyword": "timeout"})],
            "thinking",
            [("answer", {"response": "30 s"})],
        ]
    )
    first, second, third = [await model.next(TURNS, [TOOL]) for _ in range(3)]
    assert [(call.id, call.arguments) for call in first.calls] == [
        ("call_1", {"keyword": "超时"}),
        ("call_2", {"keyword": "timeout"}),
    ]
    assert second == Reply(text="thinking")
    assert [(call.id, call.name) for call in third.calls] == [("call_3", "answer")]


async def test_it_records_what_it_was_asked() -> None:
    model = ScriptedModel(["a", "b"], name="played")
    await model.next(TURNS, [TOOL])
    await model.next([*TURNS, Turn("assistant", "a")], [], force="answer")
    assert (model.name, model.extractive) == ("played", False)
    assert [len(turns) for turns in model.seen] == [2, 3]
    assert model.forced == [None, "answer"]
    assert model.tools == [(TOOL,), ()]


async def test_after_the_end_the_reply_is_bad() -> None:
    model = ScriptedModel([Reply(text="a")])
    await model.next(TURNS, [])
    with pytest.raises(ModelBadReply, match="only 1 replies"):
        await model.next(TURNS, [])


async def test_an_error_in_the_script_is_raised() -> None:
    model = ScriptedModel([ModelUnreachable(model="m", url="http://x", detail="refused"), "b"])
    with pytest.raises(ModelUnreachable):
        await model.next(TURNS, [])
    assert (await model.next(TURNS, [])).text == "b"
    await model.close()
    await model.close()
