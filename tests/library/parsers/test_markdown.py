import pytest

from fanshu.library.parsers import parse
from fanshu.types import Document


def _parse(text: str) -> Document:
    return parse("a.md", text.encode())


def _trails(text: str) -> list[tuple[str, ...]]:
    return [section.trail for section in _parse(text).sections]


def test_u10_comment_in_a_fence_is_no_heading() -> None:
    assert _trails("# T\n```sh\n# 安装\n```\n## U\n") == [("T",), ("T", "U")]


def test_u11_front_matter_is_metadata() -> None:
    document = _parse("---\ntitle: 超时手册\ntags: [a]\n---\n# 正文\n")
    assert document.title == "超时手册"
    assert document.text == "# 正文\n"
    assert document.first_line == 5
    assert document.sections[0].lines == (5, 5)
    assert dict(document.metadata) == {"title": "超时手册", "tags": "a"}


@pytest.mark.parametrize(
    "text",
    ["---\nACME\n---\ntext\n", "---\n\n---\ntext\n", "---\ntitle: a\ntext\n", "a\n---\nb: c\n---\n",
     "---\n- a\n- b\n---\ntext\n"],
)  # fmt: skip
def test_u11_what_is_no_mapping_stays_text(text: str) -> None:
    document = _parse(text)
    assert document.text == text
    assert document.first_line == 1
    assert not document.metadata


def test_front_matter_with_bom_crlf_lists_and_comments() -> None:
    text = (
        "\ufeff---\r\n# about\r\ntitle: 'A: b'\r\ntags:\r\n  - x\r\n- y\r\ndate: 2024-3-1 # day\r\n"
        "nested:\r\n  key: value\r\n...\r\nText\r\n"
    )
    document = _parse(text)
    assert document.text == "Text\r\n"
    assert document.first_line == 11
    assert document.metadata["title"] == "A: b"
    assert document.metadata["tags"] == "x, y"
    assert document.metadata["date"] == "2024-03-01"


def test_front_matter_alone() -> None:
    document = _parse("---\ntitle: a\n---\n")
    assert (document.state, document.reason, document.text) == ("skipped", "empty", "")


def test_yaml_block_later_in_the_file_is_text() -> None:
    assert _trails("# A\n\ntext\n\n---\nkey: value\n---\n\n## B\n")[-1][-1] == "B"


def test_titles_are_plain_text_with_anchors() -> None:
    text = (
        '# `code` and **bold** [link](x) &amp; \\# {#own}\n## <a id="here"></a>Two\n## Two\n## Two\n'
        "### [ref][r] ![alt](i.png)\n\n[r]: http://example.invalid\n"
    )
    found = [(s.trail[-1], s.anchor) for s in _parse(text).sections]
    assert found == [
        ("code and bold link & #", "own"), ("Two", "here"), ("Two", "two"), ("Two", "two-1"),
        ("ref alt", "ref-alt"),
    ]  # fmt: skip


def test_closing_marks_and_what_only_looks_like_a_heading() -> None:
    text = "# A ##\n#no\n####### seven\n\\# escaped\n    # indented\n   ### B\n#\tTab\n"
    assert _trails(text) == [("A",), ("A", "B"), ("Tab",)]


def test_containers_are_transparent() -> None:
    text = "import X from 'x'\n\n# A\n\n<Tabs>\n\n## B\n\n</Tabs>\n\n:::note\n\n## C\n\n:::\n"
    assert [section.trail for section in parse("a.mdx", text.encode()).sections] == [
        ("A",), ("A", "B"), ("A", "C"),
    ]  # fmt: skip


def test_title_is_the_first_top_heading() -> None:
    assert _parse("intro\n\n## x\n\n# Manual\n").title == "Manual"
    assert _parse("## 1.0\n").title == ""


def test_long_line_and_long_section() -> None:
    line = "字" * 3_400_000
    document = _parse(line)
    assert [(s.trail, s.lines) for s in document.sections] == [((), (1, 1))]
    assert parse("a.txt", line.encode()).text == line
    text = "# T\n" + "\n\n".join(["p" * 100] * 2000) + "\n"
    assert [(s.trail, s.lines) for s in _parse(text).sections] == [(("T",), (1, 4000))]


@pytest.mark.slow
def test_g03_300_000_headings() -> None:
    document = _parse("# h\n" * 300_000)
    assert len(document.sections) == 300_000
    assert {section.trail for section in document.sections} == {("h",)}
