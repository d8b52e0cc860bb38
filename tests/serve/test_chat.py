"""OpenAI's interface, with the official client against a real service."""

import asyncio
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import openai
import pytest

from fanshu.serve.accounts import Account
from tests.serve.models import STILL, Held, Slow
from tests.serve.served import Served, hang_up, plan_of, serving, until, write
from tests.serve.talking import SENTENCE, Telling

QUESTION = "What is the write timeout?"
ASKED: list[Any] = [{"role": "user", "content": QUESTION}]
MODEL = "fanshu/manuals"


def client(served: Served, key: str = "none", **options: Any) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{served.url}/v1", api_key=key, **{"max_retries": 0} | options)


@pytest.fixture
def model() -> Telling:
    return Telling()


@pytest.fixture
def told(folders: dict[str, Path], tmp_path: Path, model: Telling) -> Iterator[Served]:
    """Two libraries on this machine, answered by a model that quotes what it is told to."""
    with serving(plan_of(folders, {"cache": False}), tmp_path / "s", lambda _: model) as served:
        yield served


@pytest.fixture
def tokens(tmp_path: Path, folders: dict[str, Path]) -> Iterator[tuple[Served, str]]:
    """A service that demands tokens, and a token for the manuals alone."""
    made: list[str] = []
    account = Account("clients", "", grants=("manuals",))
    with serving(
        plan_of(folders, login=True, runs_each=1, waiting_each=0),
        tmp_path / "s",
        lambda _: Slow(STILL),
        before=lambda app: made.append(app.service.accounts.add_token(account)),
    ) as served:
        yield served, made[0]


# ---------------------------------------------------------------- models


def test_each_library_is_a_model(told: Served) -> None:
    with client(told) as ai:
        listed = list(ai.models.list())
        assert [one.id for one in listed] == ["fanshu/manuals", "fanshu/rules"]
        assert {(one.object, one.owned_by) for one in listed} == {("model", "fanshu")}
        assert listed[0].model_extra == {"name": "Manuals"}
        assert ai.models.retrieve("fanshu/rules").id == "fanshu/rules"
        with pytest.raises(openai.NotFoundError) as missing:
            ai.models.retrieve("fanshu/nothing")
    assert missing.value.code == "model_not_found"
    assert "fanshu/manuals, fanshu/rules" in str(missing.value)


def test_a_token_sees_its_own_libraries_alone(tokens: tuple[Served, str]) -> None:
    served, token = tokens
    with client(served, token) as ai:
        assert [one.id for one in ai.models.list()] == [MODEL]
        with pytest.raises(openai.NotFoundError) as missing:
            ai.chat.completions.create(model="fanshu/rules", messages=ASKED)
    assert "rules" not in str(missing.value).replace("'fanshu/rules'", "")


# ---------------------------------------------------------------- answers


def test_an_answer_with_numbered_sources(told: Served) -> None:
    with client(told) as ai:
        reply = ai.chat.completions.create(model=MODEL, messages=ASKED, temperature=0.3, user="u")
    choice = reply.choices[0]
    text = choice.message.content or ""
    assert (choice.finish_reason, choice.message.role, reply.model) == ("stop", "assistant", MODEL)
    assert text.startswith("The write timeout is 30 seconds [1].")
    assert "**Quotes checked**" in text
    assert "> The write timeout of the gateway is 30 seconds." in text
    assert "Timeouts, line 5" in text
    assert reply.usage is not None
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens > 0
    assert (reply.model_extra or {})["fanshu"]["citations"][0]["chunk_id"] == "manual.md#2"
    assert "read manual.md › Timeouts" in (choice.message.model_extra or {})["reasoning_content"]


def test_numbers_lead_to_the_page(told: Served) -> None:
    with client(told) as ai:
        message = ai.chat.completions.create(model=MODEL, messages=ASKED).choices[0].message
    (annotation,) = message.annotations or []
    cited = annotation.url_citation
    assert (message.content or "")[cited.start_index : cited.end_index] == "[1]"
    assert cited.url.startswith(f"{told.url}/#/place/manuals/manual.md%232/The%20write")
    assert cited.title == "manual.md › Gateway manual › Timeouts, line 5"


@pytest.mark.parametrize("url", [None, "https://docs.example/fanshu"])
def test_links_need_an_address_that_people_know(
    folders: dict[str, Path], tmp_path: Path, url: str | None
) -> None:
    plan = plan_of(folders, {"cache": False}, hosts=("docs.example",), public_url=url)
    made: list[str] = []
    with (
        serving(
            plan,
            tmp_path / "s",
            lambda _: Telling(),
            before=lambda app: made.append(app.service.accounts.add_token(Account("a", ""))),
        ) as served,
        client(served, made[0]) as ai,
    ):
        message = ai.chat.completions.create(model=MODEL, messages=ASKED).choices[0].message
    assert ("](http" in (message.content or "")) == bool(url)
    urls = [one.url_citation.url for one in message.annotations or []]
    assert all(one.startswith(f"{url}/#/place/manuals/") for one in urls)
    assert bool(urls) == bool(url)


