"""A "not" put in or left out of copied words is seen; other words are not judged."""

import pytest

from fanshu.agent.copies import turned_over

PASSAGE = "用人单位不得延长劳动时间或者安排夜班劳动，并应当在劳动时间内安排休息。"


@pytest.mark.parametrize(
    ("response", "passage"),
    [
        ("可以延长劳动时间", PASSAGE),
        ("应当在劳动时间内不安排休息", PASSAGE),
        ("不应当在劳动时间内安排休息", PASSAGE),
        ("该模式支持断点续传", "该模式**不支持**断点续传。"),
        ("未经批准可以开工", "经批准可以开工"),
        ("The command can be run twice in a row.", "The command cannot be run twice in a row."),
        ("It isn't safe to delete the log file.", "It is safe to delete the log file."),
        ("An upgrade does not change the default value.", "An upgrade changes no default value. "
         "It does change the default value."),
    ],
)  # fmt: skip
def test_a_negation_that_is_not_that_of_the_passage(response: str, passage: str) -> None:
    assert turned_over(response, [passage])
    assert not turned_over(response, [passage, response])


@pytest.mark.parametrize(
    ("response", "passage"),
    [
        ("手册提醒这些数据不应用来决定关键数", "手册提醒这些数据不应该被用来决定关键数"),
        ("不得安排夜班劳动", PASSAGE),
        ("禁止延长劳动时间", PASSAGE),
        ("不启用全局排序为 10 TiB，启用全局排序后 40 TiB", "启用全局排序后为 40 TiB"),
        ("在不同的可用区部署", "尽量部署在不同的可用区"),
        ("不支持 B", "支持 A"),
        ("没有写", "应当写明期限"),
        ("Never do it again.", "Do it again and again."),
        ("", PASSAGE),
    ],
)
def test_what_is_said_in_other_words_or_can_be_read_so(response: str, passage: str) -> None:
    assert turned_over(response, [passage]) == ()


@pytest.mark.slow
def test_time_grows_with_length_only() -> None:
    for piece in ("不", "不支持", "no ", "a", "或", "甲乙丙丁", "not a b c d "):
        turned_over(piece * 5_000, [piece * 5_000])
