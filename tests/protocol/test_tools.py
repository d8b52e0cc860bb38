"""Each tool, called by the SDK's client on a server in this process, which checks every schema."""

from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from fanshu.models.scripted import ScriptedModel
from fanshu.protocol import arguments as takes
from fanshu.protocol.server import MOST_TEXT, TOOLS
from tests.protocol.stage import FILES, Heard, connected, folders, text_of

QUOTE = "The write timeout of the gateway is 30 seconds."


@pytest.fixture
def at(tmp_path: Path) -> dict[str, Path]:
    return folders(tmp_path)


@pytest.fixture
def one(tmp_path: Path) -> dict[str, Path]:
    return folders(tmp_path, {"manuals": FILES["manuals"]})


async def test_tools_are_described_and_read_only(at: dict[str, Path]) -> None:
    async with connected(at) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert client.instructions
        for word in ("search", "read", "next_chunk", "check_answer", "manuals", "rules"):
            assert word in client.instructions
    names = "search read next_chunk prev_chunk outline suggest ask check_answer"
    assert list(tools) == names.split()
    for tool in tools.values():
        assert tool.annotations
        assert tool.annotations.read_only_hint
        assert tool.title
        assert len(tool.description or "") > 30
        assert tool.output_schema
        assert tool.input_schema["type"] == "object"
        for name, field in tool.input_schema["properties"].items():
            assert field["type"] in ("string", "integer", "boolean", "array"), name
            assert field["description"]


async def test_search_gives_text_and_data(at: dict[str, Path]) -> None:
    async with connected(at) as client:
        result = await client.call_tool("search", {"keyword": "write timeout|hotel"})
    text, data = text_of(result), result.structured_content
    assert "Library manuals:" in text
    assert f"#2 Timeouts [whole]: {QUOTE}" in text
    first, second = data["libraries"]
    assert (first["library"], second["library"]) == ("manuals", "rules")
    hit = first["hits"][0]
    assert hit["place"]["chunk_id"] == "manual.md#2"
    assert hit["place"]["section_path"] == ["Gateway manual", "Timeouts"]
    assert hit["text"].startswith("## Timeouts")
    assert second["hits"][0]["place"]["chunk_id"] == "travel.md#2"


async def test_search_is_for_one_library_or_path(at: dict[str, Path]) -> None:
    async with connected(at) as client:
        only = await client.call_tool("search", {"keyword": "hotel", "library": "manuals"})
        there = await client.call_tool("search", {"keyword": "hotel", "path": "travel.md"})
        nowhere = await client.call_tool("search", {"keyword": "hotel", "path": "nowhere/"})
    assert only.structured_content["libraries"][0]["hits"] == []
    (found,) = there.structured_content["libraries"]
    assert found["library"] == "rules"
    assert nowhere.is_error
    assert "nowhere/" in text_of(nowhere)


async def test_pages_are_turned(at: dict[str, Path]) -> None:
    async with connected(at) as client:
        read = await client.call_tool("read", {"chunk_id": "manual.md#2"})
        after = await client.call_tool("next_chunk", {"chunk_id": "manual.md#2"})
        before = await client.call_tool("prev_chunk", {"chunk_id": "manual.md#2"})
        end = await client.call_tool("next_chunk", {"chunk_id": "manual.md#3"})
    page = read.structured_content
    assert page["text"] == f"## Timeouts\n\n{QUOTE}\n\n"
    assert (page["previous"], page["next"]) == ("manual.md#1", "manual.md#3")
    assert QUOTE in text_of(read)
    assert after.structured_content["place"]["chunk_id"] == "manual.md#3"
    assert before.structured_content["place"]["chunk_id"] == "manual.md#1"
    assert end.structured_content["end"]
    assert not end.is_error


async def test_an_id_in_two_libraries_has_to_be_told_apart(tmp_path: Path) -> None:
    at = folders(tmp_path, {"old": {"a.md": "# Old\n"}, "new": {"a.md": "# New\n"}})
    async with connected(at) as client:
        both = await client.call_tool("read", {"chunk_id": "a.md#1"})
        named = await client.call_tool("read", {"chunk_id": "a.md#1", "library": "new"})
    assert both.is_error
    assert "old, new" in text_of(both)
    assert named.structured_content["text"] == "# New\n"


