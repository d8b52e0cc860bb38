"""Sections whose answer may be in a picture, which nobody here can look at."""

import re

from fanshu.agent.context import tokens
from fanshu.agent.layout import body
from fanshu.types import Chunk, Hit

FEW_TOKENS = 30  # a caption and a line that points at the picture; more is a text with a picture
_PICTURE = re.compile(
    r"!\[\[[^\]\n]*\]\]|!\[[^\]\n]*\](?:\([^)\n]*\)|\[[^\]\n]*\])?|<[^<>\n]*>"
    r"|^\[[^\]\n]+\]:.*$",
    re.MULTILINE,
)


def mostly_pictures(place: Chunk | Hit) -> bool:
    """Whether hardly any text stands beside the pictures of a section."""
    if not place.images:
        return False
    beside = body(_PICTURE.sub("", place.text), place.section_path)
    return tokens(beside) < FEW_TOKENS


def picture_name(target: str) -> str:
    """What a picture is called, shortly: the name of its file."""
    return target.split("?")[0].rstrip("/").rpartition("/")[2] or target
