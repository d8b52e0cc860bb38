"""How alike a question and a title are, by what they share down to single Chinese characters.

Who asks in words of his own (女员工, 圆章) rarely hits the words of a document (女职工, 印章), but
their characters do, and a title is short enough for a shared character to mean something. Each
shared feature counts by how few titles have it; long titles count less.
"""

from collections.abc import Iterable, Iterator, Sequence
from heapq import nlargest
from math import log, sqrt

from fanshu.library.query import PARTICLES, stem, without_particles
from fanshu.library.terms import fold, terms

SINGLE = 0.5  # a shared character beside a shared pair of them
SHORT = 4  # features; keeps titles of one word from winning by their shortness
FIRST_CJK = "\u2e80"  # what stands before it is written in letters; quicker than a pattern
COMPARED = 500  # titles cut into features, 10 µs each; of more, those that hold most of the text
APART = "\0"  # between titles that are folded together, which is quicker than one by one

Named = tuple[str, str]  # what has a title, the title


def alike(text: str, titles: Sequence[Named]) -> list[tuple[float, Named]]:
    """The titles that share anything with a text, the most alike first; the best scores 1.

    Of more than `COMPARED` only as many.
    """
    wanted = features(without_particles(text))
    weights, chosen = _looked_over(wanted, [title for _, title in titles])
    scored = []
    for named in (titles[at] for at in chosen):
        found = features(named[1])
        if shared := wanted & found:
            score = sum(weights[one] for one in shared) / sqrt(SHORT + len(found))
            scored.append((score, named))
    best = max((score for score, _ in scored), default=1.0)
    return sorted(((s / best, named) for s, named in scored), key=lambda one: (-one[0], one[1]))


def features(text: str) -> frozenset[str]:
    """Stems of Latin words; pairs of Chinese characters and the characters themselves."""
    return frozenset(_each(terms(text)))


def _looked_over(
    wanted: Iterable[str], titles: Sequence[str]
) -> tuple[dict[str, float], Sequence[int]]:
    """What each feature counts, and the titles to compare, by number.

    A feature is looked for as a piece of text here: every title that has it holds it.
    """
    folded = fold(APART.join(title.replace(APART, " ") for title in titles)).split(APART)
    weights: dict[str, float] = {}
    scores = [0.0] * len(folded)
    for one in sorted(wanted):
        holding = [at for at, title in enumerate(folded) if one in title]
        weight = log(1 + len(folded) / max(len(holding), 1)) * (SINGLE if _single(one) else 1.0)
        weights[one] = weight
        for at in holding:
            scores[at] += weight
    holding = [at for at, score in enumerate(scores) if score]
    if len(holding) > COMPARED:
        # The most by weight for their length.
        holding = nlargest(
            COMPARED, holding, key=lambda at: scores[at] / sqrt(SHORT + len(folded[at]))
        )
    return weights, holding


def _each(found: Iterable[str]) -> Iterator[str]:
    for term in found:
        if term[0] < FIRST_CJK:
            if term not in PARTICLES:
                yield stem(term)
        else:
            yield term
            yield term[0]


def _single(feature: str) -> bool:
    return len(feature) == 1 and feature >= FIRST_CJK
