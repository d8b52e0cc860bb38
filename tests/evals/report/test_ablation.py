"""Series that differ in one setting are a line; those that differ in two are on none."""

from typing import Any

from fanshu.evals.report.ablation import Line, lines
from tests.evals.report.made import row, series


def of(name: str, **settings: Any) -> Any:
    chosen = {"hits": 10, "max_rounds": 6, "first_search": True} | settings
    return series(name, row("1"), system="loop", settings=chosen, options={}, model="m")


def test_one_line_for_each_setting_in_order_of_its_values() -> None:
    found = lines(
        [
            of("base"),
            of("h3", hits=3),
            of("h5", hits=5),
            of("r4", max_rounds=4),
            of("none", first_search=False),
        ]
    )
    assert found == (
        Line("loop", "first_search", (("false", "none"), ("true", "base"))),
        Line("loop", "hits", (("3", "h3"), ("5", "h5"), ("10", "base"))),
        Line("loop", "max_rounds", (("4", "r4"), ("6", "base"))),
    )


def test_what_differs_in_two_settings_is_on_no_line() -> None:
    found = lines(
        [of("base"), of("h3", hits=3), of("h5", hits=5), of("both", hits=8, max_rounds=4)]
    )
    assert [name for _, name in found[0].points] == ["h3", "h5", "base"]


def test_without_manifests_there_are_no_lines() -> None:
    assert lines([series("a", row("1")), series("b", row("1"))]) == ()
