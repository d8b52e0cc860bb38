"""What each tool takes. The schemas that clients see are made from these."""

import json
from dataclasses import fields
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from fanshu import types
from fanshu.agent.draft import MOST_CHARS, MOST_CITATIONS
from fanshu.agent.others import Cited

MOST_WORDS = 2_000  # characters of a search, as over HTTP
MOST_QUESTION = 4_000
MOST_PATH = 4_000
MOST_HITS = 20
MOST_QUOTE = 4_000
ALSO_CALLED = {  # in a citation, by models that guess
    **dict.fromkeys(("path", "file", "filename", "file_name", "document"), "file_path"),
    **dict.fromkeys(("id", "chunk", "chunkId", "source"), "chunk_id"),
    **dict.fromkeys(("text", "content", "passage"), "quote"),
}
OF_ANSWERS = {one.name for one in fields(types.Citation)} - {
    *("chunk_id", "file_path", "quote", "passage", "hash")
} | {"library"}
ECHO = 60  # characters of a wrong value that are shown back

_given = BeforeValidator(lambda value: "" if value is None else value)
_listed = BeforeValidator(lambda value: _parsed(value))
Name = Annotated[
    str,
    _given,
    Field(
        max_length=64,
        description="Name of a library; only needed where there are several (see outline).",
    ),
]
ChunkId = Annotated[
    str, Field(min_length=1, max_length=MOST_PATH, description="file#n, as search shows it")
]


def _parsed(value: object) -> object:
    """Some clients send a list as its JSON in a string."""
    if isinstance(value, str):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value or []


class Arguments(BaseModel):
    """What a tool takes; what it does not know is left alone."""

    model_config = ConfigDict(frozen=True)


class Search(Arguments):
    """Of `search`."""

    keyword: str = Field(
        min_length=1,
        max_length=MOST_WORDS,
        pattern=r"\S",
        description="Words as such documents use them; a space means both words, | separates "
        "several wordings: restart cache|warm cache",
    )
    path: Annotated[
        str,
        _given,
        Field(max_length=MOST_PATH, description="Only there: a file, folder or start of a name"),
    ] = ""
    library: Name = ""
    hits: int = Field(
        default=0, ge=0, le=MOST_HITS, description="How many places; 0: as configured, usually 10"
    )


class Read(Arguments):
    """Of `read`, `next_chunk` and `prev_chunk`."""

    chunk_id: ChunkId
    library: Name = ""


class Outline(Arguments):
    """Of `outline`."""

    path: Annotated[
        str,
        _given,
        Field(
            max_length=MOST_PATH,
            description="A file, folder or start of a name; file#n for what lies below a section",
        ),
    ] = ""
    words: Annotated[
        str, _given, Field(max_length=MOST_WORDS, description="Only headings that hold one")
    ] = ""
    library: Name = ""


class Suggest(Arguments):
    """Of `suggest`."""

    query: str = Field(
        min_length=1, max_length=MOST_WORDS, pattern=r"\S", description="Words that found little"
    )
    library: Name = ""


class Ask(Arguments):
    """Of `ask`."""

    question: str = Field(
        min_length=1,
        max_length=MOST_QUESTION,
        pattern=r"\S",
        description="A whole question, in the language the answer should have",
    )
    library: Name = ""
    fresh: bool = Field(default=False, description="Ask anew, even if the answer is known")


class Citation(BaseModel):
    """A place that an answer rests on. A key that would be ignored is refused with those known."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    chunk_id: Annotated[
        str, _given, Field(max_length=MOST_PATH, description="file#n, or the path of a file alone")
    ] = ""
    file_path: Annotated[
        str, _given, Field(max_length=MOST_PATH, description="In place of chunk_id")
    ] = ""
    quote: Annotated[
        str,
        _given,
        Field(max_length=MOST_QUOTE, description="The words that hold the fact, copied exactly"),
    ] = ""
    hash: Annotated[
        str,
        _given,
        Field(max_length=128, description="Of the text when it was read, if known"),
    ] = ""

    @model_validator(mode="before")
    @classmethod
    def _named(cls, given: object) -> object:
        """Other names for the fields are understood; what `ask` gives besides is left alone."""
        if not isinstance(given, dict):
            return given
        kept = {key: value for key, value in given.items() if key not in OF_ANSWERS}
        for key in [key for key in kept if key in ALSO_CALLED]:
            value = kept.pop(key)
            kept[ALSO_CALLED[key]] = kept.get(ALSO_CALLED[key]) or value
        return kept

    @property
    def cited(self) -> Cited:
        """As the check takes it."""
        return Cited(self.chunk_id or self.file_path, self.quote, self.hash)


class CheckAnswer(Arguments):
    """Of `check_answer`."""

    answer: str = Field(
        min_length=1, max_length=MOST_CHARS, pattern=r"\S", description="The text to be checked"
    )
    citations: Annotated[
        list[Citation],
        _listed,
        Field(max_length=MOST_CITATIONS, description="What it rests on: a place and a quote each"),
    ] = Field(default_factory=list)
    question: Annotated[
        str,
        _given,
        Field(
            max_length=MOST_QUESTION,
            description="What was asked; its figures may be reckoned with",
        ),
    ] = ""
    found: bool = Field(default=True, description="false: the answer says that nothing was found")
    library: Name = ""


_KEPT = ("type", "description", "properties", "items", "required")


def schema(takes: type[Arguments]) -> dict[str, Any]:
    """The JSON schema of a tool's arguments: only what every client and model service knows."""
    made = takes.model_json_schema()
    return _plain(made, made.get("$defs", {}))


def _plain(node: dict[str, Any], named: dict[str, Any]) -> dict[str, Any]:
    node = {**named.get(node.get("$ref", "").rpartition("/")[2], {}), **node}
    kept = {key: node[key] for key in _KEPT if key in node}
    if "properties" in node:
        fields = node["properties"].items()
        kept = kept | {"properties": {name: _plain(one, named) for name, one in fields}}
        kept.pop("description", None)
    if "items" in node:
        kept["items"] = _plain(node["items"], named)
    return kept


def wrong(tool: str, takes: type[Arguments], error: ValidationError) -> str:
    """What is wrong with arguments, and which there are."""
    told = [
        f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {_said(one)}"
        for one in error.errors()[:3]
    ]
    known = [
        name if field.is_required() else f"{name} (optional)"
        for name, field in takes.model_fields.items()
    ]
    return f"{tool} was not called: {'; '.join(told)}. It takes: {', '.join(known)}."


def _said(one: Any) -> str:
    if one["type"] == "extra_forbidden":  # known of citations alone
        return f"not known; a citation has {', '.join(Citation.model_fields)}"
    return f"{one['msg']}{_echo(one)}"


def _echo(one: Any) -> str:
    value = one.get("input")
    if one["type"] == "missing" or not isinstance(value, str | int | float | bool):
        return ""
    shown = repr(value)
    return f", not {shown if len(shown) <= ECHO else shown[:ECHO] + '…'}"