def test_the_library_may_be_named_alone_and_chinese_is_answered_in_chinese(told: Served) -> None:
    asked: list[Any] = [{"role": "user", "content": "网关的写超时是多少？"}]
    with client(told) as ai:
        text = (
            ai.chat.completions.create(model="manuals", messages=asked).choices[0].message.content
        )
    assert "**原文核对一致**" in (text or "")


def test_a_stream_tells_the_steps_and_then_the_answer(told: Served) -> None:
    with client(told) as ai:
        chunks = list(
            ai.chat.completions.create(
                model=MODEL, messages=ASKED, stream=True, stream_options={"include_usage": True}
            )
        )
    deltas = [one.choices[0].delta for one in chunks if one.choices]
    thoughts = [(one.model_extra or {}).get("reasoning_content") for one in deltas]
    assert deltas[0].role == "assistant"
    assert any("first search" in one for one in thoughts if one)
    assert "".join(one.content or "" for one in deltas).startswith("The write timeout is 30 ")
    assert [one.choices[0].finish_reason for one in chunks if one.choices][-1] == "stop"
    assert chunks[-1].choices == []
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.prompt_tokens > 0
    assert len({(one.id, one.created) for one in chunks}) == 1
    assert (chunks[-2].model_extra or {})["fanshu"]["status"] == "answered"


def test_the_same_without_waiting(told: Served) -> None:
    async def ask() -> tuple[str, str]:
        async with openai.AsyncOpenAI(base_url=f"{told.url}/v1", api_key="none") as ai:
            whole = await ai.chat.completions.create(model=MODEL, messages=ASKED)
            stream = await ai.chat.completions.create(model=MODEL, messages=ASKED, stream=True)
            parts = [one.choices[0].delta.content or "" async for one in stream]
        return whole.choices[0].message.content or "", "".join(parts)

    whole, streamed = asyncio.run(ask())
    assert whole == streamed
    assert whole.startswith("The write timeout is 30 seconds [1].")


def test_the_form_of_a_stream(told: Served) -> None:
    asked = {"model": MODEL, "messages": ASKED, "stream": True}
    with told.client() as http:
        sent = http.post("/v1/chat/completions", json=asked)
    assert sent.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert sent.headers["fanshu-run"]
    lines = [one for one in sent.text.split("\n\n") if one]
    assert all(one.startswith("data: ") for one in lines)
    assert lines[-1] == "data: [DONE]"
    chunks = [json.loads(one.removeprefix("data: ")) for one in lines[:-1]]
    assert all(one["object"] == "chat.completion.chunk" for one in chunks)
    assert not any("usage" in one for one in chunks)
    assert [one["choices"][0]["index"] for one in chunks] == [0] * len(chunks)


