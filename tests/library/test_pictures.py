"""Where pictures are, and that chunks know theirs."""

import pytest

from fanshu.library.library import Library, Root
from fanshu.library.pictures import located, named
from tests.library.conftest import write
from tests.waiting import PATIENCE


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("img/a.png", "ops/手册/img/a.png"),
        ("./a%20b.png?raw=true#x", "ops/手册/a b.png"),
        ("..\\img\\a.png", "ops/img/a.png"),
        ("../../other/secret.png", "../../other/secret.png"),
        ("..%2F..%2Fsecret.png", "..%2F..%2Fsecret.png"),
        ("../..", "../.."),
        ("/img/a.png", "/img/a.png"),
        ("C:\\a.png", "C:\\a.png"),
        ("https://x.example/a.png?b", "https://x.example/a.png?b"),
        ("data:image/png", "data:image/png"),
        ("!/word/media/1.png", "ops/手册/安装.docx!/word/media/1.png"),
    ],
)
def test_targets_stay_inside_the_root(target: str, found: str) -> None:
    assert located([target], "ops/手册/安装.docx", "ops/") == (found,)


def test_data_is_named_and_not_kept() -> None:
    assert named(" data:image/svg+xml;utf8,<svg/>") == "data:image/svg+xml"
    assert named("x" * 5_000) == ""


def test_chunks_hits_and_neighbours_know_their_pictures(tmp_path) -> None:
    pages = {
        "手册/安装.md": "# 安装\n\n步骤见图。\n\n![图](img/1.png)\n\n## 检查\n\n![](../../x.png)\n",
        "手册/升级.md": "# 升级\n\n没有图。\n",
    }
    library = Library(
        [Root(write(tmp_path / "docs", pages), "ops")],
        tmp_path / "index.db",
        search_seconds=PATIENCE,
    )
    library.sync()
    assert library.read("ops/手册/安装.md#1").images == ("ops/手册/img/1.png",)
    after = library.next("ops/手册/安装.md#1")
    assert after is not None
    assert after.images == ("../../x.png",)
    assert library.read("ops/手册/升级.md#1").images == ()
    assert library.search("步骤").hits[0].images == ("img/1.png",)
    library.close()


def test_another_picture_under_the_same_text(library) -> None:
    one = library({"a.html": "<h1>A</h1><p>x</p><img src=1.png>"})
    assert one.read("a.html#1").images == ("1.png",)
    (one.roots[0].path / "a.html").write_text("<h1>A</h1><p>x</p><img src=two.png>")
    assert one.read("a.html#1").images == ("two.png",)


def test_every_part_has_its_own_pictures_and_the_last_has_the_rest(library) -> None:
    paragraphs = [f"{'字' * 390}\n\n![图](img/{n}.png)\n" for n in range(4)]
    one = library({"a.md": "# 长\n\n" + "\n".join(paragraphs)})
    chunks = [one.read(f"a.md#{n}") for n in range(1, one.status().chunks + 1)]
    assert len(chunks) > 1
    found = [image for chunk in chunks for image in chunk.images]
    assert found == [f"img/{n}.png" for n in range(4)]
    assert all(image in chunk.text for chunk in chunks for image in chunk.images)


def test_targets_from_the_top_of_a_site_where_they_are(library) -> None:
    page = "# A\n\n![](/media/a%20b.png) ![](/b.png) ![](/gone.png) ![](//cdn.example/c.png) ![](/../d.png)\n"
    one = library({"docs/a.md": page, "media/a b.png": b"", "static/b.png": b""})
    (one.roots[0].path.parent / "d.png").write_bytes(b"")
    assert one.read("docs/a.md#1").images == (
        "media/a b.png", "static/b.png", "/gone.png", "//cdn.example/c.png", "/../d.png"
    )  # fmt: skip


def test_targets_that_no_file_can_have(library) -> None:
    targets = "/a%00b.png", "/" + "x" * 1_000, "a%00.png"
    one = library({"a.md": "# A\n\n" + " ".join(f"![]({target})" for target in targets)})
    assert one.read("a.md#1").images == targets
