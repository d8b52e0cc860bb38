"""Replies of a model, as a chat-completions server sends them."""

import json

from tests.models.fake_server import Scripted, message

WRITE = "写超时为 30 秒，读超时为 60 秒。"


def calls(*made: tuple[str, dict[str, object]]) -> Scripted:
    return message(None, *[(name, json.dumps(arguments)) for name, arguments in made])


def answer(response: str, quote: str, chunk_id: str = "手册.md#2") -> Scripted:
    citation = {"chunk_id": chunk_id, "quote": quote}
    return calls(("answer", {"response": response, "citations": [citation], "found": True}))


NOT_FOUND = calls(("answer", {"response": "", "citations": [], "found": False}))
