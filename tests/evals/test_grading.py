"""Grades are those of the evaluation set's own grader, and tell what was answered too soon."""

import importlib
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fanshu.errors import ConfigError
from fanshu.evals.grading import gold, grade
from fanshu.evals.questions import Question, load

SHARED = Path(__file__).parents[3] / "shared" / "eval"


def question(**fields: Any) -> Question:
    place = {"file": "a.md", "trail": ["手册", "超时"], "quote": "写超时为 30 秒"}
    fields = {"kind": "keyword", "must": [["30秒", "30 s"]], "gold": [place]} | fields
    return Question("1", "?", None, fields["kind"], fields)


def graded(result: dict[str, Any], **fields: Any) -> tuple[bool, bool, bool, bool | None]:
    right = gold(question(**fields))
    assert right
    got = grade(right, result)
    return got.right, got.cited, got.complete, got.premature


CITED = {"file": "a.md", "trail": ["超时"]}
READ = {"chunk_id": "a.md#2", "file": "a.md", "trail": ["手册", "超时"], "page": None}


def test_right_cited_and_complete() -> None:
    result = {"answer": "写超时是 30 秒。", "citations": [CITED], "read": [READ]}
    assert graded(result) == (True, True, True, False)
    assert graded(result | {"answer": "130 秒"}) == (False, True, True, False)
    assert graded(result, trap=["是"]) == (False, True, True, False)
    assert graded(result | {"answer": "30秒" + "啊" * 600})[0] is False
    assert graded(result | {"citations": [CITED] * 11})[1:3] == (False, False)
    assert graded(result | {"found": False})[0] is False


def test_not_found_is_right_where_the_documents_do_not_say() -> None:
    unsaid = {"kind": "unanswerable", "must": [], "gold": []}
    assert graded({"answer": "", "found": False}, **unsaid) == (True, True, True, None)
    assert graded({"answer": "30", "found": True}, **unsaid) == (False, False, False, None)


def test_not_finding_is_apart() -> None:
    unsaid = gold(question(kind="unanswerable", must=[], gold=[]))
    said = gold(question())
    assert unsaid and said
    refused: dict[str, Any] = {"answer": "", "found": False, "citations": []}
    given: dict[str, Any] = {"answer": "30秒", "citations": []}
    assert (grade(unsaid, refused).refusal, grade(unsaid, given).refusal) == ("right", "invented")
    assert (grade(said, refused).refusal, grade(said, given).refusal) == ("wrong", None)
    assert (grade(said, None).refusal, grade(said, refused | {"error": "x"}).refusal) == (
        None,
        None,
    )


def test_the_precision_of_citations_is_the_share_that_points_at_gold() -> None:
    right = gold(question())
    assert right
    other = {"file": "b.md", "trail": ["超时"]}

    def precision(*cited: dict[str, Any]) -> float | None:
        return grade(right, {"answer": "30秒", "citations": cited}).precision

    assert precision() is None
    assert precision(CITED, other, CITED, other) == 0.5
    assert precision(*[CITED] * 11) == 0  # more than anybody looks up count as none


def test_an_answer_is_premature_when_a_place_was_never_seen() -> None:
    result: dict[str, Any] = {"answer": "30秒", "citations": [CITED], "status": "answered"}
    assert graded(result)[3] is None
    assert graded(result | {"read": []})[3] is True
    shown = [{"chunk_id": "a.md#2", "file": "a.md", "text": "写超时为30秒，可调。"}]
    assert graded(result | {"read": [], "shown": shown})[3] is False
    assert graded(result | {"read": [], "status": "partial"})[3] is False
    assert graded(result | {"read": [READ | {"file": "b.md"}]})[3] is True


def test_without_gold_there_is_no_grade() -> None:
    assert gold(Question("1", "?")) is None
    with pytest.raises(ConfigError, match="'1'"):
        gold(question(gold=[{"trail": ["x"]}]))
    with pytest.raises(ConfigError, match="'1'"):
        gold(question(must=[[""]]))


# ---------------------------------------------------------------- against the grader itself


