"""Documents that try to act: nothing in them runs, loads or leaves."""

import pytest
from playwright.sync_api import expect

from tests.serve.browser.conftest import Chunks
from tests.serve.browser.stage import HOSTILE, HOSTILE_PAGE, Desk, Model

pytestmark = pytest.mark.browser


def test_hostile_markdown_is_shown_and_does_nothing(
    at_desk: Desk, model: Model, chunks: Chunks
) -> None:
    at_desk.open()
    quote = "The safe pressure of the hostile vessel is 77 bar."
    model.answers("77 bar.", (chunks(HOSTILE, quote), quote))
    page = at_desk.ask("What is the safe pressure?")
    page.click(".source .open")
    sheet = page.locator("#reader .sheet")
    expect(sheet.locator("mark.quote")).to_have_text(quote)
    expect(sheet).to_contain_text("A styled paragraph.")
    for tag in ("script", "style", "iframe", "svg", "form", "input", "img", "base", "meta"):
        expect(sheet.locator(tag)).to_have_count(0)
    assert not sheet.evaluate(
        "s => [...s.querySelectorAll('.leaf *')].flatMap(e => [...e.attributes].map(a => a.name))"
        ".filter(n => n.startsWith('on') || n === 'style' || n === 'id')"
    )
    assert sheet.locator("a").evaluate_all("all => all.map(a => a.href)") == [
        "https://example.org/page"
    ]
    sheet.get_by_text("a javascript link").click()
    sheet.get_by_text("a raw link").click()
    sheet.get_by_text("A styled paragraph.").click()


def test_a_hostile_page_is_its_text(at_desk: Desk, model: Model, chunks: Chunks) -> None:
    at_desk.open()
    quote = "The hostile boiler holds 55 litres."
    model.answers("55 litres.", (chunks(HOSTILE_PAGE, quote), quote))
    page = at_desk.ask("How much does the boiler hold?")
    page.click(".source .open")
    expect(page.locator("#reader .sheet mark.quote")).to_have_text(quote)
    expect(page.locator("#reader .sheet")).to_contain_text("stands here as text.")
    expect(page.locator("#reader .sheet img")).to_have_count(0)


def test_the_original_of_a_hostile_page_is_no_page(at_desk: Desk) -> None:
    page = at_desk.open()
    answer = page.request.get(f"{at_desk.url}/v1/original", params={"path": HOSTILE_PAGE})
    assert answer.headers["content-type"].startswith("text/plain")
    assert "sandbox" in answer.headers["content-security-policy"]


def test_a_huge_table_scrolls_inside_its_own_box(at_desk: Desk) -> None:
    page = at_desk.open("#/library")
    page.get_by_role("button", name="wide.md").click()
    expect(page.locator("#reader .leaf.here td").first).to_have_text("r0c0")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("#reader").evaluate("e => e.scrollWidth <= e.clientWidth + 1")


def test_the_policy_of_the_page_is_strict(at_desk: Desk) -> None:
    answer = at_desk.open().request.get(at_desk.url)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "style-src 'self';" in policy
    assert "unsafe" not in policy
