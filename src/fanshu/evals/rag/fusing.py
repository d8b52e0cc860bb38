"""Rankings joined and put in order."""

from collections import defaultdict
from collections.abc import Sequence

SMOOTHING = 60  # of reciprocal rank fusion, as its authors have it (Cormack and others, 2009)


def fused(rankings: Sequence[tuple[float, Sequence[int]]], most: int) -> list[int]:
    """Reciprocal rank fusion: each ranking with its weight gives weight / (60 + rank)."""
    scores: dict[int, float] = defaultdict(float)
    for weight, ranking in rankings:
        for rank, row in enumerate(ranking, 1):
            scores[row] += weight / (SMOOTHING + rank)
    order = sorted((row for row in scores if scores[row] > 0), key=lambda row: (-scores[row], row))
    return order[:most]
