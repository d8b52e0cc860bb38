"""What is wrong with the value of a setting, in words that go on a sentence."""

import re
from collections.abc import Mapping

_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")  # a token of RFC 9110
_WRONG = {
    "extra_forbidden": "there is no setting of that name",
    "less_than_equal": "it must be at most {le:g}",
    "greater_than_equal": "it must be at least {ge:g}",
    "greater_than": "it must be more than {gt:g}",
    "int_parsing": "it must be a whole number",
    "int_type": "it must be a whole number",
    "int_from_float": "it must be a whole number",
    "float_parsing": "it must be a number",
    "float_type": "it must be a number",
    "finite_number": "it must be a finite number",
    "bool_parsing": "it must be true or false",
    "bool_type": "it must be true or false",
    "string_type": "it must be text",
    "tuple_type": "it must be a list",
    "dict_type": "it must be a table of names and values",
    "literal_error": "it must be one of {expected}",
}


def what_is_wrong(kind: str, message: str, limits: Mapping[str, object]) -> str:
    """An error of pydantic in a few words: its kind, its own message, the limits that it names."""
    if kind in _WRONG:
        return _WRONG[kind].format(**limits)
    return message.removeprefix("Value error, ")


def require_header(name: str, text: str) -> None:
    """Raises: ValueError — this cannot be sent as a header; the text is not repeated."""
    if not _HEADER.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a header")
    if not text.isascii() or not text.isprintable():
        raise ValueError(f"the value of {name!r} has characters that no header can hold")
