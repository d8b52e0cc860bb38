"""A check-up as one HTML page that needs nothing else: passages side by side.

Like the page of an audit: all text goes through `markup`, no script, no request.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from fanshu.audit.markup import Child, Element, element, several
from fanshu.audit.page import TRAIL, spot, written_page
from fanshu.checkup.findings import Finding, Report, Side
from fanshu.checkup.messages import said
from fanshu.types import Language

_WORDS = {
    "title": ("fanshu · check-up of documents", "翻书 · 文档体检"),
    "sum": (
        "{findings} findings in {files} files, {sections} sections",
        "{files} 个文件、{sections} 节，{findings} 项",
    ),
    "none": ("Nothing found.", "没有发现问题。"),
    "more": ("and {count} more places", "另有 {count} 处"),
    "ignored": ("Left out, and why", "略去的，以及理由"),
    "confirmed": ("confirmed by the model", "模型核实：成立"),
    "dismissed": ("dismissed by the model", "模型核实：不成立"),
    "unclear": ("the model could not decide", "模型核实：不能确定"),
    "meaning": (
        "Found by code alone. “Sure” is how sure the code is, not how bad it is; a finding can be "
        "left out with its id and a reason in .fanshu/check-ignore.toml.",
        "由代码逐项比对得出。“很可能”指把握大小，不指严重程度；可在 .fanshu/check-ignore.toml 中"
        "按编号略去，并写明理由。",
    ),
}


def page(report: Report, language: Language) -> str:
    """The page of a report."""
    return written_page(_say(language, "title"), language, list(_sections(report, language)))


def _say(language: Language, key: str, **values: object) -> str:
    return _WORDS[key][language == "zh"].format(**values)


def _sections(report: Report, language: Language) -> Iterator[Child]:
    summed = _say(
        language,
        "sum",
        findings=len(report.findings),
        files=report.files,
        sections=report.sections,
    )
    yield element(
        "header",
        element("p", _say(language, "title"), class_="kicker"),
        element("h1", summed if report.findings else _say(language, "none")),
    )
    order = {kind: at for at, kind in enumerate(dict.fromkeys(f.kind for f in report.findings))}
    grouped = sorted(report.findings, key=lambda one: order[one.kind])
    for kind, group in groupby(grouped, lambda one: one.kind):
        found = [_finding(one, language) for one in group]
        title = element("h2", f"{said(language, f'kind.{kind}')} · {len(found)}")
        yield element("section", title, *found, class_="checkup")
    if report.ignored:
        rows = [
            element("li", f"{one.finding.message(language)} — {one.reason}", dir="auto")
            for one in report.ignored
        ]
        title = element("h2", _say(language, "ignored"))
        yield element("section", title, several("ul", rows))
    yield element("footer", element("p", _say(language, "meaning")))


def _finding(one: Finding, language: Language) -> Element:
    level = element("span", said(language, f"sure.{one.sureness}"), class_=f"level {one.sureness}")
    parts: list[Child] = [
        element("h3", level, " ", one.message(language), dir="auto"),
        several("div", (_side(side, language) for side in one.sides), class_="sides"),
    ]
    if one.more:
        parts.append(element("p", _say(language, "more", count=one.more), class_="faint"))
    if one.verdict:
        holds = {True: "confirmed", False: "dismissed", None: "unclear"}[one.verdict.holds]
        told = f"{_say(language, holds)}: {one.verdict.said}"
        parts.append(element("p", told, class_="noted", dir="auto"))
    parts.append(element("p", element("code", one.id), class_="faint"))
    return several("div", parts, class_="finding", id=one.id)


def _side(side: Side, language: Language) -> Element:
    where = [
        element("p", side.file_path, class_="file"),
        element("p", TRAIL.join(side.section_path), class_="trail"),
        element("p", spot(language, side.lines, side.page), class_="faint"),
    ]
    text = element("blockquote", *_marked(side.text, side.marked), dir="auto")
    passage = text if side.text.strip() else None
    return element("div", several("div", where, class_="place"), passage, class_="side")


def _marked(text: str, marked: Sequence[tuple[int, int]]) -> Iterator[Child]:
    at = 0
    for start, end in sorted(marked):
        if at <= start < end:
            yield text[at:start]
            yield element("mark", text[start:end])
            at = end
    yield text[at:]
