"""A hook of mkdocs: what pages link to outside docs/ comes along, and links lead there.

The READMEs become the entry pages, English and Chinese. Every other file of the repository that
a page links to is put below `repository/` of the site: Markdown as a page, the rest as it is.
On the code host the same links lead to the same files, so that no page knows of the site.
"""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
ENTRIES = {"README.md": "index.md", "README.zh-CN.md": "index.zh.md"}
ELSEWHERE = "repository"
DOCS = ROOT / "docs"
LISTED = {"README.md"}  # the list of pages for the code host; the site has its navigation
DECISIONS = "decisions/"  # listed on a page of their own
CHINESE = "index.zh.md"
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Take into the navigation what it does not name, so that no page is out of reach."""
    named = set(_named(config.nav or []))
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    lost = sorted(page for page in pages - named - LISTED if not page.startswith(DECISIONS))
    config.nav = [*(config.nav or []), *([{"More": lost}] if lost else [])]
    return config


def _named(nav: object) -> Iterator[str]:
    """The pages that a navigation names."""
    if isinstance(nav, str):
        yield nav
    for inside in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from _named(inside)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Bring along what lies outside docs/: the READMEs, and what they and all pages link to."""
    waiting = [*ENTRIES]
    for file in files.documentation_pages():
        waiting += _outside(file.content_string, f"docs/{file.src_uri}")
    seen: set[str] = set()
    while waiting:
        path = waiting.pop()
        if path in seen or not (ROOT / path).is_file():
            continue
        seen.add(path)
        files.append(File.generated(config, _place(path), abs_src_path=str(ROOT / path)))
        if path.endswith(".md"):
            waiting += _outside((ROOT / path).read_text("utf-8"), path)
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Links as the site has them."""
    origin = _origin(page.file.src_uri)
    parts = FENCED.split(markdown)
    parts[::2] = [_relinked(part, origin, page.file.src_uri) for part in parts[::2]]
    return "".join(parts)


def on_post_page(output: str, page: Page, **_: object) -> str:
    """The Chinese page says that it is Chinese, to screen readers and browsers."""
    if page.file.src_uri == CHINESE:
        return output.replace('<html lang="en"', '<html lang="zh-CN"', 1)
    return output


def _outside(markdown: str, origin: str) -> Iterator[str]:
    """The files of the repository outside docs/ that a page links to."""
    for prose in FENCED.split(markdown)[::2]:
        for _, link, _ in LINK.findall(prose):
            target = _target(link, origin)
            if target and not target.startswith("docs/"):
                yield target


def _target(link: str, origin: str) -> str | None:
    """The path in the repository that a link leads to; None for one that leads elsewhere."""
    path = link.partition("#")[0]
    if not path or "://" in link or link.startswith("mailto:"):
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(origin), path))


def _place(path: str) -> str:
    """Where the site has a file of the repository, from the root of the site."""
    return ENTRIES.get(path) or f"{ELSEWHERE}/{path}"


def _origin(src_uri: str) -> str:
    """The file of the repository that a page of the site is."""
    entries = {there: here for here, there in ENTRIES.items()}
    if src_uri.startswith(f"{ELSEWHERE}/"):
        return src_uri.removeprefix(f"{ELSEWHERE}/")
    return entries.get(src_uri) or f"docs/{src_uri}"


def _relinked(prose: str, origin: str, src_uri: str) -> str:
    def moved(match: re.Match[str]) -> str:
        before, link, after = match.groups()
        target = _target(link, origin)
        if target is None:
            return match.group()
        there = target.removeprefix("docs/") if target.startswith("docs/") else _place(target)
        _, hash_sign, anchor = link.partition("#")
        path = posixpath.relpath(there, posixpath.dirname(src_uri) or ".")
        return f"{before}{path}{hash_sign}{anchor}{after}"

    return LINK.sub(moved, prose)
