"""Put questions to a system and write one result a line, in the form graders read."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fanshu import app
from fanshu.errors import ConfigError, FanshuError
from fanshu.evals.questions import Question
from fanshu.library.library import Library
from fanshu.models import Model
from fanshu.settings import Settings
from fanshu.types import Answer

System = Literal["loop", "extractive"]
SYSTEMS: tuple[System, ...] = ("loop", "extractive")
FOUND = ("answered", "partial", "passages")

OnResult = Callable[[int, int, Mapping[str, object]], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: `settings.docs` is one corpus, or a folder that holds one of each name."""

    questions: Sequence[Question]
    system: System
    settings: Settings
    corpus: str | None = None


def run(plan: Plan, out: Path, on_result: OnResult | None = None) -> int:
    """Ask every question that `out` has no result for yet; the number of errors.

    Results are appended as they come, so a run that was interrupted goes on where it was.
    An error of one question becomes its result and does not stop the rest.

    Raises: ConfigError, FolderMissing, NoDocuments, ModelNotConfigured.
    """
    done = _done(out)
    left = [one for one in plan.questions if one.id not in done]
    errors = 0
    with out.open("a", encoding="utf-8") as file, closing(_Corpora(plan)) as corpora:
        for number, question in enumerate(left, 1):
            result = _result(question, plan, corpora)
            errors += "error" in result
            file.write(json.dumps(result, ensure_ascii=False) + "\n")
            file.flush()
            if on_result:
                on_result(number, len(left), result)
    return errors


def _done(out: Path) -> set[str]:
    """Ids that have a result already; lines with errors are asked again."""
    if not out.exists():
        return set()
    kept = [line for line in out.read_text(encoding="utf-8").splitlines() if _finished(line)]
    out.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
    return {json.loads(line)["id"] for line in kept}


def _finished(line: str) -> bool:
    try:
        result = json.loads(line)
    except ValueError:
        return False
    return isinstance(result, dict) and "id" in result and "error" not in result


class _Corpora:
    """The libraries of a run, opened when first asked for."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.libraries: dict[str, Library] = {}

    def library(self, question: Question) -> tuple[Library, Settings]:
        docs = self._docs(question)
        settings = self.plan.settings.model_copy(update={"docs": (docs,)})
        if docs not in self.libraries:
            library = app.open_library(settings)
            self.libraries[docs] = library
            app.synced(library, settings)
        return self.libraries[docs], settings

    def _docs(self, question: Question) -> str:
        """The folder of a question's corpus: below the documents when there, else they are it."""
        docs = self.plan.settings.docs[0]
        corpus = question.corpus
        below = Path(docs) / corpus if corpus and Path(corpus).name == corpus else None
        if below and below.is_dir() and Path(docs).resolve().name != corpus:
            return str(below)
        if corpus and self.plan.corpus is None and Path(docs).resolve().name != corpus:
            raise ConfigError(
                name="docs",
                detail=f"the question {question.id!r} is about the corpus {corpus!r}, and {docs!r}"
                " has no such folder; name the corpus that it is with --corpus",
            )
        return docs

    def close(self) -> None:
        for library in self.libraries.values():
            library.close()


def _result(question: Question, plan: Plan, corpora: _Corpora) -> dict[str, object]:
    library, settings = corpora.library(question)
    model = _model(plan)
    cpu = time.process_time()
    try:
        answer = app.run(app.answer(question.question, settings, library, model))
    except FanshuError as error:
        return {
            "id": question.id,
            "answer": "",
            "found": False,
            "citations": [],
            "error": str(error),
        }
    return _line(question, answer, time.process_time() - cpu)


def _model(plan: Plan) -> Model:
    settings = plan.settings
    if plan.system == "extractive":
        settings = settings.model_copy(update={"model": None, "base_url": None})
    return app.open_model(settings)


def _line(question: Question, answer: Answer, cpu: float) -> dict[str, object]:
    """`tokens` counts what was sent and what came back, the repeated prefix in full."""
    usage = answer.usage
    line: dict[str, object] = {
        "id": question.id,
        "answer": answer.answer if answer.status in FOUND else "",
        "found": answer.status in FOUND,
        "citations": list(_citations(answer)),
        "loops": answer.rounds,
        "tokens": usage.prompt + usage.completion,
        "seconds": round(answer.seconds, 3),
        "cpu": round(cpu, 3),
        "status": answer.status,
        "stop_reason": answer.stop_reason,
        "cached_tokens": usage.cached,
        "bounces": answer.bounces,
        "unsupported": list(answer.unsupported),
        "citations_rejected": answer.citations_rejected,
        "trace_id": answer.trace_id,
    }
    if answer.status == "error":
        line["error"] = answer.error or answer.stop_reason
    return line


def _citations(answer: Answer) -> Iterator[dict[str, object]]:
    for citation in answer.citations:
        yield {
            "file": citation.file_path,
            "trail": list(citation.section_path),
            "page": citation.page,
            "text": citation.passage,
            "lines": citation.lines,
        }
