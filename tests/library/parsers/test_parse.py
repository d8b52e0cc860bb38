"""What holds for every file, whatever its kind."""

from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fanshu.library.parsers import SUPPORTED, parse
from fanshu.types import Document

CORPORA = Path(__file__).parents[4] / "shared" / "eval" / "corpora"
PIECES = (
    "# A", "## 二", "Set\n---", "```", "~~~", "---", "key: value", "<h1>x</h1>", "<p>", "</div>",
    "<table><tr><td>", "<pre>\n a", "<!--", "第一章 总则", "第一条 甲", "第二条 乙", "一、总", "二、分",
    "（一）项", "1. 步", "1.1 节", "1.2 节", "附件1", "目录", "text", "\ufffd", "\u2028", "\x0b", "\x0c", "\t",
)  # fmt: skip
TEXTS = st.lists(
    st.tuples(
        st.sampled_from(PIECES) | st.text(max_size=8), st.sampled_from(("\n", "\r\n", "\r", ""))
    )
).map(lambda parts: "".join(a + b for a, b in parts))


def _holds_together(document: Document) -> None:
    at = 0
    for section in document.sections:
        assert section.start == at
        assert section.end > at
        at = section.end
    assert at == len(document.text)
    lines = [section.lines for section in document.sections if section.lines]
    assert all(first <= last for first, last in lines)
    assert lines == sorted(lines)


@pytest.mark.parametrize(
    "name", ["a.md", "a.txt", "a.html", "a.rst", "a.adoc", "a.org", "a.csv", "a.py", "a.doc"]
)
@given(text=TEXTS)
def test_sections_joined_are_the_text(name: str, text: str) -> None:
    _holds_together(parse(name, text.encode("utf-8", "surrogatepass")))


@given(text=TEXTS)
def test_text_is_the_source(text: str) -> None:
    data = text.encode("utf-8", "replace")
    document = parse("a.txt", data)
    source = data.decode().removeprefix("\ufeff").replace("\0", "\ufffd")
    assert document.text == source or document.reason in ("empty", "binary")


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.html"])
@given(data=st.binary(max_size=300))
def test_no_bytes_raise(name: str, data: bytes) -> None:
    assume(not data.startswith(b"%PDF-"))
    document = parse(name, data)
    _holds_together(document)
    assert document.state != "failed"


@pytest.mark.parametrize(
    ("name", "data", "state", "reason"),
    [
        ("a.md", b"", "skipped", "empty"),
        ("a.txt", b" \n\t\n", "skipped", "empty"),
        ("a.exe", b"MZ", "skipped", "unsupported: .exe"),
        ("a.pdf", b"<html>404</html>", "failed", "not_pdf"),
    ],
)
def test_files_without_text(name: str, data: bytes, state: str, reason: str) -> None:
    document = parse(name, data)
    assert (document.state, document.reason, document.text) == (state, reason, "")
    assert document.sections == ()


def test_extension_in_capitals_and_folders() -> None:
    assert parse("b/c.D/A.MD", b"# x").sections[0].trail == ("x",)
    assert {".md", ".txt", ".html", ".pdf"} <= SUPPORTED


@pytest.mark.slow
@pytest.mark.skipif(not CORPORA.is_dir(), reason="the evaluation corpora are not here")
def test_every_document_of_the_corpora() -> None:
    for path in sorted(CORPORA.rglob("*")):
        if path.is_file() and path.suffix in SUPPORTED:
            document = parse(path.name, path.read_bytes())
            assert document.state == "ok", (path, document.reason)
            _holds_together(document)
