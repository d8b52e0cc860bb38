"""How sure a figure is: intervals of means, paired comparison, agreement of two judges.

Plain Python: samples are at most some thousand questions, and every draw is seeded, so that the
same results give the same figures on every machine.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist, fmean, stdev

LEVEL = 0.95  # of all intervals
RESAMPLES = 2000  # Efron and Tibshirani, "An Introduction to the Bootstrap": 1,000 and more
SEED = 9
# Above, the mean of resamples is so near the normal distribution that drawing them tells no more.
MOST_DRAWN = 1000


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with the borders of its 95 % interval, and of how many values it is the mean."""

    mean: float
    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class McNemar:
    """Questions that one of two systems alone got right, and how likely that is by chance.

    `lost`: right before and wrong after; `won`: the other way round. `p`: two-sided, that one
    side has so many if both were equally good; `p_worse`: one-sided, that so many are lost.
    """

    won: int
    lost: int
    p: float
    p_worse: float


def interval(values: Sequence[float], *, share: bool = False) -> Interval | None:
    """The mean of a sample with its interval; None of nothing.

    The percentile bootstrap (Efron 1979). `share`: the values are of the range 0 to 1; where all
    are 0 or all are 1, no resample differs, and the exact interval of Clopper and Pearson (1934)
    takes its place.
    """
    if not values:
        return None
    kept = tuple(sorted(map(float, values)))
    if share and kept[0] == kept[-1] and kept[0] in (0.0, 1.0):
        return _unanimous(kept[0], len(kept))
    return _bootstrap(kept) if len(kept) <= MOST_DRAWN else _normal(kept)


def difference(before: Sequence[float], after: Sequence[float]) -> Interval | None:
    """After less before, question by question: the mean with its bootstrap interval."""
    return interval([new - old for old, new in zip(before, after, strict=True)])


def mcnemar(before: Sequence[bool], after: Sequence[bool]) -> McNemar:
    """The exact test of McNemar (1947): only questions on which the two differ count."""
    pairs = list(zip(before, after, strict=True))
    lost = sum(old and not new for old, new in pairs)
    won = sum(new and not old for old, new in pairs)
    two_sided = min(1.0, 2 * _at_least(max(won, lost), won + lost))
    return McNemar(won, lost, two_sided, _at_least(lost, won + lost))


def kappa(one: Sequence[bool], other: Sequence[bool]) -> float | None:
    """Cohen's kappa (1960): agreement of two judges beyond chance; 1 is full, 0 is chance.

    None where it is not defined: no cases, or both judges say the same one thing of all.
    """
    pairs = list(zip(one, other, strict=True))
    if not pairs:
        return None
    agreed = fmean(a == b for a, b in pairs)
    yes, other_yes = fmean(a for a, _ in pairs), fmean(b for _, b in pairs)
    chance = yes * other_yes + (1 - yes) * (1 - other_yes)
    return None if chance == 1 else (agreed - chance) / (1 - chance)


def quantile(values: Sequence[float], share: float) -> float | None:
    """What that share of the values stays within (nearest rank); None of nothing."""
    return sorted(values)[max(math.ceil(share * len(values)), 1) - 1] if values else None


@lru_cache(maxsize=512)
def _bootstrap(values: tuple[float, ...]) -> Interval:
    chance = random.Random(SEED)  # noqa: S311 - draws of a statistic, no secret
    count = len(values)
    means = sorted(sum(chance.choices(values, k=count)) / count for _ in range(RESAMPLES))
    tail = (1 - LEVEL) / 2
    low, high = means[int(tail * RESAMPLES)], means[math.ceil((1 - tail) * RESAMPLES) - 1]
    return Interval(fmean(values), low, high, count)


def _normal(values: tuple[float, ...]) -> Interval:
    mean, error = fmean(values), stdev(values) / math.sqrt(len(values))
    reach = NormalDist().inv_cdf((1 + LEVEL) / 2) * error
    return Interval(mean, mean - reach, mean + reach, len(values))


def _unanimous(value: float, count: int) -> Interval:
    """All right or none: the border beyond which so many would be seen in 2.5 % of samples."""
    border = ((1 - LEVEL) / 2) ** (1 / count)
    return Interval(value, border, 1.0, count) if value else Interval(0.0, 0.0, 1 - border, count)


def _at_least(hits: int, tosses: int) -> float:
    """How likely a fair coin gives at least so many heads."""
    return sum(math.comb(tosses, n) for n in range(hits, tosses + 1)) / (1 << tosses)
