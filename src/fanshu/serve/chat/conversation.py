"""From the messages that a chat client sends to a question and what was said before it.

Clients send the whole conversation each time. Of it counts the last message of the user, which is
the question, and the few exchanges before it. What system messages say is not followed: the
documents are what an answer rests on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from fanshu.agent.session import REMEMBERED
from fanshu.errors import RequestRefused
from fanshu.serve.chat.chores import greets
from fanshu.serve.chat.footnotes import without_footnotes
from fanshu.types import Exchange

QUESTION_CHARS = 4_000  # as /v1/ask takes
EARLIER_CHARS = 4_000  # of an earlier message; a follow-up is told of far less
INSTRUCTIONS_CHARS = 20_000  # in which a client's own prompts are looked for
# What clients put around a question when files are attached to the chat: Open WebUI before it,
# Cherry Studio on both sides.
_TASK, _CONTEXT_ENDS = "### Task:", "</context>"
_QUERY, _QUERY_ENDS = "<user_query>", "</user_query>"
_MINE, _MATERIALS = "## My question is:", "## Reference Materials:"


class Said(Protocol):
    """A message: who says it, its text, and whether it holds anything else."""

    @property
    def role(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def has_more(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Conversation:
    """A question with what was said before it.

    `instructions`: what system messages say. `first`: the first message of the user.
    `left_out`: the question came with pictures, or with text of files.
    """

    question: str
    earlier: tuple[Exchange, ...]
    instructions: str
    first: str
    left_out: bool


def conversation(messages: Sequence[Said]) -> Conversation:
    """What is asked. Raises: RequestRefused — nothing is, or it cannot be told what."""
    asked = _last_of_user(messages)
    whole = messages[asked].text.strip()
    question = _unwrapped(whole)
    if not question:
        raise _refused("The last message has no text; pictures and files alone are no question.")
    return Conversation(
        question,
        tuple(reversed(list(_earlier(messages[:asked])))),
        "\n".join(one.text for one in messages if one.role in ("system", "developer"))[
            :INSTRUCTIONS_CHARS
        ],
        next((one.text for one in messages if one.role == "user" and one.text.strip()), ""),
        messages[asked].has_more or question != whole,
    )


def must_be_short(question: str) -> None:
    """Raises: RequestRefused."""
    if len(question) > QUESTION_CHARS:
        raise _refused(
            f"A question may have {QUESTION_CHARS:,} characters, this one has {len(question):,}. "
            "Text of files that are attached to the chat is not needed: answers come from the "
            "documents of the library."
        )


def _last_of_user(messages: Sequence[Said]) -> int:
    for at in range(len(messages) - 1, -1, -1):
        if messages[at].role == "user":
            return at
        if messages[at].role not in ("system", "developer"):
            break
    raise _refused("The last message must be the user's: the question.")


def _unwrapped(text: str) -> str:
    """The question alone, without what a client has put around it."""
    _, context, after = text.rpartition(_CONTEXT_ENDS)
    if context and text.startswith(_TASK):
        return (_between(text, _QUERY, _QUERY_ENDS) or after).strip()
    return _between(text, _MINE, _MATERIALS).strip() or text


def _between(text: str, begins: str, ends: str) -> str:
    inner, found, _ = text.partition(begins)[2].partition(ends)
    return inner if found else ""


def _earlier(messages: Sequence[Said]) -> Iterator[Exchange]:
    """The last exchanges, newest first: questions that had an answer, with it."""
    found, answer = 0, ""
    for one in reversed(messages):
        if one.role == "assistant" and not answer:
            answer = one.text
        elif one.role == "user" and answer:
            question = _unwrapped(one.text.strip())[:EARLIER_CHARS]
            if question and not greets(question):
                said, places = without_footnotes(answer)
                yield Exchange(question, said[:EARLIER_CHARS], places)
                found += 1
            answer = ""
        if found == REMEMBERED:
            return


def _refused(detail: str) -> RequestRefused:
    return RequestRefused(detail=detail, status=400)
