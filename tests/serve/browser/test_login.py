"""Logging in where the service demands it, and a service with nothing in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from fanshu.models.extractive import ExtractiveReader
from fanshu.serve.accounts import Account
from fanshu.serve.app import Gated
from tests.serve.browser.stage import desk
from tests.serve.served import Served, plan_of, serving, write

pytestmark = pytest.mark.browser

PASSWORD = "correct horse battery"


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Served]:
    folders = {
        "manuals": write(tmp_path / "a", {"pump.md": "# Pump\n\nThe pump weighs 12 kg.\n"}),
        "rules": write(tmp_path / "b", {"rules.md": "# Rules\n\nSmoking costs 50 euro.\n"}),
    }
    plan = plan_of(folders, {"model": None}, login=True)

    def accounts(app: Gated) -> None:
        app.service.accounts.add_user(Account("lin", ""), PASSWORD)

    with serving(plan, tmp_path / "kept", lambda _: ExtractiveReader(), before=accounts) as one:
        yield one


def test_login_ask_logout(browser: Browser, guarded: Served) -> None:
    with desk(browser, guarded) as made:
        made.expected = ("401",)
        page = made.open()
        expect(page.get_by_role("heading", name="Log in")).to_be_visible()
        page.get_by_label("Name").fill("lin")
        page.get_by_label("Password").fill("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_have_text("Name or password is wrong.")
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="What would you like")).to_be_visible()
        made.ask("How much does the pump weigh?")
        expect(page.locator(".verdict .status")).to_have_text(
            "passages from the documents, no model used"
        )
        expect(page.locator(".source")).to_contain_text("12 kg")
        page.get_by_label("Library").select_option("rules")
        expect(page.locator(".welcome h1")).to_be_visible()
        made.ask("What does smoking cost?")
        expect(page.locator(".source")).to_contain_text("50 euro")
        page.click(".source .open")
        expect(page.locator("#reader mark.quote").first).to_contain_text("50 euro")
        page.keyboard.press("Escape")
        page.get_by_role("link", name="Library").click()
        page.get_by_role("button", name="rules.md").click()
        expect(page.locator("#reader .sheet")).to_contain_text("Smoking")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_role("heading", name="Log in")).to_be_visible()
        page.reload()
        expect(page.get_by_role("heading", name="Log in")).to_be_visible()


def test_a_library_without_documents_says_so(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    plan = plan_of({"empty": folder}, {"model": None})
    with (
        serving(plan, tmp_path / "kept", lambda _: ExtractiveReader()) as served,
        desk(browser, served) as made,
    ):
        made.expected = ("409", "404")
        page = made.open()
        expect(page.locator(".lead")).to_have_text("There are no readable documents here yet.")
        page.fill("#question", "Anything?")
        page.press("#question", "Enter")
        expect(page.get_by_role("alert")).to_contain_text("That did not work")
        made.open("#/history")
        expect(page.locator("main")).to_contain_text("Nothing asked yet.")
        made.open("#/unanswered")
        expect(page.locator("main")).to_contain_text("Nothing is waiting here.")
