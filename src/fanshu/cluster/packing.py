"""Data as one short string of ASCII: for records that hold texts of any length and kind.

An engine's parser has limits of its own (depth, length of a text, halves of characters); what is
packed meets none of them, and takes a fifth of the room.
"""

import base64
import json
import zlib
from collections.abc import Mapping
from typing import Any

LEVEL = 3  # 5 MB take 50 ms


def packed(data: object) -> str:
    """Plain data as it is kept."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return base64.b85encode(zlib.compress(text.encode("ascii"), LEVEL)).decode("ascii")


def unpacked(text: str) -> Any:
    """The data again. Raises: ValueError — it is not what `packed` gave."""
    try:
        return json.loads(zlib.decompress(base64.b85decode(text)))
    except zlib.error as error:
        raise ValueError(str(error)) from error


def opened(body: Mapping[str, Any]) -> dict[str, Any]:
    """What `closed` gave. Raises: ValueError."""
    found = unpacked(str(body.get("packed", "")))
    if not isinstance(found, dict):
        raise ValueError("it holds no fields")  # noqa: TRY004 - what callers know
    return found


def closed(data: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a record that holds this data packed."""
    return {"packed": packed(data)}
