"""Whether two figures mean the same thing."""

from fanshu.agent.amounts import Figure
from fanshu.agent.dates import Day
from fanshu.agent.units import same_quantity


def says_same(claim: Figure, source: Figure) -> bool:
    """Whether two figures mean the same thing."""
    if claim.kind == "date" and source.kind == "date":
        return within(claim.day, source.day)
    if claim.kind == "number" and source.kind == "date":
        return not claim.unit and claim.value == source.day[0]
    if claim.kind == "version" or source.kind == "version":
        return _same_version(claim, source)
    if claim.kind == source.kind == "number":
        return same_quantity(
            claim.value, claim.unit, source.value, source.unit
        ) and not _two_releases(claim, source)
    return claim.kind == source.kind and claim.key == source.key


def within(claim: Day, source: Day) -> bool:
    """Whether a day is what another says, or less of it: the year alone, month and day."""
    return all(a is None or a == b for a, b in zip(claim, source, strict=True))


def _same_version(claim: Figure, source: Figure) -> bool:
    a, b = claim.key, source.key
    if not a or not b or "identifier" in (claim.kind, source.kind):
        return False
    if a.endswith(".x"):
        return b.startswith(a[:-1])
    return a == b or a == f"{b}.0" or b == f"{a}.0"


def _two_releases(a: Figure, b: Figure) -> bool:
    """15.2 and 15.20 are one number but two releases; 0.5 and 0.50 are one value."""
    if a.unit or b.unit or "." not in a.key or "." not in b.key:
        return False
    return a.key != b.key and abs(a.value) >= 1
