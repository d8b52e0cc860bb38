"""The DingTalk bot with the real SDK, against DingTalk's protocol on loopback and a real service."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest

from tests.bots.clerk import LONG, Clerk, service
from tests.bots.running import running

pytestmark = pytest.mark.slow
numbers = count(1)
THINKING = "正在翻书，请稍候……"


@dataclass
class Office:
    """Everything that is there: the platform, the model, and the bot between them."""

    dingtalk: Any
    clerk: Clerk

    def asks(self, text: str, chat: str = "", person: str = "staff", **more: Any) -> str:
        """Somebody writes a message, in a chat of its own if none is named; the chat."""
        number = next(numbers)
        chat = chat or f"cid-{number}"
        self.dingtalk.deliver(self.dingtalk.message(number, text, chat, person, **more))
        return chat

    def told(self, text: str, least: int = 2, **more: Any) -> list[str]:
        """What the bot writes in that chat."""
        return list(self.dingtalk.posted_in(self.asks(text, **more), least))


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    needs = "needs pip install -r examples/bots/requirements.txt"
    pytest.importorskip("dingtalk_stream", reason=needs)
    from tests.bots.dingtalk_server import DingTalk
    from tests.bots.platform import open_for_bots

    folder, clerk, dingtalk = tmp_path_factory.mktemp("dingtalk"), Clerk(), DingTalk()
    with open_for_bots(dingtalk), service(folder, clerk) as served:
        variables = {
            "DINGTALK_CLIENT_ID": "ding_a",
            "DINGTALK_CLIENT_SECRET": "secret",
            "DINGTALK_OPENAPI_ENDPOINT": dingtalk.http,
            "BOT_SERVICE": served.url,
        }
        with running("dingtalk", folder / "log", variables):
            dingtalk.until(lambda: dingtalk.connections)
            yield Office(dingtalk, clerk)


def test_a_question_is_heard_and_answered_with_its_sources(office: Office) -> None:
    heard, answer = office.told("写超时是多少？")
    assert heard == THINKING
    assert answer.startswith(
        "写超时的默认值是 30 秒。\n\n来源（原文核对一致）\n[1] manual.md › 网关手册 › 超时"
    )
    assert office.clerk.asked[-1].question == "写超时是多少？"
    assert office.dingtalk.posted[-1][2] == ["staff"]


def test_what_is_delivered_again_is_answered_once(office: Office) -> None:
    from tests.bots.platform import settled

    message = office.dingtalk.message(next(numbers), "写超时是多少？", "cid-again", "staff")
    for _ in range(3):
        office.dingtalk.deliver(message)
    office.dingtalk.posted_in("cid-again", 2)
    settled()
    assert len(office.dingtalk.posted_in("cid-again", 2)) == 2


def test_a_follow_up_belongs_to_its_chat_and_person(office: Office) -> None:
    office.told("写超时是多少？", chat="cid-f", person="lin")
    office.told("And how often is a request repeated?", least=4, chat="cid-f", person="lin")
    earlier = office.clerk.asked[-1].earlier
    assert [one.question for one in earlier] == ["写超时是多少？"]
    office.told("And how often is a request repeated?", least=6, chat="cid-f", person="chen")
    assert office.clerk.asked[-1].earlier == ()


def test_messages_are_confirmed_while_questions_are_being_answered(office: Office) -> None:
    asked = len(office.clerk.asked)
    office.clerk.gate.clear()
    chats = [office.asks("写超时是多少？") for _ in range(3)]
    office.dingtalk.until(lambda: len(office.clerk.asked) == asked + 3)
    assert [office.dingtalk.posted_in(chat, 1) for chat in chats] == [[THINKING]] * 3
    office.clerk.gate.set()
    assert all("30 秒" in office.dingtalk.posted_in(chat, 2)[1] for chat in chats)


def test_a_long_answer_comes_in_several_messages(office: Office) -> None:
    chat = office.asks("全部写超时")
    office.dingtalk.until(
        lambda: any("来源" in text for where, text, _ in office.dingtalk.posted if where == chat)
    )
    texts = office.dingtalk.posted_in(chat, 3)[1:]
    assert max(map(len, texts)) <= 1_800
    assert "\n".join(texts).count("网关会一直等待上游的回应。") == LONG.count("\n")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("broken, please", "The language model cannot be used just now"),
        ("nothing of the sort about retries", "The documents hold no answer to this."),
        ("写" * 5_000, "这个问题太长了"),
    ],
)
def test_trouble_is_told_in_plain_words(office: Office, question: str, words: str) -> None:
    assert words in office.told(question)[1]


def test_a_picture_is_no_question(office: Office) -> None:
    picture = {"msgtype": "picture", "content": {"downloadCode": "x"}}
    assert office.told("", least=1, **picture) == ["请用一句话提问，我只看得懂文字。"]


def test_text_among_pictures_is_a_question(office: Office) -> None:
    rich = {"richText": [{"text": "写超时"}, {"downloadCode": "x"}, {"text": "是多少？"}]}
    told = office.told("", msgtype="richText", content=rich)
    assert "30 秒" in told[1]
