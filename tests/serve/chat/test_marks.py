"""Where the numbers of sources stand in an answer."""

import pytest

from fanshu.serve.chat.marks import marked
from fanshu.types import Citation


def source(passage: str) -> tuple[Citation, ...]:
    return (Citation("a.md#1", "a.md", (), None, None, passage, passage, "quoted", ""),)


@pytest.mark.parametrize(
    ("text", "passages", "told"),
    [
        (
            "写超时 30 秒，读超时 60 秒。",
            ["60 秒", "30 秒"],
            "写超时 30 秒 [2]，读超时 60 秒 [1]。",
        ),
        ("It is 30 seconds.", ["30 seconds"], "It is 30 seconds [1]."),
        ("Between 3 and 5 GB of 3 kinds.", ["3, 5"], "Between 3 and 5 GB of 3 kinds [1]."),
        ("Nothing shared.", ["7"], "Nothing shared. [1]"),
        ("Nothing.", ["a", "b"], "Nothing. [1] [2]"),
        ("Written [2], 5 and 6.", ["5", "6"], "Written [2], 5 and 6 [1]."),
        ("`timeout=30` is set.", ["30"], "`timeout=30` is set [1]."),
        ("1. first\n2. second", ["1 2"], "1. first\n2. second [1]"),
        ("```\nport 30\n```", ["30"], "```\nport 30\n```\n\n[1]"),
        ("See [here](a/30) now", ["30"], "See [here](a/30) now [1]"),
        ("Critical at 90% disk usage.", ["90%"], "Critical at 90% disk usage [1]."),
        ("It is 1.5 GB, and 2 GB later.", ["1.5"], "It is 1.5 GB [1], and 2 GB later."),
        ("30(seconds)", ["30"], "30(seconds) [1]"),
    ],
)
def test_a_number_stands_behind_its_figure(text: str, passages: list[str], told: str) -> None:
    made, marks = marked(text, [source(one) for one in passages])
    assert made == told
    assert sorted({one.number for one in marks}) == list(range(1, len(passages) + 1))
    assert all(made[one.start : one.end] == f"[{one.number}]" for one in marks)


def test_numbers_that_name_no_source_lead_nowhere() -> None:
    made, marks = marked("Written [9].", [source("x")])
    assert made == "Written [9]. [1]"
    assert [one.number for one in marks] == [1]
