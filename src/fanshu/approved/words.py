"""What every face says of approved answers, in English and Chinese."""

from collections.abc import Mapping

from fanshu.types import Approval, Language

STATES: Mapping[str, tuple[str, str]] = {
    "unchanged": ("unchanged", "未变"),
    "moved": ("moved", "已移动"),
    "changed": ("changed", "已改动"),
    "gone": ("gone", "已消失"),
    "superseded": ("superseded by a newer version", "已有更新的版本"),
    "contradicted": ("contradicted by another document", "与另一文档不一致"),
}
APPROVED = ("approved by {by}, {at}", "已由 {by} 认可，{at}")
WAITS = (
    "An approved answer ({id}, by {by}, {at}) waits for review: its evidence is {state}. This is "
    "another one, found anew.",
    "已认可的回答（{id}，{by}，{at}）正待复核：依据{state}。这里是重新查出的回答。",
)


def approved_by(approval: Approval, language: Language) -> str:
    """That an answer is an approved one: by whom, and when."""
    return _said(APPROVED, approval, language)


def waits_for_review(approval: Approval, language: Language) -> str:
    """That there is an approved answer, which is not given, and why."""
    return _said(WAITS, approval, language)


def _said(words: tuple[str, str], one: Approval, language: Language) -> str:
    at = language == "zh"
    state = STATES[one.state][at]
    return words[at].format(id=one.id, by=one.by, at=one.at[:10], state=state)
