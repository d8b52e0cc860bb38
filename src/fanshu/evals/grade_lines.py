"""Results without a word of the documents: ids, grades, and what they took.

For baselines that are kept in a repository, and for showing figures to others.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from fanshu.evals.grading import Grade
from fanshu.evals.retrieval import CUTS, Ranking

KEPT = (
    *("id", "system", "repeat", "corpus", "kind", "found", "status", "stop_reason", "model"),
    *("loops", "tokens", "prompt_tokens", "cached_tokens", "completion_tokens", "cost"),
    *("seconds", "first_step", "bounces", "citations_rejected", "searches", "reads"),
)
GRADE = "grade"  # the key that tells such a line from a whole result
RANKING = "ranking"


def grade_line(
    result: Mapping[str, Any], grade: Grade, ranking: Ranking | None
) -> dict[str, object]:
    """One result with its grade in place of its texts."""
    kept = {key: result[key] for key in KEPT if key in result}
    error = {"error": "error"} if "error" in result else {}  # its text may name a path
    ranked = {RANKING: asdict(ranking)} if ranking else {}
    return kept | error | {GRADE: asdict(grade)} | ranked


def grade_in(result: Mapping[str, Any] | None) -> Grade | None:
    """The grade that such a line holds; None of any other."""
    told = (result or {}).get(GRADE)
    if not isinstance(told, dict):
        return None
    return Grade(
        right=told.get("right") is True,
        cited=told.get("cited") is True,
        complete=told.get("complete") is True,
        premature=told.get("premature"),
        precision=told.get("precision"),
        refusal=told.get("refusal"),
    )


def ranking_in(result: Mapping[str, Any] | None) -> Ranking | None:
    """How the ranking of such a line did; None of any other."""
    told = (result or {}).get(RANKING)
    if not isinstance(told, dict) or len(told.get("recall") or ()) != len(CUTS):
        return None
    return Ranking(tuple(told["recall"]), told.get("mrr", 0.0), told.get("ndcg", 0.0))
