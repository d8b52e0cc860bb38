"""Documents of a few words, ready to be stored."""

from fanshu.library.chunks import Piece, text_hash
from fanshu.library.store import DocumentRecord


def record(path: str, *texts: str, title: str = "") -> DocumentRecord:
    return DocumentRecord(
        path, sum(map(len, texts)), 1, text_hash("".join(texts)), "ok", "1", title=title,
        chunks=len(texts),
    )  # fmt: skip


def pieces(*texts: str, trail: tuple[str, ...] = ()) -> list[Piece]:
    return [
        Piece(number, trail, len(trail), text, 0, (1, 1), None, (1, 1), text_hash(text))
        for number, text in enumerate(texts, 1)
    ]
