"""The YAML block at the top of a Markdown file, read by hand: names, scalars, plain lists.

Only a block that looks like a mapping is taken; anything else between two `---` lines is
text. Nested values are skipped, since nothing asks for them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from fanshu.library.parsers.dates import iso_date

_BLOCK = re.compile(
    r"---[ \t]*(?:\r\n|\n|\r)(.*?)(?:^|(?<=[\r\n]))(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|\Z)", re.DOTALL
)
_NAME = re.compile(r"""(["']?)[^\W\d][\w .-]{0,60}\1""")
_ITEM = re.compile(r"[ \t]*-(?:[ \t]+(.*)|[ \t]*)$")
_COMMENT = re.compile(r"[ \t]+#.*$")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What the block says (names in lower case) and where the text after it begins."""

    metadata: Mapping[str, str]
    end: int


def front_matter(text: str) -> FrontMatter:
    """The front matter of a text; empty, with `end` 0, when there is none."""
    match = _BLOCK.match(text)
    metadata = _mapping(re.split(r"\r\n|\n|\r", match[1])) if match else None
    if match is None or not metadata:
        return FrontMatter({}, 0)
    if date := iso_date(metadata.get("date", "")):
        metadata["date"] = date
    return FrontMatter(metadata, match.end())


def _mapping(lines: list[str]) -> dict[str, str] | None:
    """Names and values, or None when a line fits no mapping."""
    values: dict[str, list[str]] = {}
    name = ""
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        before, colon, value = line.partition(":")
        if colon and _NAME.fullmatch(before.rstrip()) and value[:1] in ("", " ", "\t"):
            name = before.strip("\"' \t").lower()
            values[name] = _scalars(value)
        elif name and (item := _ITEM.match(line)):
            values[name] += _scalars(item[1] or "")
        elif name and line[0] in " \t":
            values[name] += _scalars(line) if ":" not in line else []
        else:
            return None
    return {name: ", ".join(parts) for name, parts in values.items()}


def _scalars(value: str) -> list[str]:
    value = value.strip()
    if value.startswith("[") and value.endswith("]"):
        return [part for item in value[1:-1].split(",") for part in _scalars(item)]
    if value[:1] in ("|", ">", "&", "*", "{") or not value:
        return []
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return [value[1:-1]]
    return [_COMMENT.sub("", value)]
