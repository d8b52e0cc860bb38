"""Feishu on loopback, as far as a bot knows it: where to connect, event frames, replies.

Frames are those of the SDK (protobuf); what they hold is described at open.feishu.cn.
"""

import json
from itertools import count
from typing import Any

from lark_oapi.ws.pb.pbbp2_pb2 import Frame

from tests.bots.platform import Platform

TOKEN = "t-1"
DATA = 1  # the method of frames that carry events


class Feishu(Platform):
    """`replies` in order as (message id, text), `faces` now on messages, and every uuid."""

    def __init__(self) -> None:
        super().__init__()
        self.replies: list[tuple[str, str]] = []
        self.faces: dict[str, str] = {}
        self.put: list[str] = []
        self.uuids: list[str] = []
        self.faces_allowed = True
        self._numbers = count(1)

    def answer(self, method: str, path: str, token: str, body: Any) -> tuple[int, Any]:
        match method, path.strip("/").split("/"):
            case "POST", ["callback", "ws", "endpoint"]:
                return self._endpoint(body)
            case "POST", ["open-apis", "auth", "v3", "tenant_access_token", "internal"]:
                return 200, {"code": 0, "msg": "ok", "tenant_access_token": TOKEN, "expire": 7200}
            case _ if token != f"Bearer {TOKEN}":
                return 400, {"code": 99991663, "msg": "Invalid access token"}
            case "POST", ["open-apis", "im", "v1", "messages", message, "reply"]:
                return self._reply(message, body)
            case "POST", ["open-apis", "im", "v1", "messages", message, "reactions"]:
                return self._react(message, body["reaction_type"]["emoji_type"])
            case "DELETE", ["open-apis", "im", "v1", "messages", message, "reactions", face]:
                assert face == f"face-{message}"
                del self.faces[message]
                return 200, {"code": 0, "msg": "ok", "data": {}}
        return 404, {"code": 404, "msg": f"no {method} {path}"}

    def _endpoint(self, body: Any) -> tuple[int, Any]:
        if body != {"AppID": "cli_a", "AppSecret": "secret"}:
            return 200, {"code": 10003, "msg": "invalid app"}
        config = {"ReconnectCount": -1, "ReconnectInterval": 1, "ReconnectNonce": 0}
        url = f"{self.ws}/ws/v2?device_id=1&service_id=7&ticket=x"
        data = {"URL": url, "ClientConfig": config | {"PingInterval": 120}}
        return 200, {"code": 0, "msg": "", "data": data}

    def _reply(self, message: str, body: Any) -> tuple[int, Any]:
        assert body["msg_type"] == "text"
        assert len(body["uuid"]) <= 50
        if body["uuid"] not in self.uuids:
            self.uuids.append(body["uuid"])
            self.replies.append((message, json.loads(body["content"])["text"]))
        return 200, {"code": 0, "msg": "ok", "data": {"message_id": "om_reply"}}

    def _react(self, message: str, emoji: str) -> tuple[int, Any]:
        if not self.faces_allowed:
            return 400, {"code": 99991672, "msg": "Access denied: im:message.reactions:write_only"}
        self.faces[message] = emoji
        self.put.append(emoji)
        return 200, {"code": 0, "msg": "ok", "data": {"reaction_id": f"face-{message}"}}

    def heard(self, message: Any) -> None:
        frame = Frame()
        frame.ParseFromString(message)
        headers = {header.key: header.value for header in frame.headers}
        if headers["type"] == "event":
            self.acks[headers["message_id"]] = json.loads(frame.payload)["code"]

    # ------------------------------------------------------------ what people do

    def deliver(self, message: dict[str, Any], person: str = "ou_1") -> None:
        """Send a message to the bot and wait until it is confirmed."""
        number = f"frame-{next(self._numbers)}"
        self.connections[-1].send(_frame(number, _event(message, person)))
        assert self.until(lambda: self.acks.get(number)) == 200

    def replies_to(self, message_id: str, least: int = 1) -> list[str]:
        """The replies to a message, when there are that many and the thinking face is gone."""

        def posted() -> list[str]:
            found = [text for message, text in self.replies if message == message_id]
            return found if len(found) >= least and message_id not in self.faces else []

        return list(self.until(posted))


def message(number: int, text: str, chat: str = "oc_1", **more: Any) -> dict[str, Any]:
    """A text message as events describe it."""
    return {
        "message_id": f"om_{number}",
        "create_time": "1609073151345",
        "chat_id": chat,
        "chat_type": "p2p",
        "message_type": "text",
        "content": json.dumps({"text": text}),
    } | more


def _event(message: dict[str, Any], person: str) -> dict[str, Any]:
    ids = {"union_id": f"on_{person}", "user_id": None, "open_id": person}
    return {
        "schema": "2.0",
        "header": {
            "event_id": f"event-{message['message_id']}",
            "event_type": "im.message.receive_v1",
            "create_time": "1608725989000",
            "token": "",
            "app_id": "cli_a",
            "tenant_key": "tenant",
        },
        "event": {"sender": {"sender_id": ids, "sender_type": "user"}, "message": message},
    }


def _frame(message_id: str, event: dict[str, Any]) -> bytes:
    frame = Frame()
    frame.SeqID, frame.LogID, frame.service, frame.method = 1, 1, 7, DATA
    fields = {"type": "event", "message_id": message_id, "trace_id": "t", "sum": "1", "seq": "0"}
    for key, value in fields.items():
        header = frame.headers.add()
        header.key, header.value = key, value
    frame.payload = json.dumps(event).encode()
    return bytes(frame.SerializeToString())
