"""Ask, watch it leaf through, and read how far the answer is checked."""

import re
import threading

import pytest
from playwright.sync_api import expect

from tests.models.fake_server import Scripted, refusal
from tests.serve.browser.conftest import Chunks
from tests.serve.browser.stage import PARAMETERS, REFERENCE, RUNBOOK, TRAVEL_OLD, Desk, Model, given

pytestmark = pytest.mark.browser

QUESTION = "How long does promoting the replica dk-db-02 take?"
QUOTE = "This takes about 40 seconds"


def test_a_question_unfolds_step_by_step_into_a_checked_answer(
    at_desk: Desk, model: Model, chunks: Chunks
) -> None:
    page = at_desk.open()
    expect(page.locator("#question")).to_be_focused()
    seen = threading.Event()
    model.answers(
        "It takes about 40 seconds.",
        (chunks(RUNBOOK, QUOTE), QUOTE),
        search="replica promote",
        when=seen.is_set,
    )
    page.fill("#question", QUESTION)
    page.press("#question", "Enter")
    expect(page.get_by_role("heading", name=QUESTION)).to_be_visible()
    expect(page.locator(".now")).to_contain_text("round 1")
    seen.set()
    expect(page.locator(".step.is-search")).to_contain_text("replica promote")
    expect(page.locator(".step.is-read .slip").last).to_contain_text(
        "Fail over the metadata database"
    )
    expect(page.locator(".answer .said")).to_contain_text("It takes about 40 seconds")
    expect(page.locator(".verdict .status")).to_have_text("quotes checked")
    expect(page.locator(".run")).not_to_have_attribute("open", "")
    page.click(".verdict summary")
    expect(page.locator(".verdict")).to_contain_text("is the model's judgement")
    expect(page.locator(".source")).to_have_count(1)
    expect(page.locator(".source mark")).to_have_text(QUOTE)
    expect(page.locator("#announcer")).to_have_text("quotes checked")


def test_each_figure_leads_to_its_source(at_desk: Desk, model: Model, chunks: Chunks) -> None:
    at_desk.open()
    first = chunks(PARAMETERS, "`retention_days` | 14"), "| `retention_days` | 14 | 天 |"
    second = (
        chunks("交接文档/部署记录.md", "`retention_days` | 30"),
        "| `retention_days` | 30 | 3 |",
    )
    model.answers("默认 14 天，生产环境 30 天。", first, second)
    page = at_desk.ask("retention_days 默认多少，生产环境多少？")
    said = page.locator(".said")
    expect(said).to_have_text(re.compile(r"默认 14 天\s*1，生产环境 30 天\s*2。"))
    page.click(".said .cite >> nth=1")
    expect(page.locator("#reader h2").first).to_have_text("部署记录.md")


def test_an_older_version_is_pointed_out(at_desk: Desk, model: Model, chunks: Chunks) -> None:
    at_desk.open()
    quote = "（一）一类城市，每人每晚不超过450元"
    model.answers("不超过450元。", (chunks(TRAVEL_OLD, quote), quote))
    page = at_desk.ask("2021 年的住宿标准是多少？")
    page.click(".source .newer button")
    expect(page.locator("#reader h2").first).to_have_text("差旅与报销管理办法(2024-07-01).txt")


def test_what_is_not_in_the_documents_is_said_so(at_desk: Desk, model: Model) -> None:
    at_desk.open()
    model.finds_nothing("monitoring product")
    page = at_desk.ask("Which monitoring product sends the alerts?")
    expect(page.locator(".verdict .status")).to_have_text("not found in the documents")
    expect(page.locator(".searched")).to_contain_text("monitoring product")
    expect(page.locator(".related li").first).to_be_visible()
    expect(page.locator(".source")).to_have_count(0)
    page.click(".answer .chips .chip >> nth=0")
    expect(page.locator(".results .found li").first).to_be_visible()


def test_a_figure_that_no_quote_holds_is_named(at_desk: Desk, model: Model, chunks: Chunks) -> None:
    at_desk.open()
    chunk = chunks(REFERENCE, "10 requests per minute")
    cited = [{"chunk_id": chunk, "quote": "10 requests per minute"}]
    draft = [("answer", given("10 requests a minute, 999 on Sundays.", cited))]
    model.says([("read", {"chunk_id": chunk})], draft, draft)
    page = at_desk.ask("What is the rate limit of POST /v2/token?")
    expect(page.locator(".verdict .status")).to_contain_text("partial")
    expect(page.locator(".remarks")).to_contain_text("not in the cited text: 999")
    page.click(".run summary")
    expect(page.locator(".step.is-bounced")).to_be_visible()


