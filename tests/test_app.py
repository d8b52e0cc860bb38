"""Settings become objects: roots and their names, index folders, the door for Python."""

import asyncio
from pathlib import Path

import pytest

import fanshu
from fanshu import app, places
from fanshu.agent.events import Ended, Started, Stepped
from fanshu.errors import (
    ConfigError,
    FolderMissing,
    FolderUnreadable,
    ModelUnauthorised,
    NoDocuments,
)
from fanshu.models.extractive import ExtractiveReader
from fanshu.models.scripted import ScriptedModel
from fanshu.settings import Settings, load

TEXT = "# 手册\n\n## 超时\n\n写超时为 30 秒。\n"
QUOTE = "写超时为 30 秒。"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "手册.md").write_text(TEXT, encoding="utf-8")
    return folder


def names(*docs: str | Path) -> list[str]:
    return [root.name for root in places.roots(Settings(docs=tuple(map(str, docs))))]


def scripted() -> ScriptedModel:
    citation = {"chunk_id": "手册.md#2", "quote": QUOTE}
    arguments = {"response": "写超时为 30 秒。", "citations": [citation], "found": True}
    return ScriptedModel([[("answer", arguments)]])


def test_a_single_root_has_no_name_unless_given_one(docs: Path) -> None:
    assert names(docs) == [""]
    assert names(f"M={docs}") == ["M"]


def test_several_roots_are_named_apart(docs: Path, tmp_path: Path) -> None:
    other = tmp_path / "x" / "docs"
    third = tmp_path / "y" / "DOCS"
    other.mkdir(parents=True)
    third.mkdir(parents=True)
    assert names(docs, other, third) == ["docs", "docs-2", "DOCS-3"]
    assert names(docs / "手册.md", other) == ["docs", "docs-2"]


def test_a_name_given_to_two_roots_is_refused(docs: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"'b' names both {docs} and {tmp_path}"):
        names(f"B={docs}", f"b={tmp_path}")
    other = tmp_path / "x" / "docs"
    other.mkdir(parents=True)
    assert names(other, f"docs={docs}") == ["docs-2", "docs"]


def test_no_index_among_the_documents(docs: Path, tmp_path: Path) -> None:
    for wrong in (docs, docs / "index", docs / "手册.md"):
        with pytest.raises(ConfigError, match=f"among the documents of '{docs}'"):
            place(docs=(str(docs),), index=str(wrong))
    for good in (docs / ".index", docs / "old" / "index", tmp_path):
        assert place(docs=(str(docs),), index=str(good), exclude=("old/",)) == good


def test_the_same_folder_twice_is_one_root(docs: Path) -> None:
    assert names(docs, f"{docs}/../docs/") == [""]


def test_a_root_that_cannot_be_opened_is_said(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(FolderUnreadable, match="loop"):
        names(tmp_path / "loop")
    with pytest.raises(FolderUnreadable, match="too long"):
        names(tmp_path / ("x" * 300))
    with pytest.raises(FolderMissing, match="nobody"):
        names("~nobody-of-this-name/docs")


def test_a_missing_root_is_said(tmp_path: Path) -> None:
    with pytest.raises(FolderMissing, match="nowhere"):
        names(tmp_path / "nowhere")


def test_a_home_folder_may_be_written_short(home: Path) -> None:
    (home / "d").mkdir()
    (root,) = places.roots(Settings(docs=("~/d",)))
    assert root.path == (home / "d").resolve()


def place(**settings: object) -> Path:
    known = load(settings).settings
    return places.index_folder(known, places.roots(known))


def test_an_index_belongs_to_a_set_of_documents(docs: Path, tmp_path: Path) -> None:
    one = place(docs=(str(docs),))
    assert place(docs=(f"{docs}/../docs",)) == one
    assert place(docs=(str(docs),), hits=3, model="x:y") == one
    assert place(docs=(str(docs),), exclude=("*.bak",), part_chars=1500) == one
    others = [place(docs=(str(tmp_path),)), place(docs=(f"N={docs}",))]
    assert len({one, *others}) == 3
    assert place(docs=(str(docs),), index=str(tmp_path / "i")) == tmp_path / "i"


def test_no_model_is_the_extractive_reader() -> None:
    assert isinstance(app.open_model(Settings()), ExtractiveReader)


def test_an_address_alone_is_no_model() -> None:
    with pytest.raises(ConfigError, match="--model"):
        app.open_model(Settings(base_url="http://127.0.0.1:9/v1"))


def test_a_configured_model_without_a_key_is_said() -> None:
    with pytest.raises(ModelUnauthorised, match="OPENAI_API_KEY"):
        app.open_model(Settings(model="openai:gpt-5"))


def test_a_bare_key_is_found() -> None:
    assert app.bare_key({}) is None
    assert app.bare_key({"DEEPSEEK_API_KEY": ""}) is None
    assert app.bare_key({"DEEPSEEK_API_KEY": "sk"}) == "DEEPSEEK_API_KEY"


def test_ask_from_python(docs: Path) -> None:
    answer = fanshu.ask("写超时是多少", docs)
    assert answer.status == "passages"
    assert "写超时为 30 秒" in answer.citations[0].passage


def test_ask_with_a_model_of_ones_own_and_events(docs: Path) -> None:
    events: list[object] = []
    answer = fanshu.ask("写超时是多少", docs, model=scripted(), on_event=events.append, trace=False)
    assert (answer.status, answer.reader, answer.trace_id) == ("answered", "scripted", None)
    assert isinstance(events[0], Started)
    assert any(isinstance(event, Stepped) for event in events)
    assert events[-1] == Ended(answer)


def test_settings_reach_the_loop(docs: Path) -> None:
    model = ScriptedModel([[("search", {"keyword": "超时"})]] * 3)
    answer = fanshu.ask("超时", [docs], model=model, max_rounds=2, first_search=False)
    assert answer.rounds == 2
    assert not [search for search in answer.searches if search.ahead]


async def test_ask_works_where_a_loop_runs_already(docs: Path) -> None:
    assert asyncio.get_running_loop()
    assert fanshu.ask("写超时是多少", docs).status == "passages"


def test_a_wrong_setting_is_said(docs: Path) -> None:
    with pytest.raises(ConfigError, match="max_round"):
        fanshu.ask("超时", docs, max_round=2)


def test_nothing_to_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(b"\0\1")
    with pytest.raises(NoDocuments, match="1 skipped"):
        fanshu.ask("超时", tmp_path)


def test_a_trace_holds_no_secret(docs: Path) -> None:
    settings = load(
        {
            "docs": (str(docs),),
            "api_key": "sk-hush",
            "base_url": "http://u:hush@h/v1?k=hush",
            "store": "opensearch://u:hush@h/lib",
            "store_user": "hush",
            "store_password": "hush",
            "store_password_file": "hush",
            "store_password_command": "hush",
        }
    ).settings
    assert "hush" not in str(app.public(settings))
