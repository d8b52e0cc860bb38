"""A name that is nearly the one asked for is pointed out, once."""

import pytest

from fanshu.agent.answer import check, status_of
from fanshu.agent.draft import Draft, DraftCitation
from fanshu.types import Chunk

TEXT = "`read_timeout` is 30 seconds by default.\n\nThe pool closes idle connections."
READ = {"a.md#1": Chunk("a.md#1", "a.md", ("Limits",), 1, TEXT, None, None, (1, 3), "hash")}
ASKED = "What is the default of write_timeout?"


def objections(response: str, question: str, read: dict[str, Chunk] = READ) -> tuple[str, ...]:
    cited = (DraftCitation("a.md#1", "30 seconds by default"),)
    draft = Draft(response, cited, found=True)
    verdict = check(draft, read=read, question=question, language="en")
    assert (status_of(draft, verdict) == "partial") is bool(verdict.objections)
    return verdict.objections


def test_another_name_in_the_place_of_the_one_asked_for() -> None:
    (said,) = objections("30 seconds.", ASKED)
    assert "write_timeout" in said
    assert "read_timeout" in said


@pytest.mark.parametrize(
    ("response", "question"),
    [
        ("30 seconds.", "What is the default of read_timeout?"),
        ("30 seconds.", "What is the default of READ_TIMEOUT?"),
        ("30 seconds.", "What is the read timeout of the add-on?"),
        ("30 seconds.", "What is max_connections?"),
        ("Only read_timeout is stated: 30 seconds.", ASKED),
    ],
)
def test_no_alarm(response: str, question: str) -> None:
    assert objections(response, question) == ()


def test_a_name_elsewhere_in_the_cited_chunk_is_enough() -> None:
    text = f"write_timeout goes with it.\n{TEXT}"
    read = {"a.md#1": Chunk("a.md#1", "a.md", (), 1, text, None, None, (1, 4), "hash")}
    assert objections("30 seconds.", ASKED, read) == ()
