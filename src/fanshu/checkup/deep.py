"""Findings put to a model, one question each: does it hold? The function that asks comes in.

A verdict counts only with a citation that has been checked; what a model says without one
leaves the finding as it was.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from fanshu.checkup.findings import Finding, Kind, Report, Side, Verdict
from fanshu.checkup.ranking import ranked
from fanshu.types import Answer, Language

ASKED: tuple[Kind, ...] = ("conflict", "contact", "twin", "reference")
CONFIRMED = 0.95  # at least so sure is a finding that a model confirms with citations
DISMISSED = 0.2  # of its sureness is left to one that it dismisses
QUOTED = 200  # characters of a passage in a question

Ask = Callable[[str], Answer]

_QUESTIONS: dict[str, tuple[str, str]] = {
    "values": (
        "Do these passages state different values for the same thing, so that they cannot both "
        "hold? {passages} Read both places. Begin the answer with YES (they contradict each "
        "other), NO (they speak of different things, versions or conditions) or UNCLEAR, give "
        "the reason in one sentence, and cite the passages.",
        "下面几处是否对同一件事给出了互相矛盾的值？{passages}请读这几处原文，回答以“是”（互相矛盾）、"
        "“否”（说的是不同的事、版本或条件）或“不能确定”开头，用一句话说明理由，并引用原文。",
    ),
    "reference": (
        "This passage refers to {term}: {passages} Does that place exist in the documents? Begin "
        "the answer with YES (it is missing), NO (it exists) or UNCLEAR, give the reason in one "
        "sentence, and cite the passages.",
        "这段文字引用了{term}：{passages}文档中是不是没有这个地方？回答以“是”（确实没有）、“否”（有）"
        "或“不能确定”开头，用一句话说明理由，并引用原文。",
    ),
}
_YES = re.compile(r"\W*(?:yes\b|是(?!否)|确实|互相矛盾)", re.IGNORECASE)
_NO = re.compile(r"\W*(?:no\b|否|不是|不矛盾)", re.IGNORECASE)
_UNCLEAR = re.compile(r"\W*(?:unclear|不能确定|无法确定)", re.IGNORECASE)


def deepened(
    report: Report,
    ask: Ask,
    *,
    language: Language,
    limit: int,
    on_progress: Callable[[int, int], None] | None = None,
) -> Report:
    """A report whose first `limit` findings about values and references a model has looked at.

    `ask` answers one question with the loop; what it raises is not caught.
    `on_progress` hears (done, of how many) before each question.
    """
    chosen = [one for one in report.findings if one.kind in ASKED][:limit]
    judged: dict[str, Finding] = {}
    for number, one in enumerate(chosen):
        if on_progress:
            on_progress(number, len(chosen))
        judged[one.id] = _judged(one, ask(question(one, language)))
    findings = [judged.get(one.id, one) for one in report.findings]
    return replace(report, findings=ranked(findings))


def question(finding: Finding, language: Language) -> str:
    """What a model is asked of a finding."""
    asked = _QUESTIONS["reference" if finding.kind == "reference" else "values"]
    passages = _listed(finding.sides[:3], language)
    return asked[language == "zh"].format(term=finding.term, passages=passages)


def _listed(sides: Sequence[Side], language: Language) -> str:
    form = "《{}》“{}”；" if language == "zh" else "{}: “{}”; "
    return "".join(
        form.format(side.file_path, " ".join(side.text.split())[:QUOTED]) for side in sides
    )


def _judged(finding: Finding, answer: Answer) -> Finding:
    places = tuple(dict.fromkeys(cited.chunk_id for cited in answer.citations))
    holds = verdict(answer.answer) if places and answer.status in ("answered", "partial") else None
    sure = finding.sure
    if holds is not None:
        sure = max(sure, CONFIRMED) if holds else sure * DISMISSED
    said = " ".join(answer.answer.split())
    return replace(finding, sure=sure, verdict=Verdict(holds, said, places))


def verdict(text: str) -> bool | None:
    """Yes, no, or neither, by how an answer begins."""
    if _UNCLEAR.match(text):
        return None
    if _NO.match(text):
        return False
    return True if _YES.match(text) else None
