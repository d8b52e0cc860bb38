"""What a scope may see of a store, and searches inside of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from fanshu.library.chunks import text_hash
from fanshu.library.naming import meant
from fanshu.library.query import Lexicon, Remainder
from fanshu.library.searching import search
from fanshu.library.store import DocumentRecord, Store
from fanshu.library.synonyms import Synonyms
from fanshu.library.widening import OtherWords
from fanshu.types import SearchResult

AREAS = 64  # paths of one view that are remembered: a run searches the same ones again


@dataclass(frozen=True, slots=True)
class Area:
    """The documents of a view that a path means, and the others, as ids and numbers of chunks."""

    inside: frozenset[int]
    chunks: int
    outside: frozenset[int]
    paths: frozenset[str]


@dataclass(frozen=True, slots=True)
class View:
    """What the store held at one generation, as one scope may see it. Thread-safe."""

    documents: Mapping[str, DocumentRecord]
    newer: Mapping[str, str]
    chunks: int
    everything: bool
    _areas: dict[str, Area] = field(default_factory=dict, compare=False, repr=False)
    _every: list[frozenset[int]] = field(default_factory=list, compare=False, repr=False)

    def ids(self, paths: Iterable[str]) -> frozenset[int]:
        """The documents at some paths."""
        return frozenset(self.documents[path].id for path in paths)

    def titles(self) -> dict[str, str]:
        """Readable documents by path, with their titles, or their names where they have none."""
        from fanshu.library.telling import unnumbered  # no search needs it: start-up is felt

        return {
            path: unnumbered(record.title) if record.title else PurePosixPath(path).stem
            for path, record in self.documents.items()
            if record.chunks
        }

    def digest(self) -> str:
        """A short text that is another one when anything in the view is."""
        known = (
            (r.path, r.hash, r.state, r.reason, r.made_by, r.title, r.date, r.chunks, r.replaces)
            for r in sorted(self.documents.values(), key=lambda record: record.path)
        )
        return text_hash("\n".join(map(repr, known)))

    def lexicon(self, store: Store) -> Lexicon:
        """What occurs in all of the view."""
        return Lexicon(store, None if self.everything else self._all(), self.chunks)

    def area(self, path: str) -> Area:
        """The documents that a path means, and the others. Raises: UnknownPath."""
        kept = self._areas.get(path)
        if kept is None:
            paths = frozenset(meant(self.documents, path))
            inside = self.ids(paths)
            chunks = sum(self.documents[one].chunks for one in paths)
            kept = Area(inside, chunks, self._all() - inside, paths)
            for old in list(self._areas)[: 1 - AREAS]:
                self._areas.pop(old, None)
            self._areas[path] = kept
        return kept

    def _all(self) -> frozenset[int]:
        """The ids of all documents: the same object each time, by which stores know it again."""
        if not self._every:
            self._every.append(self.ids(self.documents))
        return self._every[0]


def search_in(
    store: Store,
    view: View,
    synonyms: Sequence[Synonyms],
    words: str,
    k: int,
    path: str | None,
    *,
    question: bool,
) -> SearchResult:
    """A search in all that the view shows, or in what `path` means.

    Raises: UnknownPath.
    """
    # A word that a document of the view defines helps in its other documents too.
    whole = view.lexicon(store)
    others = OtherWords(synonyms, whole)

    def among(lexicon: Lexicon, k: int) -> SearchResult:
        return search(
            store, lexicon, words, k, question=question, outdated=view.newer, others=others
        )

    if not path:
        return among(whole, k)
    area = view.area(path)
    inside = Lexicon(store, area.inside, area.chunks)
    result = among(inside, k)
    elsewhere = among(Remainder(whole, inside, area.outside, area.paths), 0)
    # Weaker matches elsewhere are no reason to look there.
    worth = elsewhere.level == result.level or result.level == "none"
    total, files = (elsewhere.total, elsewhere.other_files) if worth else (0, ())
    return replace(result, path=path, elsewhere=total, elsewhere_in=files)
