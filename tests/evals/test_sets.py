"""Questions drafted from documents, and checked against them."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fanshu import Library
from fanshu.evals.checking import Documents, problems
from fanshu.evals.corpora import Corpora
from fanshu.evals.drafting import Drafting, facts_of
from fanshu.evals.drafting_by_model import drafts
from fanshu.evals.questions import Question, load
from fanshu.models.scripted import ScriptedModel
from fanshu.settings import Settings
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "eval"
MANUAL = """# 手册

## 超时

写超时为 30 秒，可以按需要调整。

1. 用 `read_timeout` 设置读超时。

## 日志

日志保留 7 天，然后由系统自动删除。
"""


@pytest.fixture
def documents(tmp_path: Path) -> Documents:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "手册.md").write_text(MANUAL, encoding="utf-8")
    with closing(
        Library([tmp_path / "docs"], tmp_path / "index.db", search_seconds=PATIENCE)
    ) as library:
        library.sync()
        return Documents(library)


PLACE = {"file": "手册.md", "trail": ["手册", "超时"], "quote": "写超时为 30 秒"}
RIGHT = {
    "id": "1",
    "question": "写超时是多少？",
    "kind": "keyword",
    "answer": "30 秒",
    "must": ["30"],
    "gold": [PLACE],
}


def told(documents: Documents, **changed: Any) -> list[str]:
    fields = RIGHT | changed
    one = Question(fields["id"], fields["question"], None, fields["kind"], fields)
    return list(problems(one, documents))


def test_a_question_that_stands_passes(documents: Documents) -> None:
    assert told(documents) == []
    assert told(documents, gold=[PLACE | {"trail": []}]) == []  # others cut less finely
    assert told(documents, kind="unanswerable", must=[], gold=[], absent=["GPU"]) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"gold": [PLACE | {"file": "b.md"}]}, "no file 'b.md'"),
        ({"gold": [PLACE | {"trail": ["手册", "重试"]}]}, "no section"),
        ({"gold": [PLACE | {"trail": ["手册", "日志"]}]}, "does not stand there"),
        ({"gold": [PLACE | {"quote": "写超时为 99 秒"}]}, "does not stand there"),
        ({"must": ["99"], "answer": ""}, "stands in no place"),
        ({"answer": "半分钟"}, "is not in 'answer'"),
        ({"question": "写超时是 30 秒吗？"}, "gives '30' away"),
        ({"trap": ["30 秒"]}, "'trap'"),
        ({"kind": "cross"}, "two places"),
        ({"must": []}, "'must' and 'gold'"),
        ({"must": [], "gold": []}, "says nothing of what is right"),
        ({"kind": "unanswerable", "must": [], "gold": [], "absent": ["写超时"]}, "does occur"),
    ],
)
def test_what_does_not_stand_is_told(
    documents: Documents, changed: dict[str, Any], said: str
) -> None:
    assert any(said in one for one in told(documents, **changed)), told(documents, **changed)


@pytest.mark.parametrize("name", ["examples/questions.jsonl", "dev.jsonl"])
def test_known_questions_pass(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    if name == "dev.jsonl" and not SHARED.is_dir():
        pytest.skip("the evaluation set ../shared/eval is absent")
    path, docs = (
        (SHARED / name, SHARED / "corpora")
        if name == "dev.jsonl"
        else (ROOT / name, ROOT / "examples" / "library")
    )
    corpora = ("manual-zh", "guides-pdf") if name == "dev.jsonl" else ()
    with closing(Corpora(Settings(docs=(str(docs),), exclude=("SOURCE.md",)))) as sets:
        known: dict[str, Documents] = {}
        for one in load(path, corpora=corpora):
            at = sets.named(one)
            known[at] = known.get(at) or Documents(sets.of(one).library)
            assert list(problems(one, known[at])) == [], one.id


# ---------------------------------------------------------------- drafts


def test_facts_are_figures_and_terms_but_no_numbers_of_items(documents: Documents) -> None:
    found = facts_of(documents.texts["手册.md"].chunks)
    assert [one.text for one in found] == ["30 秒", "read_timeout", "7 天"]


def test_drafts_leave_the_fact_out_and_pass(documents: Documents) -> None:
    made = list(Drafting(documents, "手册", 1).drafts(2))
    for one in made:
        assert "____" in one["question"]
        assert one["must"][0] not in one["question"]
        assert told(documents, **one) == []
    assert [one["id"] for one in made] == ["手册-001", "手册-002"]
    assert made == list(Drafting(documents, "手册", 1).drafts(2))


def test_drafts_of_a_library_are_a_mix(tmp_path: Path) -> None:
    with closing(
        Library([ROOT / "examples" / "library"], tmp_path / "index.db", search_seconds=PATIENCE)
    ) as library:
        library.sync()
        made = list(Drafting(Documents(library), "library", 3).drafts(15))
    assert len(made) == 15
    assert {one["kind"] for one in made} == {"keyword", "cross", "unanswerable"}
    assert len({place["file"] for one in made for place in one["gold"]}) >= 6


def worded(**given: Any) -> Any:
    told = {"question": "写入多久算超时？", "answer": "30 秒", "must": ["30 秒"]}
    return [("question", told | given)]


async def test_a_model_words_them_and_code_looks(documents: Documents) -> None:
    quotes = ["写超时为 30 秒", "日志保留 7 天", "用 `read_timeout` 设置"]
    model = ScriptedModel(
        [
            worded(quotes=["nowhere"]),
            worded(quotes=quotes, must=["30 秒"], answer="7 天，30 秒"),
            "no call",
        ]
    )
    made = [one async for one in drafts(Drafting(documents, "手册", 1), model, 1)]
    assert model.forced[0] == "question"
    for one in made:
        assert told(documents, **one) == []
