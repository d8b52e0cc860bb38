"""What can be turned off to see what it is worth: texts ahead, searches with a path."""

from pathlib import Path

from fanshu import Library
from fanshu.agent.loop import LoopAgent
from fanshu.agent.prompts import SYSTEM
from fanshu.agent.whole import system_text
from fanshu.models.scripted import ScriptedModel
from tests import waiting

NOT_FOUND = [("answer", {"response": "", "citations": [], "found": False})]
LONG = "写超时为 30 秒。" + "它可以按需要调整，但不应超过网关的上限。" * 8


def library(tmp_path: Path) -> Library:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "手册.md").write_text(f"# 手册\n\n## 写超时\n\n{LONG}\n", encoding="utf-8")
    made = Library([tmp_path / "docs"], tmp_path / "index.db", search_seconds=waiting.PATIENCE)
    made.sync()
    return made


async def opened(library: Library, **switches: bool) -> ScriptedModel:
    model = ScriptedModel([NOT_FOUND])
    await LoopAgent(library, model, marker="doc-x", **switches).ask("写超时是多少？")  # type: ignore[arg-type]
    return model


async def test_texts_ahead_can_be_left_out(tmp_path: Path) -> None:
    over = library(tmp_path)
    usual, bare = await opened(over), await opened(over, text_ahead=False)
    assert LONG in usual.seen[0][1].text
    assert LONG not in bare.seen[0][1].text
    assert "写超时" in bare.seen[0][1].text  # the lines of the search stay
    over.close()


async def test_searches_can_be_without_a_path(tmp_path: Path) -> None:
    over = library(tmp_path)
    usual, whole = await opened(over), await opened(over, search_path=False)
    takes = [dict(one.tools[0][0].parameters["properties"]) for one in (usual, whole)]  # type: ignore[call-overload]
    assert [list(one) for one in takes] == [["keyword", "path"], ["keyword"]]
    assert "path" not in whole.seen[0][0].text
    assert len(whole.tools[0]) == len(usual.tools[0])
    over.close()


def test_the_rule_on_paths_goes_in_both_languages() -> None:
    for language in ("zh", "en"):
        assert len(system_text(language, path=False)) < len(SYSTEM[language])  # type: ignore[arg-type]
        assert system_text(language) == SYSTEM[language]  # type: ignore[arg-type]
