"""The Feishu bot with the real SDK, against Feishu's protocol on loopback and a real service.

Slow: the SDK takes 100 MB and seconds to import, so that it is installed by CI only for these.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest

from tests.bots.clerk import LONG, Clerk, service
from tests.bots.running import running

pytestmark = pytest.mark.slow
numbers = count(1)


@dataclass
class Office:
    """Everything that is there: the platform, the model, and the bot between them."""

    feishu: Any
    clerk: Clerk

    def asks(self, text: str, chat: str = "oc_1", person: str = "ou_1", **more: Any) -> str:
        """Somebody writes a message; its id."""
        from tests.bots.feishu_server import message

        sent = message(next(numbers), text, chat, **more)
        self.feishu.deliver(sent, person)
        return str(sent["message_id"])

    def told(self, text: str, **more: Any) -> str:
        """What the bot posts below a message."""
        return "\n".join(self.feishu.replies_to(self.asks(text, **more)))


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    pytest.importorskip("lark_oapi", reason="needs pip install -r examples/bots/requirements.txt")
    from tests.bots.feishu_server import Feishu
    from tests.bots.platform import open_for_bots

    folder, clerk, feishu = tmp_path_factory.mktemp("feishu"), Clerk(), Feishu()
    with open_for_bots(feishu), service(folder, clerk) as served:
        variables = {
            "FEISHU_APP_ID": "cli_a",
            "FEISHU_APP_SECRET": "secret",
            "FEISHU_DOMAIN": feishu.http,
            "BOT_SERVICE": served.url,
        }
        with running("feishu", folder / "log", variables):
            feishu.until(lambda: feishu.connections)
            yield Office(feishu, clerk)


def test_a_question_is_answered_with_its_sources(office: Office) -> None:
    told = office.told("写超时是多少？")
    assert told.startswith(
        "写超时的默认值是 30 秒。\n\n来源（原文核对一致）\n[1] manual.md › 网关手册 › 超时"
    )
    assert "超时 · 第 5 行\n" in told
    assert office.feishu.put[-1] == "THINKING"
    assert office.feishu.faces == {}


def test_text_of_documents_calls_nobody(office: Office) -> None:
    told = office.told("写超时是多少？")
    assert "＜at user_id" in told
    assert "<at" not in told


def test_in_a_group_the_name_of_the_bot_is_no_part_of_the_question(office: Office) -> None:
    mention = {"key": "@_user_1", "id": {"open_id": "ou_bot"}, "name": "翻书", "tenant_key": "t"}
    office.told("@_user_1写超时是多少？", chat="oc_g", chat_type="group", mentions=[mention])
    assert office.clerk.asked[-1].question == "写超时是多少？"


def test_what_is_delivered_again_is_answered_once(office: Office) -> None:
    from tests.bots.feishu_server import message
    from tests.bots.platform import settled

    sent = message(next(numbers), "写超时是多少？")
    asked = len(office.clerk.asked)
    for _ in range(3):
        office.feishu.deliver(sent)
    office.feishu.replies_to(sent["message_id"])
    settled()
    assert len(office.clerk.asked) == asked + 1
    assert len(office.feishu.replies_to(sent["message_id"])) == 1


def test_a_follow_up_belongs_to_its_chat_and_person(office: Office) -> None:
    office.told("写超时是多少？", chat="oc_2", person="ou_2")
    told = office.told("And how often is a request repeated?", chat="oc_2", person="ou_2")
    assert "Sources (quotes checked)" in told
    earlier = office.clerk.asked[-1].earlier
    assert [one.question for one in earlier] == ["写超时是多少？"]
    assert earlier[0].places == ("manual.md#2",)
    for chat, person in (("oc_2", "ou_3"), ("oc_3", "ou_2")):
        office.told("And how often is a request repeated?", chat=chat, person=person)
        assert office.clerk.asked[-1].earlier == ()


def test_messages_are_confirmed_while_questions_are_being_answered(office: Office) -> None:
    asked = len(office.clerk.asked)
    office.clerk.gate.clear()
    waiting = [office.asks("写超时是多少？", person=f"ou_{n}") for n in (10, 11, 12)]
    office.feishu.until(lambda: set(waiting) <= set(office.feishu.faces))
    office.feishu.until(lambda: len(office.clerk.asked) == asked + 3)
    assert not [message for message, _ in office.feishu.replies if message in waiting]
    office.clerk.gate.set()
    for message in waiting:
        assert office.feishu.replies_to(message)


def test_a_long_answer_comes_in_several_messages(office: Office) -> None:
    sent = office.asks("全部写超时")
    office.feishu.until(lambda: "来源" in "".join(t for m, t in office.feishu.replies if m == sent))
    texts = office.feishu.replies_to(sent, least=2)
    whole = "\n".join(texts)
    assert max(map(len, texts)) <= 1_800
    assert whole.count("网关会一直等待上游的回应。") == LONG.count("\n")
    assert whole.index("来源（原文核对一致）") > whole.rindex("网关会一直等待")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("broken, please", "The language model cannot be used just now"),
        ("nothing of the sort about retries", "The documents hold no answer to this."),
        ("写" * 5_000, "这个问题太长了"),
        ("@_user_1 ", "请用一句话提问"),
    ],
)
def test_trouble_is_told_in_plain_words(office: Office, question: str, words: str) -> None:
    assert words in office.told(question, person=f"ou_{words}")


def test_a_picture_is_no_question(office: Office) -> None:
    content = json.dumps({"image_key": "img_1"})
    assert "请用一句话提问" in office.told("", message_type="image", content=content)


def test_without_the_right_to_make_faces_it_answers_all_the_same(office: Office) -> None:
    office.feishu.faces_allowed = False
    try:
        assert "30 秒" in office.told("写超时是多少？")
    finally:
        office.feishu.faces_allowed = True


def test_it_connects_again(office: Office) -> None:
    before = len(office.feishu.connections)
    office.feishu.connections[-1].close()
    office.feishu.until(lambda: len(office.feishu.connections) > before)
    assert "30 秒" in office.told("写超时是多少？")
