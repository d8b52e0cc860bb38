"""The gate: a system is worse when the same questions come out worse beyond chance."""

from collections.abc import Sequence
from typing import Any

import pytest

from fanshu.evals.comparing import Comparison, compare
from fanshu.evals.grading import Grade
from fanshu.evals.retrieval import Ranking
from fanshu.evals.summary import Case


def case(id_: int, right: bool, **more: Any) -> Case:
    row = {"id": str(id_), "answer": "x", "status": "answered", "loops": 1} | more
    return Case(str(id_), "keyword", row, Grade(right, True, True, None))


def compared(before: Sequence[bool], after: Sequence[bool]) -> Comparison:
    return compare(
        [case(n, it) for n, it in enumerate(before)], [case(n, it) for n, it in enumerate(after)]
    )


@pytest.mark.parametrize(
    ("lost", "won", "worse"),
    [  # one-sided: 1/64 = 0.0156 passes 0.05 / 3, 1/32 does not; 9 of 10: 11/1024 = 0.0107
        (6, 0, True),
        (5, 0, False),
        (0, 0, False),
        (0, 9, False),
        (9, 1, True),
        (8, 2, False),
    ],
)
def test_how_many_must_be_lost(lost: int, won: int, worse: bool) -> None:
    before = [True] * lost + [False] * won + [True] * 20
    after = [False] * lost + [True] * won + [True] * 20
    found = compared(before, after)
    assert found.worse == (("right",) if worse else ())
    change = found.changes[0]
    assert change.test
    assert (change.test.lost, change.test.won) == (lost, won)
    assert change.difference.mean == pytest.approx((won - lost) / len(before))


def test_two_measures_lost_together_are_held_to_one_bound_after_the_other() -> None:
    before = [Case(str(n), "", {"id": str(n)}, Grade(True, True, True, None)) for n in range(9)]
    after = [Case(str(n), "", {"id": str(n)}, Grade(n > 5, n > 5, n > 4, None)) for n in range(9)]
    # right and cited: 1/64 twice; complete: 1/32, which is below the last bound, 0.05
    assert compare(before, after).worse == ("right", "cited", "complete")


def test_of_several_passes_the_majority_counts() -> None:
    before = [case(n, True) for _ in range(3) for n in range(7)]
    after = [case(n, number == 0) for number in range(3) for n in range(7)]
    found = compare(before, after)
    right = found.changes[0]
    assert right.test
    assert (found.paired, right.test.lost, right.after) == (7, 7, pytest.approx(1 / 3))
    assert found.worse == ("right",)
    lucky = compare(before, [case(n, number != 0) for number in range(3) for n in range(7)])
    assert lucky.worse == ()


def test_what_only_ranks_is_compared_by_its_rankings() -> None:
    def ranked(n: int, at: float) -> Case:
        row = {"id": str(n), "status": "retrieved"}
        return Case(str(n), "", row, Grade(False, False, False, None), Ranking((at,) * 3, at, at))

    before = [ranked(n, 1.0) for n in range(10)]
    found = compare(before, [ranked(n, float(n > 4)) for n in range(10)])
    assert found.worse == ("recall@5", "recall@10", "mrr", "ndcg")
    assert "right" not in {one.measure for one in found.changes}
    assert compare(before, before).worse == ()


def test_costs_are_told_and_no_reason_to_fail() -> None:
    before = [case(n, True, tokens=100) for n in range(5)]
    found = compare(before, [case(n, True, tokens=300) for n in range(5)])
    tokens = next(one for one in found.changes if one.measure == "tokens")
    assert (tokens.before, tokens.after, tokens.difference.mean) == (100, 300, 200)
    assert (tokens.test, found.worse, found.graded) == (None, (), True)
