"""search, read, outline, index, status: what they print, and how they end."""

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fanshu import extras
from fanshu.library.parsers.needs import has_ocr
from tests.cli.conftest import Fanshu
from tests.library.parsers.pdfs import pdf
from tests.waiting import PATIENCE


def test_search_as_json_has_what_scripts_rely_on(fanshu: Fanshu) -> None:
    result = fanshu("search", "写超时", "--json")
    found = result.json
    assert result.code == 0
    assert result.err == ""
    assert found.keys() >= {"level", "total", "hits", "other_files", "missing", "suggestions"}
    (hit,) = found["hits"]
    assert hit.keys() >= {
        "chunk_id", "file_path", "section_path", "lines", "page", "snippet", "text", "score",
        "complete",
    }  # fmt: skip
    assert hit["file_path"] == "手册.md"
    assert hit["section_path"] == ["渡口网关手册", "超时与重试"]
    assert hit["lines"] == [3, 7]
    assert hit["page"] is None


def test_words_may_come_as_several_arguments(fanshu: Fanshu) -> None:
    apart = fanshu("search", "写超时", "30", "--json").json
    together = fanshu("search", "写超时 30", "--json").json
    assert apart == together
    assert apart["hits"]


def test_search_for_people_is_what_a_model_sees(fanshu: Fanshu) -> None:
    result = fanshu("search", "E-5041")
    assert result.code == 0
    assert "手册.md" in result.out
    assert "#3" in result.out
    assert "E-5041" in result.out


def test_nothing_found_ends_with_1(fanshu: Fanshu) -> None:
    result = fanshu("search", "鲸鱼", "--json")
    assert result.code == 1
    assert result.json["hits"] == []
    assert result.json["missing"] == ["鲸鱼"]


