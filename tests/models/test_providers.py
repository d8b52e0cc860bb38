import asyncio
import subprocess
import sys

import pytest

from fanshu.errors import ConfigError, ModelUnauthorised
from fanshu.models import ToolSpec, Turn
from fanshu.models.providers import PREFIXES, endpoint, shown
from fanshu.models.remote import Patience, RemoteModel, remote

from .fake_server import FakeServer, message, refusal

START = [Turn("system", "You search."), Turn("user", "超时是多少?")]
SCHEMA = {"type": "object", "properties": {"keyword": {"type": "string"}}, "required": ["keyword"]}
TOOLS = [ToolSpec("search", "Search.", SCHEMA), ToolSpec("answer", "Answer.", SCHEMA)]
SEARCH = ("search", '{"keyword":"超时"}')
EVERY_KEY = {variable: "k" * 20 for provider in PREFIXES.values() for variable in provider.keys}


@pytest.mark.parametrize(
    ("name", "id_", "model"),
    [
        ("openai:gpt-4o", "openai-chat", "gpt-4o"),
        ("OpenAI:gpt-4o", "openai-chat", "gpt-4o"),
        ("qwen:qwen-plus", "alibaba", "qwen-plus"),
        ("zhipu:glm-4.6", "zai", "glm-4.6"),
        ("gemini:gemini-2.5-flash", "google", "gemini-2.5-flash"),
        ("ollama:qwen3:8b", "ollama", "qwen3:8b"),
        ("openrouter:z-ai/glm-4.6:free", "openrouter", "z-ai/glm-4.6:free"),
    ],
)
def test_a_prefix_names_the_provider(name: str, id_: str, model: str) -> None:
    place = endpoint(name, None, {})
    assert place.provider is not None
    assert (place.provider.id, place.model) == (id_, model)


@pytest.mark.parametrize("name", ["gpt-4o", "", ":", "openai:", ":gpt-4o", "nobody:gpt-4o"])
def test_without_a_prefix_the_error_lists_them(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        remote(name, environ={})
    assert all(f"{prefix}:" in str(caught.value) for prefix in PREFIXES)
    assert "--base-url" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("small", "small"),
        ("openai:gpt-4o", "gpt-4o"),
        ("deepseek:deepseek-chat", "deepseek-chat"),
        ("qwen:7b", "qwen:7b"),
        ("qwen:0.5b-chat-q4_0", "qwen:0.5b-chat-q4_0"),
        ("qwen:latest", "qwen:latest"),
        ("qwen3:8b", "qwen3:8b"),
        ("org/model:tag", "org/model:tag"),
    ],
)
def test_with_an_address_it_is_always_a_chat_server(name: str, model: str) -> None:
    place = endpoint(name, "http://10.0.0.5:8000/v1/", {})
    assert (place.provider, place.model, place.base_url) == (None, model, "http://10.0.0.5:8000/v1")


@pytest.mark.parametrize(
    "url",
    ["", "10.0.0.5:8000", "ftp://host/v1", "http://", "/v1", "http://[::1", "http://h:99999/v1"],
)
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(ConfigError, match="base_url"):
        remote("small", base_url=url)


def test_the_path_of_the_call_itself_is_forgiven() -> None:
    place = endpoint("small", "http://h/v1/chat/completions", {})
    assert place.base_url == "http://h/v1"


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://localhost:1/v1", True),
        ("http://127.0.0.1:1/v1", True),
        ("http://127.8.9.1/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://10.0.0.5/v1", False),
        ("http://localhost.example.com/v1", False),
    ],
)
def test_what_is_this_machine(url: str, *, loopback: bool) -> None:
    assert endpoint("small", url, {}).loopback is loopback


def test_an_address_is_shown_without_what_may_be_secret() -> None:
    assert shown("http://me:secret@host:1/v1?key=secret") == "http://host:1/v1"


def test_local_servers_have_a_place_and_a_variable_that_moves_them() -> None:
    assert endpoint("ollama:x", None, {}).base_url == "http://127.0.0.1:11434/v1"
    moved = {"OLLAMA_BASE_URL": "http://10.0.0.5:1/v1"}
    assert endpoint("ollama:x", None, moved).base_url == "http://10.0.0.5:1/v1"


# ---------------------------------------------------------------- keys


@pytest.mark.parametrize("prefix", [p for p, provider in PREFIXES.items() if provider.keys])
def test_without_a_key_the_error_names_the_variables(prefix: str) -> None:
    with pytest.raises(ModelUnauthorised) as caught:
        remote(f"{prefix}:some-model", environ={})
    assert all(variable in str(caught.value) for variable in PREFIXES[prefix].keys)
    assert "No key is set" in str(caught.value)
    assert "refused" not in str(caught.value)


def test_keys_of_a_provider_go_to_its_own_addresses_only() -> None:
    keys = {"DASHSCOPE_API_KEY": "d", "OPENAI_API_KEY": "o"}
    mainland = "https://dashscope.aliyuncs.com/compatible-mode/v1"
    assert endpoint("qwen-plus", mainland, keys).keys == ("ALIBABA_API_KEY", "DASHSCOPE_API_KEY")
    assert endpoint("qwen:qwen-plus", "http://10.0.0.5/v1", keys).keys == ()
    assert endpoint("openai:gpt-4o", "http://10.0.0.5/v1", keys).keys == ()


