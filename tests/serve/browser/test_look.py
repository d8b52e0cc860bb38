"""Two languages, light and dark, a narrow screen, and people who hear the page."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.serve.browser.conftest import Chunks
from tests.serve.browser.stage import GUIDE, RUNBOOK, Desk, Model, at_rest, desk
from tests.serve.served import Served

pytestmark = pytest.mark.browser

QUOTE = "This takes about 40 seconds"
VIEWS = (
    "#/",
    "#/library",
    "#/search/timeout",
    "#/check",
    "#/history",
    "#/unanswered",
    "#/approved",
)
SERIOUS = ("serious", "critical")


def findings(page: Page) -> list[str]:
    """What axe finds that keeps somebody out."""
    at_rest(page)
    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {node['target']} {node.get('failureSummary', '')}"
        for one in found
        if one["impact"] in SERIOUS
        for node in one["nodes"]
    ]


@pytest.fixture(params=["light", "dark"])
def coloured(request: pytest.FixtureRequest, browser: Browser, served: Served) -> Iterator[Desk]:
    with desk(browser, served, color_scheme=request.param) as made:
        yield made


def test_axe_finds_nothing_serious_in_any_view(coloured: Desk) -> None:
    for view in VIEWS:
        page = coloured.open(view)
        page.wait_for_load_state("networkidle")
        assert findings(page) == [], view


def test_axe_finds_nothing_serious_in_an_answer_and_beside_it(
    coloured: Desk, model: Model, chunks: Chunks
) -> None:
    coloured.open()
    first = chunks(RUNBOOK, QUOTE), QUOTE
    second = chunks(GUIDE, "With 20 GB a day"), "With 20 GB a day"
    model.answers("About 40 seconds; 20 GB a day.", first, second, search="replica")
    page = coloured.ask("How long, and how much?")
    page.click(".run summary")
    assert findings(page) == []
    for number in (0, 1):
        page.click(f".source .open >> nth={number}")
        page.wait_for_selector("#reader mark.quote")
        assert findings(page) == []
    page.keyboard.press("Escape")
    coloured.open("#/history")
    page.locator(".runs a").first.click()
    page.wait_for_selector(".scrubber")
    assert findings(page) == []


def test_the_language_follows_the_browser_and_can_be_changed(
    browser: Browser, served: Served, model: Model, chunks: Chunks
) -> None:
    with desk(browser, served, locale="zh-CN") as made:
        page = made.open()
        expect(page.locator("h1")).to_have_text("想查点什么？")
        expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
        model.answers("大约 40 seconds。", (chunks(RUNBOOK, QUOTE), QUOTE))
        made.ask("切换要多久？")
        expect(page.locator(".verdict .status")).to_have_text("原文核对一致")
        page.get_by_role("button", name="Switch to English").click()
        expect(page.locator(".verdict .status")).to_have_text("quotes checked")
        expect(page.locator(".run summary")).to_contain_text("sections read")
        page.click("text=New question")
        expect(page.locator("h1")).to_have_text("What would you like to know?")
        page.reload()
        expect(page.locator("h1")).to_have_text("What would you like to know?")


def test_light_and_dark_can_be_changed_and_are_kept(at_desk: Desk) -> None:
    page = at_desk.open()
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-light", "dark")
    page.reload()
    expect(page.get_by_role("button", name="Light")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("data-light", "dark")


def narrow(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def test_everything_fits_a_phone(
    browser: Browser, served: Served, model: Model, chunks: Chunks
) -> None:
    phone: dict[str, Any] = {
        "viewport": {"width": 375, "height": 700},
        "has_touch": True,
        "is_mobile": True,
    }
    with desk(browser, served, **phone) as made:
        for view in VIEWS:
            page = made.open(view)
            page.wait_for_load_state("networkidle")
            assert narrow(page), view
        made.open("#/")
        model.answers("About 40 seconds.", (chunks(RUNBOOK, QUOTE), QUOTE), search="replica")
        page = made.ask("How long does it take?")
        assert narrow(page)
        page.tap(".source .open")
        page.wait_for_selector("#reader mark.quote")
        assert page.locator("#reader").evaluate("e => e.offsetWidth") == 375
        assert narrow(page)
        page.get_by_role("button", name="Close").tap()
        expect(page.locator("#reader")).to_be_hidden()


def test_everything_can_be_reached_by_keys(at_desk: Desk, model: Model, chunks: Chunks) -> None:
    page = at_desk.open()
    model.answers("About 40 seconds.", (chunks(RUNBOOK, QUOTE), QUOTE))
    page.keyboard.type("How long does it take?")
    page.keyboard.press("Enter")
    page.wait_for_selector(".answer")
    reach(page, lambda: page.locator(".source .open").evaluate("e => e === document.activeElement"))
    page.keyboard.press("Enter")
    expect(page.locator("#reader .sheet")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".source .open")).to_be_focused()
    page.keyboard.press("/")
    expect(page.locator("#question")).to_be_focused()


def reach(page: Page, there: Callable[[], bool]) -> None:
    page.locator(".skip").focus()
    for _ in range(40):
        if there():
            return
        page.keyboard.press("Tab")
    raise AssertionError("Tab does not lead there")
