"""Sections → chunks: exact, complete, cut where a reader would."""

from hypothesis import given
from hypothesis import strategies as st

from fanshu.library.chunks import Piece, chunks
from fanshu.types import Document, Section


def document(text: str) -> Document:
    return Document(text, (Section(("手册",), 1, 0, len(text), (1, text.count("\n") + 1)),))


def cut(text: str, limit: int = 100) -> tuple[Piece, ...]:
    return chunks(document(text), limit)


@given(st.text(alphabet="字。ab \n|-:#`；", max_size=1500), st.integers(20, 200))
def test_chunks_joined_are_the_document(text: str, limit: int) -> None:
    pieces = cut(text, limit)
    assert "".join(piece.text for piece in pieces) == text
    assert [piece.number for piece in pieces] == list(range(1, len(pieces) + 1))
    assert all(piece.part == (n, len(pieces)) for n, piece in enumerate(pieces, 1))
    assert all(text[p.start : p.start + len(p.text)] == p.text for p in pieces)


def test_cuts_fall_between_paragraphs() -> None:
    paragraph = "这是一段文字，说明一件事情，大约三十个字左右的样子。"
    pieces = cut("\n\n".join([paragraph] * 12))
    assert len(pieces) > 2
    assert all(piece.text.strip().split("\n\n")[0] == paragraph for piece in pieces)


def test_a_list_stays_with_its_announcement() -> None:
    filler = "前面的文字。" * 14
    text = f"{filler}\n\n支持的参数如下：\n\n" + "".join(
        f"- 参数{i}：默认值 {i}\n" for i in range(20)
    )
    announced = next(piece for piece in cut(text) if "如下" in piece.text)
    assert "- 参数0" in announced.text


def test_table_rows_are_not_cut() -> None:
    rows = "".join(f"| 参数{i} | {i} | 说明文字 |\n" for i in range(40))
    pieces = cut(f"| 名称 | 值 | 说明 |\n|---|---|---|\n{rows}")
    assert len(pieces) > 2
    assert all(line.endswith("|") for piece in pieces for line in piece.text.splitlines())


def test_a_fence_that_fits_is_not_cut() -> None:
    fence = "```sh\n" + "echo 1 # 注释\n" * 6 + "```\n"
    text = ("说明文字。" * 12 + "\n\n" + fence + "\n") * 3
    for piece in cut(text):
        assert piece.text.count("```") % 2 == 0


def test_a_long_line_is_cut_at_sentences() -> None:
    pieces = cut("这是一句话。" * 200)
    assert all(piece.text.endswith("。") for piece in pieces)


def test_parts_have_lines_of_their_own() -> None:
    pieces = cut("".join(f"第{i}行文字，内容若干若干若干。\n" for i in range(30)))
    assert pieces[0].lines == (1, len(pieces[0].text.splitlines()))
    assert pieces[1].lines is not None
    assert pieces[1].lines[0] == len(pieces[0].text.splitlines()) + 1


def test_one_huge_line_is_fast_and_whole() -> None:
    text = "字" * 1_000_000
    pieces = cut(text, 800)
    assert sum(len(piece.text) for piece in pieces) == len(text)
    assert max(len(piece.text) for piece in pieces) <= 1000
