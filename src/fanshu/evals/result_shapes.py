"""What is wrong with the fields of a result: results of other systems are read as well."""

from collections.abc import Iterator, Mapping
from typing import Any

TEXTS = ("answer", "kind", "corpus", "system", "status", "stop_reason", "model")
NUMBERS = (
    *("loops", "tokens", "prompt_tokens", "cached_tokens", "completion_tokens", "cost"),
    *("seconds", "first_step", "cpu", "bounces", "citations_rejected", "searches", "reads"),
)
PLACES = ("citations", "read", "shown", "retrieved")


def problem(fields: Any) -> str | None:
    """The first thing that is wrong, in words; None for a result that can be graded."""
    if not isinstance(fields, dict) or not isinstance(fields.get("id"), str):
        return "no result with an id"
    return next(_problems(fields), None)


def _problems(fields: Mapping[str, Any]) -> Iterator[str]:
    for key in TEXTS:
        if not isinstance(fields.get(key), str | None):
            yield f"{key!r} is no text"
    for key in NUMBERS:
        value = fields.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float | None):
            yield f"{key!r} is no number"
        elif value is not None and not 0 <= value < float("inf"):
            yield f"{key!r} is {value}, which is no amount"
    for key in PLACES:
        yield from _places(key, fields.get(key))
    if not isinstance(fields.get("steps"), list | None):
        yield "'steps' is no list"
    yield from _figures("grade", fields.get("grade"), ("precision",))
    yield from _figures("ranking", fields.get("ranking"), ("mrr", "ndcg"))


def _figures(key: str, value: Any, names: tuple[str, ...]) -> Iterator[str]:
    if not isinstance(value, dict | None):
        yield f"{key!r} is no object"
        return
    told = [(value or {}).get(name) for name in names]
    recall = (value or {}).get("recall") or []
    if not isinstance(recall, list):
        yield f"'recall' of {key!r} is no list"
        return
    if not all(isinstance(one, int | float | None) for one in (*told, *recall)):
        yield f"{key!r} holds what is no number"


def _places(key: str, value: Any) -> Iterator[str]:
    if not isinstance(value, list | None):
        yield f"{key!r} is no list"
        return
    for one in value or ():
        if not isinstance(one, dict):
            yield f"{key!r} holds {str(one)[:40]!r}, which is no place"
            return
        if not all(isinstance(one.get(name), str | None) for name in ("file", "text", "heading")):
            yield f"a place of {key!r} has a file, text or heading that is no text"
        trail = one.get("trail")
        if isinstance(trail, list) and not all(isinstance(part, str) for part in trail):
            yield f"a place of {key!r} has a trail that is no list of headings"
        if not isinstance(trail, list | str | None):
            yield f"a place of {key!r} has a trail that is neither a list nor a text"
