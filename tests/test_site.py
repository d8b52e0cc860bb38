"""The documentation as a site: it builds without a warning, and needs nobody while it is read."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
FETCHED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}
ENTRIES = {"index.html": ("README.md", "en"), "index.zh.html": ("README.zh-CN.md", "zh-CN")}


class Seen(HTMLParser):
    """What a page fetches, where it leads, its anchors, its language and its headings."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.language = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag in FETCHED and FETCHED[tag] in given:
            self.fetched.append(given[FETCHED[tag]])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "html":
            self.language = given.get("lang", "")


def seen(path: Path) -> Seen:
    page = Seen()
    page.feed(path.read_text("utf-8"))
    return page


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("site"))


def built(folder: Path) -> Path:
    """The site in a folder, without a warning."""
    if not find_spec("mkdocs"):
        pytest.skip("mkdocs is not installed; pip install -e '.[dev]'")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)]
    environ = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    run = subprocess.run(build, cwd=ROOT, env=environ, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Seen]:
    return {path: seen(path) for path in sorted(site.rglob("*.html")) if path.name != "404.html"}


def test_nothing_is_fetched_from_elsewhere(site: Path, pages: dict[Path, Seen]) -> None:
    assert len(pages) > 25
    fetched = {target for page in pages.values() for target in page.fetched}
    assert not [target for target in fetched if urlsplit(target).netloc]
    styles = "".join(path.read_text("utf-8") for path in site.rglob("*.css"))
    assert not re.findall(r"url\(['\"]?(?:https?:)?//|@import", styles)


def test_links_and_anchors_lead_somewhere(site: Path, pages: dict[Path, Seen]) -> None:
    dead = [
        f"{path.relative_to(site)}: {link}"
        for path, page in pages.items()
        for link in page.links
        if not leads_somewhere(path, link, pages)
    ]
    assert not dead


def leads_somewhere(path: Path, link: str, pages: dict[Path, Seen]) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    target = target / "index.html" if target.is_dir() else target
    if not parts.fragment or target not in pages:
        return target.is_file()
    return unquote(parts.fragment) in pages[target].anchors | {"__toc"}


@pytest.mark.parametrize(("entry", "source"), ENTRIES.items())
def test_the_entry_pages_are_the_readmes(site: Path, entry: str, source: tuple[str, str]) -> None:
    name, language = source
    html = (site / entry).read_text("utf-8")
    assert seen(site / entry).language == language
    for heading in re.findall(
        r"^## ([^`\"“”\n]+)$", (ROOT / name).read_text("utf-8"), re.MULTILINE
    ):
        assert f">{heading}<" in html


def test_each_entry_page_leads_to_the_other(pages: dict[Path, Seen], site: Path) -> None:
    assert "index.zh.html" in pages[site / "index.html"].links
    assert "index.html" in pages[site / "index.zh.html"].links


def test_every_page_can_be_reached_from_the_navigation(site: Path, pages: dict[Path, Seen]) -> None:
    start = pages[site / "index.html"].links
    reached = {(site / urlsplit(link).path).resolve() for link in start}
    written = {site / path.relative_to(DOCS).with_suffix(".html") for path in DOCS.glob("*.md")}
    assert {page for page in written if page.name != "README.html"} <= reached


def test_the_navigation_names_each_page_once() -> None:
    text = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:")[2]
    named = re.findall(r"[\w./-]+\.md", text)
    assert len(named) > 15
    assert sorted(named) == sorted(set(named))
