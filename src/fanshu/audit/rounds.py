"""The rounds of a run, as parts of a page: what was called, and what came of it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fanshu.audit.markup import Child, Element, element, several
from fanshu.audit.words import say
from fanshu.types import Language

Document = Mapping[str, Any]


def rounds(document: Document, language: Language) -> Iterator[Element]:
    """A part for what was done ahead, then one for each round."""
    if document.get("opening"):
        yield _ahead(document, language)
    for step in document["rounds"]:
        yield _round(step, language)


def _ahead(document: Document, language: Language) -> Element:
    opening = document["opening"]
    search = opening["search"]
    rows: list[Child] = [element("h3", say(language, "ahead"))]
    if search:
        rows.append(_line("search", document["question"], _found(search, language)))
    rows += [_line("read", _place(chunk), "") for chunk in opening["read"]]
    rows.append(_seen(document.get("first_message", ""), language))
    return several("div", rows, class_="round")


def _round(step: Document, language: Language) -> Element:
    took = say(language, "seconds", seconds=f"{step['seconds']:.1f}")
    used = step["usage"]
    tokens = say(language, "tokens", **{k: used[k] for k in ("prompt", "cached", "completion")})
    rows: list[Child] = [
        element("h3", say(language, "round", round=step["round"])),
        element("p", f"{took} · {tokens}", class_="faint"),
    ]
    if step["text"]:
        rows.append(element("p", step["text"], class_="said", dir="auto"))
    given = {item["call_id"]: item for item in step["observations"]}
    for call in step["calls"]:
        rows += _call(call, given.get(call["id"]), language)
    return several("div", rows, class_="round")


def _call(call: Document, given: Document | None, language: Language) -> Iterator[Child]:
    arguments = call["arguments"] or {}
    if call["name"] == "answer":
        yield from _answer(arguments, given, language)
        return
    what = " ".join(str(value) for value in arguments.values()) or call["raw"]
    if given is not None:
        yield _line(call["name"], what, _outcome(given, language))
        yield _seen(given["text"], language)
    else:
        yield _line(call["name"], what, "")


def _outcome(given: Document, language: Language) -> str:
    data = given["data"]
    if given["error"]:
        return say(language, "not_done")
    if isinstance(data, Mapping) and "hits" in data:
        return _found(data, language)
    if isinstance(data, Mapping) and "section_path" in data:
        return _place(data)
    return ""


def _answer(arguments: Document, given: Document | None, language: Language) -> Iterator[Child]:
    verdict = given["data"] if given and isinstance(given["data"], Mapping) else {}
    objections = verdict.get("objections", ())
    passed = "objections" in verdict and not objections
    yield _line("answer", "", say(language, "check_passed") if passed else "")
    response = str(arguments.get("response", ""))
    yield element("p", response, class_="said", dir="auto") if response else None
    if cited := list(_cited(arguments.get("citations"))):
        yield several("ul", cited, class_="drafted")
    if objections:
        yield several("ul", (element("li", one) for one in objections), class_="objections")
    elif given and not passed:
        yield _seen(given["text"], language)


def _cited(citations: object) -> Iterator[Element]:
    """The citations of a draft, in whatever shape the model sent them."""
    for one in citations if isinstance(citations, Sequence) else ():
        if isinstance(one, Mapping):
            quote, place = str(one.get("quote", "")), str(one.get("chunk_id", ""))
            yield element("li", element("q", quote), " ", element("code", place))
        else:
            yield element("li", json.dumps(one, ensure_ascii=False))


def _line(tool: str, what: str, came: str) -> Element:
    outcome = element("span", f" → {came}", class_="came") if came else None
    return element("p", element("code", tool), " ", what, outcome, class_="call", dir="auto")


def _found(search: Document, language: Language) -> str:
    total = say(language, "found", total=search["total"])
    level = say(language, f"level.{search['level']}")
    return f"{total} · {level}"


def _place(chunk: Document) -> str:
    return " › ".join((chunk["file_path"], *chunk["section_path"][-1:]))


def _seen(text: str, language: Language) -> Element | None:
    if not text:
        return None
    return element(
        "details", element("summary", say(language, "shown")), element("pre", text, dir="auto")
    )
