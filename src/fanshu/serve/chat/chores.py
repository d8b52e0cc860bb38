"""What chat clients ask of a model beside their users' questions, answered without a run.

Clients send prompts of their own to the model of a chat: a title for it, tags, questions to ask
next, searches, completions of what is being typed. Looking these up in documents would cost a run
and find nothing. They are known by sentences of the clients' own templates (the source is named
at each), which nobody types as a question; where a user has changed a template, the page of the
client says how to give such chores to another model.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

TITLE_CHARS = 40
SUMMARY_QUESTIONS = 10
UNTITLED = "fanshu"
# What a user's line looks like in the transcripts that clients send along: `USER: …` (Open WebUI),
# `<user>…</user>` (LobeChat), `"role":"user","mainText":"…"` (Cherry Studio), `User Input:` (Dify).
_ASKED = re.compile(
    r'"role":\s*"user",\s*"(?:mainText|content)":\s*"((?:[^"\\]|\\.)+)"'
    r"|<user>\s*([^<]+)"
    r"|^(?:USER|user|User Input)[ \t]*[:：]\s*(\S.*)$",
    re.MULTILINE,
)
_TRANSCRIPT_CHARS = 20_000  # of a client's own prompt: the first question stands near its beginning
_GREETING = re.compile(
    r"(?i)\W*(?:hi|hello|hey|hello there|ping|test|你好|您好|你好啊|嗨|在吗|测试)\W*"
)
_OPEN_WEBUI = "### Task:"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a client sent: its instructions, the last message, and the first question before it."""

    instructions: str
    text: str
    first: str

    @property
    def title(self) -> str:
        """The first question, short."""
        line = " ".join((next(iter(self.questions), "") or UNTITLED).split())
        return line if len(line) <= TITLE_CHARS else f"{line[: TITLE_CHARS - 1]}…"

    @property
    def questions(self) -> list[str]:
        """What the user asked, as far as the transcript tells."""
        told = [
            next(filter(None, one.groups()), "")
            for one in _ASKED.finditer(self.text[:_TRANSCRIPT_CHARS])
        ]
        lines = [one.replace("\\n", " ").replace('\\"', '"') for one in told]
        return lines or [self.first] * bool(self.first)


def _title(asked: Asked) -> str:
    wanted = asked.instructions + asked.text
    return _json("title", asked.title) if "JSON" in wanted else asked.title


def _summary(asked: Asked) -> str:
    return "\n".join(f"- {one[:200]}" for one in asked.questions[-SUMMARY_QUESTIONS:])


def _json(key: str, value: object) -> str:
    return json.dumps({key: value}, ensure_ascii=False)


def _always(text: str) -> Callable[[Asked], str]:
    return lambda _: text


# In Open WebUI (backend/open_webui/config.py) all of these begin with "### Task:" and hold the
# transcript; the key that they ask for tells them apart.
_BY_KEY: Mapping[str, Callable[[Asked], str]] = {
    '"follow_ups":': _always('{"follow_ups": []}'),
    '"tags":': _always('{"tags": ["General"]}'),
    '"queries":': _always('{"queries": []}'),
    '"title":': _title,
    '"prompt":': _always('{"prompt": ""}'),
    '"text":': _always('{"text": ""}'),
}
_BY_SENTENCE: Mapping[str, Callable[[Asked], str]] = {
    # Open WebUI: an emoji for a voice call; tools for a model that cannot call functions
    "Your task is to reflect the speaker's likely facial expression": _always("💬"),
    "Your task is to choose and return the correct tool(s) from the list": _always(
        '{"tool_calls": []}'
    ),
    # LobeChat (packages/prompts/src/chains), and its earlier version, which others have copied
    "You are a professional conversation summarizer. Generate a concise title": _title,
    "你是一名擅长会话的助理，你需要将用户的会话总结为": _title,
    "You are an autocomplete engine for a chat input box": _always('{"completion": ""}'),
    "You are a conversation summarizer. Your task is to create a concise summary": _summary,
    # Cherry Studio (TopicNamingService, packages/shared/config/prompts.ts)
    "Summarize the conversation into a title in": _title,
    "You need to summarize the user's conversation into a title": _title,
    "You are an AI question rephraser": _always(
        "<websearch>\n<question>not_needed</question>\n</websearch>\n"
        "<knowledge>\n<rewrite>not_needed</rewrite>\n<question>not_needed</question>\n</knowledge>"
    ),
    # Dify (api/core/llm_generator/prompts.py), where it is the workspace's system model
    "You are asked to generate a concise chat title by decomposing": lambda asked: json.dumps(
        {"Language Type": "", "Your Reasoning": "", "Your Output": asked.title}, ensure_ascii=False
    ),
    "predict the three most likely questions that human would ask": _always("[]"),
    "predict the three most likely follow-up questions": _always("[]"),
    # FastGPT (packages/global/core/ai/prompt/agent.ts)
    "You are an AI assistant tasked with predicting the user's next question": _always("[]"),
    # NextChat (app/locales): sent as the last message of the chat itself
    "使用四到五个字直接返回这句话的简要主题": _title,
    "Please generate a four to five word title summarizing our conversation": _title,
    "简要总结一下对话内容，用作后续的上下文提示 prompt": _summary,
    "Summarize the discussion briefly in 200 words or less to use as a prompt": _summary,
}


def done(asked: Asked) -> str | None:
    """The reply to a chore; None when it is none."""
    if asked.text.lstrip().startswith(_OPEN_WEBUI) and _has_transcript(asked.text):
        for key, reply in _BY_KEY.items():
            if key in asked.text:
                return reply(asked)
    for sentence, reply in _BY_SENTENCE.items():
        if sentence in asked.instructions or sentence in asked.text:
            return reply(asked)
    return None


def _has_transcript(text: str) -> bool:
    return "<chat_history>" in text or "You are an autocompletion system" in text


def greets(text: str) -> bool:
    """Whether a message only greets, or tries whether anybody is there, as clients do."""
    return len(text) < 40 and _GREETING.fullmatch(text) is not None
