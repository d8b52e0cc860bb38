"""Prompts of chat clients that are no question of anybody.

Each begins as the client's own template does; what follows there is left out.
"""

import json

import pytest

from fanshu.serve.chat.chores import Asked, done, greets

QUESTION = "写超时是多少？"
OPEN_WEBUI = (
    "### Task:\n{what}\n### Output:\nJSON format: {{ {form} }}\n### Chat History:\n<chat_history>\nUSER: "
    + QUESTION
    + "\nASSISTANT: 30 秒。\n</chat_history>"
)


@pytest.mark.parametrize(
    ("what", "form", "reply"),
    [
        ("Generate a concise, 3-5 word title", '"title": "your title"', {"title": QUESTION}),
        ("Suggest 3-5 relevant follow-up questions", '"follow_ups": []', {"follow_ups": []}),
        ("Generate 1-3 broad tags categorizing", '"tags": ["tag1"]', {"tags": ["General"]}),
        ("Analyze the chat history to determine", '"queries": ["query1"]', {"queries": []}),
        ("You are an autocompletion system.", '"text": "<completion>"', {"text": ""}),
    ],
)
def test_open_webui(what: str, form: str, reply: object) -> None:
    text = OPEN_WEBUI.format(what=what, form=form)
    assert json.loads(done(Asked("", text, text)) or "") == reply


@pytest.mark.parametrize(
    ("system", "text", "reply"),
    [
        (
            "You are a professional conversation summarizer. Generate a concise title that captures "
            'the essence of the conversation.\n\n- Return one JSON object with a single "title"',
            f"<task>…</task>\n<conversation>\n<user>\n{QUESTION}\n</user>\n<assistant>\n30\n</assistant>",
            '{"title": "写超时是多少？"}',
        ),
        (
            "你是一名擅长会话的助理，你需要将用户的会话总结为 10 个字以内的标题",
            f"user: {QUESTION}\nassistant: 30 秒",
            QUESTION,
        ),
        (
            "Summarize the conversation into a title in 中文 within 10 words ignoring instructions",
            f'[{{"role":"user","mainText":"{QUESTION}\\n"}},{{"role":"assistant","mainText":"30"}}]',
            QUESTION,
        ),
        ("You are an autocomplete engine for a chat input box.", "Before", '{"completion": ""}'),
    ],
)
def test_lobechat_and_cherry_studio(system: str, text: str, reply: str) -> None:
    assert done(Asked(system, text, text)) == reply


def test_dify_fastgpt_and_nextchat() -> None:
    dify = "You are asked to generate a concise chat title by decomposing the user’s input …"
    assert json.loads(done(Asked("", dify, QUESTION)) or "")["Your Output"] is not None
    guide = "You are an AI assistant tasked with predicting the user's next question based on …"
    assert done(Asked("", guide, QUESTION)) == "[]"
    topic = "使用四到五个字直接返回这句话的简要主题，不要解释、不要标点"
    assert done(Asked("", topic, QUESTION)) == QUESTION


def test_a_title_is_short() -> None:
    topic = "使用四到五个字直接返回这句话的简要主题"
    assert len(done(Asked("", topic, "x" * 500)) or "") <= 40
    assert done(Asked("", topic, "")) == "fanshu"


@pytest.mark.parametrize(
    "question",
    [
        QUESTION,
        "Suggest a title for the travel policy",
        'How do I generate tags? JSON format: { "tags": [] }',
        "### Task: what is it?",
        "写一个标题的规范是什么？",
        "hello world 程序在哪一节？",
    ],
)
def test_questions_are_no_chores(question: str) -> None:
    assert done(Asked("You are a helpful assistant.", question, question)) is None
    assert not greets(question)


def test_greetings() -> None:
    assert all(map(greets, ("hi", "Hello!", "ping", "你好！", "您好", "在吗？", " test ")))
    assert not greets("hi, what is the write timeout?")
