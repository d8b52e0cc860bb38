"""The example library and its questions: what the questions rest on does stand there."""

import json
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from selectolax.lexbor import LexborHTMLParser

from fanshu.library.library import Library, Root
from fanshu.types import Chunk
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = ROOT / "examples" / "library"
QUESTIONS = [
    json.loads(line)
    for line in (ROOT / "examples" / "questions.jsonl").read_text("utf-8").splitlines()
]
ANSWERABLE = [q for q in QUESTIONS if q["kind"] != "unanswerable"]
UNANSWERABLE = [q for q in QUESTIONS if q["kind"] == "unanswerable"]
MAX_MISSED = 1  # of 21: questions in everyday words may need another wording
GBK_FILE = "历史资料/旧版常见问题(2.8).txt"
Question = dict[str, Any]


def squash(text: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text))


def pages(path: Path) -> list[str]:
    """The text of a file, page by page; one page for formats that have none."""
    if path.suffix == ".pdf":
        return [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(path)]
    encoding = "gbk" if path == LIBRARY / GBK_FILE else "utf-8"
    text = path.read_text(encoding)
    if path.suffix == ".html":
        body = LexborHTMLParser(text).body
        return [body.text() if body else ""]
    return [text]


def places(question: Question) -> list[dict[str, Any]]:
    return [place for gold in question["gold"] for place in (gold, *gold.get("also", ()))]


def name(question: Question) -> str:
    return str(question["id"])


def test_there_are_questions_of_every_kind_in_both_languages() -> None:
    kinds = Counter(q["kind"] for q in QUESTIONS)
    assert set(kinds) == {"keyword", "cross", "vague", "unanswerable"}
    assert min(kinds.values()) >= 3
    for language in ("zh", "en"):
        assert {q["kind"] for q in QUESTIONS if q["lang"] == language} == set(kinds)
    assert len(QUESTIONS) >= 20
    assert len({q["id"] for q in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize("question", ANSWERABLE, ids=name)
def test_every_quote_stands_in_its_file(question: Question) -> None:
    for place in places(question):
        assert len(place["quote"]) <= 60
        text = pages(LIBRARY / place["file"])
        where = text[place["page"] - 1] if "page" in place else "\n".join(text)
        assert squash(place["quote"]) in squash(where), place


@pytest.mark.parametrize("question", ANSWERABLE, ids=name)
def test_the_answer_holds_what_it_must_and_the_question_does_not(question: Question) -> None:
    assert question["must"]
    for item in question["must"]:
        wordings = item if isinstance(item, list) else [item]
        assert any(squash(w) in squash(question["answer"]) for w in wordings), item
        assert not any(squash(w) in squash(question["question"]) for w in wordings), item
    assert not [t for t in question.get("trap", ()) if squash(t) in squash(question["answer"])]


def test_cross_questions_need_two_places() -> None:
    for question in QUESTIONS:
        if question["kind"] == "cross":
            where = {(g["file"], tuple(g["trail"]), g.get("page")) for g in question["gold"]}
            assert len(where) >= 2, question["id"]


@pytest.mark.parametrize("question", UNANSWERABLE, ids=name)
def test_what_an_unanswerable_question_asks_for_stands_nowhere(question: Question) -> None:
    assert not question["must"]
    assert not question["gold"]
    everything = squash("\n".join(t for f in LIBRARY.rglob("*.*") for t in pages(f))).lower()
    assert question["absent"]
    for word in question["absent"]:
        assert squash(word).lower() not in everything


def test_one_file_is_gbk_and_not_utf8() -> None:
    data = (LIBRARY / GBK_FILE).read_bytes()
    with pytest.raises(UnicodeDecodeError):
        data.decode("utf-8")
    assert "断点续传" in data.decode("gbk")


def test_the_pdf_has_chapters_as_bookmarks() -> None:
    toc = pypdfium2.PdfDocument(LIBRARY / "operations/quick-guide.pdf").get_toc()
    titles = [(entry.level, entry.get_title()) for entry in toc]
    assert (0, "4 Backup and recovery") in titles
    assert (1, "4.2 Restore") in titles


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    made = Library(
        [Root(LIBRARY)], tmp_path_factory.mktemp("index") / "index.db", search_seconds=PATIENCE
    )
    made.sync()
    yield made
    made.close()


@pytest.mark.parametrize("question", ANSWERABLE, ids=name)
def test_every_quote_stands_in_a_chunk_of_the_section_named(
    question: Question, library: Library
) -> None:
    for place in places(question):
        chunks = [library.read(e.chunk_id) for e in library.outline(place["file"])]
        holders = [c for c in chunks if squash(place["quote"]) in squash(c.text)]
        assert [c for c in holders if is_at(c, place)], place


def is_at(chunk: Chunk, place: dict[str, Any]) -> bool:
    """A text before the first heading that evaluation knows may stand below one of ours."""
    if chunk.page != place.get("page"):
        return False
    heading = place["trail"][-1] if place["trail"] else ""
    return squash(heading) in squash(" ".join(chunk.section_path))


def test_the_first_search_finds_what_nearly_every_question_is_about(library: Library) -> None:
    missed = []
    for question in ANSWERABLE:
        hits = library.search(question["question"], k=5, question=True).hits
        shown = [squash(hit.text) for hit in hits]
        if not any(squash(p["quote"]) in text for p in places(question) for text in shown):
            missed.append(question["id"])
    assert len(missed) <= MAX_MISSED, missed


@pytest.mark.slow
def test_the_demo_shows_the_places_it_is_meant_to_show() -> None:
    fanshu = Path(sys.executable).with_name("fanshu")
    run = subprocess.run(
        ["sh", ROOT / "scripts/demo.sh", fanshu], capture_output=True, text=True, encoding="utf-8"
    )
    assert run.returncode == 0, run.stderr
    for words in ("| 45 | 秒 |", "secret.key", "10 requests per minute", "24 hours", "头 10 分钟"):
        assert words in run.stdout
