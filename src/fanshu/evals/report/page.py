"""A report as one HTML page: no script, no request, pictures drawn in it, prints well.

Answers and documents are hostile: all text goes through `markup`, and the page's own policy
forbids everything but its one style sheet, which is named by its hash.
"""

import base64
import hashlib
from collections.abc import Iterator
from importlib.resources import files

from fanshu.audit.markup import Child, Element, element, several
from fanshu.evals.report.account import Account, System
from fanshu.evals.report.answers import questions
from fanshu.evals.report.charts import against_tokens, by_kind, rounds, setting
from fanshu.evals.report.tables import Table, tables
from fanshu.evals.report.words import say


def page(told: Account) -> str:
    """The whole page."""
    style = files("fanshu.evals.report").joinpath("report.css").read_text("utf-8")
    body = element("body", element("main", *_sections(told)))
    head = "".join(map(str, _head(told, style)))
    language = "zh-CN" if told.language == "zh" else "en"
    # What stands in <style> is not text to HTML: it is our own file and must not be escaped.
    return (
        f'<!DOCTYPE html>\n<html lang="{language}"><head>{head}<style>{style}</style></head>'
        f"{body}</html>\n"
    )


def _head(told: Account, style: str) -> Iterator[Element]:
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    yield element("meta", charset="utf-8")
    yield element("meta", http_equiv="Content-Security-Policy", content=policy)
    yield element("meta", name="viewport", content="width=device-width, initial-scale=1")
    yield element("meta", name="referrer", content="no-referrer")
    yield element("title", say(told.language, "kicker"))


def _sections(told: Account) -> Iterator[Child]:
    yield _top(told)
    first, *others = tables(told)
    yield _section(first.title, iter([_table(first)]))
    yield from _charts(told)
    for one in others:
        yield _section(one.title, iter([_table(one)]))
    yield from questions(told)
    yield _record(told)
    yield element("footer", element("p", say(told.language, "meaning")))


def _section(title: str, inside: Iterator[Child]) -> Element:
    return element("section", element("h2", title), *inside)


def _top(told: Account) -> Element:
    language = told.language
    count = len(told.systems)
    systems = say(language, "systems.1") if count == 1 else say(language, "systems.n", n=count)
    asked = max((one.all.questions for one in told.systems), default=0)
    wrong = sum(bool(one.wrong) for one in told.questions)
    lead = [say(language, "asked", count=asked, systems=systems)]
    if any(one.all.grades for one in told.answering):
        lead.append(say(language, "wrong", wrong=wrong, count=asked))
    return element(
        "header",
        element("p", say(language, "kicker"), class_="kicker"),
        element("h1", say(language, "title")),
        element("p", " ".join(lead), class_="lead"),
    )


# ---------------------------------------------------------------- tables


def _table(one: Table) -> Element:
    heads = several("tr", (element("th", cell, scope="col") for cell in one.heads))
    rows = (
        several("tr", [element("th", row[0], scope="row"), *map(_cell, row[1:])])
        for row in one.rows
    )
    table = element("table", element("thead", heads), several("tbody", rows))
    shown = element("div", table, class_="wide", tabindex="0", role="region", aria_label=one.title)
    return element("div", shown, element("p", one.note, class_="faint") if one.note else None)


def _cell(text: str) -> Element:
    """A figure, and fainter its interval or upper figure."""
    for mark in (" [", " ("):
        figure, found, rest = text.partition(mark)
        if found and figure:
            return element("td", figure, " ", element("i", found.strip() + rest))
    return element("td", text)


# ---------------------------------------------------------------- pictures


def _charts(told: Account) -> Iterator[Element]:
    language = told.language
    drawn = [
        ("against", say(language, "chart.against"), against_tokens(told.answering, language)),
        ("kinds", say(language, "chart.kinds"), by_kind(told.answering, told.kinds, language)),
        ("rounds", say(language, "chart.rounds"), rounds(told.answering, language)),
    ]
    for one in told.lines:
        title = say(language, "chart.setting", system=one.system, setting=one.setting)
        drawn.append(("setting", title, setting(one, told.answering, language)))
    shown = [
        element("figure", _caption(title, say(language, f"note.{key}")), picture)
        for key, title, picture in drawn
        if picture
    ]
    if shown:
        grid = several("div", shown, class_="charts")
        yield _section(say(language, "charts"), iter([grid]))


def _caption(title: str, note: str) -> Element:
    return element("figcaption", element("b", title), element("span", note))


# ---------------------------------------------------------------- what was measured


def _record(told: Account) -> Element:
    language = told.language
    names = ("system", "model", "passes", "documents", "version", "began")
    heads = several("tr", (element("th", say(language, key), scope="col") for key in names))
    rows = (_measured(one) for one in told.systems)
    table = element("table", element("thead", heads), several("tbody", rows))
    title = say(language, "record")
    shown = element("div", table, class_="wide", tabindex="0", role="region", aria_label=title)
    return _section(title, iter([shown]))


def _measured(one: System) -> Element:
    made = one.manifest or {}
    versions, corpora = made.get("versions"), made.get("corpora")
    told = versions if isinstance(versions, dict) else {}
    cells = (
        str(made.get("model") or "–"),
        str(one.passes),
        ", ".join(map(str, corpora)) if isinstance(corpora, dict) else "–",
        ", ".join(str(told[key]) for key in ("fanshu", "prompt") if key in told) or "–",
        str(made.get("began") or "–"),
    )
    return several(
        "tr", [element("th", one.name, scope="row"), *(element("td", it) for it in cells)]
    )
