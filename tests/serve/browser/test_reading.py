"""A click on a citation opens the document at the place, the passage highlighted."""

import pytest
from playwright.sync_api import Locator, Page, expect

from fanshu.serve.chat.footnotes import link
from fanshu.types import Citation
from tests.serve.browser.conftest import Chunks
from tests.serve.browser.stage import (
    CONTRACT,
    GUIDE,
    PARAMETERS,
    PICTURED,
    REFERENCE,
    RUNBOOK,
    TRAVEL_OLD,
    Desk,
    Model,
    at_rest,
)
from tests.serve.served import Served

pytestmark = pytest.mark.browser


def highlighted(page: Page) -> str:
    """The marked text, white space apart."""
    return "".join(page.locator("#reader .sheet mark.passage").all_inner_texts()).replace("\n", "")


def loaded(image: Locator, width: int) -> None:
    """A picture has arrived, at least so many pixels wide."""
    expect(image).not_to_have_js_property("naturalWidth", 0)
    assert image.evaluate("e => e.naturalWidth") >= width


def in_view(page: Page, selector: str) -> bool:
    script = "e => { const r = e.getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight; }"
    return bool(page.locator(selector).first.evaluate(script))


@pytest.mark.parametrize(
    ("path", "quote", "shown"),
    [
        (RUNBOOK, "This takes about 40 seconds", "This takes about 40 seconds"),
        (PARAMETERS, "| `write_timeout` | 45 | 秒 |", "write_timeout45秒"),
        (REFERENCE, "10 requests per minute", "10 requests per minute"),
        (CONTRACT, "delivers within 12 working days", "delivers within 12 working days"),
        (CONTRACT, "Valve KX-7 | 318 euro", "Valve KX-7318 euro"),
        (
            GUIDE,
            "With 20 GB a day and a retention of 14 days",
            "With 20 GB a day and a retention of 14 days",
        ),
        (TRAVEL_OLD, "（一）一类城市，每人每晚不超过450元", "（一）一类城市，每人每晚不超过450元"),
    ],
)
def test_a_citation_opens_at_its_lines(
    at_desk: Desk, model: Model, chunks: Chunks, path: str, quote: str, shown: str
) -> None:
    at_desk.open()
    text = "450元" if "450" in quote else quote.split(" |")[0]
    model.answers(f"{text} [1]", (chunks(path, quote), quote))
    page = at_desk.ask(f"What about {text}?")
    page.click(".source .open")
    expect(page.locator("#reader h2").first).to_have_text(path.rsplit("/", 1)[-1])
    expect(page.locator("#reader .sheet mark.passage").first).to_be_attached()
    assert shown in highlighted(page)
    quoted = "".join(page.locator("#reader .sheet mark.quote").all_inner_texts())
    assert quoted.replace("\n", "") == shown
    assert not page.locator("#reader .notice:not(.newer)").count()
    if path == GUIDE:
        image = page.locator("#reader img.page")
        expect(image).to_have_attribute("alt", "Page 3 of quick-guide.pdf")
        loaded(page.locator("#reader img.page"), 1_400)
        expect(page.locator("#reader .strip")).to_contain_text("With 20 GB a day")
    else:
        at_rest(page)
        assert in_view(page, "#reader .sheet mark.quote")


def test_markdown_is_rendered_and_its_pages_turn(at_desk: Desk) -> None:
    page = at_desk.open("#/library")
    page.get_by_role("button", name="02-配置参数.md").click()
    expect(page.locator("#reader .sheet h3")).to_contain_text("配置参数")
    sections = page.locator("#reader nav select")
    sections.select_option(label="\u2003超时与重试")
    expect(page.locator("#reader .leaf.here table code").first).to_have_text("connect_timeout")
    page.locator("#reader .sheet").press("ArrowRight")
    expect(page.locator("#reader .leaf.here h4")).to_have_text("存储与清理")
    page.get_by_role("button", name="Previous section", exact=True).click()
    expect(page.locator("#reader .leaf.here h4")).to_have_text("超时与重试")
    page.locator("#reader .more").last.click()
    page.keyboard.press("Escape")
    expect(page.locator("#reader")).to_be_hidden()
    expect(page.get_by_role("button", name="02-配置参数.md")).to_be_focused()


def test_pages_of_a_pdf_turn(at_desk: Desk) -> None:
    page = at_desk.open("#/library")
    page.get_by_role("button", name="quick-guide.pdf").click()
    image = page.locator("#reader img.page")
    expect(image).to_have_attribute("alt", "Page 1 of quick-guide.pdf")
    page.get_by_role("button", name="Page on").click()
    expect(image).to_have_attribute("alt", "Page 2 of quick-guide.pdf")
    loaded(page.locator("#reader img.page"), 1_400)


def test_pictures_of_a_section_are_shown(at_desk: Desk, model: Model, chunks: Chunks) -> None:
    at_desk.open()
    quote = "Valve V-9 stands left of the boiler."
    model.answers("Left of the boiler: V-9.", (chunks(PICTURED, quote), quote))
    page = at_desk.ask("Where is valve V-9?")
    loaded(page.locator(".source .pictures img"), 40)
    page.click(".source .open")
    loaded(page.locator("#reader .pictures img"), 40)


def test_a_file_that_changed_since_is_said_so(
    at_desk: Desk, model: Model, chunks: Chunks, documents: object
) -> None:
    from pathlib import Path

    path = Path(str(documents)) / "changing.md"
    path.write_text("# Changing\n\nThe limit is 250 kg.\n", encoding="utf-8")
    at_desk.open()
    at_desk.page.wait_for_timeout(300)
    chunk = _found(chunks, "changing.md", "250 kg")
    model.answers("250 kg.", (chunk, "The limit is 250 kg."))
    page = at_desk.ask("What is the limit?")
    path.write_text("# Changing\n\nThe limit is 300 kg.\n", encoding="utf-8")
    page.click(".source .open")
    expect(page.locator("#reader .notice").first).to_contain_text("changed since")
    expect(page.locator("#reader")).to_contain_text("300 kg")
    path.unlink()


def _found(chunks: Chunks, path: str, text: str) -> str:
    """A chunk of a file that was written a moment ago."""
    import time

    for _ in range(500):
        try:
            return chunks(path, text)
        except (AssertionError, KeyError):
            time.sleep(0.2)
    raise AssertionError(path)


def test_a_link_from_elsewhere_opens_at_its_place(
    at_desk: Desk, served: Served, chunks: Chunks
) -> None:
    """Answers in chat clients link to places of the page."""
    passage = "一类城市，每人每晚不超过450元"
    cited = Citation(
        chunks(TRAVEL_OLD, passage), TRAVEL_OLD, (), None, None, passage, passage, "quoted", ""
    )
    at_desk.open(link(served.url, "manuals", cited).removeprefix(f"{served.url}/"))
    expect(at_desk.page.locator("#reader .sheet mark.passage").first).to_be_visible()
    assert highlighted(at_desk.page).replace(" ", "") == passage
