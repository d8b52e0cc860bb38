"""The check-up on the page: findings side by side, opened, filtered, copied, left out."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from fanshu.models.extractive import ExtractiveReader
from tests.serve.browser.stage import Desk, desk
from tests.serve.browser.test_look import findings, narrow
from tests.serve.served import plan_of, serving, until, write

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=window.harmed=1>"
FILES = {
    "checkup/one.md": "# 甲\n\n`relay_timeout` 默认为 30 秒。\n",
    "checkup/two.md": f"# 乙\n\n- `relay_timeout` 默认为 60 秒，{HOSTILE}。见[丙](nowhere.md)。\n",
}


def told(url: str) -> dict[str, Any]:
    """The check-up of the documents as they are now."""
    found: dict[str, Any] = {}

    def ready() -> bool:
        answer = httpx.get(f"{url}/v1/check", params={"wait": 30, "limit": 500}, timeout=120)
        found.update(answer.json())
        return answer.status_code == 200 and not found["outdated"] and not found["working"]

    until(ready)
    return found


@pytest.fixture
def faulty(documents: Path, at_desk: Desk) -> Iterator[Page]:
    """The check-up of documents of which two contradict each other."""
    write(documents, FILES)

    def there() -> bool:
        return any(one["term"] == "relay_timeout" for one in told(at_desk.url)["findings"])

    until(there)
    yield at_desk.open("#/check")
    shutil.rmtree(documents / "checkup")


def conflict(page: Page) -> Locator:
    return page.locator(".finding", has_text="relay_timeout, default")


def test_passages_stand_side_by_side_and_open_at_their_lines(faulty: Page) -> None:
    one = conflict(faulty)
    expect(one.locator(".sure")).to_be_visible()
    cards = one.locator(".passage-card")
    expect(cards).to_have_count(2)
    left, right = (cards.nth(at).bounding_box() for at in (0, 1))
    assert left and right and left["y"] == right["y"] and left["x"] < right["x"]
    expect(one.locator("mark")).to_have_text(["30 秒", "60 秒"])
    expect(one).to_contain_text(HOSTILE)
    expect(cards.nth(0)).to_contain_text("line 3")
    cards.nth(1).get_by_role("button").click()
    expect(faulty.locator("#reader h2").first).to_have_text("two.md")
    expect(faulty.locator("#reader mark.quote")).to_have_text("60 秒")
    faulty.keyboard.press("Escape")
    expect(cards.nth(1).get_by_role("button")).to_be_focused()
    faulty.keyboard.press("ArrowUp")
    expect(cards.nth(0).get_by_role("button")).to_be_focused()


def test_kinds_and_folders_choose(faulty: Page) -> None:
    chips = faulty.get_by_role("group", name="Kinds of findings")
    chips.get_by_role("button", name="Links").click()
    expect(faulty.locator(".kind")).to_have_count(1)
    expect(faulty.get_by_role("heading", name="Links and pictures")).to_be_visible()
    expect(chips.get_by_role("button", name="Links")).to_be_focused()
    faulty.reload()
    expect(faulty.locator(".kind")).to_have_count(1)
    faulty.get_by_role("button", name="All").click()
    faulty.get_by_role("combobox", name="Folder").select_option("checkup")
    expect(faulty.locator(".finding", has_text="nowhere.md does not exist")).to_be_visible()
    expect(faulty.locator(".kind.is-unreadable")).to_have_count(0)
    expect(faulty.get_by_role("combobox", name="Folder")).to_be_focused()


def test_it_says_how_to_leave_a_finding_out(faulty: Page, documents: Path, at_desk: Desk) -> None:
    one = conflict(faulty)
    one.get_by_text("Not a mistake?").click()
    rule = one.locator("pre").inner_text()
    assert rule.startswith('[[ignore]]\nid = "conflict-')
    assert findings(faulty) == []
    file = documents / ".fanshu/check-ignore.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(rule, encoding="utf-8")
    at_desk.open("#/")
    page = at_desk.open("#/check")
    expect(page.locator(".checkup")).to_contain_text("1 left out by .fanshu/check-ignore.toml")
    expect(conflict(page)).to_have_count(0)
    file.unlink()


def test_findings_are_copied_as_markdown(faulty: Page) -> None:
    faulty.context.grant_permissions(["clipboard-read", "clipboard-write"])
    conflict(faulty).get_by_role("button", name="Copy as Markdown").click()
    text = faulty.evaluate("navigator.clipboard.readText()")
    assert "checkup/one.md › 甲, line 3" in text
    assert "  > `relay_timeout` 默认为 30 秒。" in text
    faulty.get_by_role("button", name="Copy these as Markdown: Different values").click()
    assert "relay_timeout" in faulty.evaluate("navigator.clipboard.readText()")


@pytest.mark.parametrize("light", ["light", "dark"])
def test_it_fits_a_phone_and_keeps_nobody_out(
    browser: Browser, faulty: Page, at_desk: Desk, light: str
) -> None:
    assert findings(faulty) == []
    phone: dict[str, Any] = {"viewport": {"width": 375, "height": 700}, "has_touch": True}
    options = phone | {"is_mobile": True, "color_scheme": light, "locale": "zh-CN"}
    with browser.new_context(**options) as context:
        page = context.new_page()
        page.goto(f"{at_desk.url}/#/check")
        one = page.locator(".finding", has_text="relay_timeout 的默认值")
        expect(one).to_be_visible()
        expect(page.locator("h1")).to_have_text("文档体检")
        first, second = (one.locator(".passage-card").nth(at).bounding_box() for at in (0, 1))
        assert first and second and first["x"] == second["x"] and first["y"] < second["y"]
        assert narrow(page)
        assert findings(page) == []


def test_it_says_how_far_it_is_until_there_is_something(at_desk: Desk) -> None:
    answers = [{"state": "waiting", "done": 0, "total": 0}]
    answers += [{"state": "working", "done": 120, "total": 1212}]

    def first_how_far(route: Route) -> None:
        if answers:
            route.fulfill(status=202, json=answers.pop(0))
        else:
            route.continue_()

    at_desk.page.context.route("**/v1/check*", first_how_far)
    page = at_desk.open("#/check")
    expect(page.locator(".on-its-way")).to_contain_text("Getting ready")
    expect(page.locator(".on-its-way")).to_contain_text("120 of 1,212")
    expect(page.locator(".finding").first).to_be_visible()


def test_more_of_a_kind_comes_at_a_click(browser: Browser, tmp_path: Path) -> None:
    lost = "".join(f"见[{n}](lost-{n}/{n}.md)。\n\n" for n in range(9))
    plan = plan_of({"many": write(tmp_path / "many", {"a.md": f"# 甲\n\n{lost}"})}, {"model": None})
    with (
        serving(plan, tmp_path / "kept", lambda _: ExtractiveReader()) as served,
        desk(browser, served) as made,
    ):
        page = made.open("#/check")
        expect(page.locator(".is-link .finding")).to_have_count(6)
        page.get_by_role("button", name="3 more of this kind").click()
        expect(page.locator(".is-link .finding")).to_have_count(9)
        expect(page.locator(".is-link li:nth-child(7) button.open")).to_be_focused()
        expect(page.locator(".is-link .more")).to_have_count(0)


def test_where_nothing_is_wrong_it_says_so(browser: Browser, tmp_path: Path) -> None:
    folder = write(tmp_path / "good", {"a.md": "# 甲\n\n默认为 30 秒。\n"})
    plan = plan_of({"good": folder}, {"model": None})
    with (
        serving(plan, tmp_path / "kept", lambda _: ExtractiveReader()) as served,
        desk(browser, served) as made,
    ):
        page = made.open("#/check")
        expect(page.locator(".nothing")).to_contain_text("Nothing found.")
        assert findings(page) == []
        (folder / "a.md").write_text("# 甲\n\n见[乙](lost.md)。\n", encoding="utf-8")
        until(lambda: bool(told(served.url)["findings"]), 30)
        page.get_by_role("button", name="Check again").click()
        expect(page.locator(".finding")).to_have_count(1)
