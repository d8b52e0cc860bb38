"""The fields of records by type: the same name may hold a text here and a number there."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from fanshu.cluster.records import Fields

LONGEST = 1_000  # characters of a text to be found by; longer ones are found by their hash
TEXT, NUMBER, FLAG = "s", "n", "b"

Value = str | float | bool
Typed = tuple[str, Sequence[Value]]  # the kind, and the values


def typed(fields: Fields) -> Mapping[str, Typed]:
    """The values of each field, and of what kind they are."""
    return {name: _values(value) for name, value in fields.items()}


def _values(value: Value | Sequence[str]) -> Typed:
    if isinstance(value, bool):
        return FLAG, (value,)
    if isinstance(value, int | float):
        return NUMBER, (float(value),)
    texts: Iterable[str] = (value,) if isinstance(value, str) else value
    return TEXT, tuple(map(comparable, texts))


def comparable(text: str) -> str:
    """A text as engines can compare it: what SQLite or JSON cannot hold is written out."""
    plain = text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\x00")
    if len(plain) <= LONGEST:
        return plain
    return f"{plain[:100]}…{hashlib.sha256(plain.encode('utf-8')).hexdigest()}"
