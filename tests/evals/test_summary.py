"""Results in figures, and two sets of them side by side."""

from pathlib import Path
from typing import Any

import pytest

from fanshu.errors import ConfigError
from fanshu.evals import results
from fanshu.evals.comparing import compare
from fanshu.evals.questions import Question
from fanshu.evals.summary import Spread, cases, spread, summaries


def row(id_: str, kind: str = "keyword", **more: Any) -> dict[str, Any]:
    return {"id": id_, "kind": kind, "answer": "x", "found": True, "citations": []} | more


def by_id(*rows: dict[str, Any]) -> dict[str, Any]:
    return {one["id"]: one for one in rows}


def test_p90_is_what_nine_of_ten_stay_within() -> None:
    assert spread([*range(1, 11)]) == Spread(5.5, 5, 9, 10)
    assert spread([3.0]) == Spread(3.0, 3.0, 3.0, 3.0)
    assert spread([]) is None


def test_all_and_each_kind() -> None:
    found = by_id(
        row("1", status="answered", loops=1, tokens=100, bounces=1, citations_rejected=2),
        row("2", "vague", status="not_found", found=False, loops=3, tokens=300),
        row("3", "vague", error="boom", found=False),
        row("4", "vague", status="partial", loops=2),
    )
    every, keyword, vague = summaries(cases(found, None))
    assert (every.kind, every.questions, every.found, every.errors) == ("all", 4, 2, 1)
    assert (keyword.kind, keyword.questions, vague.questions) == ("keyword", 1, 3)
    assert {name: count for name, count in every.statuses.items() if count} == {
        "answered": 1,
        "partial": 1,
        "not_found": 1,
    }
    assert (every.bounces, every.rejected, every.missing) == (1, 2, 0)
    assert every.spreads["rounds"] == Spread(2, 2, 3, 3)
    assert every.spreads["tokens"] == Spread(200, 100, 300, 300)
    assert "cached" not in every.spreads
    assert every.grades is None


def test_with_gold_questions_without_a_result_count_as_wrong() -> None:
    fields = {"kind": "keyword", "must": ["x"], "gold": [{"file": "a.md", "quote": "x"}]}
    asked = [Question(one, "?", None, "keyword", fields) for one in ("1", "2")]
    right = row("1", citations=[{"file": "a.md", "text": "x"}], read=[], status="answered")
    every = summaries(cases(by_id(right), asked))[0]
    assert every.grades
    assert (every.grades.right, every.grades.complete, every.grades.premature) == (0.5, 0.5, 1)
    assert (every.questions, every.missing) == (2, 1)


def test_only_what_both_have_is_compared() -> None:
    before = by_id(
        row("1", loops=1, tokens=100, seconds=1), row("2", loops=2, tokens=200), row("3")
    )
    after = by_id(row("1", loops=1, tokens=100, seconds=2), row("2", loops=1, tokens=90), row("4"))
    found = compare(cases(before, None), cases(after, None))
    assert (found.paired, found.only_before, found.only_after) == (2, ("3",), ("4",))
    assert [one.id for one in found.differences] == ["2"]
    assert found.differences[0].before.measures == {"rounds": 2, "tokens": 200}
    assert (found.before.spreads["tokens"].mean, found.after.spreads["tokens"].mean) == (150, 95)


@pytest.mark.parametrize(("text", "said"), [("{oops", "line 1"), ('{"id": "1"}\n[2]', "line 2")])
def test_broken_results_name_the_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=said):
        results.load(path)
    with pytest.raises(ConfigError, match="nowhere"):
        results.load(tmp_path / "nowhere")
