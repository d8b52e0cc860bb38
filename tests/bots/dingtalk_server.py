"""DingTalk on loopback, as far as a bot in Stream mode knows it: the gateway, frames, webhooks.

Frames are JSON, as the SDK reads and writes them.
"""

import json
from itertools import count
from typing import Any

from tests.bots.platform import Platform

TOPIC = "/v1.0/im/bot/messages/get"


class DingTalk(Platform):
    """`posted`: what the bot has written, in order, as (conversation, text, whom it calls)."""

    def __init__(self) -> None:
        super().__init__()
        self.posted: list[tuple[str, str, list[str]]] = []
        self._numbers = count(1)

    def answer(self, method: str, path: str, token: str, body: Any) -> tuple[int, Any]:
        match method, path.strip("/").split("/"):
            case "POST", ["v1.0", "gateway", "connections", "open"]:
                assert {"type": "CALLBACK", "topic": TOPIC} in body["subscriptions"]
                if (body["clientId"], body["clientSecret"]) != ("ding_a", "secret"):
                    return 401, {"code": "authFailed", "message": "鉴权失败"}
                return 200, {"endpoint": f"{self.ws}/connect", "ticket": "a ticket"}
            case "POST", ["robot", "sendBySession", conversation]:
                assert body["msgtype"] == "text"
                text, called = body["text"]["content"], body["at"]["atUserIds"]
                self.posted.append((conversation, text, called))
                return 200, {"errcode": 0, "errmsg": "ok"}
        return 404, {"errcode": 404, "errmsg": f"no {method} {path}"}

    def heard(self, message: Any) -> None:
        ack = json.loads(message)
        self.acks[ack["headers"]["messageId"]] = ack["code"]

    # ------------------------------------------------------------ what people do

    def deliver(self, message: dict[str, Any]) -> None:
        """Send a message to the bot and wait until it is confirmed."""
        number = f"frame-{next(self._numbers)}"
        frame = {
            "specVersion": "1.0",
            "type": "CALLBACK",
            "headers": {
                "appId": "app",
                "connectionId": "c-1",
                "contentType": "application/json",
                "messageId": number,
                "time": "1690362102194",
                "topic": TOPIC,
            },
            "data": json.dumps(message),
        }
        self.connections[-1].send(json.dumps(frame))
        assert self.until(lambda: self.acks.get(number)) == 200

    def posted_in(self, conversation: str, least: int) -> list[str]:
        """What was written there, when it is that much."""

        def found() -> list[str]:
            texts = [text for where, text, _ in self.posted if where == conversation]
            return texts if len(texts) >= least else []

        return list(self.until(found))

    def message(
        self, number: int, text: str, chat: str, person: str, **more: Any
    ) -> dict[str, Any]:
        """A text message as the gateway passes it on."""
        return {
            "msgId": f"msg-{number}",
            "conversationId": chat,
            "conversationType": "2",
            "senderId": f"$:LWCP_v1:${person}",
            "senderStaffId": person,
            "senderNick": person,
            "robotCode": "ding_a",
            "isInAtList": True,
            "sessionWebhook": f"{self.http}/robot/sendBySession/{chat}",
            "sessionWebhookExpiredTime": 1690367502152,
            "msgtype": "text",
            "text": {"content": f" {text}"},
        } | more
