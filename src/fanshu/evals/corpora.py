"""The document sets of a run: which folder each question is about, opened once."""

from collections.abc import Iterable
from pathlib import Path

from fanshu import app
from fanshu.errors import ConfigError
from fanshu.evals.asking import Corpus
from fanshu.evals.questions import Question
from fanshu.library.library import Library
from fanshu.places import index_folder, roots
from fanshu.settings import Settings
from fanshu.settings_file import split_name


class Corpora:
    """The libraries of a run, opened when first asked for; `only` is the one that was named."""

    def __init__(self, settings: Settings, only: str | None = None) -> None:
        self.settings, self.only = settings, only
        self._open: dict[str, Corpus] = {}

    def of(self, question: Question) -> Corpus:
        """The documents of a question. Raises: ConfigError, LibraryError."""
        return self._opened(self._docs(question)[1])

    def open_all(self, questions: Iterable[Question]) -> tuple[Corpus, ...]:
        """The documents of all questions, brought up to date. Raises: ConfigError, LibraryError."""
        for question in questions:
            self.of(question)
        return tuple(self._open.values())

    def named(self, question: Question) -> str:
        """What the documents of a question are called: no path of this machine."""
        return self._docs(question)[0]

    def _opened(self, docs: str) -> Corpus:
        if docs not in self._open:
            settings = _indexed_apart(
                self.settings.model_copy(update={"docs": (docs,) if docs else ()})
            )
            library: Library = app.open_library(settings)
            self._open[docs] = Corpus(library, settings)
            app.synced(library, settings)
        return self._open[docs]

    def _docs(self, question: Question) -> tuple[str, str]:
        """Name and folder of a question's corpus: that of its name, or what is below the first."""
        corpus = question.corpus
        given = [split_name(one) for one in self.settings.docs]
        if not given:  # a library of other machines is one corpus, of its own name
            given = [(str(self.settings.store).rpartition("/")[2], "")]
        folders = [(name or Path(path).resolve().name, path) for name, path in given]
        if named := next((one for one in folders if one[0] == corpus), None):
            return named
        docs = folders[0][1]
        below = Path(docs) / corpus if docs and corpus and Path(corpus).name == corpus else None
        if corpus and below and below.is_dir():
            return corpus, str(below)
        if corpus and self.only is None:
            raise ConfigError(
                name="docs",
                detail=f"the question {question.id!r} is about the corpus {corpus!r}, and"
                f" {docs or folders[0][0]!r}"
                " has no such folder; name the corpus that it is with --corpus, or give it as"
                f" --docs {corpus}=FOLDER",
            )
        return folders[0]

    def close(self) -> None:
        """Give back the libraries."""
        for one in self._open.values():
            one.library.close()


def _indexed_apart(settings: Settings) -> Settings:
    """Other parts want an index of their own, or each run would make the usual one anew."""
    parts = settings.part_chars
    if settings.index or parts == Settings.model_fields["part_chars"].default:
        return settings
    folder = index_folder(settings, roots(settings)) / f"parts-{parts}"
    return settings.model_copy(update={"index": str(folder)})
