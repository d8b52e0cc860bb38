"""Words of a command line that are text: with a dash before, or in another encoding."""

import os
import re
from collections.abc import Sequence

from typer.exceptions import TyperException

_NO_OPTION = re.compile(r"--?[^A-Za-z-]")  # every option begins with a letter


def taken_as_option(arguments: Sequence[str], error: TyperException) -> str | None:
    """The argument of which an error says that it is no option, as it was given."""
    name = getattr(error, "option_name", None)
    if type(error).__name__ != "NoSuchOption" or not isinstance(name, str):
        return None
    for word in arguments:
        if word == "--":
            return None
        whole = word.partition("=")[0] == name
        among_short = not word.startswith("--") and word.startswith("-") and name[1:] in word
        if whole or (len(name) == 2 and among_short):
            return word
    return None


def cannot_be_option(word: str) -> bool:
    """Whether a word is text beyond doubt: -5, -超时. `-verbose` may be a slip of the hand."""
    return bool(_NO_OPTION.match(word))


def as_text(arguments: Sequence[str], word: str) -> list[str]:
    """The same call with one of its arguments after `--`, where it is text."""
    at = list(arguments).index(word)
    before, after = arguments[:at], arguments[at + 1 :]
    if "--" in after:
        end = list(after).index("--")
        return [*before, *after[:end], "--", word, *after[end + 1 :]]
    if any(one.startswith("-") for one in after):
        return [*before, *after, "--", word]
    return [*before, "--", word, *after]


def readable(text: str) -> str:
    """Text whose bytes are not of the encoding of the system, as UTF-8 or GB 18030."""
    if text.isprintable() or not any("\udc80" <= one <= "\udcff" for one in text):
        return text
    raw = os.fsencode(text)
    for encoding in ("utf-8", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("utf-8", "replace")
