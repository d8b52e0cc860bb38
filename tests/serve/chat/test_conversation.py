"""Conversations of clients as questions with what was said before."""

from dataclasses import dataclass

import pytest

from fanshu.agent.session import REMEMBERED
from fanshu.errors import RequestRefused
from fanshu.serve.chat.chores import Asked, done
from fanshu.serve.chat.conversation import conversation, must_be_short


@dataclass
class Said:
    role: str
    text: str
    has_more: bool = False


def turns(*texts: str) -> list[Said]:
    return [Said(("user", "assistant")[at % 2], text) for at, text in enumerate(texts)]


def test_the_last_message_is_the_question() -> None:
    told = conversation(turns("a?", "1", "b?", "2", "c?"))
    assert told.question == "c?"
    assert [(one.question, one.answer) for one in told.earlier] == [("a?", "1"), ("b?", "2")]
    assert told.first == "a?"


def test_only_the_last_exchanges_count() -> None:
    long = turns(*(f"{at}" for at in range(1_001)))
    earlier = conversation(long).earlier
    assert len(earlier) == REMEMBERED
    assert earlier[-1].question == "998"


def test_an_endless_message_is_cut() -> None:
    (one,) = conversation(turns("q" * 1_000_000, "a" * 1_000_000, "b?")).earlier
    assert len(one.question) + len(one.answer) < 10_000


def test_questions_without_an_answer_are_dropped() -> None:
    messages = [
        Said("user", "lost?"),
        *turns("a?", "1"),
        Said("user", "lost too?"),
        Said("user", "b?"),
    ]
    told = conversation(messages)
    assert [one.question for one in told.earlier] == ["a?"]
    assert told.question == "b?"


def test_greetings_and_what_functions_said_do_not_count() -> None:
    messages = [
        *turns("你好", "我在文档库里查资料"),
        Said("user", "a?"), Said("assistant", ""), Said("tool", "{}"), Said("assistant", "1"),
        Said("user", "b?"), Said("system", "be brief"),
    ]  # fmt: skip
    told = conversation(messages)
    assert [(one.question, one.answer) for one in told.earlier] == [("a?", "1")]
    assert (told.question, told.instructions) == ("b?", "be brief")


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (
            "### Task:\nRespond to the user query using the provided context.\n\n<context>\n"
            '<source id="1">text of a file</source>\n</context>\n\nHow long?',
            "How long?",
        ),
        (
            "### Task:\nRespond to the user query.\n<context>\ntext\n</context>\n\n<user_query>\n"
            "How long?\n</user_query>\n",
            "How long?",
        ),
        (
            "Please answer the question based on the reference materials\n\n## Citation Rules:\n- x\n\n"
            "## My question is:\n\nHow long?\n\n## Reference Materials:\n\n[{}]\n",
            "How long?",
        ),
    ],
)
def test_what_clients_put_around_a_question_is_taken_off(text: str, question: str) -> None:
    told = conversation([Said("user", text)])
    assert (told.question, told.left_out) == (question, True)


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [Said("system", "x")],
        [Said("user", "a"), Said("assistant", "b")],
        [Said("user", "a"), Said("tool", "b")],
        [Said("user", " ", has_more=True)],
    ],
)
def test_no_question_is_refused(messages: list[Said]) -> None:
    with pytest.raises(RequestRefused):
        conversation(messages)


@pytest.mark.parametrize("part", ["<user_query>", "</context>", "## My question is:", "<user>\n"])
def test_no_message_takes_long(part: str) -> None:
    """Quadratic work on these would take hours."""
    text = f"### Task:{part * 300_000} why?"
    told = conversation([Said("user", text), Said("assistant", text), Said("user", text)])
    assert done(Asked(told.instructions, told.question, told.first)) is None


def test_a_question_has_a_length() -> None:
    must_be_short("x" * 4_000)
    with pytest.raises(RequestRefused, match="4,001"):
        must_be_short("x" * 4_001)
