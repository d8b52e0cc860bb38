"""Each question of a report, with what the systems said side by side; failures first."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fanshu.audit.markup import Child, Element, element, several
from fanshu.evals.grading import Gold, points_at
from fanshu.evals.judging import JUDGED
from fanshu.evals.report.account import Account, Said, Told
from fanshu.evals.report.tables import number
from fanshu.evals.report.words import say
from fanshu.evals.results import status
from fanshu.types import Language

# A page has to open on a phone: what is beyond stands in the results.
MOST_QUESTIONS = 200
MOST_ANSWER = 1500  # characters
MOST_CITED = 12
MOST_STEPS = 12
MOST_CALLS = 6
MOST_CALL = 240  # characters of a call's arguments, and of what came back
TRAIL = " › "


def questions(told: Account) -> Iterator[Element]:
    """The section of all questions; none where there are no answers."""
    if not told.questions or not told.answering:
        return
    shown = told.questions[:MOST_QUESTIONS]
    cases: list[Child] = [_case(one, told.language) for one in shown]
    if len(told.questions) > len(shown):
        more = say(told.language, "more", count=len(told.questions) - len(shown))
        cases.append(element("p", more, class_="faint"))
    yield element("section", element("h2", say(told.language, "every")), *cases)


def _case(one: Told, language: Language) -> Element:
    marks = [element("span", mark, class_=class_) for mark, class_ in map(_mark, one.said)]
    whys = dict.fromkeys(say(language, f"cause.{it.cause}") for it in one.said if it.cause)
    chips = " · ".join((one.id, *filter(None, [one.kind]), *whys))
    summary = element(
        "summary",
        several("span", marks, class_="marks"),
        element("span", cut(one.question or one.id, MOST_ANSWER), class_="question", dir="auto"),
        element("span", chips, class_="chips"),
    )
    cards = several("div", (_card(it, one.gold, language) for it in one.said), class_="cards")
    return element("details", summary, _expected(one, language), cards, class_="case")


def _mark(one: Said) -> tuple[str, str]:
    if one.grade is None:
        return "·", "faint"
    if not one.grade.right:
        return "✗", "bad"
    return ("✓", "good") if one.grade.complete else ("✓", "look")


def _expected(one: Told, language: Language) -> Element | None:
    if one.gold is None:
        return None
    said = one.answer or say(language, "not_found")
    places = [
        element("p", f"{TRAIL.join((each[0].file, *each[0].trail[-2:]))}", class_="faint")
        for each in one.gold.places
    ]
    expected = element("p", element("b", say(language, "expected")), " ", cut(said, MOST_ANSWER))
    return element("div", expected, *places, class_="expected", dir="auto")


def _card(one: Said, right: Gold | None, language: Language) -> Element:
    result = one.result or {}
    return element(
        "div",
        element("h3", one.system),
        _verdict(one, language),
        element("p", _answer(result, language), class_="answer", dir="auto"),
        _citations(result, right),
        _took(result, language),
        _trace(result, language),
        class_="card",
    )


def _verdict(one: Said, language: Language) -> Element:
    mark, class_ = _mark(one)
    key = {"✗": "wrong", "·": "ungraded"}.get(mark, "right" if class_ == "good" else "incomplete")
    said = say(language, f"verdict.{key}")
    if one.cause:
        said += f": {say(language, f'cause.{one.cause}')}"
    told = (one.result or {}).get(JUDGED)
    if isinstance(told, dict) and isinstance(told.get("right"), bool):
        verdict = say(language, "verdict.right" if told["right"] else "verdict.wrong")
        said += f" · {say(language, 'judge', said=verdict)}"
    return element("p", f"{mark} {said}", class_=f"verdict {class_}")


def _answer(result: Mapping[str, Any], language: Language) -> str:
    if "error" in result:
        return cut(str(result["error"]), MOST_ANSWER)
    if result and status(result) == "not_found":
        return say(language, "not_found")
    return cut(str(result.get("answer") or ""), MOST_ANSWER) or say(language, "nothing")


def _citations(result: Mapping[str, Any], right: Gold | None) -> Element | None:
    cited = result.get("citations") or ()
    rows = [_citation(one, right) for one in cited[:MOST_CITED]]
    if len(cited) > MOST_CITED:
        rows.append(element("li", f"+ {len(cited) - MOST_CITED}", class_="faint"))
    return several("ul", rows) if rows else None


def _citation(one: Mapping[str, Any], right: Gold | None) -> Element:
    places = [place for each in right.places for place in each] if right else []
    good = any(points_at(one, place) for place in places)
    trail = one.get("trail") or one.get("heading") or ()
    headings = [trail] if isinstance(trail, str) else list(trail)[-2:]
    page = [f"p. {one['page']}"] if one.get("page") else []
    where = TRAIL.join((str(one.get("file") or "?"), *headings, *page))
    mark = element("span", "✓ " if good else "– ", class_="good" if good else "faint")
    return element("li", mark, cut(where, MOST_CALL))


def _took(result: Mapping[str, Any], language: Language) -> Element | None:
    if not result or not any(result.get(key) for key in ("loops", "tokens", "seconds")):
        return None
    figures = {
        name: number(float(result.get(key) or 0))
        for name, key in (("rounds", "loops"), ("tokens", "tokens"), ("seconds", "seconds"))
    }
    return element("p", say(language, "took", **figures), class_="faint")


# ---------------------------------------------------------------- how it went


def _trace(result: Mapping[str, Any], language: Language) -> Element | None:
    steps = [one for one in result.get("steps") or () if isinstance(one, dict)]
    if not steps:
        return None
    shown = [_step(one, language) for one in steps[:MOST_STEPS]]
    return element("details", element("summary", say(language, "trace")), *shown)


def _step(one: Mapping[str, Any], language: Language) -> Element:
    title = element("p", say(language, "round", round=one.get("round") or "?"), class_="faint")
    said = str(one.get("text") or "")
    calls = one.get("calls")
    told = calls if isinstance(calls, list) else []
    rows = [row for call in told[:MOST_CALLS] if isinstance(call, dict) for row in _call(call)]
    text = element("p", cut(said, MOST_CALL), dir="auto") if said else None
    return element("div", title, text, *rows, class_="step")


def _call(one: Mapping[str, Any]) -> Sequence[Element]:
    arguments = one.get("arguments")
    told = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    called = element("p", element("code", f"{one.get('tool')} {cut(told, MOST_CALL)}"))
    came = cut(" ".join(str(one.get("result") or "").split()), MOST_CALL)
    return [called, element("p", came, class_="faint", dir="auto")] if came else [called]


def cut(text: str, most: int) -> str:
    """A text that is no longer than so many characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
