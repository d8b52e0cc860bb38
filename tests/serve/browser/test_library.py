"""The library tree, its states, and the search over it."""

import pytest
from playwright.sync_api import expect

from tests.serve.browser.stage import Desk

pytestmark = pytest.mark.browser


def test_files_are_shown_with_sizes_dates_and_states(at_desk: Desk) -> None:
    page = at_desk.open("#/library")
    row = page.get_by_role("button", name="api-reference.html")
    expect(row).to_contain_text("2024-09-02")
    expect(row).to_contain_text("3.4 kB")
    expect(page.locator(".tree .state.failed")).to_have_text("failed")
    expect(page.locator(".notice")).to_contain_text("1 file could not be read whole")
    page.click("text=Show only these")
    expect(page.locator(".tree .file")).to_have_count(1)
    page.click("text=Show all")
    old = page.get_by_role("button", name="差旅与报销管理办法(2021-03-01).txt")
    expect(old).to_contain_text("newer version exists")


def test_arrows_walk_through_the_tree(at_desk: Desk) -> None:
    page = at_desk.open("#/library")
    page.locator(".tree summary", has_text="operations").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="api-reference.html")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#reader .sheet")).to_be_visible()


def test_a_search_shows_places_and_opens_them(at_desk: Desk) -> None:
    page = at_desk.open("#/library")
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.type("write_timeout")
    page.keyboard.press("Enter")
    expect(page.locator(".found .snippet mark").first).to_have_text("write_timeout")
    expect(page.locator(".tree")).to_be_hidden()
    page.locator(".found .place").first.click()
    expect(page.locator("#reader .sheet mark").first).to_be_visible()
    page.keyboard.press("Escape")
    page.fill("#search", "runbook")
    page.keyboard.press("Enter")
    expect(page.locator(".results")).to_contain_text("Files of that name")


def test_a_search_that_finds_nothing_says_what_to_try(at_desk: Desk) -> None:
    page = at_desk.open("#/search/write_timeoutt")
    expect(page.locator(".results")).to_contain_text("write_timeout")
    expect(page.locator(".results")).to_contain_text("Nothing found")


def test_markup_in_a_search_is_text(at_desk: Desk) -> None:
    page = at_desk.open("#/library")
    page.fill("#search", "<img src=x onerror=window.harmed=1> [a](b) .* \\")
    page.keyboard.press("Enter")
    expect(page.locator(".results > p").first).to_be_visible()
    expect(page.locator(".results img")).to_have_count(0)


def test_a_search_without_the_service_says_so(at_desk: Desk) -> None:
    page = at_desk.open("#/library")
    at_desk.expected = ("Failed to load resource", "ERR_")
    page.context.route("**/v1/search*", lambda route: route.abort("connectionrefused"))
    page.fill("#search", "write_timeout")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
