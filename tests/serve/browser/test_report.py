"""The report of a measurement in a real browser: desk and phone, light and dark, no request."""

from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from fanshu.evals.report.page import page as report
from tests.evals.report.made import HOSTILE, asked, ranked, row, series, told

pytestmark = pytest.mark.browser

SIZES = {"desk": (1200, 900), "phone": (360, 740)}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    questions = [asked("1", text="长" * 300), asked("2", text=HOSTILE), asked("3", "unanswerable")]
    made = [
        series(name, row("1", HOSTILE * 5), row("2"), row("3", "x" * 500), system="loop")
        for name in ("loop", "grep", "a-name-that-is-longer-than-most")
    ]
    path = tmp_path_factory.mktemp("report") / "r.html"
    account = told(*made, series("search", ranked("1")), questions=questions)
    path.write_text(report(account), encoding="utf-8")
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_it_fits_is_legible_and_asks_for_nothing(
    browser: Browser, file: Path, size: str, scheme: Literal["light", "dark"]
) -> None:
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, locale="en-GB"
    )
    page = context.new_page()
    asked_for: list[str] = []
    page.on("request", lambda request: asked_for.append(request.url))
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.goto(file.as_uri())
    for number in range(page.locator("summary").count()):
        page.locator("summary").nth(number).evaluate("it => it.parentElement.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("svg").first.bounding_box()
    found = Axe().run(page).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], one["nodes"][0]["target"]) for one in serious] == []
    assert (asked_for, said) == ([file.as_uri()], [])
    context.close()
