"""A DingTalk bot that answers from your documents, over an outgoing connection (Stream mode).

    DINGTALK_CLIENT_ID=… DINGTALK_CLIENT_SECRET=… BOT_SERVICE=… BOT_TOKEN=… python dingtalk.py

Tested against a server on loopback that speaks DingTalk's protocol, not against DingTalk itself.
"""

from asking import Desk, needed, say
from dingtalk_stream import (
    AckMessage,
    AsyncChatbotHandler,
    CallbackMessage,
    ChatbotMessage,
    Credential,
    DingTalkStreamClient,
)


class Bot(AsyncChatbotHandler):
    """Confirms each message at once, and answers it in one of its threads."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(max_workers=8)  # questions at once; the service has its own limits
        self.desk = desk

    def process(self, callback: CallbackMessage) -> tuple[int, str]:
        """Answer a message that was not answered before; the person is told that it was heard."""
        message = ChatbotMessage.from_dict(callback.data)
        if self.desk.takes(message.message_id):
            question = words(message)
            if question:
                self.reply_text(say(question, "thinking"), message)
            talk = f"{message.conversation_id} {message.sender_id}"
            for text in self.desk.answer(talk, question):
                self.reply_text(text, message)
        return AckMessage.STATUS_OK, "OK"


def words(message: ChatbotMessage) -> str:
    """What was asked. DingTalk has taken out the name of the bot; pictures have no words."""
    texts = ChatbotMessage.get_text_list(message) or []
    return "\n".join(filter(None, texts)).strip()


if __name__ == "__main__":
    credential = Credential(needed("DINGTALK_CLIENT_ID"), needed("DINGTALK_CLIENT_SECRET"))
    client = DingTalkStreamClient(credential)
    client.register_callback_handler(ChatbotMessage.TOPIC, Bot(Desk()))
    client.start_forever()
