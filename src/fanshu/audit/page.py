"""An audit as one HTML page that needs nothing else: no script, no request, prints well.

Documents are hostile: all text goes through `markup`, and the page's own policy forbids
everything but its one style sheet, which is named by its hash.
"""

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

from fanshu.audit.account import Account, Check, Source, account
from fanshu.audit.facts import Fact
from fanshu.audit.markup import Child, Element, element, several
from fanshu.audit.rounds import rounds
from fanshu.audit.words import say
from fanshu.types import Language, Lines

TRAIL = " › "


def page(document: Mapping[str, Any]) -> str:
    """The page of a trace, in the language of its question."""
    told = account(document)
    title = f"{told.answer.question} · {say(told.language, 'title')}"
    return written_page(title, told.language, list(_sections(told, document)))


def written_page(title: str, language: Language, sections: Sequence[Child]) -> str:
    """A whole page in the style of this room: one style sheet, nothing that runs or loads."""
    style = files("fanshu.audit").joinpath("page.css").read_text("utf-8")
    body = element("body", element("main", *sections))
    lang = "zh-CN" if language == "zh" else "en"
    head = "".join(map(str, _head(title, style)))
    # What stands in <style> is not text to HTML: it is our own file and must not be escaped.
    return (
        f'<!DOCTYPE html>\n<html lang="{lang}"><head>{head}<style>{style}</style></head>'
        f"{body}</html>\n"
    )


def _head(title: str, style: str) -> Iterator[Element]:
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    yield element("meta", charset="utf-8")
    yield element("meta", http_equiv="Content-Security-Policy", content=policy)
    yield element("meta", name="viewport", content="width=device-width, initial-scale=1")
    yield element("meta", name="referrer", content="no-referrer")
    yield element("title", title)


def _sections(told: Account, document: Mapping[str, Any]) -> Iterator[Child]:
    yield _top(told, document)
    yield _answer(told)
    yield from _facts(told)
    yield from _citations(told)
    yield from _checks(told)
    yield from _nearest(told)
    yield section(say(told.language, "rounds"), rounds(document, told.language), class_="rounds")
    yield _record(told, document)
    yield element("footer", element("p", say(told.language, "meaning")))


def section(title: str, inside: Iterator[Child], **attributes: str) -> Element:
    """A part of the page under its heading."""
    return element("section", element("h2", title), *inside, **attributes)


# ---------------------------------------------------------------- question and answer


def _top(told: Account, document: Mapping[str, Any]) -> Element:
    answer, language = told.answer, told.language
    facts = [say(language, f"status.{answer.status}")]
    if answer.stop_reason not in ("answered", "not_found"):
        facts.append(say(language, f"stop.{answer.stop_reason}"))
    if answer.cached:
        facts.append(say(language, "cached"))
    about = [answer.reader, str(document["saved_at"]), str(document["trace_id"])]
    return element(
        "header",
        element("p", say(language, "title"), class_="kicker"),
        element("h1", answer.question, dir="auto"),
        element("p", element("span", " · ".join(facts), class_=f"status {answer.status}"), " "),
        element("p", " · ".join(filter(None, about)), class_="faint"),
    )


def _answer(told: Account) -> Element:
    shown = [_marked(row, told.facts) for row in told.answer.answer.splitlines() if row.strip()]
    error = element("p", told.answer.error, class_="failed") if told.answer.error else None
    notes = [element("p", row, class_="faint") for row in told.answer.note.splitlines()]
    warned = [element("li", one) for one in told.answer.warnings]
    warnings = [several("ul", warned, class_="warnings")] if warned else []
    parts = iter([*shown, error, *notes, *warnings])
    return section(say(told.language, "answer"), parts, class_="answer")


def _marked(row: str, facts: Sequence[Fact]) -> Element:
    """A line of the answer, its figures underlined and followed by where they stand."""
    inside: list[Child] = []
    at = 0
    for start, fact in _places(row, facts):
        if start >= at:
            inside += [row[at:start], *_figure(fact)]
            at = start + len(fact.text)
    return element("p", *inside, row[at:], dir="auto")


def _places(row: str, facts: Sequence[Fact]) -> list[tuple[int, Fact]]:
    """Where figures stand in a line; of two that begin at one place the longer comes first."""
    found = [(row.find(fact.text), fact) for fact in facts if fact.text in row]
    return sorted(found, key=lambda pair: (pair[0], -len(pair[1].text)))


def _figure(fact: Fact) -> Iterator[Child]:
    yield element("span", fact.text, class_=f"figure {fact.kind}")
    if fact.kind in ("quoted", "nearby"):
        yield element("sup", *_links(fact.sources))


def _links(sources: Sequence[int]) -> Iterator[Child]:
    for place, number in enumerate(sources):
        yield "," if place else None
        yield element("a", str(number), href=f"#c{number}")


# ---------------------------------------------------------------- facts and citations


def _facts(told: Account) -> Iterator[Element]:
    if told.facts:
        rows = (_fact(fact, told.language) for fact in told.facts)
        table = several("table", rows, class_="facts")
        yield section(say(told.language, "facts"), iter([table]))


def _fact(fact: Fact, language: Language) -> Element:
    numbers = " ".join(f"[{number}]" for number in fact.sources)
    said = say(language, f"fact.{fact.kind}", sources=numbers, arithmetic=fact.arithmetic)
    return element(
        "tr", element("th", fact.text, scope="row"), element("td", said), class_=fact.kind
    )