@pytest.fixture
def theirs(monkeypatch: pytest.MonkeyPatch) -> Any:
    if not SHARED.is_dir():
        pytest.skip("the evaluation set ../shared/eval is absent")
    monkeypatch.syspath_prepend(str(SHARED))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # the folder may be read-only
    return importlib.import_module("grade")


def results(one: Question, chance: random.Random) -> Iterator[dict[str, Any] | None]:
    """Results for a question, from right to wrong, in all the forms that citations have."""
    places = [place for each in one.fields["gold"] for place in (each, *each.get("also", []))]
    other = {"file": "other.md", "trail": ["别处"]}
    answers = [one.fields["answer"], "", "没有说", *map(str, one.fields.get("trap", []))]
    answers += [one.fields["answer"] * n for n in (4, 40)]
    yield None
    for answer in answers:
        for found in (True, False):
            kept = chance.sample(places, chance.randint(0, len(places)))
            forms = [cited(place, chance) for place in kept]
            yield {"answer": answer, "found": found, "citations": forms}
            yield {"answer": answer, "citations": [*forms, other]}
            yield {"answer": answer, "citations": [*forms, *[other] * 10]}


def cited(place: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    trail = place["trail"]
    forms: list[dict[str, Any]] = [
        {"text": f"前文 {place['quote']} 后文"},
        {"text": place["quote"][:-1]},
        {"trail": trail},
        {"trail": " > ".join(trail[-1:])},
        {"heading": trail[-1] if trail else None},
        {"trail": [f"{heading} 的要求" for heading in trail]},
        {"page": place.get("page", 3)},
        {"page": 999_999, "trail": trail},
        {},
    ]
    return {"file": place["file"]} | chance.choice(forms)


@pytest.mark.parametrize("name", ["dev", "hard-dev"])
def test_grades_are_those_of_the_evaluation_set(theirs: Any, name: str) -> None:
    chance = random.Random(name)
    met = set()
    for one in load(SHARED / f"{name}.jsonl"):
        right = gold(one)
        assert right
        for result in results(one, chance):
            ours = grade(right, result)
            said = theirs.judge(one.fields, result)
            assert (ours.right, ours.cited, ours.complete) == said, (one.id, json.dumps(result))
            met.add(tuple(map(bool, said)))
    assert len(met) >= 5  # every mixture but the impossible ones, or nearly


MUTATED = settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
LOOSE = st.text("30秒天 第七条.,，-–~*`_ \n１３a\u3000", max_size=40)


@st.composite
def mutated(draw: st.DrawFn, one: Question) -> dict[str, Any]:
    """A result near the right one: cut, repeated, mixed with other signs, cited in any form."""
    answer = one.fields["answer"]
    cut = draw(st.integers(0, len(answer)))
    answer = answer[:cut] + draw(LOOSE) + answer[cut:] * draw(st.integers(0, 3))
    places = [place for each in one.fields["gold"] for place in (each, *each.get("also", []))]
    chance = draw(st.randoms(use_true_random=False))
    kept = draw(st.lists(st.sampled_from(places), max_size=12)) if places else []
    forms = [cited(place, chance) for place in kept]
    result: dict[str, Any] = {"id": one.id, "answer": answer, "citations": forms}
    for form in forms[: draw(st.integers(0, 2))]:
        form["text"] = draw(LOOSE) + str(form.get("text", ""))
    return result | draw(st.sampled_from([{}, {"found": True}, {"found": False}]))


@pytest.mark.parametrize("name", ["dev", "hard-dev"])
def test_mutated_results_are_graded_alike(theirs: Any, name: str) -> None:
    asked = load(SHARED / f"{name}.jsonl")

    @MUTATED
    @given(st.data())
    def alike(data: st.DataObject) -> None:
        one = data.draw(st.sampled_from(asked))
        result = data.draw(mutated(one))
        right = gold(one)
        assert right
        ours = grade(right, result)
        assert (ours.right, ours.cited, ours.complete) == theirs.judge(one.fields, result)

    alike()
