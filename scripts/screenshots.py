"""Make the pictures of the web page that the READMEs show, in docs/images.

python scripts/screenshots.py

Needs Chromium and the extra dev. The example library is served with a model that says what is
written here; everything else is the service as it is.
"""

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
PACE = 1.2  # seconds that the model thinks: long enough for a picture of its steps

Calls = Sequence[tuple[str, Mapping[str, object]]]

ZH = "retention_days 的默认值是多少，生产环境实际设成了多少，为什么？"
ZH_SAID = "`retention_days` 默认为 14 天；生产环境设为 30 天，因为业务部门要求可回查一个月。"
ZH_CITED = (
    ("产品手册/02-配置参数.md", "| `retention_days` | 14 | 天 |"),
    ("交接文档/部署记录.md", "| `retention_days` | 30 | 3 |"),
)
EN = "How much disk do 20 GB a day need, and who is paged when nobody answers at night?"
EN_SAID = (
    "With a retention of 14 days, plan 364 GB. "
    "An unanswered page goes to the secondary automatically after 10 minutes."
)
EN_CITED = (
    ("operations/quick-guide.pdf", "With 20 GB a day and a retention of 14 days, plan 364 GB."),
    ("operations/on-call-runbook.md", "the page goes to the secondary automatically"),
)
SCRIPTS = {
    ZH: ("retention_days 默认值|保留天数", ZH_SAID, ZH_CITED),
    EN: ("disk retention|page secondary", EN_SAID, EN_CITED),
}

CARD = """\
# Alert card

2. Not acknowledged in time: the page goes to the secondary automatically after 15 minutes.

## Alert thresholds

| Alert | Warning | Critical |
| --- | --- | --- |
| Disk usage of the data volume | 80% | 95% |

The parameter `chunk_size` defaults to 16 MB. For the ports, see chapter 12 of the Quick Guide.
"""


class Narrator:
    """A model that says what this file says, a moment after it is asked."""

    name = "example model"
    extractive = False

    def __init__(self, library: Any) -> None:
        self._library = library
        self._rounds: dict[str, int] = {}

    async def next(self, turns: Sequence[Any], *_: object, **__: object) -> Any:
        from fanshu.models import Reply
        from fanshu.types import ToolCall

        await asyncio.sleep(PACE)
        asked = next(turn.text for turn in turns if turn.role == "user")
        question = next(one for one in SCRIPTS if one in asked)
        at = self._rounds.get(question, 0)
        rounds = list(self._script(question))
        self._rounds[question] = (at + 1) % len(rounds)
        calls = (ToolCall(f"c{at}-{n}", *call) for n, call in enumerate(rounds[at]))
        return Reply(calls=tuple(calls))

    def _script(self, question: str) -> Iterator[Calls]:
        words, said, cited = SCRIPTS[question]
        placed = [{"chunk_id": self._place(path, quote), "quote": quote} for path, quote in cited]
        yield [("search", {"keyword": words})]
        yield [("read", {"chunk_id": one["chunk_id"]}) for one in placed]
        draft = {"response": said, "citations": placed, "found": True, "question_summary": question}
        yield [("answer", draft)]

    def _place(self, path: str, quote: str) -> str:
        for entry in self._library.outline(path):
            if quote in self._library.read(entry.chunk_id).text:
                return str(entry.chunk_id)
        raise SystemExit(f"{quote!r} is not in {path}")

    async def close(self) -> None:
        pass


@contextmanager
def page_of(
    browser: Any, url: str, language: str, light: str, size: tuple[int, int]
) -> Iterator[Any]:
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        locale="zh-CN" if language == "zh" else "en-GB",
        color_scheme=light,
    )
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector(".lead:not(:empty)")
    yield page
    context.close()


def ask(page: Any, question: str) -> None:
    page.fill("#question", question)
    page.press("#question", "Enter")


def shoot(page: Any, name: str) -> None:
    page.wait_for_timeout(700)  # what moves has arrived
    page.mouse.move(0, 0)
    page.screenshot(path=IMAGES / name)
    print(f"docs/images/{name}: {(IMAGES / name).stat().st_size // 1000} kB")


def answered(page: Any, number: int, name: str) -> None:
    """The answer, and one of its sources beside it."""
    page.wait_for_selector("section.answer")
    page.click(f".source .open >> nth={number}")
    page.wait_for_selector("#reader mark.quote")
    page.wait_for_load_state("networkidle")
    shoot(page, name)


def pictures(browser: Any, url: str) -> None:
    with page_of(browser, url, "zh", "light", (1280, 780)) as page:
        ask(page, ZH)
        page.wait_for_selector(".step.is-read >> nth=1")
        shoot(page, "steps-zh.png")
        answered(page, 0, "answer-zh.png")
    with page_of(browser, url, "en", "light", (1280, 780)) as page:
        ask(page, EN)
        page.wait_for_selector(".step.is-read >> nth=1")
        shoot(page, "steps-en.png")
        answered(page, 0, "answer-en.png")
    with page_of(browser, url, "zh", "dark", (375, 720)) as page:
        ask(page, ZH)
        page.wait_for_selector("section.answer")
        shoot(page, "phone-zh.png")
    with page_of(browser, url, "en", "dark", (1280, 780)) as page:
        page.goto(f"{url}/#/library")
        page.click("text=on-call-runbook.md")
        page.wait_for_selector("#reader .leaf")
        shoot(page, "library-en.png")


def checked(browser: Any, url: str) -> None:
    """What the check-up finds in the second library."""
    with page_of(browser, url, "en", "light", (1280, 780)) as page:
        page.goto(f"{url}/#/library")
        page.get_by_role("combobox", name="Library").select_option("faulty")
        page.goto(f"{url}/#/check")
        page.wait_for_selector(".finding")
        shoot(page, "check-en.png")


def faulty(documents: Path) -> Path:
    """A copy of the documents with a few notes that contradict them."""
    folder = documents.with_name("faulty")
    shutil.copytree(documents, folder)
    (folder / "operations/alert-card.md").write_text(CARD, encoding="utf-8")
    return folder


def main() -> int:
    sys.path.insert(0, str(ROOT))
    from playwright.sync_api import sync_playwright
    from tests.serve.served import plan_of, serving

    from fanshu.library.library import Library, Root

    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update({f"XDG_{name}_HOME": folder for name in ("DATA", "CONFIG", "CACHE")})
        documents = Path(folder) / "manuals"
        shutil.copytree(ROOT / "examples" / "library", documents)
        library = Library([Root(documents)], Path(folder) / "index.db")
        library.sync()
        libraries = {"manuals": documents, "faulty": faulty(documents)}
        plan = plan_of(libraries, {"cache": False})
        with (
            serving(plan, Path(folder) / "kept", lambda _: Narrator(library)) as served,
            sync_playwright() as driver,
        ):
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            pictures(browser, served.url)
            checked(browser, served.url)
            browser.close()
        library.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
