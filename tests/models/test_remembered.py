import json
import time
from pathlib import Path
from typing import Any

import pytest

from fanshu import keeping
from fanshu.app import open_model
from fanshu.errors import ModelError
from fanshu.models import Turn
from fanshu.models.json_mode import Habits
from fanshu.models.providers import endpoint
from fanshu.models.remembered import DAY, DAYS, MOST, Memory, memory_of, remembered
from fanshu.models.remote import RemoteModel, remote
from fanshu.settings import Settings, user_data
from tests.waiting import PATIENCE

from .fake_server import FakeServer, message, refusal
from .test_json_mode import CHATTER, SEARCH, START, TOOLS, formats

JSON = Habits(way="json_schema")
NO_TOOLS = refusal(400, "small does not support tools")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "models" / "endpoints.json"


def at(server: FakeServer, file: Path | None, **more: Any) -> RemoteModel:
    return remote("small", base_url=server.url, timeout=PATIENCE, memory=file, **more)


def written(file: Path, **entry: object) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"endpoints": {"e": entry}}), encoding="utf-8")
    return file


async def test_a_server_whose_calls_never_parse_is_known_within_two_rounds_and_remembered(
    file: Path,
) -> None:
    """Round one is answered with broken arguments, round two with prose; then JSON is asked for."""
    broken = message(None, ("search", '{"keyword":'))
    with FakeServer(broken, message("I search for it."), message(SEARCH), message(SEARCH)) as s:
        model = at(s, file)
        first = await model.next(START, TOOLS)
        turns = [
            *START,
            Turn("assistant", "", calls=first.calls, native=first.native),
            Turn("tool", "no JSON", call_id="call_1", tool="search"),
        ]
        second = await model.next(turns, TOOLS)
        third = await at(s, file).next(START, TOOLS)  # another process, another day
    assert first.calls[0].arguments is None
    assert second.calls[0].arguments == third.calls[0].arguments == {"keyword": "超时"}
    assert formats(s) == ["tools", "tools", "json_schema", "json_schema"]


async def test_what_was_learned_belongs_to_one_model_at_one_address(file: Path) -> None:
    with FakeServer(NO_TOOLS, message(SEARCH)) as first:
        await at(first, file).next(START, TOOLS)
    with FakeServer(message("x")) as other:
        await at(other, file).next(START, TOOLS)
    assert formats(other) == ["tools"]
    (known,) = remembered(file)
    assert known.endpoint == f":small {first.url}"
    assert known.habits == JSON


async def test_a_single_reply_is_no_lasting_lesson(file: Path) -> None:
    with FakeServer(message("no"), message("no")) as server:
        await at(server, file).next(START, TOOLS, force="answer")
    assert remembered(file) == ()


async def test_a_mode_that_is_set_is_kept_to_and_teaches_nothing(file: Path) -> None:
    with FakeServer(message("Hm."), NO_TOOLS, message(SEARCH)) as server:
        native = at(server, file, tool_mode="native")
        assert (await native.next(CHATTER, TOOLS)).text == "Hm."
        with pytest.raises(ModelError, match="does not support tools"):
            await native.next(CHATTER, TOOLS)
        await at(server, file, tool_mode="json").next(START, TOOLS)
    assert formats(server) == ["tools", "tools", "json_schema"]
    assert remembered(file) == ()


async def test_json_that_is_set_begins_with_the_step_that_was_learned(file: Path) -> None:
    refused = refusal(400, "response_format.type must be one of text, json_object")
    with FakeServer(NO_TOOLS, refused, message(SEARCH), message(SEARCH)) as server:
        await at(server, file).next(START, TOOLS)
        await at(server, file, tool_mode="json").next(START, TOOLS)
    assert formats(server) == ["tools", "json_schema", "json_object", "json_object"]


def test_memory_expires_and_never_comes_from_the_future(file: Path) -> None:
    now = time.time()
    for since, kept in ((now, True), (now - DAYS * DAY - 1, False), (now + 2 * DAY, False)):
        written(file, way="json_object", since=since)
        assert (Memory(file, "e").recall() is not None) is kept


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"endpoints": []}', '{"endpoints": {"e": 1}}', "\udcff"],
)
def test_a_broken_file_holds_nothing_and_is_made_anew(file: Path, text: str) -> None:
    file.parent.mkdir()
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    memory = Memory(file, "e")
    assert memory.recall() is None
    memory.keep(JSON)
    assert memory.recall() == JSON


@pytest.mark.parametrize("entry", [{"way": "magic", "since": 1e12}, {"way": "tools", "since": "x"}])
def test_entries_of_another_version_are_passed_over(file: Path, entry: dict[str, object]) -> None:
    assert remembered(written(file, **entry)) == ()


def test_where_nothing_can_be_written_nothing_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    Memory(tmp_path / "file" / "x.json", "e").keep(JSON)
    Memory(None, "e").keep(JSON)
    assert Memory(None, "e").recall() is None


def test_the_oldest_are_forgotten_first(file: Path) -> None:
    now = time.time()
    entries = {str(n): {"way": "tools", "since": now - 1000 + n} for n in range(MOST)}
    file.parent.mkdir()
    file.write_text(json.dumps({"endpoints": entries}))
    Memory(file, "new").keep(JSON)
    names = {known.endpoint for known in remembered(file)}
    assert len(names) == MOST
    assert "0" not in names
    assert "new" in names
    assert [one.name for one in file.parent.iterdir()] == [file.name]


def test_nothing_secret_is_written(file: Path) -> None:
    place = endpoint("small", "https://me:secret@llm.example/v1?api-key=secret", {})
    memory_of(place, file).keep(JSON)
    assert "secret" not in file.read_text()
    assert remembered(file)[0].endpoint == ":small https://llm.example/v1"


async def test_the_app_keeps_it_among_the_data_of_the_user() -> None:
    with FakeServer(NO_TOOLS, message(SEARCH), message(SEARCH)) as server:
        settings = Settings(model="small", base_url=server.url)
        for _ in range(2):
            model = open_model(settings)
            await model.next(START, TOOLS)
            await model.close()
    assert formats(server) == ["tools", "json_schema", "json_schema"]
    kept = [one.path for one in keeping.kept(user_data()) if one.kind == "models"]
    assert kept == [user_data() / "models"]
