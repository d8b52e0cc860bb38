"""fanshu doctor: on the terminal, as JSON, with a model and without."""

import json

import pytest

from tests.cli.conftest import Fanshu
from tests.cli.replies import WRITE, answer, calls
from tests.models.fake_server import FakeServer, Scripted, message, refusal


def codes(found: object) -> dict[str, str]:
    return {one["code"]: one["level"] for one in found["findings"]}  # type: ignore[index]


def test_a_new_installation_is_fine(fanshu: Fanshu) -> None:
    result = fanshu("doctor")
    assert result.code == 0
    assert result.out.startswith("Model\n  note  no model is named")
    assert result.out.endswith("\nNothing needs attention.\n")


def test_a_model_that_calls_tools(fanshu: Fanshu) -> None:
    with FakeServer(calls(("ready", {}))) as server:
        result = fanshu("doctor", "--model", "m", "--base-url", server.url, "--json")
    assert result.code == 0
    assert codes(result.json)["model_ok"] == "ok"
    (model,) = [one for one in result.json["findings"] if one["area"] == "model"]
    assert "(native)" in model["message"]
    (request,) = server.requests
    assert request["messages"][-1] == {"role": "user", "content": "Are you ready?"}
    assert "渡口" not in json.dumps(request, ensure_ascii=False)


def test_a_model_that_only_talks_is_worth_a_note(fanshu: Fanshu) -> None:
    with FakeServer(message("Yes!")) as server:
        result = fanshu("doctor", "--model", "m", "--base-url", server.url, "--json")
    assert (result.code, codes(result.json)["model_no_call"]) == (0, "note")


def test_a_server_without_tools_is_found_out_and_remembered(fanshu: Fanshu) -> None:
    said = Scripted(refusal(400, "tools is not supported").body, 400)
    reply = message('{"name": "ready", "arguments": {}}')
    with FakeServer(said, reply, reply) as server:
        asked = ("doctor", "--model", "m", "--base-url", server.url, "--json")
        first, second = fanshu(*asked), fanshu(*asked)
    for result in (first, second):
        (model,) = [one for one in result.json["findings"] if one["area"] == "model"]
        assert (model["code"], model["values"]["way"]) == ("model_ok", "JSON, json_schema")


def test_a_model_that_cannot_be_reached_needs_attention(
    fanshu: Fanshu, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FANSHU_API_KEY", "sk-very-secret")
    where = ("--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    result = fanshu("doctor", *where)
    assert result.code == 1
    assert "cannot be reached at http://127.0.0.1:9/v1" in result.out
    assert "very-secret" not in result.out + result.err
    assert fanshu("doctor", *where, "--offline").code == 0


def test_a_bare_key_is_told_and_not_used(fanshu: Fanshu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    result = fanshu("doctor")
    assert "OPENAI_API_KEY is set, but no model is named" in result.out
    assert "sk-secret" not in result.out


def test_the_last_runs_are_examined(fanshu: Fanshu) -> None:
    read = calls(("read", {"chunk_id": "手册.md#2"}))
    wrong = answer("写超时是 45 秒。", WRITE)
    with FakeServer(read, wrong, wrong) as server:
        fanshu("ask", "写超时是多少", "--model", "m", "--base-url", server.url)
    result = fanshu("doctor")
    assert result.code == 1
    assert "answers sent back by the check (1 of 1 runs, such as " in result.out
    assert "`part_chars`" in result.out
    found = fanshu("doctor", "--json").json
    assert found["ok"] is False
    (one,) = [one for one in found["findings"] if one["code"] == "bounced"]
    assert one["settings"] == ["model", "part_chars"]


def test_it_speaks_chinese(fanshu: Fanshu) -> None:
    out = fanshu("doctor", "--language", "zh").out
    assert out.startswith("模型\n  留意  没有指定模型")
    assert "命令行" in out
    assert "环境变量" in out
