"""Every case of cases/parsers/cases.json, by its name."""

import json
from collections import Counter
from pathlib import Path

import pytest

from fanshu.library.parsers import parse
from fanshu.types import Document, Section

CASES = Path(__file__).parents[2] / "cases" / "parsers"
STATES = {
    "needs_ocr": "no_text",
    "corrupt": "failed",
    "not_pdf": "failed",
    "empty": "skipped",
    "encrypted": "encrypted",
}


def _cases() -> list[object]:
    cases = json.loads((CASES / "cases.json").read_text(encoding="utf-8"))["cases"]
    return [pytest.param(case, id=case["id"]) for case in cases if "file" in case]


def _page(document: Document, offset: int) -> int:
    return sum(1 for start in document.pages if start <= offset)


def _text(document: Document, section: Section) -> str:
    return document.text[section.start : section.end]


def _found(document: Document, section: Section, wanted: dict[str, object]) -> dict[str, object]:
    """What was found of the things a case speaks about."""
    end = section.start + len(_text(document, section).rstrip())
    return {
        "trail": list(section.trail),
        "level": section.level,
        "lines": list(section.lines) if section.lines else None,
        "anchor": section.anchor,
        "pages": [section.page, _page(document, max(section.start, end - 1))],
    } | {key: wanted[key] for key in ("occurrence", "text_contains", "text_lacks") if key in wanted}


@pytest.mark.parametrize("case", _cases())
def test_case(case: dict) -> None:
    document = parse(case["file"], (CASES / case["file"]).read_bytes())
    if "status" in case:
        assert document.state == STATES[case["status"]]
        assert (document.reason or "").split(":")[0] == case["status"]
    else:
        assert document.state == "ok"
    found = [
        {key: value for key, value in _found(document, section, wanted).items() if key in wanted}
        for section, wanted in zip(document.sections, case["sections"], strict=False)
    ]
    wanted = [{k: v for k, v in w.items() if k not in ("note", "paras")} for w in case["sections"]]
    assert found == wanted
    assert len(document.sections) == len(wanted)
    assert "".join(_text(document, section) for section in document.sections) == document.text
    seen: Counter[tuple[str, ...]] = Counter()
    for section, want in zip(document.sections, case["sections"], strict=True):
        seen[section.trail] += 1
        assert seen[section.trail] == want.get("occurrence", seen[section.trail])
        for piece in want.get("text_contains", ()):
            assert piece in _text(document, section)
        for piece in want.get("text_lacks", ()):
            assert piece not in _text(document, section)
    for name in ("title", "encoding"):
        if name in case:
            assert getattr(document, name) == case[name]
    if "page_labels" in case:
        assert list(document.page_labels) == case["page_labels"]
    assert (document.reason == "lossy decoding") == (
        case.get("lossy", False) or "\ufffd" in document.text
    )