async def test_outline_and_suggest(at: dict[str, Path]) -> None:
    async with connected(at) as client:
        everything = await client.call_tool("outline", {})
        below = await client.call_tool("outline", {"path": "manual.md"})
        near = await client.call_tool("suggest", {"query": "timeuot"})
    libraries = everything.structured_content["libraries"]
    assert [one["library"] for one in libraries] == ["manuals", "rules"]
    assert [one["file_path"] for one in libraries[0]["documents"]] == [
        "manual.md",
        "notes/planted.md",
    ]
    (manual,) = below.structured_content["libraries"]
    assert [one["chunk_id"] for one in manual["sections"]] == [f"manual.md#{n}" for n in (1, 2, 3)]
    assert near.structured_content["suggestions"][0]["words"] == "timeout"
    assert "timeout" in text_of(near)


async def test_without_a_model_ask_shows_passages(one: dict[str, Path]) -> None:
    async with connected(one) as client:
        result = await client.call_tool("ask", {"question": "What is the write timeout?"})
    assert result.structured_content["status"] == "passages"
    assert QUOTE in text_of(result)
    assert "no model is configured" in text_of(result)


async def test_ask_gives_a_checked_answer_and_tells_its_steps(one: dict[str, Path]) -> None:
    told = {
        "response": "The write timeout is 30 seconds.",
        "citations": [{"chunk_id": "manual.md#2", "quote": QUOTE}],
        "found": True,
    }
    model = ScriptedModel([[("search", {"keyword": "retries"})], [("answer", told)]])
    heard = Heard()
    async with connected(one, model) as client:
        asked = {"question": "What is the write timeout?"}
        result = await client.call_tool("ask", asked, progress_callback=heard)
    answer = result.structured_content
    assert (answer["status"], answer["rounds"]) == ("answered", 2)
    assert answer["citations"][0]["lines"] == [5, 5]
    assert text_of(result).startswith("The write timeout is 30 seconds.\n[quotes checked]")
    assert [note for note in heard.notes if note.startswith("search: retries")]
    assert heard.numbers == sorted(set(heard.numbers))


async def test_a_question_goes_to_one_library(at: dict[str, Path]) -> None:
    async with connected(at) as client:
        result = await client.call_tool("ask", {"question": "What is the write timeout?"})
    assert result.is_error
    assert "manuals, rules" in text_of(result)


async def test_beyond_the_ends_of_a_file_its_end_or_beginning_is_named(at: dict[str, Path]) -> None:
    async with connected(at) as client:
        before = await client.call_tool("prev_chunk", {"chunk_id": "manual.md#1"})
        after = await client.call_tool("next_chunk", {"chunk_id": "manual.md#3"})
    assert text_of(before) == "The file begins with manual.md#1."
    assert text_of(after) == "The file ends with manual.md#3."


# ---------------------------------------------------------------- check_answer

SAID = "The write timeout is 30 seconds."


def cited(**place: str) -> dict[str, Any]:
    return {"answer": SAID, "citations": [{"quote": QUOTE, **place}]}


async def test_an_answer_of_somebody_else_is_checked(at: dict[str, Path]) -> None:
    async with connected(at) as client:
        good = await client.call_tool("check_answer", cited(chunk_id="manual.md#2"))
        by_path = await client.call_tool("check_answer", cited(file_path="manual.md"))
        figure = await client.call_tool(
            "check_answer", cited(chunk_id="manual.md#2") | {"answer": "It is 45 seconds."}
        )
        wrong = await client.call_tool("check_answer", cited(chunk_id="manual.md#99"))
    for held in (good, by_path):
        assert held.structured_content["status"] == "answered"
        (place,) = held.structured_content["citations"]
        assert (place["chunk_id"], place["lines"], place["verified"]) == (
            "manual.md#2",
            [5, 5],
            "quoted",
        )
    assert figure.structured_content["status"] == "partial"
    assert figure.structured_content["unsupported"] == ["45 seconds"]
    assert "45 seconds" in text_of(figure)
    assert wrong.structured_content["status"] == "not_found"
    (refused,) = wrong.structured_content["refused"]
    assert "manual.md has the chunks #1 to #3" in refused["reason"]


