"""Literal recall is 1.0: whatever is written is found, in every class of writing there is."""

import pytest

from fanshu.library.library import Library
from fanshu.library.store import Store
from fanshu.library.terms import fold, pattern, phrase
from tests.stores.places import counted, found_in, put

LONGEST = 12
SENTENCE = "连接池的最大空闲时间为三十分钟"
WORD = "pneumono" * 25_000
HAN = "山" * 3_000
PRIVATE = "\ue02b\ue123"

# The text of a file, what must find it, and what must not, as it stands between quotation marks.
CLASSES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "glued.md": ("我们使用itgc审计", ("itgc", "ITGC", "用itgc审", "审计"), ("itg", "审用")),
    "snake.md": ("设置 tidb_gc_life_time", ("tidb_gc_life_time", "gc_life", "life"), ("lif",)),
    "kebab.md": ("pass --max-retry-count 5", ("max-retry-count", "--max-retry", "retry"), ("retr",)),
    "scoped.md": ("install @acme/pkg-core", ("@acme/pkg-core", "@acme/pkg", "acme"), ("@acm",)),
    "plus.md": ("written in C++ today", ("C++", "in C++ today"), ("C+++", "C#")),
    "sharp.md": ("ported to C# later", ("C#", "to C#"), ("C++", "to C+")),
    "camel.md": ("call maxRetryCount()", ("maxRetryCount", "Retry", "maxretrycount"), ("maxRetry",)),
    "acronym.md": ("the HTTPServerName field", ("HTTPServerName", "server", "HTTP"), ("serv",)),
    "version.md": ("since v5.4.0-rc1", ("v5.4.0", "5.4.0", "v5.4.0-rc1", "5.4"), ("5.40", "v54")),
    "error.md": ("raises E-4012 once", ("E-4012", "4012", "e-4012"), ("E-401", "012")),
    "path.md": ("edit /etc/app.d/hosts.yaml", ("/etc/app.d", "app.d/hosts", "hosts.yaml"), ("host",)),
    "option.md": ("the command \\[un]restrict", ("\\[un]restrict", "restrict", "unrestrict"), ("un r",)),
    "script.md": ("這裡說明繁體轉換", ("繁體轉換", "繁体转换", "这里说明"), ("繁转",)),
    "wide.md": ("ＡＰＩ版本　１２３", ("API", "ａｐｉ", "123", "１２３"), ("AP",)),
    "spaced.md": ("超 时 重 试 间 隔", ("超时重试", "重试间隔", "时重"), ("超重",)),
    "wrapped.md": ("每一项支出都要\n  经过审批才行", ("都要经过审批", "要经"), ("都经",)),
    "hyphen.md": ("End-of-life dates", ("end-of-life", "end of life", "of-life"), ("endoflife",)),
    "accent.md": ("le résumé naïve", ("résumé", "resume", "naïve", "NAIVE"), ("resum",)),
    "ligature.md": ("the ﬁle oﬃce", ("file", "office", "ﬁle"), ("of",)),
    "emoji.md": ("发布🚀完成 ok👍🏽done", ("发布🚀完成", "ok👍🏽done", "完成"), ("发布成",)),
    "kana.md": ("サーバーの再起動", ("サーバー", "再起動", "の再"), ("サバー",)),
    "hangul.md": ("서버를 다시 시작", ("서버를", "다시시작", "버를"), ("서를",)),
    "cyrillic.md": ("Привет, МИР", ("привет", "мир", "Привет, мир"), ("приве",)),
    "number.md": ("上限 1,024 MB 或 96MiB", ("1,024 MB", "96MiB", "96 MiB"), ("02",)),
    "quote.md": ("it’s “quoted” text", ("it's", '"quoted" text', "quoted text"), ("its",)),
    "soft.md": ("auto\u00admatic zero\u200bwidth", ("automatic", "zerowidth"), ("auto",)),
    "long.md": (f"{WORD} ends", ("ends",), ("pneumono", "end")),
    "han.md": (HAN, ("山" * 12, "山" * 100), ("山水",)),
    "private.md": (f"before{PRIVATE}after", ("before", "after"), ("beforeafter",)),
    "zero.md": ("nul\x00between", ("nul", "nul between"), ("nulbetween",)),
    "mixed.md": ("第3条第（二）款ABC-12型", ("第3条", "第（二）款", "ABC-12型", "3条第"), ("第二条",)),
}  # fmt: skip
FILES = {name: text for name, (text, _, _) in CLASSES.items()} | {"a.md": SENTENCE}


@pytest.mark.parametrize("name", CLASSES)
def test_every_way_of_writing_is_found(shelf: Library, name: str) -> None:
    _, literals, others = CLASSES[name]
    for literal in literals:
        result = shelf.search(literal, path=name)
        assert result.level in ("phrase", "all"), (literal[:50], result)
        assert {hit.file_path for hit in result.hits} == {name}, literal[:50]
    for literal in others:
        assert f"{name}#1" not in holding(shelf, literal), literal


@pytest.mark.parametrize("name", [name for name in CLASSES if name != "private.md"])
def test_every_chunk_finds_itself_by_its_whole_text(shelf: Library, name: str) -> None:
    entries = shelf.outline(name)
    for entry in (*entries[:2], entries[-1]):
        assert entry.chunk_id in holding(shelf, shelf.read(entry.chunk_id).text)


def test_every_piece_of_a_chinese_sentence_is_found(shelf: Library) -> None:
    for start in range(len(SENTENCE)):
        for end in range(start + 1, min(start + LONGEST, len(SENTENCE)) + 1):
            assert "a.md#1" in holding(shelf, SENTENCE[start:end]), SENTENCE[start:end]


def test_what_the_index_finds_is_what_a_scan_finds(shelf: Library) -> None:
    folded = {f"{name}#1": fold(text) for name, text in FILES.items()}
    literals = {text[at : at + size] for text in FILES.values() for size in (2, 5) for at in (0, 3)}
    for literal in sorted(literals):
        looked_for = pattern(literal)
        if looked_for is None:
            continue
        scanned = {name for name, text in folded.items() if looked_for.search(text)}
        assert scanned <= holding(shelf, literal), literal


def test_a_word_of_any_length_is_a_term(store: Store) -> None:
    """A parser may give what it likes; what an engine cannot hold of a word, it may cut."""
    put(store, "a.md", f"{WORD} ends here")
    put(store, "b.md", f"{WORD[:300]} begins there")
    assert counted(store, WORD) == 1
    assert counted(store, WORD[:300]) == 1
    assert counted(store, WORD[:299]) == 0
    assert counted(store, f"{WORD} ends") == 1
    assert counted(store, f"{WORD} begins") == 0


def test_private_characters_of_a_text_are_no_terms_of_ours(shelf: Library) -> None:
    """C++ and C# are kept by private characters; a text that holds these says nothing of C++."""
    assert "private.md#1" not in holding(shelf, "before+")
    assert "private.md#1" in holding(shelf, "before")


def holding(library: Library, literal: str) -> set[str]:
    """The chunks that hold a literal, as the index has it."""
    query = phrase(literal)
    assert query, literal
    return found_in(library.store, query)
