import json

import pytest

from fanshu.library.parsers import parse
from fanshu.types import Document


def _parse(name: str, text: str) -> Document:
    document = parse(name, text.encode())
    assert "".join(document.text[s.start : s.end] for s in document.sections) == document.text
    return document


def _places(name: str, text: str) -> list[tuple[tuple[str, ...], object]]:
    return [(section.trail, section.lines) for section in _parse(name, text).sections]


def test_rst_levels_come_in_the_order_of_their_signs() -> None:
    text = "=====\n手册\n=====\n\n安装\n----\n\n步骤\n\n细节\n~~~~\nx\n\n升级\n----\ny\n"
    assert _places("a.rst", text) == [
        (("手册",), (1, 4)), (("手册", "安装"), (5, 9)),
        (("手册", "安装", "细节"), (10, 13)), (("手册", "升级"), (14, 16)),
    ]  # fmt: skip
    assert _parse("a.rst", text).title == "手册"


def test_rst_lines_of_signs_that_are_no_underlines() -> None:
    text = "A\n==\n\ntext over\ntwo lines\n---------\n\n-----\n\n  indented\n  ---\n\n===== ===\na     b\n===== ===\n1     2\n===== ===\n"
    assert [trail for trail, _ in _places("a.rst", text)] == [("A",)]


def test_adoc_headings_anchors_and_listings() -> None:
    text = "= Guide\n:toc:\n\n[[inst]]\n== Install\n\n----\n== not\n----\n\n====\nexample\n====\n\n=== Linux ===\nx\n"
    document = _parse("a.adoc", text)
    assert [s.trail for s in document.sections] == [
        ("Guide",), ("Guide", "Install"), ("Guide", "Install", "Linux"),
    ]  # fmt: skip
    assert (document.sections[1].anchor, document.sections[1].lines) == ("inst", (5, 14))
    assert document.title == "Guide"


def test_org_headings_without_marks() -> None:
    text = "#+TITLE: 手册\n#+DATE: <2024-03-01 Fri>\n\n* TODO [#A] 安装 :ops:x:\n甲\n#+begin_src\n* not\n#+end_src\n** 细节\n乙\n"
    document = _parse("a.org", text)
    assert (document.title, document.metadata) == ("手册", {"date": "2024-03-01"})
    assert [s.trail for s in document.sections] == [(), ("安装",), ("安装", "细节")]


def test_notebook_is_markdown_with_fences() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# 分析\n", "说明"]},
        {"cell_type": "code", "source": "# no heading\nprint('```')", "outputs": [{"text": "no"}]},
        {"cell_type": "code", "source": ""},
        {"cell_type": "markdown", "source": "## 结果"},
    ]
    notebook = {"cells": cells, "metadata": {"kernelspec": {"language": "python"}}}
    document = _parse("a.ipynb", json.dumps(notebook))
    assert document.text == (
        "# 分析\n说明\n\n````python\n# no heading\nprint('```')\n````\n\n## 结果\n"
    )
    assert [s.trail for s in document.sections] == [("分析",), ("分析", "结果")]
    assert document.sections[0].lines is None


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"cells": [1]}', '{"cells": null, "worksheets": 3}', "[" * 9999]
)
def test_broken_notebooks(text: str) -> None:
    assert parse("a.ipynb", text.encode()).state in ("failed", "skipped")


FILLER = {
    ".py": "    x = 1  # filler\n",
    ".go": "\tx := 1 // filler\n",
    ".yaml": "  key: value\n",
    ".json": '    "k": 1,\n',
}


@pytest.mark.parametrize(
    ("suffix", "template", "trails"),
    [
        (
            ".py",
            '"""Doc."""\nimport os\n\n\n# About A.\nclass A:\n{x}\n    @property\n    def b(self):\n{x}\n\ndef c():\n{x}',
            [(), ("class A",), ("class A", "def b"), ("def c",)],
        ),
        (".js", "export class A {{\n{x}}}\nconst b = async (c) => {{\n{x}}};\nlet d = 3;\n", [("class A",), ("const b",)]),
        (
            ".java",
            "package x;\n\npublic final class A {{\n{x}    private static int b(int c) {{\n{x}    }}\n}}\n",
            [(), ("class A",), ("class A", "b")],
        ),
        (".go", "package x\n\n// B does.\nfunc (a *A) B() {{\n{x}}}\ntype C struct {{\n{x}}}\n", [(), ("func (a *A) B",), ("type C",)]),
        (".c", "#include <a.h>\nint b(void);\nstatic int b(int c)\n{{\n{x}}}\nstruct d {{\n{x}}};\n", [(), ("static int b(int c)",), ("struct d",)]),
        (".sh", "set -e\na() {{\n{x}}}\nfunction b {{\n{x}}}\n", [(), ("a()",), ("function b",)]),
        (".sql", "CREATE TABLE IF NOT EXISTS a (\n{x});\ncreate or replace view b as\n{x};\n", [("CREATE TABLE IF NOT EXISTS a",), ("create or replace view b",)]),
        (".ini", "x=1\n[a]\n{x}[b]\n{x}", [(), ("[a]",), ("[b]",)]),
        (".yaml", "version: 3\nservices:\n{x}volumes:\n{x}", [(), ("services",), ("volumes",)]),
        (".json", '{{\n  "a": {{\n{x}  }},\n  "b": [\n{x}  ]\n}}\n', [(), ("a",), ("b",)]),
        (".tex", "\\begin{{document}}\n\\section{{甲}}\n{x}\\subsection{{乙}}\n{x}", [(), ("甲",), ("甲", "乙")]),
        (".xml", "<a>\n{x}</a>\n", [()]),
    ],
)  # fmt: skip
def test_sections_of_sources(suffix: str, template: str, trails: list[tuple[str, ...]]) -> None:
    filler = FILLER.get(suffix, "    filler = 1\n") * 80
    document = _parse(f"a{suffix}", template.format(x=filler))
    assert [section.trail for section in document.sections] == trails
    assert document.first_line == 1


def test_comment_above_a_definition_belongs_to_it_and_small_files_are_one_section() -> None:
    text = "import os\n\n# About it.\n@cache\ndef a():\n    pass\n\ndef b():\n    pass\n"
    assert [trail for trail, _ in _places("a.py", text)] == [()]
    long = text + "    # more\n" * 200
    assert _places("a.py", long)[1] == (("def a",), (3, 7))


def test_minified_code_is_quick() -> None:
    text = "var a=function(){" + "x(1,2);" * 300_000 + "};\n"
    assert _parse("a.js", text).state == "ok"
