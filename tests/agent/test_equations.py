"""Arithmetic an answer shows is worked out again; figures that follow from it are derived."""

import pytest

from fanshu.agent.ledger import FigureCheck, check_figures
from fanshu.agent.support import Evidence, Quoted
from fanshu.types import Derived


def check(response: str, *passages: str, question: str = "") -> FigureCheck:
    return check_figures(response, Evidence(tuple(Quoted(one) for one in passages)), question)


@pytest.mark.parametrize(
    ("response", "evidence", "figure", "arithmetic"),
    [
        ("积为 3×2×2=12。", "默认 3；默认 2", "12", "3×2×2=12"),
        ("120 - 1 = 119", "120 和 1", "119", "120 - 1 = 119"),
        ("120 -1 = 119", "120 和 1", "119", "120 -1 = 119"),
        ("(1+2)×3=9", "1 2 3", "9", "(1+2)×3=9"),
        ("（3×2=6）", "3 2", "6", "3×2=6"),
        ("6 = 3×2", "3 2", "6", "6 = 3×2"),
        ("每天 3 次 × 4 天 = 12 次", "3 次，4 天", "12 次", "3 次 × 4 天 = 12 次"),
        ("2400元÷120天=20元/天", "2400元，120天", "20元", "2400元÷120天=20元"),
        ("3 乘以 4 等于 12", "3 和 4", "12", "3 乘以 4 等于 12"),
        ("3 times 4 equals 12", "3 and 4", "12", "3 times 4 equals 12"),
        ("30/40 = 75%", "30 of 40", "75%", "30/40 = 75%"),
        ("10÷3≈3.33", "10 and 3", "3.33", "10÷3≈3.33"),
        ("10÷4≈2", "10 and 4", "2", "10÷4≈2"),
        ("2^10 = 1024", "2, 10", "1024", "2^10 = 1024"),
        ("1,000 × 3 = 3,000", "1000, 3", "3,000", "1,000 × 3 = 3,000"),
        ("2 小时 × 4 = 480 分钟", "2 小时，4 次", "480 分钟", "2 小时 × 4 = 480 分钟"),
        ("300 seconds = 5 minutes", "every 300 seconds", "5 minutes", "300 seconds = 5 minutes"),
        ("10 MiB = 10240 KiB", "10 MiB", "10240 KiB", "10 MiB = 10240 KiB"),
        ("64 MB = 67108864 字节", "64 MB", "67108864 字节", "64 MB = 67108864 字节"),
        ("67108864（64M）", "默认 67108864", "64M", "67108864 = 64M"),
        ("每 5 分钟", "every 300 seconds", "5 分钟", "300 seconds = 5 分钟"),
        (
            "2024-03-01 - 2024-02-01 = 29 天",
            "2024年3月1日；2024年2月1日",
            "29 天",
            "2024-03-01 - 2024-02-01 = 29 天",
        ),
        (
            "2024年3月1日 + 30日 = 2024年3月31日",
            "2024年3月1日起30日",
            "2024年3月31日",
            "2024年3月1日 + 30日 = 2024年3月31日",
        ),
        (
            "2024-03-01 + 18个月 = 2025-09-01",
            "自2024年3月1日起，有效期1年6个月",
            "2025-09-01",
            "2024-03-01 + 18个月 = 2025-09-01",
        ),
        (
            "2024-01-31 + 1 month = 2024-02-29",
            "from 2024-01-31, for 1 month",
            "2024-02-29",
            "2024-01-31 + 1 month = 2024-02-29",
        ),
        (
            "2024-03-01 - 1年 = 2023-03-01",
            "2024年3月1日；1年",
            "2023-03-01",
            "2024-03-01 - 1年 = 2023-03-01",
        ),
    ],
)
def test_right_arithmetic(response: str, evidence: str, figure: str, arithmetic: str) -> None:
    assert check(response, evidence) == FigureCheck(derived=(Derived(figure, arithmetic),))


@pytest.mark.parametrize(
    "response",
    [
        "3×2×2=13",
        "3+2=6，共 6",
        "10÷3=4",
        "300 秒 = 6 分钟",
        "2 小时 × 3 = 6 分钟",
        "2024-03-01 - 2024-02-01 = 30 天",
        "10÷3≈3.5",
        "2024-03-01 + 18个月 = 2024-03-19",
        "2024-01-31 + 1个月 = 2024-03-01",
    ],
)
def test_wrong_arithmetic_is_unsupported_even_if_all_figures_stand_there(response: str) -> None:
    found = check(response, response)
    assert found.wrong
    assert not found.derived


def test_operands_need_a_source() -> None:
    assert check("3×2×4=24", "3 和 2").unsupported == ("4", "24")


