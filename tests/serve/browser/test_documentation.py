"""The documentation as a site, in a real browser: its search, phones, and no request elsewhere."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.test_site import built

pytestmark = pytest.mark.browser
PATIENCE = 120_000  # milliseconds: the search reads its index on a machine that may be busy
TIMES = 6  # that words are typed within this
PHONE = {"width": 360, "height": 740}


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Tests need no log of requests."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    handler = partial(Silent, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.close()


def searched(page: Page, words: str, result: Locator) -> None:
    """Type words until the result is there: what comes before the index has loaded is not heard."""
    box = page.get_by_role("textbox", name="Search")
    for _ in range(TIMES):
        box.fill("")
        box.press_sequentially(words)
        with suppress(AssertionError):
            expect(result).to_be_attached(timeout=PATIENCE / TIMES)
            return
    expect(result).to_be_attached()


@pytest.mark.parametrize(
    ("words", "found"), [("max_rounds", "settings.html"), ("引文", "index.zh")]
)
def test_search_finds_english_and_chinese(page: Page, address: str, words: str, found: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address + "index.html")
    result = page.locator(f".md-search-result__link[href*='{found}']").first
    searched(page, words, result)
    assert not [url for url in asked if not url.startswith((address, "data:", "blob:"))]


def test_no_page_is_wider_than_a_phone(page: Page, address: str, site: Path) -> None:
    page.set_viewport_size(PHONE)
    wide = []
    for path in sorted(site.rglob("*.html")):
        page.goto(address + path.relative_to(site).as_posix())
        if page.evaluate("document.documentElement.scrollWidth") > PHONE["width"]:
            wide.append(path.name)
    assert not wide