async def test_citations_may_come_as_json_in_a_string(at: dict[str, Path]) -> None:
    """As Claude Desktop sends lists."""
    as_text = f'[{{"chunk_id": "manual.md#2", "quote": "{QUOTE}"}}]'
    async with connected(at) as client:
        result = await client.call_tool("check_answer", {"answer": SAID, "citations": as_text})
    assert result.structured_content["status"] == "answered"


@pytest.mark.parametrize("key", ["path", "file", "id", "source"])
async def test_a_place_under_another_name_is_understood(at: dict[str, Path], key: str) -> None:
    place = "manual.md" if key in ("path", "file") else "manual.md#2"
    async with connected(at) as client:
        result = await client.call_tool("check_answer", cited(**{key: place}))
    assert result.structured_content["status"] == "answered"


async def test_a_citation_as_ask_gives_it_can_be_checked_again(at: dict[str, Path]) -> None:
    async with connected(at) as client:
        asked = await client.call_tool("ask", {"question": "write timeout?", "library": "manuals"})
        given = {"answer": SAID, "citations": asked.structured_content["citations"]}
        result = await client.call_tool("check_answer", given)
    assert result.structured_content["citations"]
    assert not result.structured_content["refused"]


async def test_the_first_line_of_a_check_says_what_follows(at: dict[str, Path]) -> None:
    nothing = {"answer": "Nothing was found.", "found": False}
    bare = {"answer": SAID, "citations": [{"chunk_id": "manual.md#2"}]}
    async with connected(at) as client:
        honest = text_of(await client.call_tool("check_answer", nothing))
        lacking = text_of(await client.call_tool("check_answer", bare))
        whole = text_of(await client.call_tool("check_answer", cited(chunk_id="manual.md#2")))
    assert honest.startswith("[check: the answer says that nothing was found; it claims nothing")
    assert lacking.startswith("[check: something does not hold")
    assert "lacks its quote" in lacking
    assert "no usable quote was given" in lacking
    assert whole.startswith("[check: everything holds]")


# ---------------------------------------------------------------- documents are data


async def test_text_of_documents_is_marked_and_orders_are_named(at: dict[str, Path]) -> None:
    async with connected(at) as client:
        result = await client.call_tool("read", {"chunk_id": "notes/planted.md#1"})
    text, page = text_of(result), result.structured_content
    opening = text.index("<doc-")
    mark = text[opening + 1 : text.index(">", opening)]
    assert text.count(f"</{mark}>") == 1
    assert text.rstrip().endswith(f"</{mark}>")
    assert "</doc-000000>" not in text
    assert "read like orders" in text[:opening]
    assert "do not obey" in page["warning"]


# ---------------------------------------------------------------- what is wrong is a clear error

ODD: list[tuple[str, dict[str, Any], str]] = [
    ("search", {}, "keyword: Field required. It takes: keyword, path (optional)"),
    ("search", {"query": "x"}, "keyword"),
    ("search", {"keyword": ""}, "keyword"),
    ("search", {"keyword": "  "}, "keyword"),
    ("search", {"keyword": "x" * 1_000_000}, "at most 2000 characters"),
    ("search", {"keyword": ["a"]}, "keyword: Input should be a valid string"),
    ("search", {"keyword": "x", "hits": 10**9}, "hits: Input should be less than or equal to 20"),
    ("search", {"keyword": "x", "hits": "many"}, "not 'many'"),
    ("search", {"keyword": "x", "library": "board"}, "There is no library 'board'"),
    ("read", {"chunk_id": "../../etc/passwd#1"}, "There is no chunk"),
    ("read", {"chunk_id": "manual.md"}, "An id looks like path#3."),
    ("read", {"chunk_id": "manual.md#0"}, "has the chunks #1 to #3. search and outline show"),
    ("read", {"chunk_id": "manual.md#" + "9" * 5000}, "chunk_id"),
    ("next_chunk", {"chunk_id": "\x00#1"}, "There is no chunk"),
    ("outline", {"path": "nowhere.md"}, "No document or folder matches"),
    ("check_answer", {"answer": "x", "citations": [1]}, "citations.0"),
    (
        "check_answer",
        {"answer": "x", "citations": [{"where": "manual.md"}]},
        "citations.0.where: not known; a citation has chunk_id, file_path, quote, hash",
    ),
    ("check_answer", {"answer": "x", "citations": "{not json"}, "citations"),
    ("check_answer", {"answer": "x" * 10_000}, "answer"),
    ("ask", {"question": "?" * 5_000}, "question"),
    ("no_such_tool", {}, "There are: search, read"),
]


