from fanshu.library.parsers import parse
from fanshu.types import Document


def _parse(text: str) -> Document:
    return parse("a.html", text.encode())


def _trails(text: str) -> list[tuple[str, ...]]:
    return [section.trail for section in _parse(text).sections]


def test_u16_menus_are_no_text() -> None:
    document = _parse("<nav>首页 产品</nav><h1>安装</h1><p>步骤</p>")
    assert document.text == "安装\n\n步骤\n"
    assert [section.trail for section in document.sections] == [("安装",)]


def test_furniture_goes_by_tag_role_and_state() -> None:
    page = (
        "<header><h3>Brand</h3></header><div role=navigation>Menu</div><div hidden>Secret</div>"
        "<div style='display: none'>Gone</div><div class=breadcrumb>Home</div><aside>Ad</aside>"
        "<form><input><label>Search</label></form><p>Text</p><footer>Imprint</footer>"
    )
    assert _parse(page).text == "Text\n"


def test_bars_and_footers_by_the_names_that_programs_give_them() -> None:
    bar, end = "<ul class=docnav><li>Next</li></ul>", "<div id=footer>Last updated</div>"
    assert _parse(f"{bar}<p>Text</p>{end}").text == "Text\n"
    assert _parse("<div class=section id=footer><h2>Footer</h2><p>x</p></div>").text == (
        "Footer\n\nx\n"
    )


def test_what_looks_like_furniture_but_is_content() -> None:
    page = (
        "<article><header><h1>Title</h1></header><p>a</p><aside class='admonition note'>Mind it"
        "</aside><footer>By us</footer></article><form><p>Wrapped</p></form>"
    )
    assert _parse(page).text == "Title\n\na\n\nMind it\n\nBy us\n\nWrapped\n"


def test_page_of_nothing_but_furniture_is_kept() -> None:
    assert _parse("<nav><p>Only this</p></nav>").text == "Only this\n"


def test_single_main_with_enough_text_is_the_page() -> None:
    page = f"<div>Outside</div><main><h1>A</h1><p>{'word ' * 60}</p></main>"
    assert "Outside" not in _parse(page).text
    assert "Outside" in _parse(page.replace("word ", "w ")).text


def test_headings_that_are_not_shown() -> None:
    page = (
        "<!-- <h1>No</h1> --><script>'<h1>No</h1>'</script><template><h2>No</h2></template>"
        "<textarea><h2>No</h2></textarea><noscript><h2>No</h2></noscript>\n<h1>Yes</h1><p>x</p>\n"
    )
    document = _parse(page)
    assert [(s.trail, s.lines) for s in document.sections] == [(("Yes",), (2, 2))]


def test_heading_in_an_attribute_does_not_move_lines() -> None:
    document = _parse('<p title="<h2>">x</p>\n<h2>A</h2>\n<p>y</p>\n')
    assert document.sections[-1].lines == (2, 3)


def test_broken_nesting_and_deep_nesting() -> None:
    assert _trails("<h1>A<h2>B</h1><p>b</div></p><h2>C")[1:] == [("A", "B"), ("A", "C")]
    assert "deep" in _parse("<div>" * 5_000 + "deep").text
    assert _parse("<div>" * 500_000 + "deep").reason == "nested too deep"
    assert _parse("<table>" + "<tr><td>x" * 40_000).state == "ok"


def test_table_that_lays_out_and_table_that_lists() -> None:
    page = "<table><tr><td><h2>In a cell</h2><p>x</p></td></tr></table>"
    assert _trails(page) == [("In a cell",)]
    page = "<table><tr><th></th><th>A</th></tr><tr><td>b</td><td>1<br>2</td></tr></table>"
    assert _parse(page).text == "A\nb | 1 2\n"


def test_anchor_of_the_box_that_a_heading_opens() -> None:
    page = '<div id="s1"><div class="titlepage"><div><h2>A</h2></div></div><p>x</p><h3>B</h3></div>'
    assert [section.anchor for section in _parse(page).sections] == ["s1", None]


def test_link_marks_leave_titles_and_links_stay() -> None:
    page = "<h2>A<a class='id_link' href='#a'>#</a></h2><h2><a class=anchor href='#b'>Beta</a></h2>"
    assert _trails(page) == [("A",), ("Beta",)]


def test_text_blocks() -> None:
    page = (
        "<p>one  two\nthree&nbsp;four</p>a<b>b</b>c<ul><li>x<li>y</ul><dl><dt>t<dd>d</dl>"
        "<pre>\n  a\n\n b &lt;c&gt;\n</pre>"
    )
    assert _parse(page).text == "one two three four\n\nabc\n\nx\n\ny\n\nt\nd\n\n  a\n\n b <c>\n"


def test_declared_encoding() -> None:
    page = "<meta charset=gb2312><h1>目录䶮</h1><p>正文</p>".encode("gb18030")
    document = parse("a.htm", page)
    assert (document.title, document.encoding) == ("目录䶮", "gb18030")


def test_declared_encoding_of_xhtml() -> None:
    page = '<?xml version="1.0" encoding="shift_jis"?><html><body><p>日本語の文章です'.encode(
        "shift_jis"
    )
    document = parse("a.xhtml", page)
    assert (document.text, document.encoding) == ("日本語の文章です\n", "shift_jis")


def test_date_and_title() -> None:
    page = "<title> A\n b </title><meta name=date content='2024-05-06T10:00:00Z'><p>x</p>"
    document = _parse(page)
    assert document.title == "A b"
    assert document.metadata["date"] == "2024-05-06"


def test_page_without_text() -> None:
    document = _parse("<html><head><title>x</title></head><body><script>1</script></body></html>")
    assert (document.state, document.reason) == ("skipped", "empty")
