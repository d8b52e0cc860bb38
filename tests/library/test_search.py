"""Behaviours U1-U8 and the levels of a search, over real files and the real index."""

import unicodedata
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import process_time

import pytest

from fanshu.errors import UnknownPath
from fanshu.library.library import Library, Root
from fanshu.types import Scope, SearchResult
from tests.waiting import PATIENCE

MakeLibrary = Callable[..., Library]


def found(result: SearchResult) -> list[str]:
    return [hit.chunk_id for hit in result.hits]


@pytest.mark.parametrize("words", ["鉴权", "权方", "签", "签名", "接口的鉴权方式为签名"])
def test_u1_chinese_inside_a_sentence_is_found(library: MakeLibrary, words: str) -> None:
    result = library({"a.md": "接口的鉴权方式为签名"}).search(words)
    assert found(result) == ["a.md#1"]
    assert result.level == "phrase"


def test_u1_what_is_not_there_is_not_found(library: MakeLibrary) -> None:
    result = library({"a.md": "接口的鉴权方式为签名"}).search("授权")
    assert (result.level, result.total, result.hits) == ("none", 0, ())
    assert result.missing == ("授权",)


def test_u2_no_word_is_ignored(library: MakeLibrary) -> None:
    documents = library({"a.md": "鉴权方式 超时", "b.md": "鉴权方式"})
    assert found(documents.search("鉴权方式 超时")) == ["a.md#1"]
    assert found(library({"c.md": "今天有雨"}).search("雨")) == ["c.md#1"]


@pytest.mark.parametrize("words", ["itgc", "ITGC", "使用itgc", "itgc审计"])
def test_u3_latin_words_glued_to_chinese(library: MakeLibrary, words: str) -> None:
    assert found(library({"a.md": "我们使用itgc审计流程"}).search(words)) == ["a.md#1"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("版本 v2.3.1", "v2.3.1"),
        ("版本 v2.3.1", '"2.3.1"'),
        ("版本 v2.3.1", "2.3.1"),
        ("错误 E-4012 表示", "E-4012"),
        ("run apply_secrets first", "apply_secrets"),
        ("run apply_secrets first", "secrets"),
        ("install @scope/pkg now", "@scope/pkg"),
        ("written in C++ today", "C++"),
        ("edit /etc/hosts", "/etc/hosts"),
        ("call maxRetryCount", "retry"),
        ("End of life", "end-of-life"),
        ("End-of-life dates", "end of life"),
        ("the meta-command \\[un]restrict", "\\restrict"),
        ("the meta-command \\[un]restrict", "unrestrict"),
        ("the timeout is set", "time-out"),
        ("the timeouts are set", "time-out"),
        ("the time out is set", "timeout"),
        ("the time-out is set", "timeout"),
        ("use some/path.d here", "path.d"),
        ("set max-retry-count to 5", "maxRetryCount"),
        ("set max_retry_count to 5", "maxRetryCount"),
    ],
)
def test_u4_identifiers(library: MakeLibrary, text: str, words: str) -> None:
    noise = "2 和 3 以及 1; secret 4012; pkg of scope; C is a language; hosts etc; apply"
    assert found(library({"a.md": text, "b.md": noise}).search(words)) == ["a.md#1"]


@pytest.mark.parametrize(
    "words",
    ['"', "--error-on-warnings", "a AND", "NEAR(", "*", "col:x", "O'Neil", "ABC-123", "",
     "字" * 9_999, " ", "|", "a|", "name:abc", "a^2", "(", "-tidb", "\x00", "\ud800", '"a',
     "{x}", "a OR b NOT"],
)  # fmt: skip
def test_u5_any_text_is_a_safe_query(library: MakeLibrary, words: str) -> None:
    result = library({"a.md": "a plain text about 字"}).search(words)
    assert isinstance(result.hits, tuple)
    assert isinstance(library({"a.md": "text"}).search(words, question=True).hits, tuple)


