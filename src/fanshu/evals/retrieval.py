"""How well a ranking finds the gold places: recall, reciprocal rank, discounted gain.

A text finds a place when it is of the same file and holds its quote word for word, or begins on
its page of a PDF, whose text two readers seldom give alike. Headings do not count here: a long
section in pieces has one heading and one piece with the fact.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fanshu.evals.grading import Fields, Gold, Place, shows

CUTS = (1, 5, 10)  # of recall; the last is that of the other two
DEEP = CUTS[-1]


@dataclass(frozen=True, slots=True)
class Ranking:
    """How one ranking did, each from 0 to 1.

    `recall`: for each of `CUTS`, the share of gold places found so far up. `mrr`: one by the rank
    of the first that finds any. `ndcg`: each place counts 1 / log2(1 + the rank that finds it
    first), divided by what the best order would give (Järvelin and Kekäläinen 2002, gains 0 or 1).
    """

    recall: tuple[float, ...]
    mrr: float
    ndcg: float

    @property
    def figures(self) -> Mapping[str, float]:
        """All by name: recall@k, mrr, ndcg."""
        recalls = {f"recall@{cut}": it for cut, it in zip(CUTS, self.recall, strict=True)}
        return recalls | {"mrr": self.mrr, "ndcg": self.ndcg}


def ranking(gold: Gold, retrieved: Sequence[Fields]) -> Ranking | None:
    """Judge a ranking, best text first; None where there is nothing to find."""
    if not gold.places:
        return None
    ranks = [_rank(each, retrieved[:DEEP]) for each in gold.places]
    found = [one for one in ranks if one]
    best = sum(_gain(rank) for rank in range(1, len(ranks) + 1))
    return Ranking(
        tuple(sum(one <= cut for one in found) / len(ranks) for cut in CUTS),
        1 / min(found) if found else 0.0,
        min(1.0, sum(map(_gain, found)) / best),  # one text may find two places at once
    )


def _gain(rank: int) -> float:
    return 1 / math.log2(1 + rank)


def _rank(places: Sequence[Place], retrieved: Sequence[Fields]) -> int | None:
    return next(
        (n for n, one in enumerate(retrieved, 1) if any(_finds(one, place) for place in places)),
        None,
    )


def _finds(text: Fields, place: Place) -> bool:
    if text.get("file") != place.file:
        return False
    return (place.page is not None and text.get("page") == place.page) or shows(text, place)
