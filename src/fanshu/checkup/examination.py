"""The check-up of a library: one function, one report. No model, no network."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from time import monotonic

from fanshu.checkup import judging
from fanshu.checkup.findings import Finding, Report
from fanshu.checkup.gathering import Gathered, gather
from fanshu.checkup.ignoring import Rule, rules_below, sifted
from fanshu.checkup.outlines import Outlines
from fanshu.checkup.ranking import ranked
from fanshu.checkup.showing import Read, Shower
from fanshu.checkup.targets import Targets
from fanshu.library.library import Library, OnProgress
from fanshu.types import EVERYTHING, Chunk, Scope

KEPT_CHUNKS = 256  # chunks kept while findings are shown


def check(
    library: Library,
    *,
    scope: Scope = EVERYTHING,
    rules: Sequence[Rule] | None = None,
    on_progress: OnProgress | None = None,
) -> Report:
    """Everything that looks wrong in the documents of a library, the most important first.

    The library should have been synchronised. Only what `scope` allows is looked at and compared.
    `rules` leave findings out; None: those of `.fanshu/check-ignore.toml` in each folder.
    `on_progress` hears of each file.

    Raises: ConfigError — a file of rules cannot be understood.
    """
    began = monotonic()
    if rules is None:
        rules = rules_below(root.path for root in library.roots)
    found = gather(library, scope, on_progress)
    kept, ignored, unused = sifted(ranked(_all(library, found, scope)), rules)
    return Report(
        findings=tuple(kept),
        ignored=tuple(ignored),
        unused=tuple(unused),
        files=len(found.files),
        sections=found.sections,
        seconds=round(monotonic() - began, 3),
    )


def _all(library: Library, found: Gathered, scope: Scope) -> Iterator[Finding]:
    show = Shower(_reader(library))
    outlines = Outlines(found.trails)
    copies = list(judging.copies(found, outlines, show))
    twins = {_places(one) for one in copies}
    yield from copies
    for one in judging.conflicts(found, outlines, show):
        if not _places(one) <= frozenset().union(*twins):
            yield one
    yield from judging.references(found, show)
    yield from judging.links(Targets(library, found, scope).lost(), show)
    yield from judging.superseded(found)
    yield from judging.unreadable(found)
    yield from judging.structure(found, show)
    yield from judging.terms(found, show)


def _places(finding: Finding) -> frozenset[tuple[str, str]]:
    return frozenset((side.chunk_id, side.text) for side in finding.sides)


def _reader(library: Library) -> Read:
    @lru_cache(maxsize=KEPT_CHUNKS)
    def read(chunk_id: str) -> Chunk | None:
        path, _, number = chunk_id.rpartition("#")
        return library.store.chunk(path, int(number)) if number.isdecimal() else None

    return read
