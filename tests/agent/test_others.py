"""The check of an answer that somebody else gave, against documents as they are now."""

from collections.abc import Callable
from pathlib import Path

import pytest

from fanshu.agent.others import (
    MOST_CHUNKS,
    SEARCHED_HITS,
    Checked,
    Cited,
    Within,
    check_answer,
)
from fanshu.library.library import Library
from fanshu.types import EVERYTHING, Chunk, Scope
from tests.waiting import PATIENCE

MANUAL = """\
# Gateway manual

## Timeouts

The write timeout of the gateway is 30 seconds.

## Retries

A request is repeated 3 times, except after an order.
"""
QUOTE = "The write timeout of the gateway is 30 seconds."
SAID = "The write timeout is 30 seconds."
Check = Callable[..., Checked]


@pytest.fixture
def library(tmp_path: Path) -> Library:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "manual.md").write_text(MANUAL, encoding="utf-8")
    (folder / "long.md").write_text(
        "".join(f"## Part {n}\n\nThe code of part {n} is K-{n:04}.\n\n" for n in range(300)),
        encoding="utf-8",
    )
    made = Library([folder], tmp_path / "index.db", search_seconds=PATIENCE)
    made.sync()
    return made


@pytest.fixture
def check(library: Library) -> Check:
    def checked(said: str, *cited: Cited, question: str = "", found: bool = True) -> Checked:
        places = [Within(library, EVERYTHING)]
        return check_answer(said, cited, places, question=question, found=found)

    return checked


def test_what_stands_there_holds(check: Check) -> None:
    for place in ("manual.md#2", "manual.md", " manual.md#2 "):
        done = check(SAID, Cited(place, QUOTE))
        assert (done.status, done.refused, done.objections) == ("answered", (), ())
        (one,) = done.citations
        assert (one.chunk_id, one.lines, one.verified) == ("manual.md#2", (5, 5), "quoted")


def test_a_quote_is_found_anywhere_in_a_long_file(check: Check) -> None:
    done = check("It is K-0287.", Cited("long.md", "The code of part 287 is K-0287."))
    assert done.status == "answered"
    assert done.citations[0].quote == "The code of part 287 is K-0287."


def test_a_swapped_figure_is_unsupported(check: Check) -> None:
    done = check("The write timeout is 45 seconds.", Cited("manual.md#2", QUOTE))
    assert (done.status, done.unsupported) == ("partial", ("45 seconds",))


def test_shown_arithmetic_is_derived(check: Check) -> None:
    cited = Cited("manual.md#2", QUOTE), Cited("manual.md#3", "A request is repeated 3 times")
    done = check("3×30=90 seconds, except after an order.", *cited)
    assert [one.figure for one in done.derived] == ["90 seconds"]
    assert done.unsupported == ()


def test_an_exception_beside_a_quote_is_not_lost(check: Check) -> None:
    done = check("It is repeated 3 times.", Cited("manual.md#3", "A request is repeated 3 times"))
    assert done.status == "partial"
    assert [one for one in done.objections if "except" in one]


def test_a_wrong_place_is_refused_with_the_right_one(check: Check) -> None:
    done = check(SAID, Cited("manual.md#3", QUOTE))
    (refused,) = done.refused
    assert "it stands in manual.md#2" in refused.reason
    assert [one.verified for one in done.citations] == ["located"]


@pytest.mark.parametrize(
    ("cited", "reason"),
    [
        (Cited("manual.md", "words that stand nowhere"), "is not in manual.md"),
        (Cited("manual.md#9", QUOTE), "has the chunks #1 to #3"),
        (Cited("nothing.md", QUOTE), "No document or folder matches 'nothing.md'"),
        (Cited("", QUOTE), "No document or folder matches"),
        (Cited("manual.md#2", ""), "lacks its quote"),
        (Cited("manual.md", ""), "lacks its quote"),
        (Cited("../../etc/passwd", "root"), "No document or folder matches"),
        (Cited("#2", QUOTE), "An id looks like path#3"),
    ],
)
def test_what_cannot_be_opened_is_refused_with_the_reason(
    check: Check, cited: Cited, reason: str
) -> None:
    done = check(SAID, cited)
    assert reason in done.refused[0].reason
    beside = check(SAID, cited, Cited("manual.md#2", QUOTE))
    assert beside.status == "partial"
    assert len(beside.citations) == 1


