"""Answers and steps as lines, without a terminal."""

from dataclasses import replace

from fanshu.agent.events import RoundStarted, Stepped
from fanshu.cli import show
from fanshu.cli.messages import Texts
from fanshu.cli.screen import QUOTE, Line, Screen
from fanshu.cli.steps import Steps, said
from fanshu.types import (
    Answer,
    Chunk,
    Citation,
    Derived,
    FileStatus,
    LibraryStatus,
    Observation,
    Related,
    SearchRecord,
    SearchResult,
    ToolCall,
    Usage,
)

EN, ZH = Texts("en"), Texts("zh")
CITATION = Citation(
    "手册.md#2",
    "手册.md",
    ("手册", "超时"),
    (12, 18),
    None,
    "写超时为 30 秒",
    "超时设置：写超时为 30 秒，读超时为 60 秒。",
    "quoted",
    "h",
)
ANSWERED = Answer("写超时?", "answered", "写超时是 30 秒。", (CITATION,))


def text(lines: object) -> str:
    return "\n".join("".join(span for span, _ in row) for row in lines)  # type: ignore[attr-defined]


def marked(lines: object) -> list[str]:
    rows: list[Line] = list(lines)  # type: ignore[call-overload]
    return [span for row in rows for span, style in row if style == QUOTE]


def test_an_answer_with_its_place_and_the_quote_in_its_passage() -> None:
    lines = list(show.answer(ZH, ANSWERED))
    assert text(lines) == (
        "写超时是 30 秒。\n\n[原文核对一致]\n\n"
        "[1] 手册.md › 手册 › 超时, 第 12-18 行  手册.md#2\n"
        "    超时设置：写超时为 30 秒，读超时为 60 秒。"
    )
    assert marked(lines) == ["写超时为 30 秒"]


def test_a_citation_lists_the_pictures_of_its_section() -> None:
    cited = replace(CITATION, images=("img/a.png", "手册.docx!/word/media/1.png"))
    lines = text(show.answer(ZH, replace(ANSWERED, citations=(cited,)))).splitlines()
    assert lines[-1] == "    图：img/a.png · 手册.docx!/word/media/1.png"


def test_a_quote_over_several_lines_is_marked_on_each() -> None:
    citation = replace(CITATION, quote="一行\n二行", passage="头 一行\n二行 尾")
    assert marked(show.answer(EN, replace(ANSWERED, citations=(citation,)))) == ["一行", "二行"]


def test_a_quote_that_is_folded_otherwise_still_shows_its_passage() -> None:
    citation = replace(CITATION, quote="not as it stands there")
    shown = text(show.answer(EN, replace(ANSWERED, citations=(citation,))))
    assert "    超时设置：写超时为 30 秒，读超时为 60 秒。" in shown


def test_pages_and_single_lines() -> None:
    assert show.place(EN, "a.pdf", (), None, 7) == "a.pdf, page 7"
    assert show.place(EN, "a.md", ("A",), (3, 3), None) == "a.md › A, line 3"
    assert show.place(ZH, "a.md", (), None, None) == "a.md"


def test_everything_that_must_be_said_is_said() -> None:
    result = replace(
        ANSWERED,
        status="partial",
        stop_reason="max_rounds",
        unsupported=("45 秒",),
        derived=(Derived("12", "3×2×2"),),
        citations_rejected=1,
        warnings=("x.pdf could not be read",),
        note="half of it",
        related=(Related("n.md#1", "n.md", ("N",), "nearest\nfact"),),
        searches=(SearchRecord("超时", None, "all", 3), SearchRecord("超时", None, "all", 3)),
        citations=(replace(CITATION, newer_version="手册-2025.md"),),
        unverified_text="as the model put it",
    )
    shown = text(show.answer(EN, result))
    for words in (
        "partial", "all rounds were used", "not in the cited text: 45 秒", "12 = 3×2×2",
        "citations removed", "x.pdf could not be read", "half of it", "nearest fact", "n.md › N",
        "Searched for: 超时\n", "newer version exists: 手册-2025.md", "as the model put it",
    ):  # fmt: skip
        assert words in shown


