"""How fresh the documents are that other machines index, and words for it."""

from dataclasses import replace

from fanshu.library.registry import Entry, Registry, iso
from fanshu.types import EVERYTHING, Answer, Scope, SearchResult

SAID = "were last compared with their files at"
NEVER = "were not yet compared with their files"


def as_of(registry: Registry | None, scope: Scope = EVERYTHING) -> str | None:
    """When the documents of others were last compared (ISO, UTC): the oldest of those times.

    None where there are none, or none that was ever compared.
    """
    seconds = registry.as_of(scope) if registry else None
    return None if seconds is None else iso(seconds)


def warnings(registry: Registry | None, scope: Scope = EVERYTHING) -> tuple[str, ...]:
    """What to say of roots that were not compared for too long, and who indexes them.

    Roots are named to those who may see everything: others may not know that they are there.
    """
    stale = registry.stale(scope) if registry else ()
    if stale and not scope.everything:
        oldest = min(stale, key=lambda one: one.compared)
        return (_said("documents of other machines", oldest),)
    return tuple(
        _said(f"the documents of {one.key}", one, f", by {one.host}")
        if one.key
        else _said(f"the documents that {one.host} {'indexes' if one.path else 'copied'}", one)
        for one in stale
    )


def _said(which: str, one: Entry, by: str = "") -> str:
    return f"{which} {SAID} {iso(one.compared)}{by}" if one.compared else f"{which} {NEVER}{by}"


def is_stale(warning: str) -> bool:
    """Whether a warning only says this: it is about the time, not about what was found."""
    return SAID in warning or NEVER in warning


def told(answer: Answer, registry: Registry | None, scope: Scope = EVERYTHING) -> Answer:
    """An answer that says how fresh the documents are now, whenever it was found."""
    if registry is None:
        return answer
    said = tuple(one for one in answer.warnings if not is_stale(one))
    return replace(
        answer, as_of=as_of(registry, scope), warnings=(*said, *warnings(registry, scope))
    )


def dated(
    result: SearchResult, registry: Registry | None, scope: Scope = EVERYTHING
) -> SearchResult:
    """A result that says how fresh it is."""
    if registry is None:
        return result
    said = (*result.warnings, *warnings(registry, scope))
    return replace(result, as_of=as_of(registry, scope), warnings=said)