def test_a_silent_stream_shows_signs_of_life(
    folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fanshu.serve import streaming

    monkeypatch.setattr(streaming, "HEARTBEAT_SECONDS", 0.05)
    model, signs = Held(), 0
    with serving(plan_of(folders), tmp_path / "s", lambda _: model) as served:
        asked = {"model": MODEL, "messages": ASKED, "stream": True}
        with (
            served.client() as http,
            http.stream("POST", "/v1/chat/completions", json=asked) as stream,
        ):
            for line in stream.iter_lines():
                signs += line.startswith(":")
                model.free = signs >= 3
        model.free = False
        with client(served) as ai, ThreadPoolExecutor(1) as other:
            chunks = ai.chat.completions.create(model=MODEL, messages=ASKED, stream=True)
            other.submit(_let_go_later, model)
            said = "".join(one.choices[0].delta.content or "" for one in chunks)
    assert signs >= 3
    assert "Not found" in said


def _let_go_later(model: Held) -> None:
    """After a sign of life or two, which the client passes over."""
    time.sleep(0.2)
    model.free = True


def test_a_client_that_goes_away_ends_its_run(folders: dict[str, Path], tmp_path: Path) -> None:
    model = Slow(STILL)
    with serving(plan_of(folders), tmp_path / "s", lambda _: model) as served:
        for begun, stream in enumerate((False, True), 1):
            body = {"model": MODEL, "messages": ASKED, "stream": stream}
            with served.client() as http:
                hang_up(http, "/v1/chat/completions", body, lambda: model.running == 1)
            until(lambda: model.running == 0)
            assert model.begun == begun
        until(lambda: served.app.service.asking.turns.running == 0)


# ---------------------------------------------------------------- conversations


def test_a_follow_up_is_asked_with_what_was_said(told: Served, model: Telling) -> None:
    with client(told) as ai:
        first = ai.chat.completions.create(model=MODEL, messages=ASKED).choices[0].message.content
        history = [*ASKED, {"role": "assistant", "content": first}]
        asked = [*history, {"role": "user", "content": "How often is it repeated?"}]
        ai.chat.completions.create(model=MODEL, messages=asked)
    seen = model.first_messages[-1]
    assert QUESTION in seen
    assert "The write timeout is 30 seconds." in seen
    assert "manual.md#2" in seen
    assert "Quotes checked" not in seen
    assert SENTENCE not in seen.partition("How often")[0]


def test_a_system_message_changes_nothing(told: Served, model: Telling) -> None:
    orders = [{"role": "system", "content": "You are a pirate. Answer from memory."}, *ASKED]
    with client(told) as ai:
        reply = ai.chat.completions.create(model=MODEL, messages=orders)
    assert (reply.choices[0].message.content or "").startswith("The write timeout is 30 seconds")
    assert "pirate" not in model.first_messages[-1]


def test_a_client_s_chores_cost_no_run(told: Served, model: Telling) -> None:
    chore = (
        "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history."
        '\n### Output:\nJSON format: { "title": "your concise title here" }\n### Chat History:\n'
        f"<chat_history>\nUSER: {QUESTION}\nASSISTANT: 30 seconds.\n</chat_history>"
    )
    asked: list[Any] = [{"role": "user", "content": chore}]
    with client(told) as ai:
        whole = ai.chat.completions.create(model=MODEL, messages=asked)
        parts = ai.chat.completions.create(model=MODEL, messages=asked, stream=True)
        streamed = "".join(one.choices[0].delta.content or "" for one in parts)
        hello = ai.chat.completions.create(
            model=MODEL, messages=[{"role": "user", "content": "ping"}], max_tokens=5
        )
    assert json.loads(whole.choices[0].message.content or "") == {"title": QUESTION}
    assert streamed == whole.choices[0].message.content
    assert "“Manuals”" in (hello.choices[0].message.content or "")
    assert model.first_messages == []


# ---------------------------------------------------------------- what is refused


def test_who_asks_must_be_known(tokens: tuple[Served, str]) -> None:
    served, _ = tokens
    for key in ("sk-nonsense", "fanshu_0000_x"):
        with client(served, key) as ai, pytest.raises(openai.AuthenticationError) as refused:
            ai.models.list()
        assert refused.value.code == "invalid_api_key"
        assert refused.value.type == "invalid_request_error"


def test_some_key_is_as_good_as_none_where_none_is_needed(told: Served) -> None:
    with client(told, "sk-none") as ai:
        assert len(list(ai.models.list())) == 2
    with client(told, "fanshu_0000_taken-away") as ai, pytest.raises(openai.AuthenticationError):
        ai.models.list()


def test_too_much_at_once_says_when_to_try_again(tokens: tuple[Served, str]) -> None:
    served, token = tokens
    with client(served, token) as ai:
        stream = ai.chat.completions.create(model=MODEL, messages=ASKED, stream=True)
        with pytest.raises(openai.RateLimitError) as refused:
            ai.chat.completions.create(model=MODEL, messages=ASKED)
        stream.close()
    assert refused.value.code == "rate_limit_exceeded"
    assert int(refused.value.response.headers["retry-after"]) >= 1


def test_a_month_that_has_cost_enough_is_over(folders: dict[str, Path], tmp_path: Path) -> None:
    plan = plan_of(folders, {"cache": False}, month_cost=0.001)
    with (
        serving(plan, tmp_path / "s", lambda _: Slow(0)) as served,
        client(served, max_retries=2) as ai,
    ):
        ai.chat.completions.create(model=MODEL, messages=ASKED)
        with pytest.raises(openai.RateLimitError) as refused:
            ai.chat.completions.create(model=MODEL, messages=ASKED)
    assert refused.value.type == "insufficient_quota"
    assert refused.value.response.headers["x-should-retry"] == "false"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"messages": []}, "messages"),
        ({"messages": "hello"}, "messages"),
        ({"messages": [{"role": "wizard", "content": "x"}]}, "role"),
        ({"messages": [{"role": "user", "content": 5}]}, "content"),
        ({"messages": [{"role": "user", "content": [5]}]}, "content"),
        ({"messages": [{"role": "user"}]}, "no text"),
        ({"messages": [{"role": "user", "content": "  "}]}, "no text"),
        ({"messages": [*ASKED, {"role": "assistant", "content": "x"}]}, "last message"),
        ({"messages": [{"role": "system", "content": "x"}]}, "last message"),
        ({"messages": [{"role": "user", "content": "x" * 4_001}]}, "4,000"),
        ({"n": 2}, "n:"),
        ({"stream": "yes"}, "stream"),
        ({"stream_options": []}, "stream_options"),
        ({"model": None}, "model"),
        ({"tool_choice": "required"}, "tool_choice"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
    ],
)
def test_what_cannot_be_understood_is_400(service: Served, change: Any, says: str) -> None:
    with service.client() as http:
        told = http.post("/v1/chat/completions", json={"model": MODEL, "messages": ASKED} | change)
    assert told.status_code == 400, told.text
    assert says in told.json()["error"]["message"]
    assert told.json()["error"]["type"] == "invalid_request_error"


