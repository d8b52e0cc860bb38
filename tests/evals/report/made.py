"""Results to report on: two systems that answer, one that ranks."""

from collections.abc import Mapping, Sequence
from typing import Any

from fanshu.evals.questions import Question
from fanshu.evals.report.account import Account, account
from fanshu.evals.series import Series
from fanshu.types import Language

FILE = "手册.md"
HOSTILE = "</style><script>alert(1)</script><img src=x onerror=alert(2)> [x](http://evil) `a` |b|"


def asked(id_: str, kind: str = "keyword", must: str = "30", text: str = "写超时？") -> Question:
    fields: dict[str, Any] = {"kind": kind, "must": [], "gold": [], "answer": ""}
    if kind != "unanswerable":
        place = {"file": FILE, "trail": ["超时"], "quote": "写超时为 30 秒"}
        fields |= {"must": [must], "gold": [place], "answer": f"{must} 秒"}
    return Question(id_, text, None, kind, fields)


def row(id_: str, answer: str = "30 秒", **more: Any) -> dict[str, Any]:
    cited = {"file": FILE, "trail": ["超时"], "page": None, "text": "写超时为 30 秒"}
    place = {"chunk_id": f"{FILE}#2", "file": FILE, "trail": ["超时"], "page": None}
    step = {"round": 1, "text": "", "calls": [], "tokens": 900, "seconds": 0.5}
    return {
        "id": id_,
        "answer": answer,
        "found": bool(answer),
        "status": "answered" if answer else "not_found",
        "citations": [cited] if answer else [],
        "loops": 2,
        "tokens": 1800,
        "prompt_tokens": 1600,
        "cached_tokens": 400,
        "seconds": 1.5,
        "read": [place],
        "shown": [],
        "steps": [step],
    } | more


def series(name: str, *rows: Mapping[str, Any], **manifest: Any) -> Series:
    return Series(name, ({one["id"]: one for one in rows},), manifest or None)


def ranked(id_: str) -> dict[str, Any]:
    text = {"file": FILE, "trail": [], "page": None, "text": "写超时为30秒"}
    return {"id": id_, "answer": "", "found": False, "status": "retrieved", "retrieved": [text]}


def told(*made: Series, questions: Sequence[Question] | None = None, zh: bool = False) -> Account:
    language: Language = "zh" if zh else "en"
    return account(made, questions, language)
