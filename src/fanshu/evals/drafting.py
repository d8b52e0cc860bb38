"""Candidate questions from a library, for a person to correct.

Without a model they are clozes: a sentence under its headings, with its figure or term left out.
What is right, where it stands and the words there are filled in by code; no draft leaves that
does not pass the check of questions.
"""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fanshu.agent.layout import one_line
from fanshu.agent.prompts import language_of
from fanshu.evals.checking import Documents, problems
from fanshu.evals.question_shapes import MOST_QUOTE, UNANSWERABLE
from fanshu.evals.question_shapes import problems as shape_problems
from fanshu.evals.questions import Question
from fanshu.library.passages import passages
from fanshu.types import Chunk, Language

BLANK = "____"
SHORTEST, LONGEST = 12, 160  # characters of a sentence that makes a question
_UNIT = (
    r"(?:\s?(?:%|[A-Za-z]{1,4}\b|[年月日天周时分秒元万亿个次条项人台倍]+|小时|分钟|毫秒|工作日))?"
)
_FACT = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{4}\s?年\s?\d{1,2}\s?月(?:\s?\d{1,2}\s?日)?"  # a date
    r"|"
    r"\b[a-z][a-z0-9]*(?:[_.-][a-z0-9]+)+\b"  # write_timeout, conf.yml
    r"|\b[A-Z]{1,5}-\d{2,6}\b"  # E-4013
    r"|\bv?\d+(?:\.\d+){2,}\b"  # 3.1.4
    rf"|(?<![\w.])\d[\d,]*(?:\.\d+)?{_UNIT}"
)
_NUMBERING = re.compile(r"[\s*（(-]*[\d.]+[.、)）]\Z")  # of an item: says nothing
# Asked for where no document speaks of them; whichever do occur are left out.
_NEVER: Mapping[Language, Sequence[str]] = {
    "zh": ("保修期", "采购单价", "供应商联系电话", "功耗", "著作权登记号", "净重"),
    "en": ("warranty period", "purchase price", "power consumption", "net weight", "patent number"),
}
_ASK: Mapping[str, tuple[str, str]] = {
    "keyword": (
        "《{title}》的“{trail}”里写道：“{cloze}”空白处是什么？",
        "“{title}”, under “{trail}”, says: “{cloze}” What belongs in the blank?",
    ),
    "cross": (
        "两处空白各是什么？①《{title}》“{trail}”：“{cloze}”②《{title2}》“{trail2}”：“{cloze2}”",
        "What belongs in the two blanks? (1) “{title}”, “{trail}”: “{cloze}” "
        "(2) “{title2}”, “{trail2}”: “{cloze2}”",
    ),
    UNANSWERABLE: (
        "《{title}》里，{subject}的{words}是多少？",
        "In “{title}”, what is the {words} of {subject}?",
    ),
}
MIX = ("keyword", "keyword", "cross", "keyword", UNANSWERABLE)  # the order in which kinds come