def test_passages_of_one_chunk_stand_together() -> None:
    other = replace(CITATION, quote="读超时", passage="读超时另有规定。", lines=(20, 20))
    result = replace(ANSWERED, status="passages", citations=(CITATION, other))
    shown = text(show.answer(EN, result))
    assert shown.count("[1]") == 1
    assert "[2]" not in shown
    assert "lines 12-20" in shown
    assert "写超时是 30 秒。" not in shown.splitlines()[0]
    assert "--model" in shown


def test_what_a_run_took() -> None:
    result = replace(ANSWERED, reader="m", rounds=2, usage=Usage(1200, 0, 34, 0.0123), seconds=1.26)
    assert text([show.stats(EN, result)]) == "m · rounds: 2 · tokens: 1,234 · $0.0123 · 1.3 s"


def step(name: str, data: object = None, *, error: bool = False, **arguments: object) -> Stepped:
    call = ToolCall("c", name, arguments)
    return Stepped(1, call, Observation("c", name, "", data, error), 0.0)


def test_steps_in_words() -> None:
    chunk = Chunk("手册.md#2", "手册.md", ("手册", "故障排查"), 2, "…", (1, 2), None, (1, 1), "h")
    found = SearchResult("超时", "all", 5, ())
    assert said(ZH, step("search", found, keyword="超时")) == "搜索 超时 → 5 处"
    assert said(ZH, step("read", chunk, chunk_id="手册.md#2")) == "阅读 手册.md › 故障排查"
    assert said(EN, step("next_chunk", None, chunk_id="a#9")) == "turn the page: a#9"
    assert said(EN, step("read", error=True, chunk_id="#99")) == "read #99: not possible"
    assert said(EN, step("outline")) == "look at the outline"
    assert said(EN, step("summarize", summary="x" * 100)).endswith("…")
    assert said(EN, step("fly", error=True)) == "fly: not possible"


def test_a_call_that_was_not_understood_can_be_shown() -> None:
    call = ToolCall("c", "search", None, raw="{broken")
    event = Stepped(1, call, Observation("c", "search", "", None, error=True), 2.0)
    assert "2.0 s" in said(EN, event)


def test_where_nobody_watches_nothing_is_said(capsys: object) -> None:
    with Steps(Screen(EN)) as steps:
        steps(RoundStarted(1, 6))
        steps(step("outline"))
    assert capsys.readouterr() == ("", "")  # type: ignore[attr-defined]


def test_each_remark_has_a_line_and_the_label_fits() -> None:
    result = Answer(
        "q", "partial", "No answer was reached.", note="read: a#1\nwords found nowhere: x",
        stop_reason="max_rounds",
    )  # fmt: skip
    lines = text(show.answer(EN, result)).splitlines()
    assert "! read: a#1" in lines
    assert "! words found nowhere: x" in lines
    assert "[no answer; what was found is below · all rounds were used]" in lines
    assert show.label(EN, "partial", told=True) == "partial: see below what is missing"
    assert "partial: see below" in text(show.answer(EN, replace(ANSWERED, status="partial")))


def test_the_status_of_a_file_names_its_newer_version() -> None:
    old = FileStatus("a_v1.md", "ok", None, "utf-8", 1, 9, newer_version="a_v2.md")
    status = LibraryStatus((), "index.db", (old,), chunks=1, characters=9, index_bytes=1)
    shown = text(show.status(EN, status, (old,)))
    assert shown.endswith("a_v1.md  utf-8, a newer version exists: a_v2.md")
    plain = replace(old, newer_version=None)
    assert text(show.status(EN, status, (plain,))).endswith("a_v1.md  utf-8")
