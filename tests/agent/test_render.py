from dataclasses import replace

from fanshu.agent.layout import body, one_line, tidy
from fanshu.agent.render import render_chunk, render_search
from fanshu.types import Chunk, FileCount, Hit, OtherWord, SearchResult, WordCount


def hit(chunk_id: str, *trail: str, text: str = "x", complete: bool = False) -> Hit:
    return Hit(
        chunk_id=chunk_id,
        file_path=chunk_id.rpartition("#")[0],
        section_path=trail,
        lines=None,
        page=None,
        snippet=text,
        text=text,
        score=1.0,
        complete=complete,
    )


def found(*hits: Hit, **more: object) -> SearchResult:
    settings = {"query": "q", "level": "all", "total": len(hits), "searched": 50} | more
    return SearchResult(hits=hits, **settings)


# ---------------------------------------------------------------- searches


def test_each_file_stands_once_and_its_hits_in_order() -> None:
    text = render_search(
        found(hit("a.md#7", "T", "c"), hit("b.md#1", "d"), hit("a.md#2", "T", "e")), language="en"
    )
    assert text.splitlines()[1:] == ["a.md · T", "  #2 e: x", "  #7 c: x", "b.md", "  #1 d: x"]


def test_a_file_named_by_a_number_is_named_by_all_headings_above_its_hits() -> None:
    hits = hit("65543.html#2", "空间", "恢复", "准备"), hit("65543.html#3", "空间", "恢复", "执行")
    text = render_search(found(*hits), language="zh")
    assert text.splitlines()[1] == "65543.html · 空间 > 恢复"
    one = render_search(found(hit("2024/a.md#2", "手册", "恢复", "准备")), language="zh")
    assert one.splitlines()[1] == "2024/a.md · 手册"


def test_same_headings_are_told_apart() -> None:
    hits = hit("a#1", "import", "limits"), hit("a#2", "gc", "limits"), hit("a#3", "gc", "other")
    text = render_search(found(*hits), language="en")
    assert "#1 import > limits:" in text
    assert "#2 gc > limits:" in text
    assert "#3 other:" in text


def test_parts_of_one_section_need_no_parents() -> None:
    text = render_search(found(hit("a#1", "T", "c"), hit("a#2", "T", "c")), language="en")
    assert "#1 c: x" in text
    assert "#2 c: x" in text


def test_what_is_known_is_not_printed_again() -> None:
    hits = [hit(f"a#{n}", "T", f"s{n}", text=f"text {n}") for n in (1, 2, 3, 4)]
    text = render_search(
        found(*hits),
        language="en",
        read={"a#1"},
        listed={("a#2", "text 2"), ("a#3", "another sentence")},
        below=["a#4"],
    )
    assert "#1 s1 [read]" in text
    assert "#2 s2 [above]" in text
    assert "#3 s3: text 3" in text
    assert "#4 s4 [in full below]" in text
    assert "text 1" not in text


def test_complete_chunks_keep_their_lines() -> None:
    table = "## s\n\n| a   | b   |\n| --- | --- |\n| 1   | 2   |\n"
    text = render_search(found(hit("a#1", "s", text=table, complete=True)), language="zh")
    assert text.endswith("#1 s〔全文〕：\n    | a | b |\n    |-|-|\n    | 1 | 2 |")


def test_missing_words_are_said_once() -> None:
    words = (WordCount("timeout", 3), WordCount("quantum", 0))
    text = render_search(found(level="some", words=words, missing=("quantum",)), language="en")
    assert text.count("quantum") == 1
    text = render_search(found(hit("a#1"), level="some", missing=("quantum",)), language="en")
    assert "not in the documents: quantum" in text


def test_other_files_are_capped() -> None:
    others = tuple(FileCount(f"f{n}.md", 20 - n) for n in range(12))
    text = render_search(found(hit("a#1"), other_files=others), language="en")
    assert "also (places): f0.md 20 · f1.md 19" in text
    assert "4 more files" in text


def test_links_in_snippets_lose_their_targets() -> None:
    text = render_search(found(hit("a#1", "s", text="see [x](/a/b.md#c), ok")), language="en")
    assert "#1 s: see x, ok" in text


# ---------------------------------------------------------------- chunks


def chunk(text: str, **more: object) -> Chunk:
    settings = {
        "chunk_id": "a.pdf#2",
        "file_path": "a.pdf",
        "section_path": ("One", "Two"),
        "level": 2,
        "lines": None,
        "page": 3,
        "part": (2, 4),
        "hash": "h",
    } | more
    return Chunk(text=text, **settings)


