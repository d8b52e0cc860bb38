"""What the browser tests stand on: documents of all kinds, a model on loopback, the page."""

import json
import shutil
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, Route

from tests.library.parsers.docxs import docx, p, table
from tests.models.fake_server import FakeServer, Scripted, message
from tests.serve.served import Served
from tests.waiting import until

PATIENCE = 120_000  # milliseconds; a test that passes never waits so long
RUNBOOK = "operations/on-call-runbook.md"
REFERENCE = "operations/api-reference.html"
GUIDE = "operations/quick-guide.pdf"
PARAMETERS = "产品手册/02-配置参数.md"
TRAVEL_OLD = "制度/差旅与报销管理办法(2021-03-01).txt"
TRAVEL_NEW = "制度/差旅与报销管理办法(2024-07-01).txt"
CONTRACT = "contracts/supply.docx"
PICTURED = "plant/valves.md"
HOSTILE = "hostile/hostile.md"
HOSTILE_PAGE = "hostile/hostile.html"
WIDE = "hostile/wide.md"

Call = tuple[str, Mapping[str, Any]]


def png(width: int = 40, height: int = 30) -> bytes:
    """A picture of one colour."""

    def part(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = (b"\0" + b"\x9c\x3b\x2e" * width) * height
    return (
        b"\x89PNG\r\n\x1a\n"
        + part(b"IHDR", head)
        + part(b"IDAT", zlib.compress(rows))
        + part(b"IEND", b"")
    )


def contract() -> bytes:
    """A Word file with a table."""
    return docx(
        p("Supply contract", "a3")
        + p("Delivery", "1")
        + p("The supplier delivers within 12 working days of the order.")
        + p("Prices", "1")
        + table(["Item", "Price"], ["Valve KX-7", "318 euro"], ["Pump P-2", "902 euro"])
    )


HOSTILE_TEXT = """\
# Hostile notes

<script>window.harmed = "script"</script>

<img src="x" onerror="window.harmed='onerror'" alt="a picture">

<svg onload="window.harmed='svg'"><script>window.harmed='svg script'</script></svg>

<iframe src="https://elsewhere.example/frame"></iframe>
<form action="https://elsewhere.example/form"><input name="q"><button>press me</button></form>
<p style="position:fixed;inset:0" onclick="window.harmed='click'" id="main">A styled paragraph.</p>
<style>body { display: none }</style>
<base href="https://elsewhere.example/"><meta http-equiv="refresh" content="0;url=https://elsewhere.example/">

[a javascript link](javascript:window.harmed='link') and [a data link](data:text/html,<script>1</script>)
and [an honest link](https://example.org/page) ![remote](https://elsewhere.example/pixel.png)

<a href="javascript:window.harmed='raw link'">a raw link</a>

The safe pressure of the hostile vessel is 77 bar.
"""
HOSTILE_HTML = """\
<!doctype html><html><head><title>Hostile page</title><script>window.harmed = "page"</script></head>
<body onload="window.harmed='body'"><h1>Hostile page</h1>
<p>The hostile boiler holds 55 litres.<img src=x onerror="window.harmed='img'"></p>
<p>&lt;img src=x onerror="window.harmed='escaped'"&gt; stands here as text.</p>
<table><tr><td onclick="window.harmed='cell'">Cell</td><td>Value</td></tr><tr><td>alpha</td><td>1</td></tr></table>
</body></html>
"""


def wide_table(rows: int = 400, columns: int = 30) -> str:
    head = "| " + " | ".join(f"column_{n}" for n in range(columns)) + " |\n"
    rule = "|" + " --- |" * columns + "\n"
    body = "".join(
        "| " + " | ".join(f"r{row}c{n}" for n in range(columns)) + " |\n" for row in range(rows)
    )
    return f"# Wide table\n\n{head}{rule}{body}"


def write_documents(folder: Path, examples: Path) -> Path:
    """The example library, and beside it Word, pictures, hostile files and one that is broken."""
    shutil.copytree(examples, folder)
    pictured = "# Valves\n\n## Positions\n\nValve V-9 stands left of the boiler.\n\n![the plan](plan.png)\n"
    files: dict[str, str | bytes] = {
        CONTRACT: contract(),
        PICTURED: pictured,
        "plant/plan.png": png(),
        HOSTILE: HOSTILE_TEXT,
        HOSTILE_PAGE: HOSTILE_HTML,
        WIDE: wide_table(),
        "broken/report.docx": b"PK\x03\x04 this is no archive",
    }
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


# ---------------------------------------------------------------- the model


@dataclass
class Model:
    """A model on loopback that says what a test tells it to."""

    server: FakeServer
    places: Mapping[str, str] = field(default_factory=dict)

    def says(self, *rounds: list[Call] | Scripted) -> None:
        """The replies to come, one a round."""
        self.server.script[:] = [
            one
            if isinstance(one, Scripted)
            else message(None, *((n, json.dumps(a)) for n, a in one))
            for one in rounds
        ]

    def answers(
        self,
        response: str,
        *cited: tuple[str, str],
        search: str = "",
        when: Callable[[], object] | None = None,
    ) -> None:
        """A run: a search, a look at each cited chunk, the answer; none before `when` is true."""
        citations = [{"chunk_id": chunk_id, "quote": quote} for chunk_id, quote in cited]
        rounds: list[list[Call]] = [[("search", {"keyword": search})]] if search else []
        rounds.append([("read", {"chunk_id": chunk_id}) for chunk_id, _ in cited])
        rounds.append([("answer", given(response, citations))])
        self.says(*rounds)
        for scripted in self.server.script:
            object.__setattr__(scripted, "when", when)

    def finds_nothing(self, *searches: str) -> None:
        """A run that ends without an answer."""
        self.says(
            *([("search", {"keyword": one})] for one in searches),
            [("answer", given("", [], found=False))],
        )


def given(
    response: str, citations: list[dict[str, str]], *, found: bool = True
) -> Mapping[str, Any]:
    """The arguments of `answer`."""
    return {
        "response": response,
        "citations": citations,
        "found": found,
        "question_summary": "asked",
    }


# ---------------------------------------------------------------- the page


@dataclass
class Desk:
    """The page in a browser, and what went wrong in it: nothing may."""

    page: Page
    url: str
    faults: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    expected: tuple[str, ...] = ()

    def open(self, hash_: str = "") -> Page:
        self.page.goto(f"{self.url}/{hash_}")
        self.page.wait_for_selector("#main > *")
        return self.page

    def ask(self, question: str) -> Page:
        """Ask and wait for the answer."""
        self.page.fill("#question", question)
        self.page.press("#question", "Enter")
        self.page.wait_for_selector(".turn:last-child section.answer")
        return self.page

    def clean(self) -> None:
        """No error on the console, nothing asked of anybody else, no script of a document run."""
        faults = [one for one in self.faults if not any(part in one for part in self.expected)]
        assert not faults
        assert not self.elsewhere
        assert self.page.evaluate("window.harmed ?? null") is None


@contextmanager
def desk(browser: Browser, served: Served, **options: Any) -> Iterator[Desk]:
    """A fresh browser session on the page."""
    context = browser.new_context(
        **({"locale": "en-GB", "viewport": {"width": 1280, "height": 800}} | options)
    )
    context.set_default_timeout(PATIENCE)
    made = Desk(context.new_page(), served.url)
    _listen(context, made)
    try:
        yield made
        made.clean()
    finally:
        context.close()


def _listen(context: BrowserContext, made: Desk) -> None:
    def route(one: Route) -> None:
        if one.request.url.startswith(made.url):
            one.continue_()
        else:
            made.elsewhere.append(one.request.url)
            one.abort()

    context.route("**/*", route)
    made.page.on("console", lambda said: said.type == "error" and made.faults.append(said.text))
    made.page.on("pageerror", lambda error: made.faults.append(str(error)))


AT_REST = """document.getAnimations().every(
    one => one.playState !== "running" || one.effect.getTiming().iterations === Infinity
)"""


def at_rest(page: Page) -> None:
    """Wait until nothing moves or fades any more."""
    page.wait_for_timeout(400)  # for what is about to begin
    until(lambda: page.evaluate(AT_REST))  # not `wait_for_function`: the page allows no `eval`
