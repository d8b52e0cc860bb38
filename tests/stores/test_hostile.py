"""Any string may be asked, any name a file may have, any text stand in it: nothing breaks."""

import os

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from fanshu.library.library import Library
from fanshu.library.store import Store
from fanshu.library.terms import Phrase, phrase, terms
from fanshu.types import Scope
from tests.stores.conftest import MakeLibrary, MakePlace
from tests.stores.places import CAP, Place, check_whole, found_in, of_chunks, whole_text

NAMES = [
    "with 'single' and \"double\" quotes.md",
    "hash#1.md",
    "100%25 & plus+.md",
    "back\\slash.md",
    "two\nlines.md",
    "tab\there.md",
    "🚀 launch 👍🏽.md",
    "*?[x]{y}.md",
    "a:b|c;d<e>.md",
    " leading and trailing .md",
    "-rf.md",
    "two..dots.md",
    "résumé.md",
    "\u202eright to left.md",
    "繁體檔名.md",
    "AND OR NOT.md",
    "deep/er/and deeper/x.md",
    f"{'长' * 83}.md",  # 252 bytes; a name has 255 at most
]
FILES = {name: f"# 第 {n} 份\n\n内容 mark{n}x 在此。\n" for n, name in enumerate(NAMES)} | {
    "plain.md": "# 普通\n\n普通的文字 about 超时 and timeout 30 s.\n"
}


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_any_name_is_found_read_and_outlined(shelf: Library, name: str) -> None:
    mark = f"mark{NAMES.index(name)}x"
    (hit,) = shelf.search(mark).hits
    assert (hit.file_path, hit.chunk_id) == (name, f"{name}#1")
    assert shelf.read(hit.chunk_id).text == FILES[name]
    assert shelf.next(hit.chunk_id) is None
    assert [entry.chunk_id for entry in shelf.outline(name)] == [f"{name}#1"]
    assert [one.chunk_id for one in shelf.search(mark, path=name).hits] == [f"{name}#1"]
    assert set(shelf.store.records([name])) == {name}
    found = shelf.store.files(Phrase(("mark",)), {shelf.store.records([name])[name].id}, CAP)
    assert found == {name: 1}


@pytest.mark.skipif(os.name != "posix", reason="optional: names of bytes")
def test_a_name_that_is_no_text_is_shown_with_escapes(library: MakeLibrary, place: Place) -> None:
    with open(os.fsencode(place.docs) + b"/\xff\xfe\xe9.md", "wb") as file:
        file.write("# 名\n\n无名的内容。\n".encode())
    made = library({"a.md": "甲"})
    (hit,) = made.search("无名的内容").hits
    assert hit.file_path == "\\xff\\xfe\\xe9.md"
    assert made.read(hit.chunk_id).text.startswith("# 名")
    assert not made.sync().changed
    check_whole(made.store)


def test_files_of_any_name_are_renamed_and_removed(library: MakeLibrary, place: Place) -> None:
    made = library(dict(list(FILES.items())[:8]))
    for number, name in enumerate(NAMES[:8]):
        (place.docs / name).rename(place.docs / NAMES[8 + number])
    assert made.sync().renamed == 8
    assert {hit.file_path for hit in made.search("内容", k=20).hits} == set(NAMES[8:16])
    for name in NAMES[8:16]:
        (place.docs / name).unlink()
    assert made.sync().removed == 8
    assert made.store.documents() == {}


# ------------------------------------------------------------ queries

ANY = st.text(st.characters(), max_size=60)  # all of Unicode: controls, lone surrogates
SYNTAX = st.lists(
    st.sampled_from(
        ["AND", "OR", "NOT", "NEAR(", "(", ")", '"', "'", "*", "^", ":", "-", "--", "+", "{", "}",
         "body:", "_exists_:", "/re.*/", "~2", "[a TO z]", "\\", "all:", "{{x}}", '{"match_all":{}}',
         "fts", ";", "DROP TABLE doc", "\x00", "\ud800", "%", "_", "|", "超时", "timeout", "内容",
         "mark1x", "\ue02b", "\ue023", "\ufeff", "\u202e", "\U000e0001"]
    ),
    max_size=12,
).map(" ".join)  # fmt: skip


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(ANY, SYNTAX), st.booleans())
@example("\ud800", False)
@example("字" * 9_999, True)
@example("a " * 1_500, False)
@example(" ".join(f"w{n}" for n in range(600)), True)
@example("|".join(f"timeout {n}" for n in range(300)), False)
@example('"' * 2_000, False)
def test_any_string_is_a_safe_query(shelf: Library, query: str, question: bool) -> None:
    result = shelf.search(query, k=3, question=question)
    assert result.complete
    assert result.total >= len(result.hits) or result.level == "none"
    assert result.level != "none" or not result.hits


