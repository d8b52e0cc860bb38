"""The best setting of a classic RAG on some questions, so that nobody can call it weak.

Settings are compared by how many of the gold places they put before the model, at the same length
of text: that needs no model. Tune on other questions than those that are measured.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from fanshu.evals.asking import Corpus
from fanshu.evals.corpora import Corpora
from fanshu.evals.grading import Gold, Place, gold, shows
from fanshu.evals.questions import Question
from fanshu.evals.rag.options import Options
from fanshu.evals.rag.pieces import Piece
from fanshu.evals.rag.retriever import Retriever, Way
from fanshu.evals.rag.vectors import OnProgress

SIZES = (300, 500, 800)  # characters of a piece
OVERLAPS = (0.0, 0.125)  # share of a piece that the next repeats
WEIGHTS = (0.0, 0.3, 0.5, 0.7, 1.0)  # of vectors against BM25
BUDGET = 4_000  # characters of all pieces: some 2,500 tokens, what a classic RAG sends


@dataclass(frozen=True, slots=True)
class Tried:
    """A setting, and the share of gold places it puts before the model (mean over questions)."""

    options: Options
    recall: float


def tune(
    questions: Sequence[Question],
    corpora: Corpora,
    base: Options,
    *,
    budget: int = BUDGET,
    lexical: bool = False,
    tell: OnProgress | None = None,
) -> Iterator[Tried]:
    """Each setting of the grid. `lexical`: without vectors.

    Raises: ExtraMissing, ModelUnreachable, ConfigError, LibraryError.
    """
    judged = [(one, right) for one in questions if (right := gold(one)) and right.places]
    way: Way = "bm25" if lexical else "fused"
    for size in SIZES:
        for share in OVERLAPS:
            k = max(budget // size, 1)
            options = replace(
                base, chunk_chars=size, overlap=int(size * share), k=k,
                candidates=max(base.candidates, k),
            )  # fmt: skip
            made: dict[int, Retriever] = {}
            for one, _ in judged:
                _prepared(made, corpora.of(one), options, way, tell)
            for weight in (0.0,) if lexical else WEIGHTS:
                yield _tried(replace(options, weight=weight), judged, corpora, made)


def _prepared(
    made: dict[int, Retriever], corpus: Corpus, options: Options, way: Way, tell: OnProgress | None
) -> None:
    key = id(corpus.library)
    if key not in made:
        made[key] = Retriever(corpus.library, options, way, tell)


def _tried(
    options: Options,
    judged: Sequence[tuple[Question, Gold]],
    corpora: Corpora,
    made: Mapping[int, Retriever],
) -> Tried:
    shares = []
    for question, right in judged:
        retriever = made[id(corpora.of(question).library)]
        retriever.options = options
        shares.append(_share(right, retriever.find(question.question, options.k)))
    return Tried(options, fmean(shares) if shares else 0.0)


def _share(right: Gold, found: Sequence[Piece]) -> float:
    return fmean(any(_holds(one, p) for one in found for p in each) for each in right.places)


def _holds(piece: Piece, place: Place) -> bool:
    on_page = place.page is not None and piece.chunks[0].page == place.page
    if piece.of.path != place.file:
        return False
    return on_page or shows({"file": place.file, "text": piece.text}, place)
