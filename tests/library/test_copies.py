"""Which copies of the shards are asked when some do not answer."""

import time

import pytest

from fanshu.errors import StoreUnreachable
from fanshu.library.opensearch.copies import Copies

FIRST = 0.02  # seconds


class Node:
    """Copies of which the usual ones, or all, do not answer; or say at once that they cannot."""

    def __init__(self, *, halted: bool = False, refuses: int = 0) -> None:
        self.halted, self.refuses = halted, refuses
        self.asked: list[tuple[bool, float]] = []

    def __call__(self, other: bool, seconds: float) -> str:
        self.asked.append((other, seconds))
        if len(self.asked) <= self.refuses:
            raise StoreUnreachable(address="x", detail="it is not ready")
        if self.halted and not other:
            time.sleep(seconds)
            raise StoreUnreachable(address="x", detail=f"no reply within {seconds} seconds")
        return "answer"


def test_copies_that_do_not_answer_are_not_asked_first_for_a_while() -> None:
    copies, node = Copies(), Node(halted=True)
    assert copies.ask(node, FIRST, 30) == "answer"
    assert copies.ask(node, FIRST, 30) == "answer"
    assert node.asked == [(False, FIRST), (True, 2 * FIRST), (True, FIRST)]


def test_where_there_are_no_others_the_usual_ones_are_waited_for() -> None:
    """Another node takes over, or the copies are only slow."""
    node = Node(refuses=3)
    assert Copies().ask(node, FIRST, 30) == "answer"
    assert node.asked == [(False, FIRST), (True, 2 * FIRST), (False, 4 * FIRST), (True, 8 * FIRST)]


def test_the_limit_is_kept() -> None:
    node = Node(refuses=10)
    with pytest.raises(StoreUnreachable):
        Copies().ask(node, 2.0, 10.0)
    assert [other for other, _ in node.asked] == [False, True, False]
    assert node.asked[-1][1] <= 10.0
