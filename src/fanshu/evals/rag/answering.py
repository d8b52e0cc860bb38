"""The classic RAG as a system: rank pieces, give the best to the model, take what it says."""

import asyncio
import time

from fanshu.agent.prompts import language_of
from fanshu.agent.run import Run
from fanshu.evals.asking import RANKED, Corpus, ranked
from fanshu.evals.drafts import Source, answer_of
from fanshu.evals.one_call import one_call
from fanshu.evals.questions import Question
from fanshu.evals.rag.options import Options
from fanshu.evals.rag.retriever import Retriever, Way, of_pieces
from fanshu.evals.rag.vectors import OnProgress
from fanshu.evals.results import Outcome
from fanshu.library.library import Library
from fanshu.models import Model


class Ranking:
    """What ranks the pieces of a classic RAG, and answers nothing."""

    def __init__(
        self, options: Options, way: Way = "fused", tell: OnProgress | None = None
    ) -> None:
        self.options, self.way, self.tell = options, way, tell
        self._retrievers: dict[Library, Retriever] = {}

    def prepare(self, corpus: Corpus) -> None:
        """Cut and index the documents; vectors that are kept are not made again.

        Raises: ExtraMissing, ModelUnreachable — of an address for vectors.
        """
        library = corpus.library
        if library not in self._retrievers:
            self._retrievers[library] = Retriever(library, self.options, self.way, self.tell)

    def retriever(self, corpus: Corpus) -> Retriever:
        """What was prepared for a corpus."""
        return self._retrievers[corpus.library]

    async def ask(self, question: Question, corpus: Corpus, model: Model) -> Outcome:  # noqa: ARG002 - no model
        """Rank the pieces for one question."""
        began = time.perf_counter()
        find = self.retriever(corpus).find
        found = await asyncio.to_thread(find, question.question, RANKED)
        return ranked(question.question, of_pieces(found), time.perf_counter() - began)


class Rag(Ranking):
    """The best pieces go into one call, as in any classic RAG."""

    async def ask(self, question: Question, corpus: Corpus, model: Model) -> Outcome:
        """Answer one question by one ranking and one call."""
        began = time.perf_counter()
        most = max(RANKED, self.options.k)
        find = self.retriever(corpus).find
        found = await asyncio.to_thread(find, question.question, most)
        first = time.perf_counter() - began
        best = found[: self.options.k]
        sources = {str(n): Source(str(n), one.text, one.chunks) for n, one in enumerate(best, 1)}
        language = language_of(question.question)
        told = await one_call(question.question, list(sources.values()), model, language, began)
        answer = answer_of(
            question.question, told, sources, language=language, reader=model.name, strict=False
        )
        read = {chunk.chunk_id: chunk for one in best for chunk in one.chunks}
        run = Run(answer, told.steps, (), None, tuple(read.values()))
        return Outcome(answer, run, of_pieces(found), first)