@settings(max_examples=30)
@given(ANY)
def test_any_string_is_a_safe_path_scope_and_id(shelf: Library, text: str) -> None:
    from fanshu.errors import LibraryError

    for ask in (
        lambda: shelf.read(text),
        lambda: shelf.read(f"{text}#1"),
        lambda: shelf.search("超时", path=text),
        lambda: shelf.outline(text),
        lambda: shelf.outline(words=text),
    ):
        try:
            ask()
        except LibraryError as error:
            assert str(error)
    assert shelf.search("超时", scope=Scope((text,))).total <= 1
    assert shelf.suggest(text).complete


@settings(max_examples=10)
@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=12), max_size=60))
def test_names_asked_for_may_be_any_and_many(shelf: Library, names: list[str]) -> None:
    assert set(shelf.store.records(names)) <= set(FILES)
    assert shelf.store.aliases(names, None) == []
    assert [entry.file_path for entry in shelf.store.outline(names)] == []


# ------------------------------------------------------------ texts

SCRIPTS = st.sampled_from(
    ["鉴权方式", "繁體連線", "かなカナ", "한국어", "tidb_gc", "v5.4.0", "96MiB", "C++", "C#", "naïve", "Straße",
     "İ", "ﬁ", "㎡", "Привет", "１２３", "①", "²", "-", "_", "@", "。", " ", "\n", "\r\n", "\u3000", "\t", "|",
     '"', "\\", "\u2028", "\u0085", "\x1c", "\x0b", "\u180e", "\u00a0", "\ue02b", "\ue023", "\ue123",
     "\U000f1234", "\U0010ffff", "\ufffe", "\x00", "\x7f", "😀", "👩‍👩‍👧", "\u0301", "ᄀ", "ᅡ", "\u1160",
     "\u0e33", "क्षि", "ا", "٣", "Ⅻ", "ⅷ", "𝔘", "𝟜", "𠀀", "\u2f00", "ﾊﾟ", "ａ", "〇", "々"]
)  # fmt: skip
TEXTS = st.lists(st.lists(SCRIPTS, min_size=1, max_size=20).map("".join), min_size=1, max_size=20)


@pytest.fixture(scope="module")
def texts_store(new_place: MakePlace, tmp_path_factory: pytest.TempPathFactory) -> Store:
    return new_place(tmp_path_factory.mktemp("texts")).store()


@settings(max_examples=25)
@given(TEXTS)
def test_any_text_comes_back_as_it_was_and_is_found_by_itself(
    texts_store: Store, texts: list[str]
) -> None:
    store = texts_store
    with store.write() as writer:
        writer.put(*of_chunks("any.md", *texts))
    assert whole_text(store, store.documents()["any.md"]) == "".join(texts)
    for number, text in enumerate(texts, 1):
        query = phrase(text)
        if query:
            assert f"any.md#{number}" in found_in(store, query), text
    some = {term for text in texts for term in terms(text)}
    for term in sorted(some)[:20]:
        holding = {f"any.md#{n}" for n, text in enumerate(texts, 1) if term in terms(text)}
        assert holding <= found_in(store, Phrase((term,))), term


@settings(max_examples=20)
@given(
    title=st.text(st.characters(codec="utf-8"), max_size=40),
    trail=st.lists(st.text(st.characters(codec="utf-8"), max_size=40), max_size=4).map(tuple),
    images=st.lists(st.text(st.characters(codec="utf-8"), max_size=40), max_size=3).map(tuple),
)
def test_what_is_told_of_a_chunk_comes_back_as_it_was(
    texts_store: Store, title: str, trail: tuple[str, ...], images: tuple[str, ...]
) -> None:
    from dataclasses import replace

    from tests.stores.places import piece, record_of

    one = replace(
        piece(1, "text", trail), images=images, start=7, lines=(3, 9), page=4, part=(2, 5)
    )
    record = record_of("told.md", [one], title)._replace(
        date="2024-02-30", reason="why", encoding="gb18030", replaces="a\nb", mtime_ns=2**62
    )
    with texts_store.write() as writer:
        writer.put(record, [one])
    kept = texts_store.documents()["told.md"]
    assert kept._replace(id=0) == record
    chunk = texts_store.chunk("told.md", 1)
    assert chunk is not None
    assert (chunk.section_path, chunk.level, chunk.title, chunk.date) == (
        trail,
        len(trail),
        title,
        "2024-02-30",
    )
    assert (chunk.images, chunk.lines, chunk.page, chunk.part) == (images, (3, 9), 4, (2, 5))
    assert (chunk.start, chunk.hash, chunk.chunk_id) == (7, one.hash, "told.md#1")


def test_a_chunk_may_be_as_large_as_a_book(store: Store) -> None:
    text = "".join(f"第{n}句话各不相同，编号 {n * 7919}。\n" for n in range(12_000))
    with store.write() as writer:
        writer.put(*of_chunks("book.md", text, "the end"))
    assert whole_text(store, store.documents()["book.md"]) == text + "the end"
    query = phrase("第11999句话各不相同")
    assert query
    assert found_in(store, query) == {"book.md#1"}
    assert store.outline(["book.md"])[0].size == len(text)