def test_u5_a_word_written_often_is_looked_for_once(library: MakeLibrary) -> None:
    documents = library({"long.md": "超时 重试 " * 20_000})
    began = process_time()
    result = documents.search("超时 " * 700)
    assert process_time() - began < 5  # a third of a second; looked for 700 times, minutes
    assert [count.word for count in result.words] == ["超时"]


def test_u5_operators_are_plain_words(library: MakeLibrary) -> None:
    documents = library({"a.md": "alpha and beta", "b.md": "alpha alone"})
    assert found(documents.search("alpha AND beta")) == ["a.md#1"]
    assert found(documents.search("alpha -beta")) == ["a.md#1"]


def test_u5_quotes_ask_for_the_words_as_they_stand(library: MakeLibrary) -> None:
    made = library({"a.md": "the write timeout is 3 s", "b.md": "timeout of a write; 写超时 与 读"})
    assert found(made.search('"write timeout"')) == ["a.md#1"]
    assert found(made.search("“写超时”")) == ["b.md#1"]
    assert found(made.search('"timeout write" 写超时')) == ["b.md#1"]
    loose = made.search('"timeout write"')
    assert (loose.level, loose.missing) == ("some", ("timeout write",))
    assert sorted(found(loose)) == ["a.md#1", "b.md#1"]


def test_u6_a_whole_question_without_spaces(library: MakeLibrary) -> None:
    documents = library(
        {"a.md": "接口的鉴权方式为签名，超时时间为30秒", "b.md": "安装步骤", "c.md": "怎么联系我们"}
    )
    result = documents.search("鉴权超时怎么配置")
    assert found(result)[0] == "a.md#1"
    assert result.level == "some"
    assert set(result.hits[0].matched) == {"鉴权", "超时"}
    assert result.missing == ("配置",)


def test_u7_a_miss_names_words_that_do_occur(library: MakeLibrary) -> None:
    documents = library({"a.md": "每月提交统计表", "b.md": "the timeout is 30 s"})
    assert documents.search("统记表").suggestions == ("统计表",)
    assert documents.search("鲸鱼").suggestions == ()
    assert "timeout" in documents.search("timeuot").suggestions


@pytest.mark.parametrize("words", ["繁体", "繁體", "api", "ＡＰＩ", "繁体api"])
def test_u8_same_text_other_code_points(library: MakeLibrary, words: str) -> None:
    hit = library({"a.md": "这是繁體ＡＰＩ说明"}).search(words).hits[0]
    assert "繁體ＡＰＩ" in hit.snippet
    assert hit.text == "这是繁體ＡＰＩ说明"


def test_inflections_of_an_absent_word_count_under_literal_hits(library: MakeLibrary) -> None:
    documents = library({"a.md": "raise the timeout", "b.md": "retries happen"})
    assert found(documents.search("timeouts")) == ["a.md#1"]
    assert found(documents.search("retry")) == ["b.md#1"]


def test_wordings_are_searched_each_for_itself(library: MakeLibrary) -> None:
    documents = library({"a.md": "服务重启", "b.md": "预热 与 缓存", "c.md": "别的"})
    assert set(found(documents.search("重启|预热 缓存|变慢"))) == {"a.md#1", "b.md#1"}


def test_levels_fall_from_phrase_to_all_to_some(library: MakeLibrary) -> None:
    documents = library({"a.md": "超时设置：默认重试三次", "b.md": "重试"})
    assert documents.search("默认重试").level == "phrase"
    assert documents.search("重试默认").level == "all"
    assert documents.search("重试 鲸鱼").level == "some"
    assert documents.search("鲸鱼").level == "none"


def test_headings_rank_over_bodies(library: MakeLibrary) -> None:
    body = "# 其他\n\n" + "这里顺便提到 缓存预热 一词。" * 3
    documents = library({"a.md": body, "b.md": "# 手册\n\n## 缓存预热\n\n先启动，再加载热点数据。"})
    assert found(documents.search("缓存预热"))[0] == "b.md#2"


