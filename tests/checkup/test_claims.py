"""What chunks claim, and which claims contradict each other."""

import pytest

from fanshu.checkup.claims import claims_of
from fanshu.checkup.contradictions import HIGH, Rivals, contradicts
from tests.checkup.chunked import chunk

TABLE = "| 参数 | 默认值 | 单位 |\n| --- | --- | --- |\n| `read_timeout` | 30 | 秒 |\n"


def surest(one: str, other: str, *, path: str = "b.md", trail: tuple[str, ...] = ()) -> float:
    rivals = Rivals(claims_of(chunk(other, path, trail)))
    found = [sure for claim in claims_of(chunk(one)) for _, sure in rivals.of(claim)]
    return max(found, default=0.0)


def test_a_row_a_pair_and_a_sentence_give_the_same_parameter() -> None:
    texts = (TABLE, "`read_timeout` 默认为 30 秒。", "The default of `read_timeout` is 30 seconds.")
    for text in texts:
        found = [one for one in claims_of(chunk(text)) if one.form == "parameter"]
        assert [(one.subject, one.aspect) for one in found] == [("read_timeout", "default")]
        assert found[0].value.value == 30


@pytest.mark.parametrize(
    "other",
    [
        "`read_timeout` 默认为 60 秒。",
        "The default of `read_timeout` is 1 minute.",
        "`read-timeout` defaults to 45s.",
        TABLE.replace("30", "45"),
    ],
)
def test_two_defaults_of_one_parameter_contradict(other: str) -> None:
    assert surest(TABLE, other) >= HIGH


@pytest.mark.parametrize(
    "other",
    [
        "`read_timeout` 默认为 0.5 分钟。",
        "`read_timeout` 最大不超过 300 秒。",
        "`write_timeout` 默认为 45 秒。",
        "`read_timeout` 默认值由 60 秒改为 30 秒。",
        "3.0 之前 `read_timeout` 默认为 60 秒。",
        "例如 `read_timeout` 默认为 60 秒。",
        "`read_timeout` 默认为 64 MB。",
    ],
)
def test_what_a_careful_reader_would_not_call_a_contradiction(other: str) -> None:
    assert surest(TABLE, other) == 0


def test_environments_and_versions_keep_claims_apart() -> None:
    text = "`max_conn_count` 默认为 {} 个。"
    mine = claims_of(chunk(text.format(10), trail=("生产环境",)))
    theirs = claims_of(chunk(text.format(20), "b.md", ("测试环境",)))
    assert not any(contradicts(one, other) for one in mine for other in theirs)
    mine = claims_of(chunk(text.format(10), "手册-v1.2.md"))
    theirs = claims_of(chunk(text.format(20), "指南-v2.0.md"))
    assert not any(contradicts(one, other) for one in mine for other in theirs)


def test_a_statement_contradicts_where_no_word_replaces_another() -> None:
    said = "出差补助每人每天100元，按自然日计算，当天往返的减半。"
    assert surest(said, said.replace("100", "120")) >= HIGH
    assert surest(said, said.replace("100", "120").replace("出差", "值班")) == 0
    assert surest(said, said) == 0


def test_contacts_are_compared_by_their_label() -> None:
    assert surest("值班电话：6120。", "值班电话为内线6210。") >= HIGH
    assert surest("值班电话：6120。", "前台电话：6210。") == 0
    assert surest("支持邮箱：a@example.com", "支持邮箱：b@example.com") >= HIGH


def test_editions_of_one_document_do_not_contradict() -> None:
    said = "出差补助每人每天{}元，按自然日计算，当天往返的减半。"
    mine = claims_of(chunk(said.format(100), "办法(2021-03-01).txt"))
    theirs = claims_of(chunk(said.format(120), "办法(2024-07-01).txt"))
    assert not any(contradicts(one, other) for one in mine for other in theirs)
