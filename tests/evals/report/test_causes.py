"""Where on the way to a fact an answer was lost."""

from typing import Any

import pytest

from fanshu.evals.grading import gold, grade
from fanshu.evals.report.causes import cause
from tests.evals.report.made import FILE, asked, row

SHOWN = [{"file": FILE, "text": "…写超时为 30 秒…"}]
NO_READ: dict[str, Any] = {"read": [], "citations": []}


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (row("1"), None),
        (None, "no_result"),
        (row("1", "", error="timeout"), "error"),
        (row("1", "31 秒", **NO_READ), "never_found"),
        (row("1", "", **NO_READ), "never_found"),
        (row("1", "31 秒", **NO_READ | {"shown": SHOWN}), "not_read"),
        (row("1", "31 秒", **NO_READ | {"retrieved": SHOWN}), "not_read"),
        (row("1", ""), "wrongly_refused"),
        (row("1", "31 秒", citations=[{"file": "b.md"}]), "not_used"),
        (row("1", "31 秒"), "wrong_fact"),
        (row("1", "30 秒" + "啊" * 1200), "too_long"),
        ({"id": "1", "answer": "31 秒"}, "unknown"),
        ({"id": "1", "answer": "", "found": False}, "wrongly_refused"),
    ],
)
def test_the_probable_cause(result: dict[str, Any] | None, why: str | None) -> None:
    right = gold(asked("1"))
    assert right
    assert cause(right, result, grade(right, result)) == why


def test_an_answer_where_nothing_is_said_is_invented() -> None:
    right = gold(asked("1", "unanswerable"))
    assert right
    assert cause(right, row("1"), grade(right, row("1"))) == "invented"
    refused = row("1", "")
    assert cause(right, refused, grade(right, refused)) is None