def test_counts_words_and_other_files(library: MakeLibrary) -> None:
    files = {f"{i}.md": f"供热 条例 {i}" for i in range(8)}
    result = library(files).search("供热", k=3)
    assert (result.total, len(result.hits), len(result.other_files)) == (8, 3, 5)
    assert [(word.word, word.count) for word in result.words] == [("供热", 8)]
    assert result.searched == 8


def test_a_path_limits_the_search_and_says_what_lies_elsewhere(library: MakeLibrary) -> None:
    documents = library({"手册/安装.md": "超时 30 秒", "规则/a.txt": "超时 60 秒", "b.md": "别的"})
    assert found(documents.search("超时", path="手册")) == ["手册/安装.md#1"]
    assert found(documents.search("超时", path="手册/安装.md")) == ["手册/安装.md#1"]
    assert found(documents.search("超时", path="安装")) == ["手册/安装.md#1"]
    assert found(documents.search("超时", path="手册/安装.md#1")) == ["手册/安装.md#1"]
    result = documents.search("超时", path="b.md")
    assert (result.total, result.elsewhere) == (0, 2)
    with pytest.raises(UnknownPath, match=r"手册/安装\.md"):
        documents.search("超时", path="手册/安裝x.md")


def test_scope_holds_before_counting(library: MakeLibrary) -> None:
    documents = library({"open/a.md": "超时 30", "secret/b.md": "超时 60 密钥"})
    seen = Scope(("open/*",))
    result = documents.search("超时", scope=seen)
    assert (found(result), result.total, result.searched) == (["open/a.md#1"], 1, 1)
    hidden = documents.search("密钥", scope=seen)
    assert (hidden.level, hidden.missing) == ("none", ("密钥",))
    assert documents.search("密钥", scope=Scope(())).hits == ()


def test_suggestions_stay_inside_the_scope(library: MakeLibrary) -> None:
    documents = library({"open/a.md": "plain words", "secret/b.md": "codename falconry"})
    assert documents.search("falconri", scope=Scope(("open/*",))).suggestions == ()


def test_snippets_show_the_sentence_that_matches(library: MakeLibrary) -> None:
    text = (
        "# 手册\n\n"
        + "前面是很长的说明文字。" * 30
        + "读取超时的默认值为30秒。"
        + "后面也是。" * 40
    )
    hit = library({"a.md": text}).search("读取超时").hits[0]
    assert hit.snippet == "读取超时的默认值为30秒。"
    assert not hit.complete


def test_a_short_chunk_is_shown_whole(library: MakeLibrary) -> None:
    hit = library({"a.md": "# 超时\n\n默认 30 秒。"}).search("超时").hits[0]
    assert (hit.snippet, hit.complete) == ("默认 30 秒。", True)


def test_a_snippet_is_no_heading(library: MakeLibrary) -> None:
    body = "先确认磁盘空间足够，再开始操作，其余步骤见安装手册的相应章节。" * 8
    hit = library({"a.md": f"# 数据迁移\n\n{body}"}).search("数据迁移").hits[0]
    assert hit.snippet.startswith("先确认磁盘空间")


def test_a_link_in_a_snippet_is_its_text(library: MakeLibrary) -> None:
    hit = (
        library({"a.md": '超时见[配置参数](../b/config.md#timeout "参数")一篇。'})
        .search("超时")
        .hits[0]
    )
    assert hit.snippet == "超时见配置参数一篇。"


def test_of_equal_matches_the_newer_version_comes_first(library: MakeLibrary) -> None:
    text = "第八条 出差结束后五日内提交报销。\n第九条 其他。"
    documents = library({"办法(2021-03-01).txt": text, "办法(2024-05-01).txt": text})
    assert documents.search("提交报销").hits[0].file_path == "办法(2024-05-01).txt"
    named = documents.search("2021年 提交报销", question=True)
    assert named.hits[0].file_path == "办法(2021-03-01).txt"


def test_a_name_that_begins_with_a_space_can_be_read(library: MakeLibrary) -> None:
    documents = library({" x.md": "文字", "y.md": "其他"})
    assert documents.read(" x.md#1").text == "文字"
    assert documents.read(" y.md#1").text == "其他"


