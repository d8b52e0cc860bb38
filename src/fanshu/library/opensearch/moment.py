"""What there is at one generation, and what was found out about it: kept until the next one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from fanshu.library.opensearch.queries import Condition, Expression, Within
from fanshu.library.opensearch.scoring import Totals
from fanshu.library.opensearch.state import State
from fanshu.library.store import DocIds, DocumentRecord

if TYPE_CHECKING:
    from fanshu.library.opensearch.records import Stored

COUNTS = 50_000  # kept of one generation
WITHINS = 16


@dataclass(slots=True)
class Moment:
    """One generation of a library. Thread-safe: what is kept is only ever added to."""

    state: State
    stored: Mapping[str, "Stored"]  # by path
    documents: Mapping[str, DocumentRecord]
    by_unit: Mapping[int, DocumentRecord]
    units: list[int]  # that have chunks, in order
    counts: dict[tuple[Expression, Within], tuple[int, bool]] = field(default_factory=dict)
    _withins: dict[frozenset[int] | None, Within] = field(default_factory=dict)
    _guard: Lock = field(default_factory=Lock)

    @property
    def totals(self) -> Totals:
        """What the chunks come to."""
        return Totals(self.state.chunks, self.state.terms)

    def within(self, docs: DocIds) -> Within:
        """Some documents as a condition, the same object for the same ids as long as it is kept."""
        key = None if docs is None else frozenset(docs)
        with self._guard:
            kept = self._withins.get(key)
            if kept is None:
                if len(self._withins) >= WITHINS:
                    self._withins.pop(next(iter(self._withins)))
                kept = self._withins[key] = Within(key, self.units)
            return kept

    def chunks_where(self, asked: Condition, within: Within) -> Condition:
        """A condition, for what is there at this moment in some documents."""
        inside, outside = within.parts
        return {
            "bool": {
                "must": [asked],
                "filter": [self.state.shown(), *inside],
                "must_not": [*self.state.hidden(), *outside],
            }
        }

    def count_known(self, expression: Expression, within: Within, cap: int | None) -> int | None:
        """How many chunks match, up to `cap` (None: all), where that was counted before."""
        found = self.counts.get((expression, within))
        if found is None:
            return None
        count, whole = found
        if whole or (cap is not None and count >= cap):
            return count if cap is None else min(count, cap)
        return None

    def keep_count(
        self, expression: Expression, within: Within, count: int, *, whole: bool
    ) -> None:
        """Remember a count; `whole`: it was not cut off."""
        if len(self.counts) >= COUNTS:
            self.counts.clear()
        self.counts[expression, within] = count, whole
