"""What a terminal can show: colours, movement, characters; by the environment, as others do."""

import codecs
import os
import unicodedata
from typing import TextIO

POOR = ("", "dumb", "unknown")  # TERM of what can neither move a cursor nor show a style
LACKING = "fanshu.lacking"  # how characters are written that an encoding has not
_INSTEAD = {"›": ">", "‹": "<", "→": "->", "·": "*", "…": "...", "\xa0": " ", "—": "-", "–": "-"}


def poor() -> bool:
    """Whether the terminal shows bare text only."""
    return os.name == "posix" and os.environ.get("TERM", "") in POOR


def coloured(stream: TextIO) -> bool:
    """Whether styles belong into a stream: NO_COLOR, FORCE_COLOR and CLICOLOR_FORCE, else where
    a terminal shows them.

    NO_COLOR goes before the others: https://no-color.org, https://bixense.com/clicolors.
    """
    if stream.isatty():
        return not poor()
    return forced() and not os.environ.get("NO_COLOR")


def forced() -> bool:
    """Whether somebody wants styles in files and pipes as well."""
    asked = (os.environ.get(name, "") for name in ("FORCE_COLOR", "CLICOLOR_FORCE"))
    return any(value not in ("", "0", "false") for value in asked)


def lacking(error: UnicodeError) -> tuple[str, int]:
    """The nearest that can be written in place of characters that an encoding has not, else `?`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = error.object[error.start : error.end]
    return "".join(_nearest(one, error.encoding) for one in characters), error.end


def _nearest(character: str, encoding: str) -> str:
    base = unicodedata.normalize("NFKD", character)[:1]
    for instead in (_INSTEAD.get(character), base):
        if instead and instead != character:
            try:
                instead.encode(encoding)
            except UnicodeEncodeError:
                continue
            return instead
    return "?"


def register() -> None:
    """Make `LACKING` known to this process."""
    codecs.register_error(LACKING, lacking)
