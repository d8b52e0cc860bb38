"""What approved answers make claims about, so that of much new text only little is looked at.

New text can contradict a claim only where it names its subject: all terms of a parameter's name, or
most terms of a statement and all of its other figures. That is told by the index's terms, much
faster than by reading the claims of the text.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from fanshu.approved.approval import Evidence
from fanshu.approved.rivals import claims_in
from fanshu.checkup.claims import Claim
from fanshu.library.terms import is_cjk, terms
from fanshu.types import Chunk

Subject = tuple[int, tuple[str, ...], tuple[str, ...]]
"""How many of its terms a text must hold, these, and the figures of which it must hold each."""

SHARED = 0.6  # of a statement's terms; what contradicts it repeats it but for the figure


def subjects_of(evidence: Evidence) -> Iterator[Subject]:
    """What the passage of some evidence makes claims about."""
    found = (_subject(claim, evidence.citation.passage) for claim in claims_in(evidence))
    return (one for one in dict.fromkeys(found) if one[1])


def _subject(claim: Claim, passage: str) -> Subject:
    if claim.form != "statement":
        telling, _ = _apart(claim.subject)
        return len(telling), telling, ()
    telling, figures = _apart(passage)
    _, own = _apart(claim.value.text)
    return round(SHARED * len(telling)), telling, tuple(one for one in figures if one not in own)


def _apart(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The terms of a text that tell what it is about, and its figures; no lone characters."""
    every = {one for one in terms(text) if len(one) > 1 or not is_cjk(one)}
    figures = {one for one in every if one.isdigit()}
    return tuple(sorted(every - figures)), tuple(sorted(figures))


class Subjects:
    """The subjects of many answers; finds those that a text names."""

    def __init__(self, named: Iterable[tuple[str, Subject]]) -> None:
        self._by_term: dict[str, list[int]] = defaultdict(list)
        self._owners: list[tuple[str, int, tuple[str, ...]]] = []
        for owner, (needed, telling, figures) in named:
            for term in telling:
                self._by_term[term].append(len(self._owners))
            self._owners.append((owner, needed, figures))

    def named_in(self, chunk: Chunk) -> frozenset[str]:
        """Whose subjects a chunk names, with the headings over it."""
        if not self._owners:
            return frozenset()
        said = set(terms("\n".join((*chunk.section_path, chunk.text))))
        held = Counter(at for term in said for at in self._by_term.get(term, ()))
        met = (self._owners[at] for at, count in held.items() if count >= self._owners[at][1])
        return frozenset(owner for owner, _, figures in met if said.issuperset(figures))