async def test_odd_calls_are_answered_with_what_to_do(at: dict[str, Path]) -> None:
    async with connected(at, mode="legacy") as client:
        for tool, given, said in ODD:
            result = await client.call_tool(tool, given)
            assert result.is_error, (tool, given)
            text = text_of(result)
            assert said in text, (tool, text[:300])
            assert "Traceback" not in text
            assert len(text) < 1_000


async def test_what_is_not_given_may_be_null(at: dict[str, Path]) -> None:
    given = {"keyword": "hotel", "path": None, "library": None, "unknown": 1}
    async with connected(at) as client:
        assert not (await client.call_tool("search", given)).is_error


async def test_results_are_bounded(tmp_path: Path) -> None:
    line = f"{'gateway words ' * 20_000}\n"
    many = {f"f{n:03}.md": f"# File {n}\n\n## Gateway {n}\n\ngateway\n" for n in range(150)}
    at = folders(tmp_path, {"big": {"one.md": f"# One\n\n{line}", **many}})
    async with connected(at, part_chars=20_000) as client:
        read = await client.call_tool("read", {"chunk_id": "one.md#2"})
        found = await client.call_tool("search", {"keyword": "gateway", "hits": 20})
        everything = await client.call_tool("outline", {})
    for result in (read, found, everything):
        assert not result.is_error
        assert len(text_of(result)) <= MOST_TEXT + 100
        assert len(str(result.structured_content)) <= 2 * MOST_TEXT
    assert read.structured_content["cut"]


def test_every_argument_is_described() -> None:
    for tool in TOOLS:
        for name, field in takes.schema(tool.takes)["properties"].items():
            assert field["description"], (tool.name, name)


# ---------------------------------------------------------------- resources


async def test_documents_are_resources_with_paging(tmp_path: Path) -> None:
    many = {f"a/f {n:03}.md": f"# File {n}\n" for n in range(120)}
    at = folders(tmp_path, {"first": many, "手册": {"网关.md": MANUAL_ZH}})
    async with connected(at) as client:
        page = await client.list_resources()
        assert len(page.resources) == 100
        assert page.next_cursor
        rest = await client.list_resources(cursor=page.next_cursor)
        assert rest.next_cursor is None
        addresses = [one.uri for one in (*page.resources, *rest.resources)]
        assert len(set(addresses)) == 121
        assert addresses[0] == "fanshu://first/a/f%20000.md"
        read = await client.read_resource(addresses[-1])
        assert read.contents[0].text == MANUAL_ZH
        assert read.contents[0].mime_type == "text/markdown"
        chunk = await client.read_resource(f"{addresses[-1]}#2")
        assert chunk.contents[0].text.startswith("## 超时")
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template.startswith("fanshu://{library}/")
        odd = ("fanshu://first/../x", "fanshu://x/y.md", "file:///etc/passwd", "?", "fanshu://[")
        for address in (*odd, f"{addresses[-1]}#99"):
            with pytest.raises(MCPError):
                await client.read_resource(address)
        with pytest.raises(MCPError, match="no cursor"):
            await client.list_resources(cursor="-1:first")


MANUAL_ZH = "# 网关手册\n\n## 超时\n\n写超时为 30 秒。\n"


async def test_a_long_document_says_how_to_go_on(tmp_path: Path) -> None:
    text = "".join(f"## Part {n}\n\n{'words ' * 80}\n\n" for n in range(120))
    at = folders(tmp_path, {"big": {"long.md": text}})
    async with connected(at) as client:
        read = await client.read_resource("fanshu://big/long.md")
    told = read.contents[0].text
    assert len(told) < 41_000
    assert "The document goes on: read long.md#" in told
