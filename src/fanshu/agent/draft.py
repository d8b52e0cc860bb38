"""What the model sent as its answer, understood but not yet checked."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from fanshu.agent.objections import say
from fanshu.models.repair import without_thoughts
from fanshu.types import Language


@dataclass(frozen=True, slots=True)
class DraftCitation:
    chunk_id: str
    quote: str


@dataclass(frozen=True, slots=True)
class Draft:
    """What the model sent with the `answer` tool, not yet checked."""

    response: str
    citations: tuple[DraftCitation, ...]
    found: bool
    question_summary: str = ""


MOST_CHARS = 8_000  # of a response: some ten times what a long answer takes
MOST_CITATIONS = 40  # more than anybody reads; each costs a search in its chunk
_RESPONSE = ("response", "answer", "text", "content")
_CHUNK_ID = ("chunk_id", "id", "chunk", "source")
_QUOTE = ("quote", "text", "passage", "content")
_NO = frozenset("false,no,n,0,none,null,not found,not_found,否,没有,没找到,未找到,无,".split(","))


def parse_draft(arguments: Mapping[str, object], language: Language = "en") -> Draft | str:
    """The draft in the arguments of an `answer` call, or a sentence on how to send one.

    Forgiving where the meaning is clear: citations as bare ids, a single citation, `found`
    left out, the text under another name.
    """
    response = without_thoughts(_first_text(arguments, _RESPONSE))
    if len(response) > MOST_CHARS:
        return say("too long", language, length=f"{len(response):,}", most=f"{MOST_CHARS:,}")
    citations = _citations(arguments.get("citations"))
    if citations is None:
        return say("citations", language)
    if len(citations) > MOST_CITATIONS:
        return say("too many", language, count=str(len(citations)), most=str(MOST_CITATIONS))
    given = arguments.get("found")
    found = bool(citations) if given is None else str(given).strip().lower() not in _NO
    if found and not response:
        return say("no response", language)
    return Draft(response, citations, found, _first_text(arguments, ("question_summary",)))


def _first_text(arguments: Mapping[str, object], names: tuple[str, ...]) -> str:
    texts = (arguments.get(name) for name in names)
    return next((text.strip() for text in texts if isinstance(text, str) and text.strip()), "")


def _citations(value: object) -> tuple[DraftCitation, ...] | None:
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        try:
            value = json.loads(value)
        except ValueError:
            return None
    if value is None or value == "":
        return ()
    found = [_citation(one) for one in (value if isinstance(value, list | tuple) else [value])]
    return None if None in found else tuple(one for one in found if one)


def _citation(value: object) -> DraftCitation | None:
    if isinstance(value, str) and value.strip():
        return DraftCitation(value.strip(), "")
    if not isinstance(value, Mapping):
        return None
    # An id is kept as it is: a file's name may begin with a space.
    ids = (value.get(name) for name in _CHUNK_ID)
    chunk_id = next((one for one in ids if isinstance(one, str) and one.strip()), "")
    return DraftCitation(chunk_id, _first_text(value, _QUOTE)) if chunk_id else None