def test_the_question_may_give_operands_but_is_no_evidence() -> None:
    question = "采暖费2400元，采暖期120天，不合格10天，退多少？"
    response = "日热费2400÷120=20元，20×20%×10=40元，应退40元，不合格10天。"
    found = check(response, "退还日热费的百分之二十", question=question)
    assert found.unsupported == found.wrong == ()
    assert [one.figure for one in found.derived] == ["20元", "40元"]
    assert check("超时是60秒", "超时为30秒", question="超时是60秒吗").unsupported == ("60秒",)


def test_a_result_may_go_into_the_next_equation() -> None:
    found = check("3×2=6，6×5=30", "3、2、5")
    assert [one.figure for one in found.derived] == ["6", "30"]


def test_constants_of_conversion_need_no_source() -> None:
    assert check("2 × 60 = 120", "2 分钟").unsupported == ()


@pytest.mark.parametrize(
    "response",
    ["6-12 个月", "上限为 5，另一处 = 8", "5（8）", "a=5, b=8", "12 个月即 5", "5/8", "8 x 5"],
)
def test_what_only_looks_like_an_equation(response: str) -> None:
    found = check(response, "5 8 6 12 个月")
    assert found == FigureCheck()


@pytest.mark.parametrize(
    "response",
    ["1" + "+1" * 5000 + "=9", "(" * 5000 + "1+1=2", "9^9^9^9=1", "1/0=1", "2^(1/2)=1", "0^-1=0"],
)
def test_no_arithmetic_makes_the_check_fail(response: str) -> None:
    check(response, response)


@pytest.mark.parametrize(
    "response",
    [
        "共 3 个：甲、乙和丙。",
        "甲、乙、丙，共 3 个。",
        "There are 13 alerts: a, b, c, d, e, f, g, h, i, j, k, l and m.",
        "有 3 个告警：\n1. 甲\n2. 乙\n3. 丙",
        "有 3 个告警：\n- 甲\n- 乙\n\n- 丙",
    ],
)
def test_a_number_may_count_what_the_answer_lists(response: str) -> None:
    found = check(response, "甲乙丙")
    assert found.unsupported == ()
    assert found.derived


@pytest.mark.parametrize(
    "response", ["共 4 个：甲、乙和丙。", "每 3 秒：甲、乙、丙", "最多 3\n- 甲\n- 乙\n- 丙"]
)
def test_a_number_that_counts_nothing_listed(response: str) -> None:
    assert check(response, "甲乙丙").unsupported


@pytest.mark.parametrize(
    "response",
    [
        "是 45 秒（45×24÷24=45）",
        "是 45 秒（0.75 分钟）",
        "是 1440 分钟（24×60=1440）",
        "是 45 秒 = 0.75 分钟",
    ],
)
def test_equations_without_a_figure_of_the_documents_derive_nothing(response: str) -> None:
    found = check(response, "读超时时间为 30 秒", question="超时是 45 秒吗？")
    assert found.unsupported
    assert not found.derived


def test_equations_may_come_in_any_order() -> None:
    found = check("6×5=30，因为 3×2=6", "3、2、5")
    assert [one.figure for one in found.derived] == ["6", "30"]
    assert found.unsupported == ()


def test_equations_that_only_lean_on_each_other_derive_nothing() -> None:
    assert check("11×30=330，330÷30=11", "每 30 秒").unsupported


def test_the_case_of_the_question_may_be_restated_where_a_passage_decides_it() -> None:
    passage = "十六至十八摄氏度的，退还百分之二十"
    question = "室温17摄氏度退多少？"
    found = check("室温17摄氏度，退还20%。", passage, question=question)
    assert found.unsupported == ()
    assert found.derived == (Derived("17摄氏度", "十六 ≤ 17摄氏度 ≤ 十八摄氏度"),)
    assert check("室温17摄氏度。", passage, question=question).unsupported == ("17摄氏度",)
    assert check("室温15摄氏度，退还20%。", passage, question="15摄氏度").unsupported
    assert check("默认60秒，退还20%。", "至少30秒；退还20%", question="60秒吗").unsupported


LISTED = """紧急级别：
- TiDB：schema_error、region_err_total、domain_load_total
- PD：cluster_down
- TiKV：memory_too_fast、gc_can_not_work
"""


@pytest.mark.parametrize("total", ["3+1+2=6 项", "3 + 1 + 2 = 6"])
def test_what_an_answer_lists_may_be_added_up(total: str) -> None:
    figure = total.rpartition("=")[2].strip()
    assert check(f"{LISTED}合计 {total}。", LISTED) == FigureCheck(
        derived=(Derived(figure, total),)
    )


@pytest.mark.parametrize("total", ["3+1+2=7 项", "4+1+2=7 项", "3×1×2=6 项", "9 项"])
def test_what_it_does_not_list_may_not(total: str) -> None:
    checked = check(f"{LISTED}合计 {total}。", LISTED)
    assert checked.unsupported or checked.wrong
