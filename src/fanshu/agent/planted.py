"""Orders that somebody has planted in documents: what they touch is no evidence, or less.

A passage among orders counts for nothing. One elsewhere in a section that gives orders in its own
voice, or under a heading, title or file name that does, may be planted as well: the answer is
partial. Whatever was read of that kind is named in the warnings.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from fanshu.agent.citing import Place
from fanshu.agent.orders import gives_orders, reads_like_orders, split_orders
from fanshu.agent.seen import Seen
from fanshu.library.terms import fold, is_cjk
from fanshu.types import Chunk

ECHO, ECHO_CJK = 24, 8  # characters in a row that nobody writes by chance
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_UNSEEN = re.compile(
    r"<(?P<tag>[a-z]+)\b[^<>]*(?:\shidden\b|display\s*:\s*none|visibility\s*:\s*hidden"
    r"|font-size\s*:\s*0)[^<>]*>.*?(?:</(?P=tag)\s*>|\Z)",
    re.DOTALL | re.IGNORECASE,
)


def is_planted(place: Place) -> bool:
    """Whether a passage stands among orders to the model, or where no reader sees it."""
    if reads_like_orders(place.passage) or _is_hidden(place):
        return True
    return not _is_row(place) and gives_orders(place.paragraph, code=True)


def _is_row(place: Place) -> bool:
    """Rows of a table stand each for itself; all of them are one paragraph."""
    start, end = place.found.passage
    return place.chunk.text[start:end].lstrip().startswith("|")


def _is_hidden(place: Place) -> bool:
    """Whether a quote lies in a comment or in an element that is not shown."""
    start, end = place.found.quote
    text = place.chunk.text
    if "<" not in text:
        return False
    spans = (one.span() for pattern in (_COMMENT, _UNSEEN) for one in pattern.finditer(text))
    return any(first <= start and end <= last for first, last in spans)


def is_suspect(chunk: Chunk, read: Collection[Chunk]) -> bool:
    """Whether a chunk gives orders in its own voice, or those over it and next to it do.

    `read`: what else was read; an order may begin in one section and go on in the next.
    """
    over = (*chunk.section_path, chunk.title, chunk.file_path)
    return (
        gives_orders(chunk.text)
        or any(reads_like_orders(text) for text in over)
        or any(_split(chunk, other) for other in read)
    )


def _split(one: Chunk, other: Chunk) -> bool:
    if one.file_path != other.file_path:
        return False
    step = one.number - other.number
    if step == 1:
        return split_orders(other.text, one.text)
    return step == -1 and split_orders(one.text, other.text)


def echo(response: str, read: Collection[Chunk], known: Sequence[str]) -> str:
    """Words of a response that only orders in a text read have said, or nothing.

    `known`: the passages cited and the question, which may say the same.
    """
    ordered = "\n".join(_squashed(chunk.text) for chunk in read if reads_like_orders(chunk.text))
    said, fair = _squashed(response), "\n".join(map(_squashed, known))
    length = ECHO_CJK if is_cjk(said[:1]) else ECHO
    runs = (said[at : at + length] for at in range(len(said) - length + 1)) if ordered else ()
    return next((run for run in runs if run in ordered and run not in fair), "")


def _squashed(text: str) -> str:
    return "".join(fold(text).split())


def places_of_orders(seen: Seen) -> Iterator[str]:
    """Where what a run has read or was shown of a section reads like orders, by id and lines."""
    read = tuple(seen.read.values())
    for chunk in read:
        if reads_like_orders(chunk.text) or is_suspect(chunk, read):
            yield _named(chunk)
    for chunk_id, hit in seen.hits.items():
        shown = (*seen.lines_of(chunk_id), *hit.section_path, hit.file_path)
        if chunk_id not in seen.read and any(map(reads_like_orders, shown)):
            yield chunk_id


def _named(chunk: Chunk) -> str:
    lines = "-".join(map(str, chunk.lines or ()))
    place = lines if chunk.page is None else f"p. {chunk.page}"
    return f"{chunk.chunk_id} ({place})" if place else chunk.chunk_id
