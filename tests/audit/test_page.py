"""The page of an audit: whole, self-contained, and safe whatever the documents say."""

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

from fanshu.audit.page import page
from tests.agent.runs import NOT_FOUND, answer, make_library, read, search
from tests.audit.recorded import recorded

HOSTILE = (
    "</pre></style><script>alert(1)</script>",
    '"><img src=x onerror="fetch(1)">',
    "<svg/onload=alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    "&lt;script&gt;",
    "\u202eevil",
)
ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "main", "header", "section", "article",
    "footer", "div", "p", "h1", "h2", "h3", "span", "sup", "a", "b", "q", "code", "pre", "mark",
    "blockquote", "details", "summary", "ul", "li", "table", "tr", "th", "td",
}  # fmt: skip


class Reader(HTMLParser):
    """Tags, attributes and text of a page, as a browser reads them."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.text: dict[str, list[str]] = {}
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.setdefault(self.open[-1] if self.open else "", []).append(data)

    @property
    def all(self) -> str:
        return "".join(one for name, said in self.text.items() if name != "style" for one in said)

    def values(self, name: str) -> list[str]:
        return [value for key, value in self.attributes if key == name]


async def hostile_page(tmp_path: Path) -> str:
    text = "# 超时\n\n写超时为 30 秒。\n\n" + "\n\n".join(HOSTILE) + "\n"
    library = make_library(tmp_path, {"<b>甲.md": text})
    try:
        wrong = answer("写超时为 45 秒" + HOSTILE[1], ("<b>甲.md#1", HOSTILE[0]), ("x", HOSTILE[2]))
        script = [search(HOSTILE[2]), read("<b>甲.md#1"), wrong, wrong]
        return page(await recorded(library, script, "写超时" + HOSTILE[0]))
    finally:
        library.close()


async def test_hostile_documents_stay_text(tmp_path: Path) -> None:
    read_back = Reader(await hostile_page(tmp_path))
    assert read_back.tags <= ALLOWED
    assert read_back.open == []
    assert not [name for name, _ in read_back.attributes if name.startswith("on")]
    assert not read_back.values("src") + read_back.values("style")
    assert all(target.startswith("#") for target in read_back.values("href"))
    for words in HOSTILE[:5]:
        assert words in read_back.all
    assert "\u202e" not in read_back.all


async def test_the_page_may_load_nothing(tmp_path: Path) -> None:
    html = await hostile_page(tmp_path)
    read_back = Reader(html)
    (policy,) = [value for value in read_back.values("content") if "default-src" in value]
    assert policy.startswith("default-src 'none';")
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)[:1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy
    assert not re.search(r"url\(|@import", style)


async def test_each_citation_stands_beside_its_passage(tmp_path: Path) -> None:
    library = make_library(
        tmp_path, {"a.md": "# Gateway\n\nThe write timeout is 30 seconds here.\n"}
    )
    reply = answer("It is 30 seconds.", ("a.md#1", "write timeout is 30 seconds"))
    read_back = Reader(
        page(await recorded(library, [read("a.md#1"), reply], "What is the write timeout?"))
    )
    library.close()
    assert read_back.values("lang") == ["en"]
    assert read_back.text["mark"] == ["write timeout is 30 seconds"] * 2  # passage, whole section
    assert "".join(read_back.text["h2"]).startswith("AnswerWhere each figure standsCitationsChecks")
    assert "#c1" in read_back.values("href")
    assert "c1" in read_back.values("id")
    for said in ("quotes checked", "line 3", "a.md#1", "Round 2", "the check passed", "max_rounds"):
        assert said in read_back.all


async def test_a_chinese_question_gets_a_chinese_page(tmp_path: Path) -> None:
    library = make_library(tmp_path, {"a.md": "# 网关\n\n写超时为 30 秒。\n"})
    html = page(
        await recorded(library, [search("鲸鱼"), NOT_FOUND], "鲸鱼吃什么", first_search=True)
    )
    library.close()
    read_back = Reader(html)
    assert read_back.values("lang") == ["zh-CN"]
    assert "文档中未找到" in read_back.all
    assert "第 1 轮之前" in read_back.all
