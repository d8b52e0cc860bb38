"""Intervals, tests and agreement against figures of others.

Constants are of SciPy 1.17 (`stats.bootstrap` with 99,999 percentile resamples,
`stats.binomtest`) and scikit-learn 1.9 (`cohen_kappa_score`), or worked out by hand.
"""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanshu.evals.statistics import (
    MOST_DRAWN,
    difference,
    interval,
    kappa,
    mcnemar,
    quantile,
)

TOKENS = [1200, 900, 3100, 2500, 1800, 760, 4400, 2100, 1500, 1990]


def test_the_interval_of_a_share() -> None:
    found = interval([1] * 14 + [0] * 6, share=True)
    assert found
    assert (found.mean, found.count) == (0.7, 20)
    assert (found.low, found.high) == (0.5, 0.9)  # SciPy


def test_the_interval_of_counts() -> None:
    found = interval(TOKENS)
    assert found
    assert found.mean == 2025
    assert found.low == pytest.approx(1428, rel=0.01)  # SciPy: 1427 and 1430 with two seeds
    assert found.high == pytest.approx(2716, rel=0.01)  # SciPy: 2716 and 2717


def test_the_interval_of_a_difference() -> None:
    before = [0] * 7 + [1] * 2 + [1] * 21
    after = [1] * 7 + [0] * 2 + [1] * 21
    found = difference(before, after)
    assert found
    assert found.mean == pytest.approx(5 / 30)
    step = 1 / 30  # between neighbours: two runs of the bootstrap may end one apart
    assert found.low == pytest.approx(-1 / 30, abs=step)  # SciPy
    assert found.high == pytest.approx(11 / 30, abs=step * 1.01)  # SciPy


def test_where_all_are_right_the_interval_is_no_point() -> None:
    every, none = interval([1] * 20, share=True), interval([0] * 8, share=True)
    assert every and none
    assert (every.low, every.high) == (pytest.approx(0.8315665290169145), 1)  # SciPy
    assert (none.low, none.high) == (0, pytest.approx(0.3694166475528192))  # SciPy
    assert interval([]) is None


@pytest.mark.parametrize(
    ("won", "lost", "p", "p_worse"),
    [  # SciPy; 158/4096, 2/32 and 1/64 by hand
        (2, 10, 0.03857421875, 0.019287109375),
        (0, 5, 0.0625, 0.03125),
        (0, 6, 0.03125, 0.015625),
        (7, 2, 0.1796875, 1 - 0.01953125),
        (4, 4, 1.0, 0.63671875),
        (0, 0, 1.0, 1.0),
    ],
)
def test_mcnemar(won: int, lost: int, p: float, p_worse: float) -> None:
    before = [False] * won + [True] * lost + [True] * 5 + [False] * 3
    after = [True] * won + [False] * lost + [True] * 5 + [False] * 3
    found = mcnemar(before, after)
    assert (found.won, found.lost) == (won, lost)
    assert found.p == pytest.approx(p)
    assert found.p_worse == pytest.approx(p_worse)


def test_kappa() -> None:
    one = [True] * 25 + [False] * 25
    other = [True] * 20 + [False] * 5 + [True] * 10 + [False] * 15
    assert kappa(one, other) == pytest.approx(0.4)  # scikit-learn; (0.7 - 0.5) / 0.5 by hand
    assert kappa(one, one) == 1
    assert kappa([True], [True]) is None
    assert kappa([], []) is None


def test_quantiles_are_values_that_occurred() -> None:
    assert quantile([*range(1, 11)], 0.9) == 9
    assert quantile([*range(1, 11)], 0.5) == 5
    assert (quantile([7.0], 0.95), quantile([], 0.5)) == (7.0, None)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_an_interval_holds_its_mean_and_forgets_the_order(values: list[float]) -> None:
    found = interval(values)
    assert found
    assert found.low - 1e-9 <= found.mean <= found.high + 1e-9
    assert interval(values[::-1]) == found


def test_large_samples_go_on_where_small_ones_end() -> None:
    chance = random.Random(1)
    values = [float(chance.random() < 0.8) for _ in range(MOST_DRAWN + 1)]
    drawn, reckoned = interval(values[1:]), interval(values)
    assert drawn and reckoned
    assert math.isclose(drawn.low, reckoned.low, abs_tol=0.005)
    assert math.isclose(drawn.high, reckoned.high, abs_tol=0.005)
