"""Approving on the page: the button, the badge, and the list of what waits."""

from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from tests.serve.browser.stage import Desk, Model
from tests.serve.browser.test_look import findings
from tests.serve.served import until

pytestmark = pytest.mark.browser

NOTES = "plant/boiler.md"
TEXT = "# Boiler\n\n## Pressure\n\nThe boiler of the plant is kept at 77 bar.\n"
QUESTION = "At which pressure is the boiler of the plant kept?"
QUOTE = "The boiler of the plant is kept at 77 bar"


def test_an_answer_is_approved_given_first_and_waits_when_its_evidence_changes(
    at_desk: Desk, model: Model, documents: Path
) -> None:
    (documents / NOTES).write_text(TEXT, encoding="utf-8")
    page = at_desk.open()
    model.answers("At 77 bar.", (f"{NOTES}#2", QUOTE), search="boiler plant")
    at_desk.ask(QUESTION)
    at_desk.expected = ("409",)
    page.get_by_role("button", name="Approve", exact=True).click()
    form = page.locator("form.approving")
    form.locator("textarea").fill("It is kept at 78 bar.")
    form.get_by_role("button", name="Approve").click()
    expect(form.get_by_role("alert")).to_contain_text("78 bar")
    assert findings(page) == []
    form.locator("textarea").fill("It is kept at 77 bar.")
    form.get_by_role("button", name="Approve", exact=True).click()
    expect(page.locator(".actions .approved")).to_contain_text("given first")

    page.get_by_role("button", name="New question").click()
    page = at_desk.ask(QUESTION)  # the model is not asked: it has nothing more to say
    expect(page.locator("p.approved")).to_contain_text("Approved by local")
    expect(page.locator(".said")).to_contain_text("It is kept at 77 bar")

    (documents / NOTES).write_text(TEXT.replace("77", "79"), encoding="utf-8")
    review = f"{at_desk.url}/v1/approved/review"
    until(lambda: bool(httpx.get(review).json()["approved"]), 30)
    at_desk.open("#/approved")
    expect(page.get_by_role("heading", name="Waiting for review: 1")).to_be_visible()
    expect(page.locator(".sides del")).to_have_text("77")
    expect(page.locator(".sides ins")).to_have_text("79")
    page.get_by_role("button", name="Keep or edit").click()
    assert findings(page) == []
    page.locator("form.approving textarea").fill("It is kept at 79 bar.")
    page.get_by_role("button", name="Keep it, on the evidence as it is now").click()
    expect(page.get_by_text("No answer waits for review.")).to_be_visible()
    page.locator(".approvals summary").click()
    expect(page.locator(".approvals .said")).to_have_text("It is kept at 79 bar.")
    page.get_by_role("button", name="Drop").click()
    page.get_by_role("button", name="Really drop it?").click()
    expect(page.locator(".approvals")).to_have_count(0)
    page.get_by_role("link", name="History").click()
    expect(page.locator(".runs li .past-state").first).to_contain_text("its evidence: changed")
    (documents / NOTES).unlink()
