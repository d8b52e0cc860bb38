"""An answer, and the check of one, as text for a model that goes on with it."""

from collections.abc import Iterator, Mapping, Sequence

from fanshu.agent.context import Fence
from fanshu.agent.layout import one_line, trail
from fanshu.agent.others import Checked, Refused
from fanshu.approved.words import approved_by, waits_for_review
from fanshu.library.naming import visible
from fanshu.types import Answer, Citation, Derived, Language, Lines

MOST_PASSAGE = 600  # characters of one; the data have it whole
MOST_LISTED = 20

_SAY: Mapping[str, tuple[str, str]] = {
    "answered": ("[原文核对一致]", "[quotes checked]"),
    "partial": (
        "[部分回答：有缺少或未通过核对的内容，见下]",
        "[partial: what is missing or failed the check is below]",
    ),
    "passages": (
        "[没有配置模型：以下是最相符的原句]",
        "[no model is configured: these are the sentences that match best]",
    ),
    "not_found": ("[文档中未找到]", "[not found in the documents]"),
    "error": ("[出错]", "[failed]"),
    "checked": ("[核对：全部通过]", "[check: everything holds]"),
    "checked_partial": (
        "[核对：有未通过之处，见下]",
        "[check: something does not hold, see below]",
    ),
    "unchecked": (
        "[核对：没有一条引文成立]",
        "[check: no citation holds]",
    ),
    "no claim": (
        "[核对：回答说没有找到，没有断言，无可核对]",
        "[check: the answer says that nothing was found; it claims nothing, nothing was checked]",
    ),
    "stop": ("结束原因：{reason}", "it ended because: {reason}"),
    "line": ("第 {a} 行", "line {a}"),
    "lines": ("第 {a}–{b} 行", "lines {a}–{b}"),
    "page": ("第 {page} 页", "page {page}"),
    "located": ("（出处由程序找到）", " (place found by code)"),
    "newer": ("有更新的版本：{path}", "a newer version exists: {path}"),
    "unsupported": ("原文中没有依据：{item}", "no passage supports: {item}"),
    "derived": ("算出来的：{figure}（{how}）", "derived: {figure} ({how})"),
    "refused": ("引用不成立 {place}：{reason}", "citation refused, {place}: {reason}"),
    "rejected": ("{count} 条引用未通过核对", "{count} citations failed the check"),
    "related": ("最接近的内容：", "nearest:"),
    "unverified": ("未经核对的文字：", "text that was not checked:"),
    "trace": ("记录编号 {trace}", "trace {trace}"),
}


def say(language: Language, key: str, **fields: object) -> str:
    """A remark of the table."""
    return _SAY[key][language == "en"].format(**fields)


def answer_text(answer: Answer, language: Language) -> str:
    """The answer, its status, its numbered citations and what else must be said."""
    fence = Fence()
    lines = [answer.answer] if answer.answer and answer.status != "passages" else []
    lines.append(say(language, answer.status))
    if answer.approved:
        lines.append(approved_by(answer.approved, language))
    if answer.under_review:
        lines.append(waits_for_review(answer.under_review, language))
    if answer.stop_reason not in ("answered", "not_found"):
        lines.append(say(language, "stop", reason=answer.stop_reason))
    lines += filter(None, [answer.error])
    lines += _cited(answer.citations, language, fence)
    lines += _remarks(answer.unsupported, answer.derived, answer.warnings, language)
    if answer.citations_rejected:
        lines.append(say(language, "rejected", count=answer.citations_rejected))
    lines += answer.note.splitlines()
    if answer.related:
        near = [
            f"{visible(one.chunk_id)} {trail(one.section_path)}: {one_line(one.text)}"
            for one in answer.related
        ]
        lines += [say(language, "related"), fence.around("\n".join(near))]
    if answer.unverified_text:
        lines += [say(language, "unverified"), fence.around(answer.unverified_text)]
    if answer.trace_id:
        lines.append(say(language, "trace", trace=answer.trace_id))
    return "\n".join(lines)


def checked_text(checked: Checked, language: Language) -> str:
    """What holds, what does not and what to do about it."""
    fence = Fence()
    keys = {"answered": "checked", "partial": "checked_partial"}
    key = keys.get(checked.status, "unchecked") if checked.claims else "no claim"
    lines = [say(language, key)]
    lines += _cited(checked.citations, language, fence)
    lines += [_refused(one, language, fence) for one in checked.refused]
    lines += _remarks(checked.unsupported, checked.derived, checked.remarks, language)
    told = {one.reason for one in checked.refused}
    lines += [f"- {fence.beside(one)}" for one in checked.objections if one not in told]
    return "\n".join(lines)


def _cited(citations: Sequence[Citation], language: Language, fence: Fence) -> Iterator[str]:
    """The citations with their passages, numbered, as material of documents."""
    lines = []
    for number, one in enumerate(citations, 1):
        spot = _spot(one.lines, one.page, language)
        found = say(language, "located") if one.verified == "located" else ""
        where = " · ".join(filter(None, (visible(one.chunk_id), trail(one.section_path), spot)))
        lines.append(f"[{number}] {where}{found}")
        lines.append(f"    {one_line(one.passage or one.quote, MOST_PASSAGE)}")
        if one.newer_version:
            lines.append(f"    {say(language, 'newer', path=visible(one.newer_version))}")
    if lines:
        yield fence.around("\n".join(lines))


def _spot(lines: Lines | None, page: int | None, language: Language) -> str:
    if lines:
        first, last = lines
        return say(language, "line" if first == last else "lines", a=first, b=last)
    return say(language, "page", page=page) if page is not None else ""


def _refused(one: Refused, language: Language, fence: Fence) -> str:
    place = one_line(visible(one.place), 200) or "?"
    return f"- {say(language, 'refused', place=place, reason=fence.beside(one.reason))}"


def _remarks(
    unsupported: Sequence[str],
    derived: Sequence[Derived],
    others: Sequence[str],
    language: Language,
) -> Iterator[str]:
    said = [say(language, "unsupported", item=item) for item in unsupported]
    said += [say(language, "derived", figure=one.figure, how=one.arithmetic) for one in derived]
    for line in (*said, *others)[:MOST_LISTED]:
        yield f"- {one_line(line, MOST_PASSAGE)}"
