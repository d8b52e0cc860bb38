"""What is wrong with the fields of a question, before any document is looked at."""

from collections.abc import Iterator, Mapping
from typing import Any

MOST_QUOTE = 60  # characters: a place, not a text
UNANSWERABLE = "unanswerable"


def problems(fields: Any) -> tuple[str, ...]:
    """Each thing that is wrong, in words; nothing for a question that can be asked and graded.

    `fields` is a text where not even fields could be read.
    """
    if isinstance(fields, str):
        return (fields,)
    if not isinstance(fields, dict):
        return ("no JSON object",)
    return tuple(_problems(fields))


def _problems(fields: Mapping[str, Any]) -> Iterator[str]:
    for key in ("id", "question"):
        if not _is_text(fields.get(key)):
            yield f"{key!r} is missing or no text"
    for key in ("corpus", "kind", "lang", "answer"):
        if key in fields and not isinstance(fields[key], str | None):
            yield f"{key!r} is no text"
    for key in ("must", "trap", "absent", "computed"):
        yield from _items(key, fields.get(key, []))
    yield from _gold(fields.get("gold", []))
    if fields.get("kind") == UNANSWERABLE and (fields.get("must") or fields.get("gold")):
        yield "an unanswerable question has no 'must' and no 'gold'"


def _items(key: str, value: Any) -> Iterator[str]:
    if not isinstance(value, list):
        yield f"{key!r} is no list"
        return
    for item in value:
        wordings = item if isinstance(item, list) else [item]
        if not wordings or not all(map(_is_text, wordings)):
            yield f"{key!r} holds {item!r}, which is neither a text nor a list of texts"


def _gold(value: Any) -> Iterator[str]:
    if not isinstance(value, list):
        yield "'gold' is no list"
        return
    for place in value:
        yield from _place(place)
        also = place.get("also", []) if isinstance(place, dict) else []
        if not isinstance(also, list):
            yield "'also' of a place is no list"
            continue
        for other in also:
            yield from _place(other)


def _place(place: Any) -> Iterator[str]:
    if not isinstance(place, dict):
        yield f"'gold' holds {place!r}, which is no place"
        return
    for key in ("file", "quote"):
        if not _is_text(place.get(key)):
            yield f"a place has no {key!r}"
    trail, page = place.get("trail", []), place.get("page")
    if not isinstance(trail, list) or not all(map(_is_text, trail)):
        yield f"the 'trail' of a place is no list of headings: {trail!r}"
    if page is not None and (not isinstance(page, int) or isinstance(page, bool) or page < 1):
        yield f"the 'page' of a place is no number from 1: {page!r}"
    quote = place.get("quote")
    if isinstance(quote, str) and len(quote) > MOST_QUOTE:
        yield f"a 'quote' is longer than {MOST_QUOTE} characters: {quote[:20]}…"


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
