"""What one run has shown its model: the memory behind the tools."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

from fanshu.library.freshness import is_stale
from fanshu.library.naming import visible
from fanshu.types import TOO_MANY, Chunk, Hit, SearchRecord, SearchResult

Key = tuple[object, ...]


class Given(NamedTuple):
    """Where in the conversation something was given."""

    round: int
    call_id: str


@dataclass(slots=True)
class Seen:
    """What one run has seen so far.

    `shown`: the content hash behind every chunk id the model was told (empty: not known).
    `read`: chunks whose whole text it has had; only these may be cited. `visible`: where a
    chunk's whole text still stands in the conversation, `listed` where a line of a search
    (id, snippet) does, `done` where the result of a call does.
    """

    shown: dict[str, str] = field(default_factory=dict)
    read: dict[str, Chunk] = field(default_factory=dict)
    visible: dict[str, Given] = field(default_factory=dict)
    listed: dict[tuple[str, str], Given] = field(default_factory=dict)
    done: dict[Key, Given] = field(default_factory=dict)
    hits: dict[str, Hit] = field(default_factory=dict)
    missing: dict[str, None] = field(default_factory=dict)
    warnings: dict[str, None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    searches: list[SearchRecord] = field(default_factory=list)

    def found(self, result: SearchResult, *, ahead: bool = False) -> None:
        """Remember what a search said."""
        record = SearchRecord(result.query, result.path, result.level, result.total, ahead)
        self.searches.append(record)
        # That a word is common says nothing against an answer; how fresh it is, is said with it.
        said = (one for one in result.warnings if one != TOO_MANY and not is_stale(one))
        self.warnings |= dict.fromkeys(said)
        self.missing |= dict.fromkeys(result.missing)
        for hit in result.hits:
            known = self.hits.get(hit.chunk_id, hit)
            renamed = known.section_path != hit.section_path
            if renamed or self.shown.get(hit.chunk_id, "") not in ("", hit.hash):
                self.forget(hit.chunk_id)
            self.shown[hit.chunk_id] = hit.hash
            self.hits.setdefault(hit.chunk_id, hit)

    def lists(self, hit: Hit, place: Given) -> None:
        """Remember which lines of a chunk a search shows; those shown above are not repeated."""
        for line in filter(None, (hit.snippet, hit.second)):
            self.listed.setdefault((hit.chunk_id, line), place)

    def lines_of(self, chunk_id: str) -> tuple[str, ...]:
        """The lines of a chunk that searches have shown."""
        return tuple(line for known, line in self.listed if known == chunk_id)

    def gave(self, chunk: Chunk, given: Given) -> None:
        """Remember that the model has the whole text of a chunk."""
        self.shown[chunk.chunk_id] = chunk.hash
        self.read[chunk.chunk_id] = chunk
        self.visible[chunk.chunk_id] = given

    def forget(self, chunk_id: str) -> None:
        """The text behind this id is another one now."""
        for memory in (self.shown, self.read, self.visible, self.hits):
            memory.pop(chunk_id, None)
        self.listed = {key: given for key, given in self.listed.items() if key[0] != chunk_id}
        asked = ("chunk_id", chunk_id)
        self.done = {key: given for key, given in self.done.items() if asked not in key}

    def fold(self, place: Given, *, sent: bool) -> None:
        """What was given there no longer stands in the conversation; `sent`: it once did."""
        if not sent:
            hidden = {key for key, given in self.visible.items() if given == place}
            self.read = {key: chunk for key, chunk in self.read.items() if key not in hidden}
        self.visible = {key: given for key, given in self.visible.items() if given != place}
        self.listed = {key: given for key, given in self.listed.items() if given != place}
        self.done = {key: given for key, given in self.done.items() if given != place}

    def full_id(self, chunk_id: str) -> str:
        """The shown id that is meant, else the id as given."""
        return whole_id(chunk_id, self.shown) or chunk_id.strip().strip(_AROUND_ID)


_AROUND_ID = "[]`'\""


def whole_id(chunk_id: str, known: Collection[str]) -> str | None:
    """The id meant: as it stands or is shown, or the one known that `b.md#2`, `#2` or `2` ends."""
    wanted = chunk_id.strip().strip(_AROUND_ID)
    for exact in (chunk_id, wanted):
        if exact in known:
            return exact
    if shown := [one for one in known if visible(one) == wanted]:
        return shown[0]
    ending = f"/{wanted}" if wanted.rpartition("#")[0] else f"#{wanted.lstrip('#')}"
    meant = [one for one in known if one.endswith(ending)] if wanted else []
    return meant[0] if len(meant) == 1 else None
