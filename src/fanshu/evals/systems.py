"""The systems that can be measured, by name."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from fanshu.errors import ConfigError, ModelNotConfigured
from fanshu.evals.asking import Loop, Search, System
from fanshu.evals.grepping import Grep
from fanshu.evals.oneshot import OneShot
from fanshu.evals.rag.answering import Rag, Ranking
from fanshu.evals.rag.options import Options
from fanshu.evals.rag.vectors import OnProgress, require_embedder

# With the same model: our loop; our search and one call; an agent that greps; a classic RAG.
# `extractive` is the loop without a model.
ANSWERING = ("loop", "extractive", "oneshot", "grep", "rag")
# What ranks texts and answers nothing: our search; BM25, vectors and both over pieces.
RANKING = ("search", "bm25", "dense", "fused")
SYSTEMS = (*ANSWERING, *RANKING)
GROUPS = {"all": ANSWERING, "retrieval": RANKING}
WITH_OPTIONS = frozenset({"rag", "bm25", "dense", "fused"})
WITH_VECTORS = frozenset({"rag", "dense", "fused"})
NO_MODEL = frozenset({"extractive", *RANKING})


def named(names: Sequence[str]) -> tuple[str, ...]:
    """The systems of a command line: names, groups, several with commas between them.

    Raises: ConfigError — there is none of that name.
    """
    found: dict[str, None] = {}
    for name in (part.strip() for one in names for part in one.split(",")):
        if name not in SYSTEMS and name not in GROUPS:
            known = ", ".join((*SYSTEMS, *GROUPS))
            raise ConfigError(name="system", detail=f"{name!r} is none of {known}")
        found |= dict.fromkeys(GROUPS.get(name, (name,)))
    return tuple(found)


def open_system(name: str, options: Mapping[str, object], tell: OnProgress | None = None) -> System:
    """The system of that name, for one run.

    `options`: of a classic RAG, see `rag.options.Options`. `tell` hears how many vectors are made.
    Raises: ConfigError.
    """
    rag = Options.of(options)
    make: Mapping[str, Callable[[], System]] = {
        "loop": Loop,
        "extractive": Loop,
        "oneshot": OneShot,
        "grep": Grep,
        "rag": partial(Rag, rag, "fused", tell),
        "search": Search,
        "bm25": partial(Ranking, rag, "bm25", tell),
        "dense": partial(Ranking, rag, "dense", tell),
        "fused": partial(Ranking, rag, "fused", tell),
    }
    return make[name]()


def require_model(systems: Sequence[str], *, configured: bool) -> None:
    """Raises: ModelNotConfigured — one of the systems asks a model, and none is named."""
    if not configured and not NO_MODEL.issuperset(systems):
        raise ModelNotConfigured()


def require_vectors(systems: Sequence[str], options: Mapping[str, object]) -> None:
    """Said before the systems that come first have cost anything.

    Raises: ExtraMissing — one of the systems makes vectors, and what makes them is not installed;
    ConfigError.
    """
    if not WITH_VECTORS.isdisjoint(systems):
        require_embedder(Options.of(options))


def options_of(path: Path | None) -> Mapping[str, object]:
    """The options of systems in a file, as `fanshu eval tune` writes it.

    Raises: ConfigError.
    """
    if path is None:
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(name="rag", detail=f"{path}: {error}") from error
    if not isinstance(found, dict):
        raise ConfigError(name="rag", detail=f"{path}: no JSON object")
    return found
