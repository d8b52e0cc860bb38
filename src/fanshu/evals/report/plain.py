"""A report as Markdown: the same tables, and the questions that were answered wrongly.

Answers and documents are hostile: whatever could be markup is escaped.
"""

import re
from collections.abc import Iterator

from fanshu.evals.report.account import Account, Said, Told
from fanshu.evals.report.answers import cut
from fanshu.evals.report.tables import Table, tables
from fanshu.evals.report.words import say
from fanshu.types import Language

MOST_WRONG = 100  # questions
MOST_CHARS = 200  # of an answer
_MARKS = re.compile(r"([\\`*_<>|~#!&$]|\](?=[(\[:]))")
_WHITE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+")


def markdown(told: Account) -> str:
    """The whole report."""
    parts = [f"# {say(told.language, 'title')}\n", figures(told), *_wrong(told)]
    return "\n".join((*parts, say(told.language, "meaning"))) + "\n"


def figures(told: Account) -> str:
    """The tables alone."""
    return "\n".join(row for one in tables(told) for row in _table(one))


def _table(one: Table) -> Iterator[str]:
    yield f"## {safe(one.title)}\n"
    for row in (one.heads, ["---"] * len(one.heads), *one.rows):
        yield f"| {' | '.join(cell if cell == '---' else safe(cell) for cell in row)} |"
    yield f"\n{one.note}\n" if one.note else ""


def _wrong(told: Account) -> Iterator[str]:
    wrong = [one for one in told.questions if one.wrong]
    if not wrong:
        return
    yield f"## {say(told.language, 'every')}\n"
    for one in wrong[:MOST_WRONG]:
        yield from _question(one, told.language)
    if len(wrong) > MOST_WRONG:
        yield f"{say(told.language, 'more', count=len(wrong) - MOST_WRONG)}\n"


def _question(one: Told, language: Language) -> Iterator[str]:
    yield f"- **{safe(one.id)}** {safe(cut(one.question, MOST_CHARS))}"
    if one.gold:
        expected = one.answer or say(language, "not_found")
        yield f"  - {say(language, 'expected')}: {safe(cut(expected, MOST_CHARS))}"
    yield from (f"  - {_said(it, language)}" for it in one.said)
    yield ""


def _said(one: Said, language: Language) -> str:
    right = one.grade is not None and one.grade.right
    why = say(
        language, f"cause.{one.cause}" if one.cause else "verdict.right" if right else "nothing"
    )
    answer = str((one.result or {}).get("answer") or "")
    shown = f": {safe(cut(answer, MOST_CHARS))}" if answer else ""
    return f"{safe(one.system)} – {why}{shown}"


def safe(text: str) -> str:
    """Text on one line in which nothing is markup."""
    return _MARKS.sub(r"\\\1", _WHITE.sub(" ", text)).strip()
