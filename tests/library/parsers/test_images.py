"""Pictures: where they stand, what they are called, what is none."""

import pytest

from fanshu.library.parsers import parse
from fanshu.types import Document
from tests.library.parsers.docxs import docx, p, r, relation, table

REFERENCE = "\n\n[r]: ../r.png\n"


def markdown(text: str) -> Document:
    return parse("a.md", text.encode())


def html(text: str) -> Document:
    return parse("a.html", text.encode())


def targets(document: Document) -> list[str]:
    return [image.target for image in document.images]


def sections(document: Document) -> list[str]:
    """For each picture the heading of the section that its offset lies in."""
    return [
        next(s.trail[-1] for s in document.sections if s.start <= image.offset < s.end)
        for image in document.images
    ]


@pytest.mark.parametrize(
    ("source", "target", "alt"),
    [
        ("![架构 图](img/a%20b.png 'title')", "img/a%20b.png", "架构 图"),
        ("![spaces](<my pic.png>)", "my pic.png", "spaces"),
        ("![full][r]" + REFERENCE, "../r.png", "full"),
        ("![r]" + REFERENCE, "../r.png", "r"),
        ("[![badge](https://x.example/y.svg?a=1)](z)", "https://x.example/y.svg?a=1", "badge"),
        ("- item\n\n  > ![deep](d.png)", "d.png", "deep"),
        ("| a |\n|---|\n| ![cell](t.png) |", "t.png", "cell"),
        ("<p align=center><img src='b.png' alt='乙'></p>", "b.png", "乙"),
        ("text <img alt=乙 data-src=no.png src=b.png> text", "b.png", "乙"),
        ("<img src={require('./m.png').default} />", "./m.png", ""),
        ("![[笔记图.png|300]]", "笔记图.png", ""),
        ("![](data:image/png;base64,AAAA)", "data:image/png", ""),
    ],
)
def test_ways_to_write_a_picture_in_markdown(source: str, target: str, alt: str) -> None:
    document = markdown(f"# 图\n\n前文。\n\n{source}\n")
    assert [(image.target, image.alt) for image in document.images] == [(target, alt)]
    assert document.text[document.images[0].offset] in "!<"


def test_code_holds_no_pictures() -> None:
    assert targets(markdown("`![a](a.png)`\n\n```\n![b](b.png)\n```\n\n    ![c](c.png)\n")) == []


def test_a_picture_belongs_to_the_section_it_stands_in() -> None:
    document = markdown("# 一\n\n![a](a.png)\n\n# 二\n\n![a](b.png)\n\n![a](c.png)\n")
    assert sections(document) == ["一", "二", "二"]
    document = html(
        "<h1>一</h1><img src=a.png><h1>二</h1><p>x <img src=b.png> y</p><img src=c.png>"
    )
    assert sections(document) == ["一", "二", "二"]


def test_pictures_everywhere_in_a_page() -> None:
    document = html(
        "<h1>A <img src=1.png alt='Logo'></h1><table><tr><td>x</td><td><img src=2.png></td></tr>"
        "</table><h2>B</h2><picture><source srcset=no.webp><img src=3.png></picture>"
        "<img src='data:image/gif;base64,R0' data-src=4.jpg><img src='data:image/png;base64,AA'>"
    )
    assert targets(document) == ["1.png", "2.png", "3.png", "4.jpg", "data:image/png"]
    assert document.images[0].alt == "Logo"
    assert sections(document) == ["A", "A", "B", "B", "B"]


def test_signs_and_counters_are_no_pictures() -> None:
    assert (
        targets(html("<p>x<img class='emoticon' src=e.png><img width=1 src=count.gif></p>")) == []
    )
    assert targets(html("<p><img alt='[提示]' src=images/tip.png>x</p>")) == []
    assert targets(html("<nav><img src=logo.png></nav><p>x</p>")) == []


def _drawing(relation_id: str, alt: str = "") -> str:
    about = (
        '<wp:docPr xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/'
        f'wordprocessingDrawing" id="1" name="图片 1" descr="{alt}"/>'
    )
    return f'<w:r><w:drawing>{about}<a:blip r:embed="{relation_id}"/></w:drawing></w:r>'


def test_pictures_of_a_word_file_have_offsets() -> None:
    body = (
        p("一", "1") + f"<w:p>{r('见图')}{_drawing('i', '架构图')}</w:p>"
        + f"<w:p>{_drawing('j')}</w:p>"
        + p("二", "1")
        + table(["甲", f"<w:p>{_drawing('i')}</w:p>"], [f"<w:p>{_drawing('j')}</w:p>", ""])
        + p("三", "1")
    )  # fmt: skip
    related = relation("i", "image", "media/1.png") + relation("j", "image", "media/2.png")
    document = parse("a.docx", docx(body, relations=related))
    one, two = "!/word/media/1.png", "!/word/media/2.png"
    assert targets(document) == [one, two, one, two]
    assert [image.alt for image in document.images] == ["架构图", "", "", ""]
    assert sections(document) == ["一", "一", "二", "二"]
