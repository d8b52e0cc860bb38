"""Pictures show the figures: lengths and places are those of the shares."""

import re

from fanshu.evals.report.charts import LEFT, RIGHT, against_tokens, by_kind, rounds, setting
from fanshu.evals.report.drawing import nice, spread_out
from tests.evals.report.made import asked, row, series, told

QUESTIONS = [asked(str(n)) for n in range(4)]
HALF = series("half", row("0"), row("1"), row("2", "31"), row("3", "31"))
EVERY = series("every", *(row(str(n), tokens=900, loops=12) for n in range(4)))


def bars(svg: str) -> list[float]:
    return [
        float(width) for width in re.findall(r'<rect [^>]*width="([\d.]+)"[^>]*class="bar', svg)
    ]


def test_bars_are_as_long_as_shares() -> None:
    made = told(HALF, EVERY, questions=QUESTIONS)
    half, every = bars(str(by_kind(made.answering, made.kinds, "en")))
    assert half * 2 == every
    assert "keyword, half 0.50; keyword, every 1.00" in str(
        by_kind(made.answering, made.kinds, "en")
    )


def test_points_stand_at_their_share_and_tokens() -> None:
    svg = str(against_tokens(told(HALF, EVERY, questions=QUESTIONS).answering, "en"))
    (x1, y1), (x2, y2) = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', svg)
    assert (float(y1), float(y2)) == (125, 14)  # the middle of 14 and 236, and the top
    assert LEFT < float(x2) < float(x1) <= RIGHT
    assert "half 0.50, 1,800" in svg


def test_nothing_to_draw_is_no_picture() -> None:
    made = told(series("free", row("0", tokens=0, loops=0)), questions=QUESTIONS[:1])
    assert against_tokens(made.answering, "en") is None
    assert rounds(made.answering, "en") is None
    assert by_kind(told(HALF).answering, (), "en") is None


def test_rounds_above_the_last_are_counted_with_it() -> None:
    svg = str(rounds(told(EVERY, questions=QUESTIONS).answering, "en"))
    assert "10+" in svg
    assert ">4<" in svg


def test_a_setting_is_a_line_through_its_points() -> None:
    made = [
        series(name, *one.passes[0].values(), system="loop", settings={"hits": hits})
        for name, hits, one in (("a", 3, HALF), ("b", 10, EVERY))
    ]
    account = told(*made, questions=QUESTIONS)
    svg = str(setting(account.lines[0], account.answering, "en"))
    assert svg.count("<circle") == 2
    assert "hits: 3 0.50; 10 1.00" in svg


def test_scales_end_at_round_numbers_and_labels_keep_apart() -> None:
    assert [nice(one) for one in (0, 0.3, 1, 1.1, 1800, 4321)] == [1, 0.5, 1, 2, 2000, 5000]
    assert spread_out([10, 10, 50], 14) == [10, 24, 50]
