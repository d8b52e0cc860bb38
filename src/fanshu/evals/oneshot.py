"""Our own search and one call of the model: what is left without the loop, so what it is worth."""

import asyncio
import time
from functools import partial

from fanshu.agent.prompts import language_of
from fanshu.agent.run import Run
from fanshu.evals.asking import RANKED, Corpus, of_hits
from fanshu.evals.drafts import Source, answer_of
from fanshu.evals.one_call import one_call
from fanshu.evals.questions import Question
from fanshu.evals.results import Outcome
from fanshu.models import Model

TEXTS = 8  # chunks in full: about what the loop reads in two rounds


class OneShot:
    """The best chunks of one search go into one call; the answer is checked like the loop's."""

    def prepare(self, corpus: Corpus) -> None:
        """Nothing: the library is up to date."""

    async def ask(self, question: Question, corpus: Corpus, model: Model) -> Outcome:
        """Answer one question by one search and one call."""
        began = time.perf_counter()
        search = partial(corpus.library.search, question.question, k=RANKED, question=True)
        found = await asyncio.to_thread(search)
        read = [corpus.library.read(hit.chunk_id) for hit in found.hits[:TEXTS]]
        first = time.perf_counter() - began
        sources = {str(n): Source(str(n), one.text, (one,)) for n, one in enumerate(read, 1)}
        language = language_of(question.question)
        told = await one_call(question.question, list(sources.values()), model, language, began)
        answer = answer_of(
            question.question, told, sources, language=language, reader=model.name, strict=True
        )
        run = Run(answer, told.steps, (), None, tuple(read))
        return Outcome(answer, run, of_hits(found.hits), first)
