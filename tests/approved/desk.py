"""Approved answers over small libraries made on the spot."""

from pathlib import Path

from fanshu.agent.citing import Place, cite
from fanshu.agent.evidence import find
from fanshu.approved.approval import Kept
from fanshu.approved.approving import Wish
from fanshu.approved.deciding import accept
from fanshu.approved.keeping_up import Report, keep_up
from fanshu.approved.store import Approvals
from fanshu.library.library import Library, Root
from fanshu.types import Answer
from tests.waiting import PATIENCE

MANUAL = """\
# 网关

## 读超时

默认值为 30 秒。

## 写超时

写超时为 45 秒，超时后重试 3 次。

## 端口

| 参数 | 默认值 | 单位 |
| --- | --- | --- |
| `read_port` | 8443 | 个 |
| `write_port` | 9443 | 个 |
"""
QUESTION = "写超时是多少？"


class Desk:
    """A folder of documents, its library, and the approved answers over it."""

    def __init__(self, folder: Path, files: dict[str, str]) -> None:
        self.docs = folder / "docs"
        for name, text in files.items():
            self.write(name, text)
        self.library = Library([Root(self.docs)], folder / "index.db", search_seconds=PATIENCE)
        self.library.sync()
        self.approvals = Approvals(folder / "approved.db", "documents")

    def write(self, name: str, text: str | None) -> None:
        """Write a file, or delete it."""
        path = self.docs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink()
        else:
            path.write_text(text, encoding="utf-8")

    def answer(self, question: str, text: str, *quotes: tuple[str, str]) -> Answer:
        """An answer that cites quotes in chunks, as a run would give it."""
        places = []
        for chunk_id, quote in quotes:
            chunk = self.library.read(chunk_id)
            found = find(quote, chunk)
            assert found, quote
            places.append(cite(Place(chunk, found), "quoted"))
        return Answer(question, "answered", text, citations=tuple(places), reader="m")

    def approve(self, question: str, text: str, *quotes: tuple[str, str]) -> Kept:
        """The same, approved."""
        answer = self.answer(question, text, *quotes)
        return accept(self.approvals, self.library, answer, Wish("ada"))

    def edit(self, name: str, *replaced: tuple[str, str]) -> Report:
        """Replace words in a file, and keep up with that."""
        text = (self.docs / name).read_text("utf-8")
        for old, new in replaced:
            assert old in text, old
            text = text.replace(old, new, 1)
        return self.change({name: text})

    def change(self, files: dict[str, str | None]) -> Report:
        """Write or delete files, and keep up with that."""
        for name, text in files.items():
            self.write(name, text)
        self.library.sync()
        return keep_up(self.approvals, self.library)

    def state(self, kept: Kept) -> str:
        """How an answer stands, as written down."""
        return self.approvals.one(kept.id).examined.state