def test_a_chunk_begins_with_where_it_stands() -> None:
    text = render_chunk(chunk("Text.", date="2024-05-01", title="Manual"), language="en")
    assert text.splitlines() == [
        "a.pdf#2 · Manual · One > Two · page 3 · part 2/4 · document date 2024-05-01",
        "Text.",
        "end of file",
    ]


def test_heading_lines_are_left_out_only_where_the_trail_says_them() -> None:
    assert body("## Two\n\nText.", ("One", "Two")) == "Text."
    assert body('### `gc` <span class="v">since 5</span>\n\nx', ("gc since 5",)) == "x"
    assert body("第二条 正文。", ("第二条",)) == "第二条 正文。"
    assert body("Two\nText", ()) == "Two\nText"


# ---------------------------------------------------------------- layout


def test_tidy() -> None:
    assert tidy("a    b\n\n\n   \n    c  \n") == "a  b\n\n    c"
    assert tidy("见[安装](/docs/install.md#一)和[站点](https://x.org/a)") == (
        "见安装和[站点](https://x.org/a)"
    )
    assert tidy("```\nx[0](a.b)    y\n```") == "```\nx[0](a.b)    y\n```"


def test_one_line() -> None:
    assert one_line(" a\n  b ") == "a b"
    assert one_line("abcdef", 4) == "abc…"


# ---------------------------------------------------------------- pictures


def pictured(text: str, *images: str) -> Chunk:
    return Chunk("a.md#1", "a.md", ("架构",), 1, text, None, None, (1, 1), "h", images=images)


def test_pictures_are_named_shortly() -> None:
    chunk = pictured(f"# 架构\n\n{'这里有很多话。' * 10}", *(f"img/{n}.png?raw" for n in range(5)))
    lines = render_chunk(chunk, language="zh").splitlines()
    assert lines[1] == "图：0.png、1.png、2.png 等 5 幅"
    assert "pictures: 0.png, 1.png, 2.png and others, 5 in all" in render_chunk(
        chunk, language="en"
    )


def test_a_section_that_is_mostly_a_picture_says_so() -> None:
    text = "# 架构\n\n![总体架构](img/很长的名字的一张图片.png)\n\n如下图。\n\n[r]: x/y.png\n"
    said = render_chunk(pictured(text, "img/a.png"), language="zh")
    assert "图：a.png（答案可能在图里）" in said
    said = render_chunk(pictured(text, "img/a.png"), language="en")
    assert "pictures: a.png (the answer may be in the picture)" in said
    assert "答案可能在图里" not in render_chunk(pictured(text), language="zh")


def test_a_hit_shown_whole_says_that_its_answer_may_be_in_the_picture() -> None:
    shown = hit("a.md#1", "架构", text="# 架构\n\n![总体](a.png)\n", complete=True)
    text = render_search(found(replace(shown, images=("a.png",))), language="zh")
    assert "#1 架构〔全文〕（答案可能在图里）：总体" in text


def test_anchors_and_line_breaks_as_tags_are_not_shown() -> None:
    text = '<a name="Zt3Ab"></a>\n## 环境\n内存<br />16 GB\n```\n<br />\n```\n'
    assert body(text, ("环境",)) == "内存 16 GB\n```\n<br />\n```"


def test_u12_a_part_says_which_table_it_goes_on_with() -> None:
    part = Chunk(
        "a.md#2",
        "a.md",
        ("参数",),
        1,
        "| a | 1 |\n",
        (9, 9),
        None,
        (2, 3),
        "h",
        carried="| 名 | 值 |",
    )
    assert "（接前，| 名 | 值 |）\n| a | 1 |" in render_chunk(part, language="zh")
    assert "(goes on from: | 名 | 值 |)" in render_chunk(part, language="en")


# ---------------------------------------------------------------- other words


def test_other_words_tried_are_told_and_hits_by_them_alone_marked() -> None:
    other = OtherWord("报表", "统计表", "synonyms", 3)
    by_synonym = replace(hit("b.md#1", "T"), via=(other,))
    text = render_search(found(hit("a.md#1", "T"), by_synonym, others=(other,)), language="zh")
    assert "报表→统计表 3" in text
    assert [line.endswith("[经由 报表→统计表]") for line in text.splitlines() if "#1" in line] == [
        False,
        True,
    ]