def _citations(told: Account) -> Iterator[Element]:
    if told.sources:
        cited = (_citation(source, told.language) for source in told.sources)
        yield section(say(told.language, "citations"), cited)
    if told.refused:
        rows = (
            element("li", element("q", one.quote), " ", element("code", one.chunk_id))
            for one in told.refused
        )
        listed = several("ul", rows, class_="refused")
        yield section(say(told.language, "refused"), iter([listed]))


def _citation(source: Source, language: Language) -> Element:
    cited = source.citation
    place = [
        element("p", f"[{source.number}] {cited.file_path}", class_="file"),
        element("p", TRAIL.join(cited.section_path), class_="trail"),
        element("p", spot(language, cited.lines, cited.page), class_="faint"),
        element("p", element("code", cited.chunk_id), class_="faint"),
        element("p", say(language, "hash", hash=cited.hash[:12]), class_="faint"),
    ]
    if cited.verified == "located":
        place.append(element("p", say(language, "located"), class_="noted"))
    if cited.newer_version:
        place.append(element("p", say(language, "newer", path=cited.newer_version), class_="noted"))
    if cited.images:
        names = " · ".join(cited.images)
        place.append(element("p", say(language, "pictures", names=names), class_="faint"))
    return element(
        "article",
        several("div", place, class_="place"),
        element(
            "div",
            element("blockquote", *highlighted(cited.passage, cited.quote), dir="auto"),
            _whole(source, language),
            class_="source",
        ),
        id=f"c{source.number}",
    )


def _whole(source: Source, language: Language) -> Element | None:
    """The section that a passage was taken from, closed until somebody wants to see it."""
    if source.chunk is None:
        return None
    text, found = source.chunk.text, source.found
    inside: tuple[Child, ...] = (text,)
    if found:
        a, b = found.passage
        inside = (
            text[:a],
            element("span", *highlighted(text[a:b], source.citation.quote), class_="passage"),
            text[b:],
        )
    summary = element("summary", say(language, "whole"))
    return element("details", summary, element("pre", *inside, dir="auto"))


def highlighted(passage: str, quote: str) -> Iterator[Child]:
    """A passage with the quote in it marked."""
    before, found, behind = passage.partition(quote) if quote else (passage, "", "")
    yield before
    yield element("mark", found) if found else None
    yield behind


def spot(language: Language, lines: Lines | None, page: int | None) -> str:
    """Lines or page in words, or nothing."""
    if lines is not None:
        a, b = lines
        return say(language, "line", a=a) if a == b else say(language, "lines", a=a, b=b)
    return say(language, "page", page=page) if page is not None else ""


# ---------------------------------------------------------------- checks, the rest


def _checks(told: Account) -> Iterator[Element]:
    rows: list[Child] = [_check(check, told.language) for check in told.checks]
    for sent in told.sent_back:
        listed = several("ul", (element("li", one) for one in sent.objections))
        title = say(told.language, "sent_back", round=sent.round)
        rows.append(element("li", element("b", title), listed, class_="noted"))
    if rows:
        yield section(say(told.language, "checks"), iter([several("ul", rows, class_="checks")]))


def _check(check: Check, language: Language) -> Element:
    said = say(language, f"check.{check.code}", good=check.good, all=check.all)
    outcome = say(language, f"outcome.{check.outcome}")
    return element("li", element("b", outcome), " ", said, class_=check.outcome)


def _nearest(told: Account) -> Iterator[Element]:
    answer, language = told.answer, told.language
    if answer.status in ("answered", "passages"):
        return
    words = dict.fromkeys(one.keyword for one in answer.searches if one.keyword)
    if words:
        said = element("p", " · ".join(words), dir="auto")
        yield section(say(language, "searched"), iter([said]))
    if answer.related:
        rows = (
            element(
                "article",
                element("div", element("p", one.file_path, class_="file"), class_="place"),
                element("div", element("blockquote", one.text, dir="auto"), class_="source"),
            )
            for one in answer.related
        )
        yield section(say(language, "related"), rows)


def _record(told: Account, document: Mapping[str, Any]) -> Element:
    answer, language = told.answer, told.language
    used = answer.usage
    usage = [
        say(language, "tokens", prompt=used.prompt, cached=used.cached, completion=used.completion)
    ]
    if used.cost is not None:
        usage.append(say(language, "cost", cost=f"{used.cost:.4f}"))
    rows = {
        "trace": str(document["trace_id"]),
        "saved": str(document["saved_at"]),
        "reader": answer.reader,
        "version": str(document.get("fanshu", "")),
        "prompts": str(document.get("prompt_version", "")),
        "took": say(language, "seconds", seconds=f"{answer.seconds:.1f}"),
        "usage": " · ".join(usage),
        "bounces": str(answer.bounces),
    }
    table = several("table", (_row(say(language, key), value) for key, value in rows.items()))
    chosen = document.get("settings", {}).items()
    settings = several("table", (_row(name, _value(value)) for name, value in chosen))
    summary = element("summary", say(language, "settings"))
    parts = iter([table, element("details", summary, settings)])
    return section(say(language, "record"), parts, class_="record")


def _row(name: str, value: str) -> Element:
    return element("tr", element("th", name, scope="row"), element("td", value))


def _value(value: object) -> str:
    if isinstance(value, list):
        return " · ".join(map(str, value)) or "-"
    return "-" if value is None else str(value)