@dataclass(frozen=True, slots=True)
class Fact:
    """A figure or term, the sentence around it, and the section they stand in."""

    chunk: Chunk
    sentence: str
    span: tuple[int, int]

    @property
    def text(self) -> str:
        """The figure or term."""
        return self.sentence[slice(*self.span)].strip()

    @property
    def cloze(self) -> str:
        """The sentence with a blank in its place."""
        start, end = self.span
        return one_line(
            f"{self.sentence[:start]}{BLANK}{self.sentence[end:]}", LONGEST + len(BLANK)
        )

    @property
    def quote(self) -> str:
        """So much of the sentence around it as a place may quote."""
        room = MOST_QUOTE - len(self.text)
        start = max(0, self.span[0] - room // 2)
        line = self.sentence[start : start + MOST_QUOTE]
        return line.strip()

    @property
    def place(self) -> dict[str, Any]:
        """Where it stands, as gold."""
        chunk = self.chunk
        page = {"page": chunk.page} if chunk.page and chunk.file_path.endswith(".pdf") else {}
        trail = list(chunk.section_path)
        return {"file": chunk.file_path, "trail": trail, **page, "quote": self.quote}


class Drafting:
    """Drafts questions over documents; the same `seed` drafts the same ones."""

    def __init__(self, documents: Documents, corpus: str, seed: int) -> None:
        self.documents, self.corpus = documents, corpus
        self.draw = random.Random(seed)  # noqa: S311 - a draw of examples, no secret
        self._facts = self._shuffled()

    def _shuffled(self) -> Iterator[Fact]:
        """Facts in any order, one of each file in turn."""
        queues = [list(facts_of(text.chunks)) for text in self.documents.texts.values()]
        for queue in queues:
            self.draw.shuffle(queue)
        self.draw.shuffle(queues)
        while queues := [queue for queue in queues if queue]:
            for queue in queues:
                yield queue.pop()

    def drafts(self, count: int) -> Iterator[dict[str, Any]]:
        """At most so many questions that pass the check, of several kinds."""
        made = 0
        while made < count:
            found = self._draft(MIX[made % len(MIX)])
            if found is None:
                return
            if question := self.checked(found, made + 1):
                made += 1
                yield question

    def checked(self, fields: Mapping[str, Any], number: int) -> dict[str, Any] | None:
        """A draft with its id, or None where the check finds anything wrong with it."""
        whole = {"id": f"{self.corpus}-{number:03}", "corpus": self.corpus, **fields}
        if shape_problems(whole):
            return None
        question = Question(whole["id"], whole["question"], self.corpus, whole["kind"], whole)
        return None if any(problems(question, self.documents)) else whole

    def fact(self) -> Fact | None:
        """The next fact; None: there are no more."""
        return next(self._facts, None)

    def _draft(self, kind: str) -> dict[str, Any] | None:
        first = self.fact()
        if first is None:
            return None
        if kind == "cross" and (second := self.fact()):
            return _cross(first, second)
        if kind == UNANSWERABLE and (made := self._never(first)):
            return made
        return _keyword(first)

    def _never(self, near: Fact) -> dict[str, Any] | None:
        language = language_of(near.sentence)
        words = [one for one in _NEVER[language] if not self.documents.hold(one)]
        subject = near.chunk.section_path[-1] if near.chunk.section_path else near.chunk.title
        if not words or not subject:
            return None
        asked = self.draw.choice(words)
        question = _say(UNANSWERABLE, language, near, subject=subject, words=asked)
        return _fields(UNANSWERABLE, language, question, "", [], []) | {"absent": [asked]}


def facts_of(chunks: Sequence[Chunk]) -> Iterator[Fact]:
    """The facts of a document: one a sentence, told once in it."""
    for chunk in chunks:
        for one in passages(chunk.text):
            sentence = chunk.text[one.start : one.end]
            if one.kind in ("heading", "code") or not SHORTEST <= len(sentence) <= LONGEST:
                continue
            if "\n" in sentence:
                continue
            spans = [match.span() for match in _FACT.finditer(sentence)]
            told = [s for s in spans if sentence.count(sentence[slice(*s)].strip()) == 1]
            told = [s for s in told if not _NUMBERING.match(sentence, 0, s[1] + 1)]
            if told:
                yield Fact(chunk, sentence, max(told, key=lambda span: span[1] - span[0]))


def _say(kind: str, language: Language, fact: Fact, **more: str) -> str:
    fields = {"title": _title(fact), "trail": _trail(fact), "cloze": fact.cloze, **more}
    text = _ASK[kind][language == "en"]
    for name, value in fields.items():  # not `format`: documents may hold braces
        text = text.replace(f"{{{name}}}", value)
    return text


def _title(fact: Fact) -> str:
    return fact.chunk.title or fact.chunk.file_path


def _trail(fact: Fact) -> str:
    return " > ".join(fact.chunk.section_path) or fact.chunk.file_path


def _keyword(fact: Fact) -> dict[str, Any]:
    language = language_of(fact.sentence)
    question = _say("keyword", language, fact)
    return _fields("keyword", language, question, fact.text, [fact.text], [fact.place])


def _cross(one: Fact, other: Fact) -> dict[str, Any]:
    language = language_of(one.sentence)
    second = {"title2": _title(other), "trail2": _trail(other), "cloze2": other.cloze}
    question = _say("cross", language, one, **second)
    places = [one.place, other.place]
    answer = f"{one.text}; {other.text}"
    return _fields("cross", language, question, answer, [one.text, other.text], places)


def _fields(
    kind: str,
    language: Language,
    question: str,
    answer: str,
    must: Sequence[str],
    places: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    fields = {"kind": kind, "lang": language, "question": question, "answer": answer}
    return fields | {"must": list(must), "gold": list(places)}
