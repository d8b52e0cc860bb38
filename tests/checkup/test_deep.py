"""Findings put to a model: what it confirms or dismisses with citations counts."""

from pathlib import Path

import pytest

from fanshu.agent.loop import LoopAgent
from fanshu.checkup.deep import deepened, question, verdict
from fanshu.checkup.examination import check
from fanshu.models.scripted import ScriptedModel
from fanshu.types import Answer
from tests.checkup.chunked import library_of

FILES = {
    "a.md": "# 甲\n\n`read_timeout` 默认为 30 秒。\n",
    "b.md": "# 乙\n\n`read_timeout` 默认为 60 秒。\n",
    "c.md": "# 丙\n\n见[丁](none.md)。\n",
}


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        ("是，互相矛盾。", True),
        ("否，说的是两个版本。", False),
        ("不能确定。", None),
        ("YES: both", True),
        ("No, they differ", False),
        ("UNCLEAR", None),
        ("Maybe", None),
        ("不是同一件事", False),
    ],
)
def test_an_answer_says_yes_no_or_neither_by_how_it_begins(said: str, holds: bool | None) -> None:
    assert verdict(said) is holds


async def answered(folder: Path, text: str) -> tuple[Answer, object]:
    """The answer of a loop whose model reads both places and cites them."""
    library = library_of(folder, FILES)
    report = check(library)
    cited = [
        {"chunk_id": "a.md#1", "quote": "默认为 30 秒"},
        {"chunk_id": "b.md#1", "quote": "默认为 60 秒"},
    ]
    model = ScriptedModel(
        [
            [("read", {"chunk_id": "a.md#1"}), ("read", {"chunk_id": "b.md#1"})],
            [("answer", {"response": text, "found": True, "citations": cited})],
        ]
    )
    run = await LoopAgent(library, model).ask(question(report.findings[0], "zh"))
    return run.answer, report


async def test_a_confirmed_finding_is_surer_and_keeps_its_citations(tmp_path: Path) -> None:
    answer, report = await answered(tmp_path, "是，两处默认值不同：30 秒和 60 秒。")
    found = deepened(report, lambda _: answer, language="zh", limit=5)
    first = found.findings[0]
    assert first.verdict is not None and first.verdict.holds is True
    assert set(first.verdict.places) == {"a.md#1", "b.md#1"}
    assert first.sure >= report.findings[0].sure


async def test_a_dismissed_finding_goes_to_the_end(tmp_path: Path) -> None:
    answer, report = await answered(tmp_path, "否，30 秒和 60 秒说的是两个程序。")
    found = deepened(report, lambda _: answer, language="zh", limit=5)
    assert [one.kind for one in report.findings] == ["conflict", "link"]
    assert [one.kind for one in found.findings] == ["link", "conflict"]
    assert found.findings[1].sureness == "low"


def test_a_verdict_without_a_citation_changes_nothing(tmp_path: Path) -> None:
    report = check(library_of(tmp_path, FILES))
    asked: list[str] = []

    def ask(text: str) -> Answer:
        asked.append(text)
        return Answer(question=text, status="partial", answer="是。")

    found = deepened(report, ask, language="zh", limit=5)
    assert len(asked) == 1  # a link is looked up, not judged
    assert "read_timeout" in asked[0]
    assert found.findings[0].verdict is not None and found.findings[0].verdict.holds is None
    assert found.findings[0].sure == report.findings[0].sure


def test_no_more_is_asked_than_allowed(tmp_path: Path) -> None:
    files = FILES | {
        "e.md": "# 戊\n\n`write_timeout` 默认为 30 秒。\n",
        "f.md": "# 己\n\n`write_timeout` 默认为 60 秒。\n",
    }
    report = check(library_of(tmp_path, files))
    asked: list[str] = []

    def ask(text: str) -> Answer:
        asked.append(text)
        return Answer(question=text, status="not_found", answer="")

    deepened(report, ask, language="en", limit=1)
    assert len(asked) == 1