def test_a_search_that_was_cut_short_has_not_found_nothing(
    fanshu: Fanshu, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fanshu("index").code == 0
    monkeypatch.setenv("FANSHU_SEARCH_SECONDS", "1e-9")
    result = fanshu("search", "写超时")
    assert result.code == 2
    assert "not searched to the end" in result.out
    assert fanshu("search", "写超时", "--json").json["complete"] is False


def test_k_and_path_narrow_a_search(fanshu: Fanshu) -> None:
    assert len(fanshu("search", "超时|gateway", "-k", "1", "--json").json["hits"]) == 1
    hits = fanshu("search", "超时|gateway", "--path", "notes.md", "--json").json["hits"]
    assert {hit["file_path"] for hit in hits} == {"notes.md"}


def test_an_unknown_path_ends_with_2_and_says_what_is_near(fanshu: Fanshu) -> None:
    result = fanshu("search", "超时", "--path", "note.md")
    assert result.code == 2
    assert result.out == ""
    assert "notes.md" in result.err
    assert result.err.count("\n") == 1


def test_read_and_turn_pages(fanshu: Fanshu) -> None:
    read = fanshu("read", "手册.md#2", "--json").json
    assert read.keys() >= {
        "chunk_id", "file_path", "section_path", "part", "lines", "page", "text", "date",
    }  # fmt: skip
    assert read["part"] == [1, 1]
    assert "写超时为 30 秒" in read["text"]
    assert fanshu("read", "手册.md#2", "--next", "--json").json["chunk_id"] == "手册.md#3"
    assert fanshu("read", "手册.md#2", "--prev", "--json").json["chunk_id"] == "手册.md#1"


def test_the_end_of_a_document_is_said(fanshu: Fanshu) -> None:
    result = fanshu("read", "手册.md#3", "--next", "--json")
    assert (result.code, result.json) == (1, {"chunk_id": None, "end": True})
    plain = fanshu("read", "手册.md#1", "--prev")
    assert (plain.code, plain.out) == (1, "")
    assert "nothing further" in plain.err


def test_both_directions_at_once_are_a_usage_error(fanshu: Fanshu) -> None:
    result = fanshu("read", "手册.md#2", "--next", "--prev")
    assert result.code == 2
    assert "exclude each other" in result.err


def test_an_unknown_chunk_ends_with_2(fanshu: Fanshu) -> None:
    result = fanshu("read", "手册.md#99")
    assert result.code == 2
    assert "手册.md#99" in result.err


def test_outline_lists_every_chunk(fanshu: Fanshu) -> None:
    entries = fanshu("outline", "--json").json
    assert [entry["chunk_id"] for entry in entries] == [
        "notes.md#1", "notes.md#2", "手册.md#1", "手册.md#2", "手册.md#3",
    ]  # fmt: skip
    assert entries[3].keys() >= {
        "chunk_id", "file_path", "section_path", "level", "lines", "page", "part",
    }  # fmt: skip
    assert {e["file_path"] for e in fanshu("outline", "notes.md", "--json").json} == {"notes.md"}
    assert "故障排查" in fanshu("outline").out


def test_outline_of_a_section_and_by_words(fanshu: Fanshu) -> None:
    assert "故障排查" in fanshu("outline", "--words", "排查").out
    nothing = fanshu("outline", "--words", "没有的词")
    assert (nothing.code, nothing.out) == (1, "no such heading\n")
    assert fanshu("outline", "--words", "没有的词", "--json").code == 1
    ids = [entry["chunk_id"] for entry in fanshu("outline", "手册.md#1", "--json").json]
    assert ids == ["手册.md#1", "手册.md#2", "手册.md#3"]
    assert fanshu("outline", "手册.md#99").code == 1
    assert fanshu("outline", "没有这个").code == 2


def test_search_lists_all_places_of_a_file(fanshu: Fanshu) -> None:
    found = fanshu("search", "超时", "--path", "手册.md", "-k", "1000", "--json").json
    assert found["exhaustive"]
    assert found["total"] == len(found["hits"])


def test_index_reports_totals_and_files(fanshu: Fanshu) -> None:
    report = fanshu("index", "--json").json
    assert report["total"] == 2
    assert report["chunks"] == 5
    assert report["states"] == {"ok": 2}
    assert report["sync"]["parsed"] == 2
    assert {file["state"] for file in report["files"]} == {"ok"}
    assert report["files"][0].keys() >= {"file_path", "state", "reason", "encoding"}
    assert fanshu("index", "--json").json["sync"]["unchanged"] == 2


def test_a_file_that_fails_is_a_state_not_a_failure(fanshu: Fanshu, docs: Path) -> None:
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    result = fanshu("index", "--json")
    assert result.code == 0
    assert result.json["states"] == {"ok": 2, "failed": 1}
    assert fanshu("index", "--strict").code == 1
    failed = fanshu("status", "--failed", "--json")
    assert failed.code == 0
    (file,) = failed.json["files"]
    assert (file["file_path"], file["state"]) == ("broken.pdf", "failed")
    assert file["reason"]
    assert failed.json["total"] == 3
    assert fanshu("status", "--failed", "--strict").code == 1


def test_status_without_failures_says_so(fanshu: Fanshu) -> None:
    assert "Every file was read" in fanshu("status", "--failed").out


def test_an_empty_folder_is_a_clear_error(fanshu: Fanshu, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = fanshu("search", "超时", "--docs", str(tmp_path / "empty"))
    assert result.code == 2
    assert "Nothing readable" in result.err
    assert result.err.count("\n") == 1
    assert fanshu("outline", "--docs", str(tmp_path / "empty")).code == 2
    assert fanshu("status", "--docs", str(tmp_path / "empty")).code == 0


def test_a_missing_folder_is_a_clear_error(fanshu: Fanshu) -> None:
    result = fanshu("search", "超时", "--docs", "nowhere")
    assert (result.code, result.out) == (2, "")
    assert "'nowhere'" in result.err


def test_several_folders_are_named_and_told_apart(fanshu: Fanshu, tmp_path: Path) -> None:
    other = tmp_path / "other" / "docs"
    other.mkdir(parents=True)
    (other / "x.md").write_text("# X\n\n超时")
    found = fanshu("search", "超时", "--docs", "docs", "--docs", str(other), "--json").json
    assert {hit["file_path"] for hit in found["hits"]} == {"docs/手册.md", "docs-2/x.md"}
    named = fanshu("search", "超时", "--docs", "docs", "--docs", f"B={other}", "--json").json
    assert {hit["file_path"] for hit in named["hits"]} == {"docs/手册.md", "B/x.md"}


def test_one_file_may_be_the_library(fanshu: Fanshu, docs: Path) -> None:
    found = fanshu("search", "gateway", "--docs", str(docs / "notes.md"), "--json").json
    assert [hit["file_path"] for hit in found["hits"]] == ["notes.md"]


def test_excluded_files_are_not_found(fanshu: Fanshu) -> None:
    assert fanshu("search", "gateway", "--exclude", "notes.md").code == 1


def test_a_line_that_is_no_pattern_spoils_no_ignore_file(fanshu: Fanshu, docs: Path) -> None:
    (docs / ".gitignore").write_text("!\nnotes.md\n")
    assert fanshu("search", "超时").code == 0
    assert fanshu("search", "gateway").code == 1


def test_the_index_lives_where_it_is_told(fanshu: Fanshu, tmp_path: Path, home: Path) -> None:
    place = tmp_path / "here"
    assert fanshu("index", "--index", str(place), "--json").json["index"] == str(place / "index.db")
    assert (place / "index.db").is_file()
    assert not list(home.rglob("index.db"))
    fanshu("index")
    (kept,) = home.rglob("index.db")
    assert kept.parent.parent.name == "indexes"


def test_which_folder_is_read_is_said_where_nobody_named_one_and_it_is_large(
    fanshu: Fanshu, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FANSHU_DOCS")
    for number in range(501):
        (docs / f"{number}.txt").write_text("短", encoding="utf-8")
    monkeypatch.chdir(docs)
    assert fanshu("search", "短").err == f"reading {docs} (503 files)\n"
    assert fanshu("search", "短").err == ""
    named = fanshu("search", "短", "--docs", ".", "--index", str(docs.parent / "i"))
    assert named.err == ""


def test_an_index_that_cannot_be_written_is_a_clear_error(fanshu: Fanshu, docs: Path) -> None:
    (docs.parent / "file").write_text("x")
    result = fanshu("index", "--index", str(docs.parent / "file"))
    assert result.code == 2
    assert "cannot be written" in result.err


@pytest.mark.slow
def test_index_watch_follows_the_files(docs: Path, home: Path) -> None:
    """In a process of its own: it goes on until Ctrl-C, which is a good end."""
    environment = dict(os.environ, LANG="C.UTF-8", PYTHONUNBUFFERED="1")
    command = [sys.executable, "-m", "fanshu", "index", "--watch", "--docs", str(docs)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline().startswith("2 read")
        assert process.stdout.readline() == "files: 2 · 2 ok\n"
        assert "Watching" in process.stderr.readline()
        seen = threading.Event()
        with ThreadPoolExecutor(1) as writer:
            writer.submit(_write_until, docs / "new.md", "新的文件", seen)
            try:
                assert next(process.stdout).startswith("1 read, 2 unchanged")
            finally:
                seen.set()
        assert next(process.stdout) == "files: 3 · 3 ok\n"
        (docs / "new.md").unlink()
        assert any("1 removed" in line for line in process.stdout)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
        assert "Traceback" not in process.stderr.read()


def _write_until(path: Path, text: str, seen: threading.Event) -> None:
    """Again, where it was not seen: a watcher is up a moment after it says so."""
    whole = path.parent.parent / path.name
    while not seen.is_set():
        whole.write_text(text, encoding="utf-8")
        whole.replace(path)  # nobody sees a half
        seen.wait(1)


def test_watch_and_json_exclude_each_other(fanshu: Fanshu) -> None:
    assert fanshu("index", "--watch", "--json").code == 2


def test_purge_shows_and_removes_what_is_kept(fanshu: Fanshu, home: Path, docs: Path) -> None:
    fanshu("ask", "写超时是多少", "--docs", str(docs))
    shown = fanshu("purge", "--json").json
    assert [one["kind"] for one in shown["kept"]] == ["index", "traces"]
    assert shown["kept"][0]["about"] == str(docs.resolve())
    assert shown["kept"][0]["bytes"] > 1000
    assert fanshu("purge", "--only", "nothing").code == 2
    assert "1 removed" in fanshu("purge", "--yes", "--only", "traces").out
    assert [one["kind"] for one in fanshu("purge", "--json").json["kept"]] == ["index"]
    fanshu("purge", "--yes")
    assert fanshu("purge", "--json").json["kept"] == []
    assert fanshu("search", "写超时").code == 0
    assert home.is_dir()


def test_an_error_is_json_too_where_json_was_asked_for(fanshu: Fanshu) -> None:
    result = fanshu("read", "手册.md#99", "--json")
    assert (result.code, result.json["error"]) == (2, "unknown_chunk")
    assert "手册.md#99" in result.json["message"]
    assert result.err.count("\n") == 1
    assert fanshu("search", "超时", "--docs", "nowhere", "--json").json["error"] == "folder_missing"


def test_totals_by_state_are_the_same_on_every_run(fanshu: Fanshu, docs: Path) -> None:
    (docs / "broken.pdf").write_bytes(b"no pdf at all")
    (docs / "picture.png").write_bytes(b"x")
    totals = "files: 4 · 2 ok · 1 failed · 1 skipped\n"
    assert totals in fanshu("index").out
    assert totals in fanshu("index").out
    assert totals in fanshu("status").out


def test_reasons_are_words_for_people_and_codes_in_json(fanshu: Fanshu, docs: Path) -> None:
    (docs / "broken.pdf").write_bytes(b"no pdf at all")
    (docs / "picture.png").write_bytes(b"x")
    english, chinese = fanshu("status").out, fanshu("status", "--language", "zh").out
    assert "not a PDF, whatever its name says" in english
    assert ".png files are not read" in english
    assert "扩展名是 PDF，内容不是" in chinese
    assert "不读 .png 文件" in chinese
    reasons = {file["reason"] for file in fanshu("status", "--json").json["files"]}
    assert {"not_pdf", "unsupported type .png"} <= reasons


def test_an_unknown_path_without_anything_near_says_no_more(fanshu: Fanshu) -> None:
    result = fanshu("search", "超时", "--path", "qqqq")
    assert result.err == "No document or folder matches 'qqqq'.\n"


def test_u14_scans_are_named_with_what_would_help(fanshu: Fanshu, docs: Path) -> None:
    (docs / "scan.pdf").write_bytes(pdf([[]], images=[0]))
    report = fanshu("status", "--failed", "--json").json
    scan = report["files"][0]
    waits = ("ocr_pending", "page 1 waits for OCR; `fanshu index` reads it")
    lacks = ("no_text", f"needs_ocr: page 1 empty; to read it: {extras.here().add_shortly('ocr')}")
    assert (scan["state"], scan["reason"]) == (waits if has_ocr() else lacks)


def test_index_counts_the_pages_that_ocr_read(fanshu: Fanshu) -> None:
    assert fanshu("index", "--json").json["ocr"] == {
        "files": 0, "pages": 0, "failed": 0, "seconds": 0.0, "trouble": None,
    }  # fmt: skip


def test_a_faulty_line_of_synonyms_is_named_in_both_languages(
    fanshu: Fanshu, tmp_path: Path
) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_text("等待时限 => 写超时\n孤零零\n", "utf-8")
    chinese = fanshu("search", "等待时限", "--synonyms", str(rules), "--language", "zh")
    assert "第 2 行：只有一个词，略过" in chinese.err
    assert "[经由 等待时限→写超时]" in chinese.out
    assert chinese.code == 0
    english = fanshu("search", "等待时限", "--synonyms", str(rules), "--language", "en")
    assert "line 2: it has only one word; the line is left out" in english.err


def test_suggest_as_json_and_for_people(fanshu: Fanshu) -> None:
    result = fanshu("suggest", "写超市", "--json")
    assert result.code == 0
    assert result.json["query"] == "写超市"
    first = result.json["suggestions"][0]
    assert first.keys() == {"words", "kind", "places", "from"}
    shown = fanshu("suggest", "写超市", "--language", "zh")
    assert first["words"] in shown.out


def test_suggest_ends_with_1_when_there_is_nothing(fanshu: Fanshu) -> None:
    assert fanshu("suggest", "鲸", "--json").json["suggestions"] == []
    result = fanshu("suggest", "鲸", "--language", "en")
    assert result.code == 1
    assert "Nothing in the documents" in result.err


def test_suggest_says_when_its_time_was_up(fanshu: Fanshu, monkeypatch: pytest.MonkeyPatch) -> None:
    assert fanshu("suggest", "鲸", "--json").json["complete"] is True
    monkeypatch.setenv("FANSHU_SEARCH_SECONDS", "1e-9")
    result = fanshu("suggest", "写超市", "--json")
    assert result.code == 2
    assert (result.json["suggestions"], result.json["complete"]) == ([], False)
    assert "Not searched to the end" in fanshu("suggest", "写超市", "--language", "en").err
    assert "没有查完" in fanshu("suggest", "写超市", "--language", "zh").err


@pytest.mark.parametrize("words", ['"', "。，", "。 ，", " "])
def test_a_search_without_a_word_says_so(fanshu: Fanshu, words: str) -> None:
    result = fanshu("search", words)
    assert (result.code, result.out) == (1, "There is no word to look for\n")
    assert "没有可查的词" in fanshu("search", words, "--language", "zh").out


def test_names_of_files_do_nothing_to_a_pipe(fanshu: Fanshu, docs: Path) -> None:
    name, shown = "x\n\x1b[31m鲸.md", "x\\n\\x1b[31m鲸.md"
    (docs / name).write_text("# 鲸\n\n鲸在海里。\n", encoding="utf-8")
    for call in (
        ["search", "海里"],
        ["outline", "--words", "鲸"],
        ["read", f"{shown}#1"],
        ["status"],
        ["ask", "鲸在哪里"],
        ["suggest", "鲸鱼在哪里生活呢"],
    ):
        result = fanshu(*call)
        assert shown in result.out, call
        assert "\x1b" not in result.out + result.err
    assert fanshu("search", "海里", "--json").json["hits"][0]["file_path"] == name
    assert "\x1b" not in fanshu("search", "海里", "--path", "鲸md").err
