"""The history, and each run step by step again."""

import pytest
from playwright.sync_api import expect

from tests.serve.browser.conftest import Chunks
from tests.serve.browser.stage import RUNBOOK, Desk, Model

pytestmark = pytest.mark.browser

QUESTION = "How long does promoting the replica take?"
QUOTE = "This takes about 40 seconds"


def test_a_run_is_kept_and_can_be_replayed(at_desk: Desk, model: Model, chunks: Chunks) -> None:
    at_desk.open()
    model.answers("It takes about 40 seconds.", (chunks(RUNBOOK, QUOTE), QUOTE), search="replica")
    page = at_desk.ask(QUESTION)
    live = page.locator(".run .step").count()
    page.get_by_role("link", name="History").click()
    expect(page.locator(".runs li").first).to_contain_text("quotes checked")
    page.locator(".runs a").first.click()
    expect(page.locator(".replay h1")).to_have_text(QUESTION)
    expect(page.locator(".replay .step")).to_have_count(live)
    expect(page.locator(".replay .answer")).to_be_visible()
    page.locator(".scrubber input").fill("1")
    expect(page.locator(".replay .step")).to_have_count(1)
    expect(page.locator(".scrubber")).to_contain_text(f"Step 1 of {live}")
    expect(page.locator(".replay .answer")).to_be_hidden()
    page.get_by_role("button", name="Forward").click()
    expect(page.locator(".replay .step")).to_have_count(2)
    page.get_by_role("button", name="Play").click()
    expect(page.locator(".replay .answer")).to_be_visible()
    page.locator(".replay .source .open").click()
    expect(page.locator("#reader mark.quote").first).to_have_text(QUOTE)


def test_a_run_that_is_not_there_is_said_so(at_desk: Desk) -> None:
    at_desk.expected = ("404",)
    page = at_desk.open("#/run/20200101-000000-abcdef")
    expect(page.get_by_role("alert")).to_be_visible()


def test_what_was_not_found_waits_for_the_keeper(at_desk: Desk, model: Model) -> None:
    at_desk.open()
    model.finds_nothing("quota")
    page = at_desk.ask("What is the storage quota of a partner?")
    page.get_by_role("link", name="Unanswered").click()
    expect(page.locator(".runs li").first).to_contain_text(
        "What is the storage quota of a partner?"
    )
