"""Queries → conditions of the engine."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fanshu.library.opensearch.queries import (
    LEAVES,
    NOTHING,
    OPEN_BYTES,
    Leaf,
    Within,
    condition,
    expression_of,
    narrower,
)
from fanshu.library.store import AllOf, AnyOf
from fanshu.library.terms import Phrase


def leaves(asked: Any) -> int:
    """How many conditions an engine counts."""
    if isinstance(asked, list):
        return sum(map(leaves, asked))
    kind, what = next(iter(asked.items()))
    if kind == "constant_score":
        return leaves(what["filter"])
    if kind == "bool":
        return sum(leaves(what[part]) for part in ("must", "filter", "should") if part in what)
    return 1


def test_a_pasted_text_has_no_more_conditions_than_an_engine_takes() -> None:
    words = [Phrase((f"a{n}", "b")) for n in range(1_500)] + [Phrase((f"c{n}",)) for n in range(99)]
    for query in (AnyOf(tuple(words)), AllOf(tuple(words)), AnyOf((AllOf(tuple(words)), words[0]))):
        for expression in (expression_of(query), *narrower(query)):
            assert 0 < leaves(condition(expression)) <= LEAVES + 3
            assert 0 < leaves(condition(expression, lambda _: 1.0)) <= LEAVES


def test_single_words_of_which_one_will_do_are_asked_for_at_once() -> None:
    query = AnyOf(tuple(Phrase((f"w{number}",)) for number in range(2_000)))
    assert leaves(condition(expression_of(query))) == 1


def test_a_query_of_nothing_matches_nothing() -> None:
    assert condition(expression_of(AnyOf(()))) == NOTHING


def test_a_heading_that_begins_with_a_word_is_a_phrase_after_the_mark() -> None:
    asked = condition(Leaf(Phrase(("超时",)), "start"))
    assert asked == {"match_phrase": {"heading": {"query": "\ue000 超时"}}}


UNITS = st.lists(st.integers(1, 60), unique=True).map(sorted)


@given(UNITS, st.frozensets(st.integers(1, 60)))
def test_some_documents_are_these_and_no_others(units: list[int], docs: frozenset[int]) -> None:
    inside, outside = Within(docs, units).parts
    found = {
        unit
        for unit in units
        if all(holds(one, unit) for one in inside) and not any(holds(one, unit) for one in outside)
    }
    assert found == docs & set(units)


def holds(asked: Any, unit: int) -> bool:
    kind, what = next(iter(asked.items()))
    if kind == "bool":
        return any(holds(part, unit) for part in what["should"])
    if kind == "range":
        low, high = what["unit"]["gte"], what["unit"]["lte"]
        return bool(low <= unit <= high)
    return kind == "terms" and unit in what["unit"]


def test_a_word_too_long_for_an_open_end_is_taken_as_a_whole() -> None:
    fits, longer = (Leaf(Phrase(("x" * n,), prefix=True)) for n in (OPEN_BYTES, OPEN_BYTES + 1))
    assert "prefix" in condition(fits)
    assert condition(longer) == {"term": {"all": {"value": "x" * (OPEN_BYTES + 1)}}}