@pytest.mark.parametrize("place", ["manual.md#2", "manual.md"])
def test_where_a_long_quote_parts_from_the_text_is_shown(check: Check, place: str) -> None:
    done = check(SAID, Cited(place, "The write timeout of the gateway, is 30 seconds and 5 more."))
    assert "(the quote has “…meout of the gateway, is 30 seconds and 5 more.”, the text “" in (
        done.refused[0].reason
    )
    assert "…eout of the gateway is 30 seconds." in done.refused[0].reason
    assert done.objections[0] == done.refused[0].reason


def test_a_refused_citation_is_not_everything_that_holds(check: Check) -> None:
    done = check(SAID, Cited("manual.md#2", ""))
    assert done.status == "partial"
    assert [one.verified for one in done.citations] == ["located"]


def test_one_library_needs_no_scope(library: Library) -> None:
    assert check_answer(SAID, [Cited("manual.md#2", QUOTE)], library).status == "answered"


def test_no_citation_is_no_answer(check: Check) -> None:
    assert check(SAID).status == "not_found"
    assert check("Nothing was found.", found=False).status == "not_found"
    assert check("Nothing was found.", found=False).objections == ()


def test_what_has_moved_since_is_followed_and_what_is_gone_is_said(
    check: Check, library: Library, tmp_path: Path
) -> None:
    known = library.read("manual.md#2").hash
    file = tmp_path / "docs" / "manual.md"
    file.write_text(MANUAL.replace("## Timeouts", "## New\n\nNew.\n\n## Timeouts"), "utf-8")
    moved = check(SAID, Cited("manual.md#2", QUOTE, known))
    assert (moved.status, moved.citations[0].chunk_id) == ("answered", "manual.md#3")
    file.write_text("# Gateway manual\n\n## Retries\n\nNone.\n", "utf-8")
    gone = check(SAID, Cited("manual.md#2", QUOTE, known))
    assert gone.status == "not_found"
    assert "the text is gone" in gone.refused[0].reason


def test_what_may_not_be_seen_is_as_if_it_were_not_there(library: Library) -> None:
    places = [Within(library, Scope(("long.md",)))]
    for place in ("manual.md#2", "manual.md"):
        done = check_answer(SAID, [Cited(place, QUOTE)], places)
        assert done.citations == ()
        assert "manual.md has" not in done.refused[0].reason


def test_the_first_library_that_has_it_counts(library: Library, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "rules.md").write_text("# Rules\n\nA night costs 550 yuan.\n", encoding="utf-8")
    second = Library([other], tmp_path / "second.db", search_seconds=PATIENCE)
    second.sync()
    places = [Within(second, EVERYTHING), Within(library, EVERYTHING)]
    cited = Cited("manual.md#2", QUOTE), Cited("rules.md#1", "A night costs 550 yuan.")
    done = check_answer("30 seconds; 550 yuan.", cited, places)
    assert done.status == "answered"
    assert [one.file_path for one in done.citations] == ["manual.md", "rules.md"]


def test_reasons_are_in_the_language_of_the_answer(check: Check) -> None:
    done = check("写超时是 30 秒。", Cited("manual.md#3", "写超时"))
    assert "没有" in done.refused[0].reason


def test_a_check_goes_through_so_many_chunks_and_no_more(tmp_path: Path) -> None:
    """However much is cited: one answer must not keep a service busy for minutes."""

    class Counting(Library):
        looks = 0

        def read(
            self, chunk_id: str, *, scope: Scope = EVERYTHING, expect: str | None = None
        ) -> Chunk:
            self.looks += 1
            return super().read(chunk_id, scope=scope, expect=expect)

    docs = tmp_path / "docs"
    docs.mkdir()
    sections = "".join(f"## S{number}\n\nalpha {number}\n\n" for number in range(MOST_CHUNKS // 2))
    (docs / "big.md").write_text(f"# Big\n\n{sections}", encoding="utf-8")
    library = Counting([docs], tmp_path / "index.db")
    library.sync()
    cited = [Cited("big.md", "alpha is nowhere"), Cited("big.md#1", "nor is beta")] * 4
    told = check_answer("It is alpha.", cited, [Within(library, EVERYTHING)])
    assert told.status == "not_found"
    assert library.looks < MOST_CHUNKS + len(cited) * (SEARCHED_HITS + 2)