def test_a_particle_alone_is_no_match(library: MakeLibrary) -> None:
    documents = library({"a.md": "新的文字", "b.md": "the other text"})
    assert documents.search("旧的").level == "none"
    assert documents.search("the whale").level == "none"
    assert documents.search("的").level == "phrase"


def test_words_that_stand_far_apart_have_a_line_each(library: MakeLibrary) -> None:
    filler = "本节说明其余事项，与其他章节的内容没有直接的关系，仅供参考。" * 12
    text = f"# 队列\n\n队列长度由参数 queue_size 决定。\n\n{filler}\n\n死信的保留期为七天。"
    (hit,) = library({"a.md": text}).search("queue_size 死信").hits
    assert {hit.snippet, hit.second} == {"队列长度由参数 queue_size 决定。", "死信的保留期为七天。"}
    (one,) = library({"b.md": text}).search("queue_size 队列长度").hits
    assert one.second == ""


def test_each_part_of_a_question_brings_its_best_place(library: MakeLibrary) -> None:
    about = "诊断数据的采集、上传与保留由采集组件负责，诊断数据按天保留，采集任务按天执行。"
    files = {f"诊断{n}.md": f"# 诊断数据 {n}\n\n{about * 2}第 {n} 条。" for n in range(1, 9)}
    files |= {
        f"其他{n}.md": f"# 其他 {n}\n\n慢日志的第 {n} 种格式。\n\n# 乙\n\n留存的第 {n} 种做法。"
        for n in range(1, 9)
    }
    files["慢日志.md"] = "# 慢日志\n\n慢日志默认留存一个季度。"
    question = "诊断数据的采集和保留由哪个组件负责，按天保留还是按周？慢日志留存多久？"
    hits = library(files).search(question, k=3, question=True).hits
    assert "慢日志.md" in [hit.file_path for hit in hits[:3]]
    assert "诊断" in hits[0].file_path


def test_u8_a_name_is_found_in_any_unicode_form(library: MakeLibrary) -> None:
    decomposed = unicodedata.normalize("NFD", "résumé.md")
    made = library({decomposed: "# CV\n\ndix ans", "ＡＰＩ.md": "# 接口\n\n说明"})
    assert made.read(f"{unicodedata.normalize('NFC', 'résumé.md')}#1").text.endswith("dix ans")
    assert made.read("api.md#1").file_path == "ＡＰＩ.md"
    assert found(made.search("ans", path="résumé.md")) == [f"{decomposed}#1"]


def test_a_root_may_be_named_by_a_string(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# 甲", "utf-8")
    with closing(
        Library([Root(str(tmp_path))], tmp_path / ".index" / "i.db", search_seconds=PATIENCE)
    ) as made:
        assert found(made.search("甲")) == ["a.md#1"]


def test_pieces_of_a_word_are_not_the_word(library: MakeLibrary) -> None:
    made = library({"a.md": "经营者自行处置的，车主应当知情。", "b.md": "其他内容"})
    result = made.search("自行车")
    assert (result.level, result.missing) == ("some", ("自行车",))
    assert made.search("自行处置 车主").level == "phrase"
    assert made.search("经营者车主").level == "all"


@pytest.mark.parametrize(("question", "strong"), [("超时", True), ("max_wait 超时", False)])
def test_a_search_whose_name_is_missing_is_not_strong(
    library: MakeLibrary, question: str, strong: bool
) -> None:
    made = library({"a.md": "# 超时\n\n超时为 30 秒。", "b.md": "其他"})
    assert made.search(question, question=True).strong == strong


def test_particles_that_stand_nowhere_are_not_asked_for(library: MakeLibrary) -> None:
    result = library({"a.md": "投递失败后的重试次数为 3。"}).search("那重试呢")
    assert (result.level, result.missing) == ("all", ())


def test_camel_case_that_stands_there_is_not_widened(library: MakeLibrary) -> None:
    documents = library({"a.md": "set maxRetryCount", "b.md": "set max_retry_count"})
    assert found(documents.search("maxRetryCount")) == ["a.md#1"]
