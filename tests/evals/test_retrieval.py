"""Rankings judged against figures worked out by hand."""

import math
from typing import Any

import pytest

from fanshu.evals.grading import Gold, Place
from fanshu.evals.retrieval import ranking

A = Place("a.md", ("甲",), "写超时为 30 秒", None)
B = Place("b.md", ("乙",), "读超时为 60 秒", None)
B_TOO = Place("c.md", ("丙",), "读超时 60 秒", None)
SCAN = Place("d.pdf", (), "扫描", 7)
BOTH = Gold("cross", (), (), ((A,), (B, B_TOO)))


def text(file: str, said: str = "别的", page: int | None = None) -> dict[str, Any]:
    return {"file": file, "trail": ["甲"], "page": page, "text": said}


def test_both_places_found_second_and_fourth() -> None:
    ranked = [
        text("x.md"),
        text("a.md", "又，写超时为30秒。"),
        text("b.md"),
        text("c.md", "读超时 60 秒"),
    ]
    found = ranking(BOTH, ranked)
    assert found
    assert found.recall == (0.0, 1.0, 1.0)
    assert found.mrr == 0.5
    gained = 1 / math.log2(3) + 1 / math.log2(5)
    assert found.ndcg == pytest.approx(gained / (1 + 1 / math.log2(3)))


def test_the_first_of_two_texts_with_a_place_counts_and_depth_ends() -> None:
    twice = [
        text("a.md", A.quote),
        text("a.md", A.quote),
        *[text("x.md")] * 8,
        text("b.md", B.quote),
    ]
    found = ranking(BOTH, twice)
    assert found
    assert (found.recall, found.mrr) == ((0.5, 0.5, 0.5), 1.0)
    assert found.ndcg == pytest.approx(1 / (1 + 1 / math.log2(3)))


def test_one_text_with_both_places_is_as_good_as_the_best_order() -> None:
    found = ranking(Gold("cross", (), (), ((A,), (A,))), [text("a.md", A.quote)])
    assert found
    assert (found.recall, found.mrr, found.ndcg) == ((1.0, 1.0, 1.0), 1.0, 1.0)


def test_the_same_words_in_another_file_or_under_the_heading_alone_are_no_find() -> None:
    assert ranking(BOTH, [text("x.md", A.quote), text("a.md", "写超时")]) == ranking(BOTH, [])
    none = ranking(BOTH, [])
    assert none
    assert (none.recall, none.mrr, none.ndcg) == ((0.0, 0.0, 0.0), 0.0, 0.0)


def test_a_page_of_a_pdf_is_enough() -> None:
    found = ranking(
        Gold("keyword", (), (), ((SCAN,),)), [text("d.pdf", page=6), text("d.pdf", page=7)]
    )
    assert found
    assert found.mrr == 0.5


def test_nothing_to_find_is_no_figure() -> None:
    assert ranking(Gold("unanswerable", (), (), ()), [text("a.md")]) is None
