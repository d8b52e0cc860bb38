"""The order of findings: what is worth reading first.

A finding counts by how sure it is and by what it does to a reader: two values for one thing
mislead, a term in two spellings does not. Each further finding of a kind and file counts a little
less, so that one broken folder does not hide everything else.
"""

from collections import Counter
from collections.abc import Iterable

from fanshu.checkup.findings import Finding, Kind

WEIGHTS: dict[Kind, float] = {
    "conflict": 1.0,
    "contact": 0.95,
    "twin": 0.9,
    "superseded": 0.8,
    "reference": 0.9,
    "link": 0.8,
    "unreadable": 0.85,
    "headings": 0.7,
    "section": 0.65,
    "term": 0.5,
}
AGAIN = 0.94  # what each earlier finding of the kind leaves of the next one
SAME_FILES = 0.97  # … and each earlier one of its files


def ranked(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings in order. The work grows with their number, and the order is always the same."""
    kinds: Counter[str] = Counter()
    files: Counter[tuple[str, ...]] = Counter()
    scored = []
    for one in sorted(findings, key=lambda one: (-one.sure * WEIGHTS[one.kind], one.id)):
        where = tuple(sorted({side.file_path for side in one.sides}))
        score = one.sure * WEIGHTS[one.kind] * AGAIN ** kinds[one.kind] * SAME_FILES ** files[where]
        kinds[one.kind] += 1
        files[where] += 1
        scored.append((-score, one.id, one))
    return tuple(one for _, _, one in sorted(scored, key=lambda row: row[:2]))
