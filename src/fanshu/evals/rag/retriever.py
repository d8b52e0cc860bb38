"""The retrieval of a classic RAG over one library."""

from collections.abc import Sequence
from typing import Literal

from fanshu.evals.rag.fusing import fused
from fanshu.evals.rag.lexical import Lexical
from fanshu.evals.rag.options import Options
from fanshu.evals.rag.pieces import Piece, pieces, texts
from fanshu.evals.rag.reranking import reranked
from fanshu.evals.rag.vectors import Dense, OnProgress, embedder, file_of
from fanshu.evals.results import Retrieved
from fanshu.library.library import Library

Way = Literal["bm25", "dense", "fused"]


class Retriever:
    """Pieces of a library, and what ranks them: BM25, vectors, or both."""

    def __init__(
        self,
        library: Library,
        options: Options,
        way: Way = "fused",
        tell: OnProgress | None = None,
    ) -> None:
        self.options, self.way = options, way
        self.pieces = pieces(tuple(texts(library)), options.chunk_chars, options.overlap)
        indexed = [one.indexed for one in self.pieces]
        self._lexical = Lexical(indexed) if way != "dense" else None
        self._dense = None
        if way != "bm25":
            kept = file_of(options, library.index.parent)
            self._dense = Dense(embedder(options), indexed, kept, tell)

    def find(self, question: str, most: int) -> list[Piece]:
        """The pieces that fit best, best first. Raises: ModelError — of an address."""
        return [self.pieces[row] for row in self._order(question, most)]

    def _order(self, question: str, most: int) -> Sequence[int]:
        options = self.options
        wanted = max(most, options.candidates)
        rankings = []
        if self._dense:
            weight = 1.0 if self.way == "dense" else options.weight
            rankings.append((weight, self._dense.rank(question, wanted)))
        if self._lexical:
            weight = 1.0 if self.way == "bm25" else 1 - options.weight
            rankings.append((weight, self._lexical.rank(question, wanted)))
        order = fused(rankings, wanted)
        if self.way == "fused" and options.rerank_url and order:
            shown = [self.pieces[row].indexed for row in order[: options.candidates]]
            best = reranked(options, question, shown, most)
            return [order[at] for at in best]
        return order[:most]


def of_pieces(found: Sequence[Piece]) -> tuple[Retrieved, ...]:
    """Pieces as what was retrieved: each with the section it begins in."""
    return tuple(
        Retrieved(one.of.path, one.chunks[0].section_path, one.chunks[0].page, one.text)
        for one in found
    )