async def test_a_server_of_ones_own_is_not_sent_the_key_of_openai(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    with FakeServer(message("x")) as server:
        await remote("small", base_url=server.url).next(START, TOOLS)
    assert "sk-of-openai" not in str(server.headers[0])


@pytest.mark.parametrize(
    "prefix", [p for p, provider in PREFIXES.items() if not provider.extra and p != "azure"]
)
def test_models_of_the_core_can_be_made(prefix: str) -> None:
    model = remote(f"{prefix}:some/model", environ=EVERY_KEY)
    assert (model.name, model.extractive) == (f"{prefix}:some/model", False)
    assert "kkkk" not in repr(model)
    asyncio.run(model.close())


def test_azure_says_which_variables_it_wants() -> None:
    with pytest.raises(ConfigError, match="AZURE_OPENAI_ENDPOINT"):
        remote("azure:gpt-4o", environ=EVERY_KEY)


MISSING = {
    "anthropic:claude-x": ("anthropic", '-m pip install "pydantic-ai-slim[anthropic]'),
    "gemini:gemini-x": ("google.genai", '-m pip install "pydantic-ai-slim[google]'),
    "mistral:mistral-x": ("mistralai", 'pip install "pydantic-ai-slim[mistral]"'),
    "groq:llama-x": ("groq", 'pip install "pydantic-ai-slim[groq]"'),
}


@pytest.mark.slow
def test_a_missing_package_is_named_with_what_to_install() -> None:
    code = (
        "import sys\n"
        "from fanshu.errors import ConfigError\n"
        "from fanshu.models.remote import remote\n"
        f"for name, (package, _) in {MISSING!r}.items():\n"
        "    sys.modules[package] = None\n"
        "    try:\n"
        "        remote(name, api_key='k' * 20)\n"
        "    except ConfigError as error:\n"
        "        print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    for line, (name, (_, command)) in zip(lines, MISSING.items(), strict=True):
        assert line.startswith("The setting model is wrong")
        assert name in line
        assert command in line


# ---------------------------------------------------------------- services of their own


async def test_a_known_model_has_a_price() -> None:
    usage = {"prompt_tokens": 1_000_000, "completion_tokens": 0, "total_tokens": 1_000_000}
    with FakeServer(message("x", usage=usage)) as server:
        environ = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": server.url}
        reply = await remote("openai:gpt-4o", environ=environ).next(START, TOOLS)
    assert reply.usage.cost is not None
    assert 0.1 < reply.usage.cost < 100


async def test_ollama_takes_the_whole_conversation() -> None:
    with FakeServer(message(None, SEARCH), message("30 s")) as server:
        model = remote("ollama:qwen3:8b", environ={"OLLAMA_BASE_URL": server.url})
        first = await model.next(START, TOOLS)
        (call,) = first.calls
        turns = [
            *START,
            Turn("assistant", first.text, calls=first.calls, native=first.native),
            Turn("tool", "found", call_id=call.id, tool=call.name),
        ]
        assert (await model.next(turns, TOOLS)).text == "30 s"
    assert server.requests[0]["model"] == "qwen3:8b"


async def test_a_key_refused_abroad_names_the_address_at_home() -> None:
    with FakeServer(refusal(401, "invalid key")) as server:
        environ = {"MOONSHOTAI_API_KEY": "k", "MOONSHOTAI_BASE_URL": server.url}
        with pytest.raises(ModelUnauthorised, match=r"--base-url https://api\.moonshot\.cn/v1"):
            await remote("moonshotai:kimi-k2", environ=environ).next(START, TOOLS)


async def test_deepseek_that_thinks_gets_its_thoughts_back_and_is_not_forced() -> None:
    import httpx2
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.deepseek import DeepSeekProvider

    thinks = message(None, SEARCH, reasoning_content="the manual says 30?")
    with FakeServer(thinks, message(None, ("answer", '{"keyword":"30 s"}'))) as server:

        def connect() -> tuple[OpenAIChatModel, httpx2.AsyncClient]:
            client = httpx2.AsyncClient(trust_env=False)
            api = AsyncOpenAI(base_url=server.url, api_key="k", http_client=client)
            provider = DeepSeekProvider(openai_client=api)
            return OpenAIChatModel("deepseek-reasoner", provider=provider), client

        model = RemoteModel("deepseek:deepseek-reasoner", connect, Patience(20))
        first = await model.next(START, TOOLS)
        turns = [
            *START,
            Turn("assistant", first.text, calls=first.calls, native=first.native),
            Turn("tool", "found", call_id="call_1", tool="search"),
        ]
        last = await model.next(turns, TOOLS, force="answer")
    assert [call.name for call in last.calls] == ["answer"]
    assert server.requests[1]["messages"][2]["reasoning_content"] == "the manual says 30?"
