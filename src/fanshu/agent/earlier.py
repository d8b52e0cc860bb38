"""What was said before: earlier questions and answers, as a follow-up is told of them."""

from collections.abc import Sequence

from fanshu.agent.layout import one_line
from fanshu.agent.prompts import say
from fanshu.types import Answer, Exchange, Language

ANSWER_CHARS = 240  # of an earlier answer: enough to say what "the second one" is
PLACES = 4  # of an earlier answer that are named


def exchange(answer: Answer) -> Exchange:
    """What is kept of an answer."""
    places = dict.fromkeys(citation.chunk_id for citation in answer.citations)
    return Exchange(answer.question, answer.answer, tuple(places))


def told(earlier: Sequence[Exchange], language: Language) -> str:
    """Earlier questions and answers as a follow-up is told of them; "" when there are none."""
    if not earlier:
        return ""
    lines = [say(language, "earlier")]
    for one in earlier:
        lines.append(say(language, "asked", question=one_line(one.question, ANSWER_CHARS)))
        places = say(language, "list").join(one.places[:PLACES])
        answer = one_line(one.answer, ANSWER_CHARS)
        key = "replied_at" if places else "replied"
        lines.append(say(language, key, answer=answer, places=places))
    return "\n".join(lines)


def searched_with(question: str, earlier: Sequence[Exchange]) -> str:
    """What a first search looks for: a follow-up names its subject in the question before it."""
    if not earlier:
        return question
    ended = question.rstrip().endswith(tuple("?？。！!."))
    return f"{question.rstrip()}{'' if ended else '?'}\n{earlier[-1].question}"
