"""Limits that an answer turns round are seen; the same limit in other words is not one."""

import pytest

from fanshu.agent.amounts import plain
from fanshu.agent.bounds import between, turned_round
from fanshu.agent.figures import figures

TURNED = [
    ("低于 18 度", "室温不低于 18 度"),
    ("18 度以下", "18 度以上"),
    ("最多 30 天", "至少三十天"),
    ("至少同时 16 个任务", "最多同时调度 16 个任务"),
    ("不超过 5 TiB", "超过 5 TiB 时"),
    ("at least 1000 ids", "no more than 1,000 ids"),
    ("up to 5 users", "at least 5 users"),
    ("more than 5 minutes", "must not exceed 5 minutes"),
    (">= 3", "<= 3"),
    ("30日以上", "应当在30日内答复"),
    ("不满10年", "已满10年"),
]


@pytest.mark.parametrize(("response", "passage"), TURNED)
def test_a_limit_turned_round(response: str, passage: str) -> None:
    assert turned_round(response, [passage])
    assert not turned_round(response, [passage, response])


@pytest.mark.parametrize(
    ("response", "passage"),
    [
        ("不少于 18 度", "室温不低于 18 度"),
        ("18 度", "不低于 18 度"),
        ("至少 18 度", "18 度"),
        ("30 天内", "不超过三十日"),
        ("16 度以上、18 度以下", "高于或者等于十六摄氏度、低于十八摄氏度"),
        ("no more than 5", "up to 5"),
        ("at most 5", "not more than five"),
        ("超过 5 个", "不超过 6 个"),
        ("已满10年不满20年", "10年以上20年以下"),
        ("内存 16 GB 以上", "16 GB 内存"),
        ("默认 3，最多 5", "默认 3，最多 5"),
        ("最多 10 分钟", "不得连续运行超过 10 分钟"),
        ("at most 10 minutes", "must not run dry for more than 10 minutes"),
    ],
)
def test_the_same_limit_or_none(response: str, passage: str) -> None:
    assert turned_round(response, [passage]) == ()


@pytest.mark.parametrize(
    ("case", "passage", "how"),
    [
        ("17摄氏度", "室温在16至18摄氏度的，退20%", "16 ≤ 17摄氏度 ≤ 18摄氏度"),
        ("17 度", "高于或者等于十六度、低于十八度的", "十六度 ≤ 17 度 ≤ 十八度"),
        ("12年", "已满10年不满20年的，年休假10天", "10年 ≤ 12年 ≤ 20年"),
        ("4 天", "3~5 天", "3 ≤ 4 天 ≤ 5 天"),
        ("19 度", "16至18度", None),
        ("17", "16至18", None),
        ("60 秒", "读超时 30 秒", None),
        ("60 秒", "至少 30 秒", None),
    ],
)
def test_a_case_between_the_limits_of_a_passage(case: str, passage: str, how: str | None) -> None:
    assert between(figures(plain(case))[0], passage) == how
