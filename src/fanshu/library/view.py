"""What a scope may see of a store, and searches inside of it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from fanshu.library.chunks import text_hash
from fanshu.library.naming import meant
from fanshu.library.query import Lexicon
from fanshu.library.searching import search
from fanshu.library.store import DocIds, DocumentRecord, Store
from fanshu.library.synonyms import Synonyms
from fanshu.library.widening import OtherWords
from fanshu.types import SearchResult


@dataclass(frozen=True, slots=True)
class View:
    """What the store held at one generation, as one scope may see it."""

    documents: Mapping[str, DocumentRecord]
    newer: Mapping[str, str]
    chunks: int
    everything: bool

    def ids(self, paths: Iterable[str]) -> DocIds:
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

    def lexicon(self, store: Store, paths: Collection[str] | None = None) -> Lexicon:
        """What occurs in the documents at some paths; None: in all of the view."""
        if paths is None and self.everything:
            return Lexicon(store, None, self.chunks)
        inside = self.documents if paths is None else paths
        return Lexicon(store, self.ids(inside), sum(self.documents[p].chunks for p in inside))


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
    inside = meant(view.documents, path)
    result = among(view.lexicon(store, inside), k)
    elsewhere = among(view.lexicon(store, view.documents.keys() - set(inside)), 0)
    # Weaker matches elsewhere are no reason to look there.
    worth = elsewhere.level == result.level or result.level == "none"
    total, files = (elsewhere.total, elsewhere.other_files) if worth else (0, ())
    return replace(result, path=path, elsewhere=total, elsewhere_in=files)
