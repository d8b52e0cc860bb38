"""What holds for the files of the page without a browser."""

import re
from pathlib import Path

import pytest

import fanshu

PAGE = Path(fanshu.__file__).parent / "serve" / "page"
OWN = sorted(PAGE.glob("*.js"))
MAX_LINES = 400
WRITES_MARKUP = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc"
)
ELSEWHERE = re.compile(r"""["'(]\s*(?:https?:)?//""")


@pytest.mark.parametrize("file", OWN, ids=lambda file: file.name)
def test_text_never_becomes_markup(file: Path) -> None:
    assert not WRITES_MARKUP.search(file.read_text("utf-8"))


@pytest.mark.parametrize("file", [*OWN, *sorted(PAGE.glob("*.css")), PAGE / "index.html"])
def test_the_page_names_no_other_server(file: Path) -> None:
    assert not ELSEWHERE.search(file.read_text("utf-8"))


@pytest.mark.parametrize("file", OWN, ids=lambda file: file.name)
def test_modules_are_short_and_say_what_they_are_for(file: Path) -> None:
    lines = file.read_text("utf-8").splitlines()
    assert lines[0].startswith("// ")
    assert len(lines) <= MAX_LINES


def test_index_holds_no_code_of_its_own() -> None:
    text = (PAGE / "index.html").read_text("utf-8")
    assert not re.search(r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=", text)


def test_every_phrase_is_there_in_both_languages_and_used() -> None:
    words = (PAGE / "words.js").read_text("utf-8")
    rows = re.findall(
        r'^  "?([\w.]+)"?: \[("(?:[^"\\]|\\.)*"), ("(?:[^"\\]|\\.)*")\],$', words, re.MULTILINE
    )
    assert len(rows) > 100
    code = "".join(file.read_text("utf-8") for file in OWN if file.name != "words.js")
    said = set(re.findall(r'"([a-z][\w.]+)"', code)) | set(re.findall(r"`(\w+)\.\$", code))
    said |= {f"{key}.one" for key in said}
    unused = [key for key, _, _ in rows if key not in said and key.split(".")[0] not in said]
    assert not [
        key for key in unused if not re.search(rf"`{re.escape(key.rpartition('.')[0])}\.", code)
    ]
    for key, english, chinese in rows:
        assert set(re.findall(r"\{\w+\}", english)) == set(re.findall(r"\{\w+\}", chinese)), key


def test_what_is_vendored_comes_with_its_licence() -> None:
    for file in (PAGE / "vendor").glob("*.js"):
        assert "MIT" in file.with_suffix(".LICENSE").read_text(
            "utf-8"
        ) or "Permission is hereby granted" in file.with_suffix(".LICENSE").read_text("utf-8")
