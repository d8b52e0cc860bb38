"""Which questions are one, and which only look alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanshu.agent.asked import content, stands_for

SAME = (
    ("超时是多少", "超时是多少？"),
    ("超时是多少", "请问，超时是多少?"),
    ("超时是多少", "你好，请问一下超时是多少呢？谢谢！"),
    ("超时是多少", "超时 是多少"),
    ("超时是多少", "超时多少"),
    ("超时是多少", "「超时」是多少"),
    ("超时是多少", "我想知道超时是多少"),
    ("超时是多少", "帮我查一下超时是多少"),
    ("超時是多少", "超时是多少"),
    ("ＡＰＩ 的端口是 ８０８０ 吗", "API的端口是8080吗？"),
    ("API 限流是多少", "api 限流是多少"),
    ("如何重启服务", "怎么重启服务"),
    ("怎样重启服务", "怎么重启服务？"),
    ("重启要多长时间", "重启要多久"),
    ("有效期是 3 天吗", "有效期是3天吗"),
    ("What is the write timeout?", "what is write timeout"),
    ("What's the write timeout?", "What is the write timeout"),
    ("Hi, could you please tell me what is the timeout? Thanks!", "what is the timeout"),
    ("What is the Timeout?", "what is the timeout, please?"),
    ("How does it restart", "  how   does it restart  "),
    ("retention of 1–5 days?", "retention of 1-5 days"),
)

NEAR = (
    # numbers, dates, versions, units
    ("3 天内能退货吗", "7 天内能退货吗"),
    ("v5.4 的默认值是多少", "v5.5 的默认值是多少"),
    ("v1.2 有什么变化", "v12 有什么变化"),
    ("2023 年的标准是什么", "2024 年的标准是什么"),
    ("3 月 1 日之后怎么办", "3 月 11 日之后怎么办"),
    ("1.5 倍还是怎么算", "15 倍还是怎么算"),
    ("-5 度能用吗", "5 度能用吗"),
    ("误差 <5 怎么办", "误差 >5 怎么办"),
    ("误差 <5 怎么办", "误差 <=5 怎么办"),
    ("10% 怎么算", "10 怎么算"),
    ("上限是 10 MB 吗", "上限是 10 Mb 吗"),
    ("上限是 10 MB 吗", "上限是 10 GB 吗"),
    ("速率是 100 Mbps 吗", "速率是 100 MBps 吗"),
    ("面积是 10² 吗", "面积是 102 吗"),
    ("第三步做什么", "第二步做什么"),
    ("E-5041 是什么", "E-5042 是什么"),
    ("¥5 包邮吗", "$5 包邮吗"),
    ("费用是 1 5 吗", "费用是 15 吗"),
    # negation, comparison, extent
    ("重启会丢数据吗", "重启不会丢数据吗"),
    ("哪些费用报销", "哪些费用不报销"),
    ("已签合同怎么办", "未签合同怎么办"),
    ("有发票怎么报销", "无发票怎么报销"),
    ("超过 10 人怎么办", "不超过 10 人怎么办"),
    ("大于 10 MB 怎么办", "小于 10 MB 怎么办"),
    ("至少要几个人", "至多要几个人"),
    ("最大连接数是多少", "最小连接数是多少"),
    ("上线前做什么", "上线后做什么"),
    ("境内怎么收费", "境外怎么收费"),
    ("不，重启要多久", "不重启要多久"),
    # order and particles
    ("A 比 B 快吗", "B 比 A 快吗"),
    ("从北京到上海怎么走", "从上海到北京怎么走"),
    ("甲向乙付款的期限", "乙向甲付款的期限"),
    ("删除的文件在哪里", "删除文件在哪里"),
    ("导入的数据有多少", "导入数据有多少"),
    # what is asked for
    ("怎么重启服务", "为什么重启服务"),
    ("谁重启服务", "何时重启服务"),
    ("重启要多久", "重启要多少钱"),
    ("可以重启吗", "必须重启吗"),
    ("多久重启一次", "多久能重启一次"),
    ("请假要提前几天", "假要提前几天"),
    ("附近的网吧", "附近的网"),
    ("读超时是多少", "写超时是多少"),
    ("学生的会议在几点", "学生会议在几点"),
    # English
    ("Is it enabled by default?", "Is it not enabled by default?"),
    ("What is the limit before 2020?", "What is the limit after 2020?"),
    ("Does A depend on B?", "Does B depend on A?"),
    ("What can users delete?", "What can't users delete?"),
    ("files with a header", "files without a header"),
    ("at least 3 nodes", "at most 3 nodes"),
    ("more than 3 nodes", "no more than 3 nodes"),
    ("What is plan A?", "What is plan?"),
    ("Who approves the budget?", "WHO approves the budget?"),
    ("Is IT in charge?", "Is it in charge?"),
    ("Does it run on C++?", "Does it run on C?"),
    ("Does it run on C#?", "Does it run on C++?"),
    ("max_size of the pool", "min_size of the pool"),
    ("How do I set a_b?", "How do I set a b?"),
    ("When was it removed?", "Why was it removed?"),
    ("How many days are left?", "How many hours are left?"),
    ("Who must sign?", "Who may sign?"),
    ("all users", "all but users"),
    ("What was the limit?", "What is the limit?"),
)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_question_in_other_clothes(one: str, other: str) -> None:
    assert content(one) == content(other)


@pytest.mark.parametrize(("one", "other"), NEAR)
def test_u36_near_misses_are_two_questions(one: str, other: str) -> None:
    assert content(one) != content(other)
    assert not stands_for(other, one, ["重启"])


@given(st.text(max_size=60))
def test_any_text_has_a_form_that_does_not_change_again(text: str) -> None:
    once = content(text)
    assert content(once) == once


@given(
    st.text(alphabet="超时限多少不35<>.-ab A，的吗", max_size=12),
    st.sampled_from("0123456789不未无比最"),
)
def test_no_sign_that_counts_is_ever_dropped(text: str, sign: str) -> None:
    assert content(f"甲{text}乙{sign}丙") != content(f"甲{text}乙丙")


@pytest.mark.parametrize(
    ("question", "summary", "weighty", "stands"),
    [
        ("请问超时是多少", "接口的超时是多少", ["超时"], True),
        ("超时是多少", "接口手册规定的超时是多少", ["超时"], True),
        ("北京的超时是多少", "超时是多少", ["北京", "超时"], False),
        ("v5.4 的超时是多少", "超时是多少", ["超时"], False),
        ("超时 3 次后怎么办", "超时后怎么办", ["超时"], False),
        ("重启会不会丢数据", "重启会丢数据", ["重启", "数据"], False),
        ("超时是多少", "为什么超时", ["超时"], False),
        ("最大超时是多少", "超时是多少", ["超时"], False),
        ("超时是多少", "超时是多少", [], False),
        ("what is the timeout", "what is the write timeout", ["timeout"], True),
        ("timeout without retries", "timeout with retries", ["timeout", "retries"], False),
        ("timeout of v5.4", "timeout of v5.5", ["timeout"], False),
    ],
)
def test_a_summary_may_explain_a_question_and_not_widen_it(
    question: str, summary: str, weighty: list[str], stands: bool
) -> None:
    assert stands_for(summary, question, weighty) is stands