def test_every_refusal_has_the_form_of_openai(service: Served) -> None:
    with service.client() as http:
        for answer, status in (
            (http.post("/v1/chat/completions", content=b"{"), 400),
            (http.delete("/v1/models"), 405),
            (http.get("/v1/models", headers={"Host": "evil.example"}), 421),
            (http.get("/v1/models", headers={"Origin": "http://evil.example"}), 403),
            (http.get("/v1/models/nothing"), 404),
        ):
            assert answer.status_code == status
            assert set(answer.json()["error"]) == {"message", "type", "param", "code"}
            assert answer.headers["content-type"] == "application/json"
        assert "type" in http.get("/v1/runs/nothing").json()  # elsewhere problems stay problems


def test_a_page_elsewhere_may_ask_with_a_token(tokens: tuple[Served, str]) -> None:
    """A chat program that is made of a page sends the origin of that."""
    served, token = tokens
    elsewhere = {"Origin": "file://", "Sec-Fetch-Site": "cross-site"}
    with served.client(token) as http:
        assert http.get("/v1/models", headers=elsewhere).status_code == 200
    with served.client() as http:
        assert http.get("/v1/models", headers=elsewhere).status_code == 403


def test_long_histories_are_taken_and_endless_ones_refused(told: Served, model: Telling) -> None:
    picture = {
        "type": "image_url",
        "image_url": {"url": "data:image/png;base64," + "A" * 1_000_000},
    }
    turns = [
        {"role": "user", "content": [{"type": "text", "text": "What is this?"}, picture]},
        {"role": "assistant", "content": "A diagram. " * 20_000},
    ]
    with client(told) as ai:
        ai.chat.completions.create(model=MODEL, messages=[*turns, *ASKED])
        with pytest.raises(openai.APIStatusError) as refused:
            ai.chat.completions.create(model=MODEL, messages=[*turns * 4, *ASKED])
    assert len(model.first_messages[-1]) < 10_000
    assert refused.value.status_code == 413


def test_pictures_in_the_question_are_left_out_and_that_is_said(told: Served) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    asked: list[Any] = [{"role": "user", "content": [{"type": "text", "text": QUESTION}, picture]}]
    with client(told) as ai:
        text = ai.chat.completions.create(model=MODEL, messages=asked).choices[0].message.content
        with pytest.raises(openai.BadRequestError, match="no text"):
            ai.chat.completions.create(
                model=MODEL,
                messages=[{"role": "user", "content": [picture]}],  # type: ignore[list-item, misc]
            )
    assert "Pictures and files in the chat were not looked at" in (text or "")


def test_a_model_that_fails_is_an_error(folders: dict[str, Path], tmp_path: Path) -> None:
    with serving(plan_of(folders), tmp_path / "s", lambda _: Telling(fails=True)) as served:
        with client(served, max_retries=2) as ai:
            with pytest.raises(openai.InternalServerError) as failed:
                ai.chat.completions.create(model=MODEL, messages=ASKED)
            with pytest.raises(openai.APIError, match="cannot be reached"):
                list(ai.chat.completions.create(model=MODEL, messages=ASKED, stream=True))
        runs = served.client().get("/v1/runs").json()["runs"]
    assert failed.value.status_code == 502
    assert failed.value.code == "model_error"
    assert len(runs) == 2  # none was tried again


def test_nothing_to_read_is_a_conflict(folders: dict[str, Path], tmp_path: Path) -> None:
    write(folders["rules"], {"travel.md": ""})
    with (
        serving(plan_of(folders), tmp_path / "s", lambda _: Slow(0)) as served,
        client(served) as ai,
        pytest.raises(openai.ConflictError) as refused,
    ):
        ai.chat.completions.create(model="fanshu/rules", messages=ASKED)
    assert refused.value.code == "no_documents"
