"""The JSON schema of a reply, as narrow as what has been shown in the run allows.

A small model under a schema writes what the schema leaves open: chunk ids that do not exist,
files that nobody has, answers without a quote. So ids are those that were shown, cited ones
those that were read, a quote is a passage of the chunk that it is said to stand in, and whoever
says that something was found has to cite it; where citations are optional, once an answer
without them has been sent back.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace

from fanshu.library.passages import passages
from fanshu.models import ToolSpec, Turn
from fanshu.types import Chunk, Hit, ToolCall

MOST_CHOICES = 100  # ids or paths in one schema; with more, servers take seconds for its grammar
MOST_QUOTES = 80  # passages in one schema; with more, quotes are left to the model
LONGEST_QUOTE = 300  # characters of a passage; a longer one would be half the answer
MOST_CITATIONS = 6  # of one answer; small models repeat themselves until they are stopped
CHUNK_ID = {"type": "string", "pattern": '^[^#"\\\\]+#[0-9]+$'}
NAMED = "chunk_id"
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")

Schema = dict[str, object]


@dataclass(frozen=True, slots=True)
class Known:
    """What a run has shown: chunk ids, those read in full, files and folders.

    `quotes`: for each chunk read, the passages that can be quoted from it. `listed`: an
    outline was shown, whose ids stand in its text only. `claimed`: what the
    last answer said that was sent back.
    """

    shown: tuple[str, ...]
    read: tuple[str, ...]
    paths: tuple[str, ...]
    listed: bool
    quotes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    claimed: str = ""


def known(turns: Sequence[Turn]) -> Known:
    """What the results of a conversation have shown, from their data."""
    found = [item for turn in turns for item in _items(turn.data)]
    read = {one.chunk_id: one.text for one in found if isinstance(one, Chunk) or one.complete}
    files = dict.fromkeys(one.file_path for one in found)
    folders = {f"{folder}/": None for path in files if (folder := path.rpartition("/")[0])}
    return Known(
        tuple(dict.fromkeys(one.chunk_id for one in found)),
        tuple(read),
        (*files, *folders),
        any(turn.tool == "outline" for turn in turns),
        {chunk_id: _quotable(text) for chunk_id, text in read.items()},
        next((said for turn in reversed(turns) for said in map(_claim, turn.calls) if said), ""),
    )


def _quotable(text: str) -> tuple[str, ...]:
    """The passages of a text that are short enough to be quoted, each once."""
    pieces = (text[passage.start : passage.end] for passage in passages(text))
    return tuple(dict.fromkeys(piece for piece in pieces if len(piece) <= LONGEST_QUOTE))


def calls(tools: Iterable[ToolSpec], about: Known) -> Schema:
    """The schema of one call of one of the tools."""
    return {"anyOf": [_call(tool, shape) for tool in tools for shape in _arguments(tool, about)]}


def _items(data: object) -> Iterator[Chunk | Hit]:
    """The chunks and hits anywhere within the data of a turn."""
    if isinstance(data, Chunk | Hit):
        yield data
    elif isinstance(data, tuple | list):
        for one in data:
            yield from _items(one)
    elif is_dataclass(data) and not isinstance(data, type):
        for one in fields(data):
            yield from _items(getattr(data, one.name))


def _call(tool: ToolSpec, arguments: Schema) -> Schema:
    return {
        "type": "object",
        "properties": {"name": {"const": tool.name}, "arguments": arguments},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def _arguments(tool: ToolSpec, about: Known) -> list[Schema]:
    """The shapes that a tool's arguments may have."""
    properties = tool.parameters.get("properties")
    properties = dict(properties) if isinstance(properties, dict) else {}
    narrow: Schema = {**tool.parameters, "properties": properties, "additionalProperties": False}
    if NAMED in properties:
        properties[NAMED] = CHUNK_ID if about.listed else _one_of(about.shown, CHUNK_ID)
    if "path" in properties and not about.listed:
        properties["path"] = _one_of(about.paths, properties["path"])
    if not {"citations", "found"} <= {*properties}:
        return [narrow]
    return _answers(narrow, properties, about)


def _answers(narrow: Schema, properties: Schema, about: Known) -> list[Schema]:
    """Found, with at least one citation; not found, with the nearest thing at most."""

    def answer(*, found: bool, least: int, most: int) -> Schema:
        item = _citation(about)
        array = {"type": "array", "items": item, "minItems": least, "maxItems": most}
        return {
            **narrow,
            "properties": {**properties, "citations": array, "found": {"const": found}},
        }

    optional = "citations" not in _required(narrow)
    about = about if optional else replace(about, claimed="")
    if optional and not about.claimed:
        return [{**narrow, "properties": {k: v for k, v in properties.items() if k != "citations"}}]
    narrow["required"] = [*dict.fromkeys((*_required(narrow), "citations"))]
    nothing = answer(found=False, least=0, most=1 if about.read else 0)
    if not about.read:
        return [nothing]
    there = answer(found=True, least=1, most=MOST_CITATIONS)
    return [there] if optional else [there, nothing]  # small models take back what is doubted


def _claim(call: ToolCall) -> str:
    """What an answer says that it has found."""
    given = call.arguments or {}
    return str(given.get("response", "")) if call.name == "answer" and given.get("found") else ""


def _required(narrow: Schema) -> Sequence[str]:
    required = narrow.get("required")
    return required if isinstance(required, list | tuple) else ()


def _citation(about: Known) -> Schema:
    """A chunk that was read, with a passage of it word for word where that can be listed."""

    def citing(chunk: object, quote: object) -> Schema:
        properties = {NAMED: chunk, "quote": quote}
        return {
            "type": "object",
            "properties": properties,
            "required": [*properties],
            "additionalProperties": False,
        }

    some = _telling(about)
    if not some or sum(map(len, some.values())) > MOST_QUOTES:
        return citing(_one_of(about.read, CHUNK_ID), {"type": "string"})
    return {
        "anyOf": [
            citing({"const": chunk_id}, {"type": "string", "enum": list(quotes)})
            for chunk_id, quotes in some.items()
        ]
    }


def _telling(about: Known) -> dict[str, Sequence[str]]:
    """The passages that can be quoted: with figures of what was claimed, where any has them."""
    figures = set(_FIGURE.findall(about.claimed))
    with_figures = {
        chunk_id: [one for one in quotes if figures & {*_FIGURE.findall(one)}]
        for chunk_id, quotes in about.quotes.items()
    }
    chosen = with_figures if any(with_figures.values()) else about.quotes
    return {chunk_id: quotes for chunk_id, quotes in chosen.items() if quotes}


def _one_of(choices: Sequence[str], otherwise: object) -> object:
    if not choices or len(choices) > MOST_CHOICES:
        return otherwise
    return {"type": "string", "enum": list(choices)}
