import json
from typing import Any

from fanshu.agent import compact
from fanshu.agent.prompts import tool_specs
from fanshu.models import ToolSpec, Turn
from fanshu.models.shapes import (
    CHUNK_ID,
    LONGEST_QUOTE,
    MOST_CHOICES,
    MOST_CITATIONS,
    MOST_QUOTES,
    calls,
    known,
)
from fanshu.types import Chunk, Hit, Opening, SearchResult, ToolCall

TOOLS = tool_specs("zh")
SMALL = compact.specs("zh")


def hit(chunk_id: str, *, complete: bool = False) -> Hit:
    path = chunk_id.partition("#")[0]
    return Hit(chunk_id, path, (), None, None, "", "It is 5 s.", 0.0, complete)


def found(*hits: Hit) -> SearchResult:
    return SearchResult("q", "all", len(hits), hits)


def chunk(chunk_id: str, text: str = "The limit is thirty. It can be set.") -> Chunk:
    path = chunk_id.partition("#")[0]
    return Chunk(chunk_id, path, (), 1, text, None, None, (1, 1), "hash")


def turn(tool: str, data: object) -> Turn:
    return Turn("tool", "text", call_id="call_1", tool=tool, data=data)


def shapes(turns: list[Turn], tool: str, tools: tuple[ToolSpec, ...] = TOOLS) -> list[Any]:
    """The schemas of a tool's arguments."""
    schema = json.loads(json.dumps(calls(tools, known(turns))))
    ways = [one["properties"] for one in schema["anyOf"]]
    return [way["arguments"] for way in ways if way["name"]["const"] == tool]


def test_only_names_of_tools_and_known_arguments_are_possible() -> None:
    schema: Any = calls(TOOLS, known([]))
    names = [one["properties"]["name"]["const"] for one in schema["anyOf"]]
    assert names == [tool.name for tool in TOOLS]
    assert all(one["additionalProperties"] is False for one in schema["anyOf"])
    (search,) = shapes([], "search")
    assert (search["required"], search["additionalProperties"]) == (["keyword"], False)


def test_a_chunk_id_is_one_that_was_shown() -> None:
    (before,) = shapes([], "read")
    assert before["properties"]["chunk_id"] == CHUNK_ID
    opening = Opening("q", found(hit("a/x.md#1")), (chunk("a/y.md#2"),), "zh")
    turns = [Turn("user", "q", data=opening), turn("search", found(hit("a/x.md#1"), hit("z.md#9")))]
    (read,) = shapes(turns, "read")
    assert read["properties"]["chunk_id"]["enum"] == ["a/x.md#1", "a/y.md#2", "z.md#9"]


def test_a_path_is_a_file_that_was_shown_or_its_folder() -> None:
    (search,) = shapes([turn("search", found(hit("a/b/x.md#1"), hit("z.md#9")))], "search")
    assert search["properties"]["path"]["enum"] == ["a/b/x.md", "z.md", "a/b/"]


def test_after_an_outline_whose_ids_stand_in_its_text_any_id_is_possible() -> None:
    turns = [turn("search", found(hit("x.md#1"))), turn("outline", "anything")]
    (read,) = shapes(turns, "read")
    (search,) = shapes(turns, "search")
    assert read["properties"]["chunk_id"] == CHUNK_ID
    assert "enum" not in search["properties"]["path"]


def test_so_many_ids_that_a_grammar_would_be_slow_are_not_listed() -> None:
    hits = [hit(f"x.md#{n}") for n in range(MOST_CHOICES + 1)]
    (read,) = shapes([turn("search", found(*hits))], "read")
    assert read["properties"]["chunk_id"] == CHUNK_ID


def test_what_was_found_is_cited_from_what_was_read() -> None:
    turns = [
        turn("search", found(hit("x.md#1"), hit("x.md#2", complete=True))),
        turn("read", chunk("y.md#3")),
    ]
    yes, no = shapes(turns, "answer")
    cited = yes["properties"]["citations"]
    assert yes["properties"]["found"] == {"const": True}
    assert (cited["minItems"], cited["maxItems"]) == (1, MOST_CITATIONS)
    items = [one["properties"] for one in cited["items"]["anyOf"]]
    assert [(one["chunk_id"]["const"], one["quote"]["enum"]) for one in items] == [
        ("x.md#2", ["It is 5 s."]),
        ("y.md#3", ["The limit is thirty.", "It can be set."]),
    ]
    assert no["properties"]["found"] == {"const": False}
    assert no["properties"]["citations"]["maxItems"] == 1


def test_where_passages_are_too_many_or_too_long_quotes_are_left_to_the_model() -> None:
    many = "".join(f"Sentence number {n} is here. " for n in range(MOST_QUOTES + 1))
    for text in (many, "long " * LONGEST_QUOTE):
        yes, _ = shapes([turn("read", chunk("y.md#3", text))], "answer")
        item = yes["properties"]["citations"]["items"]["properties"]
        assert item == {
            "chunk_id": {"type": "string", "enum": ["y.md#3"]},
            "quote": {"type": "string"},
        }


def test_before_anything_was_read_nothing_can_be_found() -> None:
    (only,) = shapes([turn("search", found(hit("x.md#1")))], "answer")
    assert only["properties"]["found"] == {"const": False}
    assert only["properties"]["citations"]["maxItems"] == 0


def test_the_tools_are_not_changed() -> None:
    before = json.dumps([dict(tool.parameters) for tool in TOOLS])
    calls(TOOLS, known([turn("search", found(hit("x.md#1", complete=True)))]))
    assert json.dumps([dict(tool.parameters) for tool in TOOLS]) == before


def test_optional_citations_are_asked_for_once_a_claim_was_sent_back() -> None:
    def said(*, found: bool) -> Turn:
        given = {"found": found, "response": "It is 30."}
        return Turn("assistant", "", (ToolCall("1", "answer", given),))

    turns = [turn("read", chunk("a.md#1", "The limit is 30. It can be set."))]
    (plain,) = shapes(turns, "answer", SMALL)
    assert [*plain["properties"]] == ["found", "response"]
    assert shapes([*turns, said(found=False)], "answer", SMALL) == [plain]
    (there,) = shapes([*turns, said(found=True)], "answer", SMALL)
    assert there["properties"]["citations"]["minItems"] == 1
    assert "citations" in there["required"]
    (cited,) = there["properties"]["citations"]["items"]["anyOf"]
    assert cited["properties"]["quote"]["enum"] == ["The limit is 30."]
    assert there["properties"]["found"] == {"const": True}
