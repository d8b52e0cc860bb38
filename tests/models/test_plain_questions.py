"""What a stranger would ask of the example library, without a model: the passages hold the answer.

`plain_questions.jsonl`: `holds` are alternatives of which one must be shown, each in turn; without
it the documents do not say. `lacks` must not be shown. `known_wrong`: what is not managed yet.
"""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NotRequired, TypedDict

import pytest

from fanshu.agent.loop import LoopAgent
from fanshu.library.library import Library, Root
from fanshu.models.extractive import ExtractiveReader
from fanshu.types import Answer


class Plain(TypedDict):
    question: str
    holds: NotRequired[list[list[str]]]
    lacks: NotRequired[list[str]]
    known_wrong: NotRequired[bool]


LINES = (Path(__file__).parent / "plain_questions.jsonl").read_text("utf-8").splitlines()
QUESTIONS: list[Plain] = [json.loads(line) for line in LINES]
BY_TEXT = {one["question"]: one for one in QUESTIONS}
FIRST = (  # each a reason of its own; the rest is slow
    "出差住宿标准",  # the newer version, and the whole list
    "国庆封网",  # no title
    "What does error E-5031 mean?",  # the row about the name, in the other language
    "default of write_timeout?",  # a word about the asking that no document holds
    "How do I roll back a release?",  # a procedure is a list
    "3.1.4 是哪天发布的",  # the heading holds the date
    "公务卡额度是多少？多久内要还款？",  # two parts
    "食堂几点开饭？",  # not there
    "Does Dukou support Kubernetes?",  # a name that is not there
)


@pytest.fixture(scope="module")
def library(examples: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    made = Library([Root(examples)], tmp_path_factory.mktemp("index") / "index.db")
    made.sync()
    yield made
    made.close()


def ask(library: Library, question: str) -> Answer:
    return asyncio.run(LoopAgent(library, ExtractiveReader()).ask(question)).answer


def is_right(answer: Answer, asked: Plain) -> bool:
    if "holds" not in asked:
        return answer.status == "not_found" and not answer.citations
    text = plain(answer.answer)
    held = all(any(plain(one) in text for one in either) for either in asked["holds"])
    return held and not any(plain(one) in text for one in asked.get("lacks", []))


def plain(text: str) -> str:
    return "".join(text.split()).replace("`", "").lower()


@pytest.mark.parametrize("question", FIRST)
def test_a_plain_question_gets_what_answers_it(library: Library, question: str) -> None:
    answer = ask(library, question)
    assert is_right(answer, BY_TEXT[question]), answer.answer
    assert len(answer.citations) <= 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        pytest.param(
            one,
            id=one["question"],
            marks=[pytest.mark.xfail(strict=True)] if one.get("known_wrong") else [],
        )
        for one in QUESTIONS
    ],
)
def test_all_plain_questions(library: Library, asked: Plain) -> None:
    answer = ask(library, asked["question"])
    assert is_right(answer, asked), answer.answer


@pytest.mark.slow
def test_answers_to_plain_questions_are_short(library: Library) -> None:
    answers = [ask(library, one["question"]) for one in QUESTIONS]
    shown = [one for one in answers if one.status == "passages"]
    assert sum(len(one.citations) for one in shown) <= 2 * len(shown)
    assert sum(len(one.answer) for one in shown) <= 200 * len(shown)


def test_an_old_version_is_shown_to_who_asks_for_it(library: Library) -> None:
    answer = ask(library, "2021年的住宿标准")
    assert "450元" in answer.answer
    first = answer.citations[0]
    assert first.file_path.endswith("(2021-03-01).txt")


def test_every_quote_stands_in_the_document_and_none_is_a_heading(library: Library) -> None:
    for question in FIRST:
        for cited in ask(library, question).citations:
            assert cited.verified == "quoted"
            assert cited.quote in library.read(cited.chunk_id).text
            assert cited.quote.strip() not in cited.section_path
