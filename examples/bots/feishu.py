"""A Feishu (Lark) bot that answers from your documents, over an outgoing connection.

    FEISHU_APP_ID=… FEISHU_APP_SECRET=… BOT_SERVICE=… BOT_TOKEN=… python feishu.py

Tested against a server on loopback that speaks Feishu's protocol, not against Feishu itself.
"""

import json
import os
import re
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import lark_oapi as lark
from asking import Desk, needed
from lark_oapi.api.im import v1 as im

APP, SECRET = needed("FEISHU_APP_ID"), needed("FEISHU_APP_SECRET")
DOMAIN = os.environ.get("FEISHU_DOMAIN", lark.FEISHU_DOMAIN)  # Lark: https://open.larksuite.com
desk = Desk()
pool = ThreadPoolExecutor(max_workers=8)  # questions at once; the service has its own limits
api = lark.Client.builder().app_id(APP).app_secret(SECRET).domain(DOMAIN).timeout(30).build()


def hear(event: im.P2ImMessageReceiveV1) -> None:
    """Take a message and return at once: what is not confirmed in 3 seconds comes again."""
    message, person = event.event.message, event.event.sender.sender_id.open_id
    if desk.takes(message.message_id):
        pool.submit(reply, message, person).add_done_callback(complain)


def complain(replied: Future[None]) -> None:
    """Whatever went wrong is in the log."""
    if error := replied.exception():
        lark.logger.error("a message was not answered", exc_info=error)


def reply(message: im.EventMessage, person: str) -> None:
    """Answer below a message; until then it carries a thinking face."""
    face = think(message.message_id)
    for number, text in enumerate(desk.answer(f"{message.chat_id} {person}", words(message))):
        body = im.ReplyMessageRequestBody.builder().msg_type("text")
        body.content(json.dumps({"text": text}))
        body.uuid(f"{message.message_id}-{number}")  # so that Feishu posts none twice
        request = im.ReplyMessageRequest.builder().message_id(message.message_id)
        done(api.im.v1.message.reply(request.request_body(body.build()).build()))
    if face:
        taken = im.DeleteMessageReactionRequest.builder().message_id(message.message_id)
        done(api.im.v1.message_reaction.delete(taken.reaction_id(face).build()))


def think(message_id: str) -> str | None:
    """Put a thinking face on a message. Without the right to do so nothing else is lost."""
    emoji = im.Emoji.builder().emoji_type("THINKING").build()
    body = im.CreateMessageReactionRequestBody.builder().reaction_type(emoji).build()
    request = im.CreateMessageReactionRequest.builder().message_id(message_id).request_body(body)
    made = api.im.v1.message_reaction.create(request.build())
    return made.data.reaction_id if done(made) else None


def done(response: lark.BaseResponse) -> bool:
    """Whether Feishu did what was asked; the log says why not."""
    if not response.success():
        lark.logger.error("Feishu refused: %s %s", response.code, response.msg)
    return response.success()


def words(message: im.EventMessage) -> str:
    """What was asked, without the names that were called."""
    text = json.loads(message.content).get("text", "") if message.message_type == "text" else ""
    return re.sub(r"@_(user_\d+|all)", "", text).strip()


if __name__ == "__main__":
    heard = lark.EventDispatcherHandler.builder("", "").register_p2_im_message_receive_v1(hear)
    with suppress(KeyboardInterrupt):
        lark.ws.Client(APP, SECRET, event_handler=heard.build(), domain=DOMAIN).start()
