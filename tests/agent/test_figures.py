"""Figures are read the same way out of answers and evidence, whatever their script or spelling."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fanshu.agent.amounts import plain
from fanshu.agent.claims import claims
from fanshu.agent.figures import figures
from fanshu.agent.ledger import check_figures
from fanshu.agent.support import Evidence, Quoted


def claimed(text: str) -> list[str]:
    return [figure.text for figure in claims(plain(text))]


def unsupported(response: str, *passages: str, headings: tuple[str, ...] = ()) -> list[str]:
    evidence = Evidence(tuple(Quoted(one) for one in passages), headings)
    return list(check_figures(response, evidence, "").unsupported)


SAME = [
    ("30日", "三十日内"),
    ("30天", "30日"),
    ("三十天", "30 days"),
    ("1000", "1,000"),
    ("1,000", "1 000 000 和 1000"),
    ("7322000", "总计 7 322 000 克朗"),
    ("7 322 000 挪威克朗", "7 322 000"),
    ("50%", "百分之五十"),
    ("百分之八十", "80％"),
    ("九成", "百分之九十"),
    ("千分之五", "5‰"),
    ("三分之一", "占 1/3"),
    ("10 GB", "10GB"),
    ("10G", "10 GB"),
    ("10 GB", "10G"),
    ("96M", "96MiB"),
    ("96 MB", "96M"),
    ("30 秒", "30s"),
    ("30 s", "30秒"),
    ("30m", "30 分钟"),
    ("64m", "64M"),
    ("半小时", "every half hour"),
    ("half an hour", "30 minutes"),
    ("1 小时", "60 分钟"),
    ("1年", "十二个月"),
    ("2024年3月1日", "2024-03-01"),
    ("March 1, 2024", "2024年3月1日"),
    ("1 March 2024", "2024/3/1"),
    ("2024-03-01", "二〇二四年三月一日"),
    ("2020年11月5日", "as of 05/11/2020"),
    ("May 2026", "released 2026-05-14"),
    ("2026年", "2026-05-14 发布"),
    ("3月1日", "自2024年3月1日起"),
    ("500元", "五百元"),
    ("1万元", "10000元"),
    ("10000", "一万"),
    ("3000元以上1万元以下", "三千元以上一万元以下"),
    ("3 million", "3,000,000"),
    ("ten days", "10 days"),
    ("ninety-nine", "99"),
    ("1.5 ~ 2 倍", "1.5~2倍"),
    ("16至18摄氏度", "十六摄氏度至十八摄氏度"),
    ("10℃", "10 摄氏度"),
    ("v8.5.2", "从 8.5.2 起"),
    ("v8.5", "8.5.0"),
    ("15.x", "15.20"),
    ("v6.0.0：2 → 3", "从 v6.0.0 起，默认值由 2 改为 3"),
    ("`tidb_gc_life_time`", "tidb\\_gc\\_life\\_time"),
    ("e-4012", "E-4012"),
    ("CVE-2025-8714", "CVE-2025-8714)"),
    ("--limit", "-l limit --limit=limit"),
    ("AES256", "AES-256"),
    ("IPv4/IPv6", "IPv6 与 IPv4"),
    ("./configs", '默认值 "./configs"'),
    ("/v2/links/by-content-id", "POST /v2/links/by-content-id"),
    ("0.5", "0.50"),
    ("-0.1", "is −0.1"),
    ("16 个任务", "16 tasks"),
    ("4095", "maximum is 4095."),
    ("第 34 条", "第三十四条"),
    ("8:30", "8:30 开始"),
    ("67108864", "max_allowed_packet=67108864"),
    ("十 GiB 以内，10 GiB", "10GiB"),
    ("５０", "50"),
    ("30 天", "30-day window"),
    ("1年6个月", "18个月"),
    ("18个月", "一年零六个月"),
    ("90 分钟", "1 小时 30 分钟"),
    ("1 小时 30 分钟", "1 小时后；30 分钟"),
    ("2 hours and 30 minutes", "150 minutes"),
    ("一年一次", "每年至少一次"),
    ("1 天", "runs daily"),
    ("one hour", "once an hour"),
    ("12时", "12:00 前"),
    ("8:30", "八时三十分"),
    ("下午3点", "15:00 即 3:00"),
    ("100%", "百分之百"),
    ("3-5 天", "3至5天"),
    ("3~5 天", "3 到 5 天"),
    ("3至5天", "3–5 天"),
    ("1.5万元", "15,000 元"),
    ("15000", "1.5 万"),
    ("2.5亿", "250,000,000"),
    ("10 GiB", "10GiB"),
    ("10G", "10 GiB"),
    ("第3条", "第三条"),
    ("第三条", "第 3 条"),
    ("12.5%", "百分之十二点五"),
    ("1.2亿元", "一亿二千万元"),
    ("35,000 元", "三万五元"),
    ("30个月", "两年半"),
    ("150 分钟", "两个半小时"),
    ("55%", "五成五"),
    ("3 kW", "3,000 W"),
    ("3千瓦", "3 kW"),
    ("50赫兹", "50 Hz"),
]


@pytest.mark.parametrize(("claim", "source"), SAME)
def test_the_same_figure_in_other_words(claim: str, source: str) -> None:
    assert claimed(claim), "the claim must be read as one"
    assert unsupported(claim, source) == []


OTHER = [
    ("60秒", "30秒"),
    ("30 分钟", "30 秒"),
    ("10 GB", "10 GiB"),
    ("96 MB", "96 MiB"),
    ("30 M", "30 分钟"),
    ("20 天", "20个工作日"),
    ("15.2", "15.20"),
    ("v8.5", "v8.5.2"),
    ("v8.5.2", "v8.5.20"),
    ("20", "2020年"),
    ("20", "120 和 1.20"),
    ("2024年3月2日", "2024-03-01"),
    ("2025年", "2024-03-01"),
    ("E-4012", "E-40123"),
    ("--limits", "--limit"),
    ("--limit", "limit"),
    ("-f", "f"),
    ("Section 5.3", "see Section 5.2"),
    ("2019版", "2020年"),
    ("tidb_gc", "tidb_gc_life_time"),
    ("3 倍", "3 个"),
    ("1年6个月", "16个月"),
    ("500 元", "500 美元"),
    ("50%", "50 个百分点"),
    ("0.1", "-0.1"),
    ("ninety-nine", "98"),
    ("第三十五条", "第三十四条"),
    ("34 元", "第三十四条"),
    ("10 层", "十一层"),
    ("一千万", "一千"),
    ("CVE-2025-8715", "CVE-2025-8714"),
    ("100ms", "100s"),
    ("两年半", "两年"),
    ("两个半小时", "半小时"),
    ("五成五", "五成"),
    ("1万亿零2千万元", "一亿二千万元"),
    ("3,000 kW", "3,000 W"),
    ("220 mV", "220 V"),
]


@pytest.mark.parametrize(("claim", "source"), OTHER)
def test_another_figure(claim: str, source: str) -> None:
    assert unsupported(claim, source) != []


@pytest.mark.parametrize(
    "text",
    [
        "一个办法，一种情况，两个地方，三种类型，十条",
        "one of them, two ways, a second time, no one",
        "第一，其一，第二步，第三种，首先",
        "一旦统一、唯一、万一、一定、一般、十分重要、千万、百姓、同一天、一时",
        "1. 甲\n2. 乙\n- 3. 丙\n\n1) 丁\n2) 戊",
        "①甲；②乙",
        "（1）甲；（2）乙",
        "步骤：1. 甲；2. 乙",
        "见 [1]、[2] 与 [^3]，【4】",
        "见 guides/setup.md#12 与 #3",
        "Step 3，步骤 2，第 3 步",
        "每年、每个月、every day, a week, per hour, daily",
        "TiDB、PostgreSQL、and/or、TCP、DM-worker、comma-separated",
        "",
    ],
)
def test_what_is_no_claim(text: str) -> None:
    assert claimed(text) == []


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("v6.0.0：2 → 3", ["v6.0.0", "2", "3"]),
        ("取值范围 [1, 512]，默认 16。", ["1", "512", "16"]),
        ("默认（587）", ["587"]),
        ("3000元以上1万元以下", ["3000元", "1万元"]),
        ("每 3 个", ["3 个"]),
        ("3 x 2", ["3", "2"]),
        ("code=26002, timeout: 30s", ["26002", "30s"]),
        ("tzdata 2026b (15.18)", ["2026b", "15.18"]),
        ("UTC-07", ["UTC-07"]),
        ("3，5，8", ["3", "5", "8"]),
        ("2¹⁰", ["2", "10"]),
        ("从v8.5.0起为-5", ["v8.5.0", "-5"]),
        ("1-5 天", ["1", "5 天"]),
        ("默认（1），最大 99.\n另见", ["1", "99"]),
        ("4xx 与 413", ["4xx", "413"]),
    ],
)
def test_figures_come_apart_as_a_reader_would_take_them(text: str, want: list[str]) -> None:
    assert claimed(text) == want


@pytest.mark.parametrize(
    ("response", "passage"),
    [
        ("最多重试三次", "最多重试 5 次"),
        ("三个副本", "默认 5 个副本"),
        ("分为三级", "分为四级"),
    ],
)
def test_a_small_number_in_words_claims_what_passages_count_otherwise(
    response: str, passage: str
) -> None:
    assert unsupported(response, passage)
    assert unsupported(response, passage, response) == []


@pytest.mark.parametrize(
    ("response", "passage"),
    [
        ("三次", "3 次"),
        ("有三种情况", "有 5 个副本"),
        ("这两个变量", "默认 5 个副本"),
        ("三种办法", "两种情况"),
    ],
)
def test_a_small_number_in_words_said_in_passing(response: str, passage: str) -> None:
    assert unsupported(response, passage) == []


def test_a_bare_number_in_a_heading_is_no_amount() -> None:
    assert unsupported("1 分钟", "默认 30 分钟", headings=("方法 1", "第一条")) == ["1 分钟"]
    assert unsupported("3 days", "14 days", headings=("adr-003.md", "3 Retention")) == ["3 days"]


@pytest.mark.parametrize(
    ("claim", "heading"),
    [
        ("15.20", "E.1. Release 15.20"),
        ("2019年", "管理条例(2019-03-24).txt"),
        ("2020年11月27日", "泰安市供热条例(2020-11-27).txt"),
        ("v8.5.2", "releases/release-8.5.2.md"),
        ("num_threads", "num_threads"),
        ("第三十四条", "第三十四条"),
        ("Section 5.2", "5.2. compat"),
        ("§ 5", "5. Files"),
        ("2019 版", "管理条例(2019-03-24).txt"),
        ("30 天内", "30 天保留期"),
    ],
)
def test_headings_and_file_names_are_evidence(claim: str, heading: str) -> None:
    assert unsupported(claim, "x", headings=(heading,)) == []
    assert unsupported(claim, "x") != []


def test_a_date_may_come_from_two_places() -> None:
    assert unsupported("2024年6月1日", "自6月1日起施行", headings=("条例(2024-05-30).txt",)) == []


@pytest.mark.parametrize(
    "passage",
    ["Timeout in seconds (default 600)", "默认值：600，单位：秒", "超时（秒） | 600"],
)
def test_a_unit_stated_apart_from_its_number_counts(passage: str) -> None:
    assert unsupported("600 秒", passage) == []
    assert unsupported("10 分钟", passage) == []
    assert unsupported("600 分钟", passage) == ["600 分钟"]


def test_a_unit_stated_elsewhere_in_the_chunk_counts_too() -> None:
    evidence = Evidence((Quoted("+ 默认值：5", "租约\n+ 默认值：5\n+ 单位：秒"),))
    assert not check_figures("5 秒", evidence, "").unsupported
    assert check_figures("5 分钟", evidence, "").unsupported == ("5 分钟",)


@settings(max_examples=300, deadline=None)
@given(
    st.text(alphabet="0123.,-/:年月日%半百万十一二两第条之分成 aGvxM_=()'\"~^万±½①", max_size=40)
)
def test_no_text_makes_reading_fail(text: str) -> None:
    ready = plain(text)
    for one in figures(ready):
        assert 0 <= one.start < one.end <= len(ready)
    check_figures(text, Evidence((Quoted(text),)), text)


@pytest.mark.slow
def test_long_texts_are_read_in_time_that_grows_with_length_only() -> None:
    for piece in ("一", "1", "1 ", "1,", "a-", "1.", "--", "two ", "hundred ", "/a", "#", "- "):
        assert len(figures(plain(piece * 20_000))) >= 0
        assert len(figures(plain("百分之一点" + piece * 20_000))) >= 0