def test_a_follow_up_tells_the_model_what_was_said_before(
    at_desk: Desk, model: Model, chunks: Chunks
) -> None:
    at_desk.open()
    cited = chunks(RUNBOOK, QUOTE), QUOTE
    model.answers("It takes about 40 seconds.", cited)
    page = at_desk.ask(QUESTION)
    expect(page.locator("#question")).to_have_attribute("placeholder", "Ask further …")
    model.answers("About 40 seconds.", cited)
    at_desk.ask("And how long exactly?")
    expect(page.locator(".turn")).to_have_count(2)
    assert "It takes about 40 seconds." in str(model.server.requests[-1]["messages"])
    page.click("text=New question")
    expect(page.locator(".turn")).to_have_count(0)
    expect(page.locator(".welcome h1")).to_be_visible()


def test_a_run_can_be_stopped(at_desk: Desk, model: Model, chunks: Chunks) -> None:
    page = at_desk.open()
    stopped = threading.Event()
    answer = "It takes about 40 seconds."
    model.answers(answer, (chunks(RUNBOOK, QUOTE), QUOTE), when=stopped.is_set)
    page.fill("#question", QUESTION)
    page.press("#question", "Enter")
    page.wait_for_selector(".step")
    page.keyboard.press("Escape")
    expect(page.locator(".turn .failed")).to_have_text("Stopped.")
    stopped.set()
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()


def test_a_run_goes_on_while_somebody_looks_elsewhere(
    at_desk: Desk, model: Model, chunks: Chunks
) -> None:
    page = at_desk.open()
    back = threading.Event()
    answer = "It takes about 40 seconds."
    model.answers(answer, (chunks(RUNBOOK, QUOTE), QUOTE), when=back.is_set)
    page.fill("#question", QUESTION)
    page.press("#question", "Enter")
    page.get_by_role("link", name="Library").click()
    expect(page.locator(".tree")).to_be_visible()
    page.get_by_role("link", name="Ask").click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    back.set()
    expect(page.locator(".answer .said")).to_contain_text("about 40 seconds")
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()


def test_a_model_that_fails_is_an_answer_that_says_so(at_desk: Desk, model: Model) -> None:
    at_desk.open()
    model.says(refusal(401, "Incorrect API key"))
    page = at_desk.ask(QUESTION)
    expect(page.locator(".answer.error .status")).to_contain_text("failed")
    expect(page.locator(".answer .failed")).to_contain_text("key")


def test_a_service_that_is_gone_is_said_in_words(at_desk: Desk) -> None:
    page = at_desk.open()
    at_desk.expected = ("Failed to load resource", "ERR_")
    page.context.route("**/v1/ask", lambda route: route.abort("connectionrefused"))
    page.fill("#question", QUESTION)
    page.press("#question", "Enter")
    expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()


def test_thumbs_and_a_note_reach_the_register(at_desk: Desk, model: Model, chunks: Chunks) -> None:
    at_desk.open()
    model.answers("It takes about 40 seconds.", (chunks(RUNBOOK, QUOTE), QUOTE))
    page = at_desk.ask(QUESTION)
    page.get_by_role("button", name="Not good").click()
    page.get_by_role("textbox", name="What was wrong").fill("It says nothing of the standby.")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".actions")).to_contain_text("noted")
    at_desk.open("#/unanswered")
    expect(page.locator(".runs li").first).to_contain_text("It says nothing of the standby.")


def test_the_answer_can_be_copied_with_its_sources(
    at_desk: Desk, model: Model, chunks: Chunks
) -> None:
    page = at_desk.open()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    model.answers("It takes about 40 seconds.", (chunks(RUNBOOK, QUOTE), QUOTE))
    at_desk.ask(QUESTION)
    page.click("text=Copy as Markdown")
    expect(page.locator("text=Copied")).to_be_visible()
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.startswith(
        f"**{QUESTION}**\n\nIt takes about 40 seconds.\n\n*quotes checked*\n\n[1] {RUNBOOK}"
    )
    assert f"\n> 3. Promote the replica: `dukouctl db promote dk-db-02`. {QUOTE}." in text


def test_words_of_the_model_are_never_markup(at_desk: Desk, model: Model, chunks: Chunks) -> None:
    at_desk.open()
    said = "About 40 seconds. <img src=x onerror=\"window.harmed='answer'\"> <b>bold</b>"
    chunk = chunks(RUNBOOK, QUOTE)
    draft = [("answer", given(said, [{"chunk_id": chunk, "quote": QUOTE}]))]
    model.says([("read", {"chunk_id": chunk})], draft, draft)
    page = at_desk.ask(QUESTION)
    expect(page.locator(".said")).to_contain_text("About 40 seconds")
    expect(page.locator(".said img")).to_have_count(0)


def test_prose_instead_of_a_call_ends_in_words(at_desk: Desk, model: Model) -> None:
    at_desk.open()
    model.says(*[Scripted({"choices": []})] * 8)
    page = at_desk.ask(QUESTION)
    expect(page.locator(".verdict .status")).to_be_visible()
