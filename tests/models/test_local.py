"""Models in a file: a function that completes chats takes the place of llama.cpp."""

import asyncio
import os
import threading
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from fanshu.app import open_model
from fanshu.errors import ConfigError, ContextTooLong, ModelBadReply, ModelError, ModelTimeout
from fanshu.models.local import MAGIC, LocalModel, engine, local
from fanshu.settings import Settings
from fanshu.types import Usage
from tests.waiting import PATIENCE

from .test_json_mode import ANSWER, SEARCH, START, TOOLS

INSTALLED = find_spec("xllamacpp") is not None
USAGE = {
    "prompt_tokens": 90,
    "completion_tokens": 7,
    "prompt_tokens_details": {"cached_tokens": 60},
}


class FakeLlama:
    """Streams the texts of a script in pieces, as llama.cpp does."""

    def __init__(self, *script: str | dict[str, Any] | Exception) -> None:
        self.script = list(script)
        self.requests: list[dict[str, Any]] = []
        self.loaded = 0
        self.begun, self.stopped = threading.Event(), threading.Event()

    def load(self) -> Callable[..., object]:
        self.loaded += 1
        return self.complete

    def complete(self, body: dict[str, Any], hear: Callable[[Any], bool]) -> object:
        self.requests.append(body)
        said = self.script.pop(0)
        self.begun.set()
        if isinstance(said, Exception):
            raise said
        if isinstance(said, dict):
            return said
        hear({"choices": [{"delta": {"role": "assistant", "content": None}}]})
        while said:
            if hear({"choices": [{"delta": {"content": said[:5]}}]}):
                self.stopped.set()
                return None
            said = said[5:] if said != "endless" else said
        hear({"choices": [], "usage": USAGE})
        return None


def over(llama: FakeLlama, timeout: float = PATIENCE) -> LocalModel:
    return LocalModel("gguf:small.gguf", llama.load, timeout=timeout)


async def test_a_reply_is_a_call_with_its_tokens_counted() -> None:
    llama = FakeLlama(SEARCH, ANSWER)
    model = over(llama)
    first = await model.next(START, TOOLS)
    await model.next(START, TOOLS, force="answer")
    (call,) = first.calls
    assert (call.id, call.name, call.arguments) == ("call_1", "search", {"keyword": "超时"})
    assert (first.text, first.usage) == ("", Usage(90, 60, 7))
    assert llama.loaded == 1
    offered = [
        [
            one["properties"]["name"]["const"]
            for one in request["response_format"]["json_schema"]["schema"]["anyOf"]
        ]
        for request in llama.requests
    ]
    assert offered == [["search", "answer"], ["answer"]]
    assert [m["role"] for m in llama.requests[0]["messages"]] == ["system", "user"]


async def test_thoughts_are_not_said() -> None:
    reply = await over(FakeLlama("<think>hm</think>30 s")).next(START, TOOLS)
    assert (reply.text, reply.calls) == ("30 s", ())


@pytest.mark.parametrize(
    ("said", "error", "why"),
    [
        (
            {"error": {"type": "exceed_context_size_error", "message": "9 exceeds 4."}},
            ContextTooLong,
            "9 exceeds 4",
        ),
        ({"error": {"type": "server_error", "message": "odd"}}, ModelError, "odd"),
        (ValueError("no\n parser"), ModelBadReply, "no parser"),
        (RuntimeError("no"), ModelBadReply, "no"),
    ],
)
async def test_errors_are_ours(said: Any, error: type[ModelError], why: str) -> None:
    with pytest.raises(error, match=why):
        await over(FakeLlama(said)).next(START, TOOLS)


async def test_a_file_that_cannot_be_loaded_is_a_model_error() -> None:
    def load() -> Any:
        raise ModelError(model="gguf:small.gguf", detail="llama.cpp cannot load it")

    with pytest.raises(ModelError, match="cannot load"):
        await LocalModel("gguf:small.gguf", load).next(START, TOOLS)


async def test_a_reply_that_takes_too_long_is_stopped() -> None:
    llama = FakeLlama("endless")
    with pytest.raises(ModelTimeout):
        await over(llama, timeout=0.1).next(START, TOOLS)
    assert await asyncio.to_thread(llama.stopped.wait, PATIENCE)


async def test_giving_up_stops_the_model() -> None:
    llama = FakeLlama("endless", SEARCH)
    model = over(llama)
    task = asyncio.create_task(model.next(START, TOOLS))
    assert await asyncio.to_thread(llama.begun.wait, PATIENCE)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await model.next(START, TOOLS)).calls
    assert llama.stopped.is_set()


async def test_closing_gives_the_memory_back() -> None:
    llama = FakeLlama(SEARCH, SEARCH)
    model = over(llama)
    await model.next(START, TOOLS)
    await model.close()
    await model.close()
    await model.next(START, TOOLS)
    assert llama.loaded == 2


# ---------------------------------------------------------------- files


@pytest.mark.parametrize(
    ("content", "why"),
    [(None, "cannot be read: No such file"), (b"", "no GGUF file"), (b"PK\x03\x04", "no GGUF")],
)
def test_what_is_no_model(tmp_path: Path, content: bytes | None, why: str) -> None:
    file = tmp_path / "m.gguf"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match=why):
        local(f"gguf:{file}", context_tokens=4_000)


def test_an_address_beside_a_file_makes_no_sense(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"base_url.*leave the address out"):
        open_model(Settings(model=f"gguf:{tmp_path}/m.gguf", base_url="http://127.0.0.1:1/v1"))


@pytest.mark.skipif(INSTALLED, reason="optional: xllamacpp is installed")
def test_without_the_extra_the_error_names_the_command(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(MAGIC + b"\0" * 64)
    with pytest.raises(ConfigError, match=r'pip install .*"xllamacpp'):
        local(f"gguf:{tmp_path}/m.gguf", context_tokens=4_000)


@pytest.mark.skipif(not INSTALLED, reason="optional: xllamacpp is not installed")
async def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "m.gguf"
    file.write_bytes(MAGIC + b"\0" * 64)
    with pytest.raises(ModelError, match=r"cannot load .*m\.gguf"):
        await local(f"gguf:{file}", context_tokens=4_000).next(START, TOOLS)


@pytest.mark.slow
@pytest.mark.skipif(not INSTALLED, reason="optional: xllamacpp is not installed")
@pytest.mark.skipif("TEST_GGUF" not in os.environ, reason="optional: TEST_GGUF names no model file")
async def test_a_real_model_makes_a_call() -> None:
    model = LocalModel(
        "gguf:real", lambda: engine(Path(os.environ["TEST_GGUF"]), "gguf:real", 2_048), timeout=100
    )
    reply = await model.next(START, TOOLS)
    await model.close()
    assert {call.name for call in reply.calls} <= {"search", "answer"}
    assert reply.calls
    assert reply.usage.prompt > 0
