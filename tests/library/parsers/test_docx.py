import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanshu.library.parsers import parse
from fanshu.types import Document
from tests.library.parsers.docxs import (
    STYLES,
    docx,
    level,
    lists,
    numbered,
    p,
    r,
    relation,
    table,
)

BOLD = "<w:b/>"


def _parse(body: str, **parts: object) -> Document:
    document = parse("a.docx", docx(body, **parts))  # type: ignore[arg-type]
    assert "".join(document.text[s.start : s.end] for s in document.sections) == document.text
    return document


def _lines(body: str, **parts: object) -> list[str]:
    return [line for line in _parse(body, **parts).text.split("\n") if line]


def _trails(body: str, **parts: object) -> list[tuple[str, ...]]:
    return [section.trail for section in _parse(body, **parts).sections]


# ---------------------------------------------------------------- headings and titles


def test_headings_by_style_whatever_it_is_called() -> None:
    localised = STYLES.replace("heading 1", "标题 1").replace("heading 2", "Überschrift 2")
    for styles in (STYLES, localised, localised.replace("<w:outlineLvl", "<w:none")):
        body = p("总则", "1") + p("正文") + p("适用", "2") + p("二") + p("附则", "1") + p("三")
        assert _trails(body, styles=styles) == [("总则",), ("总则", "适用"), ("附则",)]


def test_outline_level_of_a_paragraph_or_of_the_style_below() -> None:
    own = STYLES + '<w:style w:styleId="x"><w:name w:val="Mine"/><w:basedOn w:val="2"/></w:style>'
    body = (
        p("甲", properties='<w:outlineLvl w:val="0"/>') + p("文") + p("乙", "x") + p("文")
        + p("不是", "x", '<w:outlineLvl w:val="9"/>')
    )  # fmt: skip
    assert _trails(body, styles=own) == [("甲",), ("甲", "乙")]


def test_title_and_date() -> None:
    core = "<dc:title>Doc1</dc:title><dcterms:modified>2024-03-01T08:00:00Z</dcterms:modified>"
    document = _parse(p("差旅办法", "a3") + p("一", "1") + p("文"), core=core)
    assert document.title == "差旅办法"
    assert document.metadata["date"] == "2024-03-01"
    assert document.text.startswith("差旅办法\n\n一\n")
    assert [s.trail for s in document.sections] == [("一",)]
    dated = _parse(p("办法") + p("（2021年5月6日发布）"), core=core)
    assert "date" not in dated.metadata
    named = _parse(p("文"), core="<dc:title>采购制度</dc:title>")
    assert named.title == "采购制度"


def test_headings_faked_by_numbering() -> None:
    body = "".join(
        map(p, ("第一章 总则", "第一条 甲。", "第二条 乙。", "第二章 附则", "第三条 丙。"))
    )
    assert _trails(body) == [
        ("第一章 总则",), ("第一章 总则", "第一条"), ("第一章 总则", "第二条"),
        ("第二章 附则",), ("第二章 附则", "第三条"),
    ]  # fmt: skip
    notice = "".join(
        map(p, ("各部门：", "一、总体要求", "提高认识。", "二、重点任务", "抓好落实。"))
    )
    assert _trails(notice) == [(), ("一、总体要求",), ("二、重点任务",)]


def test_headings_faked_by_bold_and_size() -> None:
    body = (
        p("员工手册", properties='<w:jc w:val="center"/>', run=f'{BOLD}<w:sz w:val="44"/>')
        + p("考勤", run=f'{BOLD}<w:sz w:val="32"/>') + p("每天打卡。" * 9)
        + p("迟到", run=BOLD) + p("扣款。" * 9) + p("福利", run=f'{BOLD}<w:sz w:val="32"/>') + p("午餐。" * 9)
    )  # fmt: skip
    document = _parse(body)
    assert document.title == "员工手册"
    assert [s.trail for s in document.sections] == [("考勤",), ("考勤", "迟到"), ("福利",)]


def test_articles_under_styled_chapters() -> None:
    body = p("总则", "1") + p("第一条 甲。") + p("第二条 乙。") + p("附则", "1") + p("第三条 丙。")
    assert _trails(body) == [
        ("总则",), ("总则", "第一条"), ("总则", "第二条"), ("附则",), ("附则", "第三条"),
    ]  # fmt: skip


def test_headings_that_somebody_forgot_to_style() -> None:
    body = (
        p("第一章 总则", "1") + p("文") + p("第一节 范围") + p("文") + p("第二章 附则") + p("文")
        + p("第三章 末", "1") + p("附件1 表格") + p("文")
    )  # fmt: skip
    assert _trails(body) == [
        ("第一章 总则",), ("第一章 总则", "第一节 范围"), ("第二章 附则",), ("第三章 末",),
        ("附件1 表格",),
    ]  # fmt: skip


def test_only_the_title_is_styled() -> None:
    body = "".join([p("通知", "1"), *map(p, ("一、总体要求", "文。", "二、重点任务", "文。"))])
    assert _trails(body) == [("通知",), ("通知", "一、总体要求"), ("通知", "二、重点任务")]


def test_whole_article_in_a_heading_style_is_named_by_its_number() -> None:
    body = p("第三条 员工应当按时提交报销单据。", "2") + p("过长。" * 60, "1")
    assert _trails(body)[0] == ("第三条",)


def test_contents_are_left_out() -> None:
    gallery = '<w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj>'
    by_hand = STYLES + '<w:style w:styleId="W"><w:name w:val="WPSOffice手动目录 1"/></w:style>'
    body = (
        p("总则\t1", "TOC1")
        + p("总则……1", "W")
        + f"<w:sdt><w:sdtPr>{gallery}</w:sdtPr><w:sdtContent>{p('目录')}</w:sdtContent></w:sdt>"
        + p("总则", "1") + p("文")
    )  # fmt: skip
    assert _lines(body, styles=by_hand) == ["总则", "文"]


# ---------------------------------------------------------------- automatic numbering


def test_numbers_of_articles_that_stand_in_no_text() -> None:
    chapters = level(0, "chineseCounting", "第%1章") + level(
        1, "chineseCountingThousand", "第%2条", '<w:lvlRestart w:val="0"/>'
    )
    body = (
        numbered("总则") + numbered("甲。", level=1) + numbered("乙。", level=1)
        + numbered("附则") + numbered("丙。", level=1)
    )  # fmt: skip
    document = _parse(body, numbering=lists(chapters))
    assert [line for line in document.text.split("\n") if line] == [
        "第一章 总则", "第一条 甲。", "第二条 乙。", "第二章 附则", "第三条 丙。",
    ]  # fmt: skip
    assert document.sections[-1].trail == ("第二章 附则", "第三条")


def test_levels_count_and_restart() -> None:
    decimal = (
        level(0, "decimal", "%1") + level(1, "decimal", "%1.%2") + level(2, "decimal", "%1.%2.%3")
    )
    levels = (0, 1, 1, 2, 2, 0, 1, 2)
    body = "".join(numbered("x", level=at) for at in levels)
    assert _lines(body, numbering=lists(decimal)) == [
        "1 x", "1.1 x", "1.2 x", "1.2.1 x", "1.2.2 x", "2 x", "2.1 x", "2.1.1 x",
    ]  # fmt: skip


def test_legal_numbering_writes_all_levels_in_digits() -> None:
    mixed = level(0, "chineseCounting", "第%1章") + level(1, "decimal", "%1.%2", "<w:isLgl/>")
    body = numbered("甲") + numbered("乙", level=1)
    assert _lines(body, numbering=lists(mixed)) == ["第一章 甲", "1.1 乙"]


def test_start_override_restarts_and_same_definition_goes_on() -> None:
    again = (
        '<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="3">'
        '<w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/>'
        "</w:lvlOverride></w:num>"
    )
    body = "".join(numbered("x", one) for one in (1, 1, 2, 3, 3))
    found = _lines(body, numbering=lists(level(0, "decimal", "%1."), more=again))
    assert found == ["1. x", "2. x", "3. x", "1. x", "2. x"]


def test_numbering_that_belongs_to_a_style() -> None:
    styles = STYLES.replace(
        '<w:pPr><w:outlineLvl w:val="1"/>',
        '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr><w:outlineLvl w:val="1"/>',
    ).replace(
        '<w:pPr><w:outlineLvl w:val="0"/>',
        '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr><w:outlineLvl w:val="0"/>',
    )
    both = level(0, "decimal", "%1", '<w:pStyle w:val="1"/>') + level(
        1, "decimal", "%1.%2", '<w:pStyle w:val="2"/>'
    )
    off = '<w:numPr><w:numId w:val="0"/></w:numPr>'
    body = p("甲", "1") + p("乙", "2") + p("前言", "1", off) + p("丙", "2")
    assert _trails(body, styles=styles, numbering=lists(both)) == [
        ("1 甲",), ("1 甲", "1.1 乙"), ("前言",), ("前言", "1.2 丙"),
    ]  # fmt: skip
    derived = styles + '<w:style w:styleId="x"><w:name w:val="X"/><w:basedOn w:val="2"/></w:style>'
    assert _trails(p("甲", "1") + p("乙", "x"), styles=derived, numbering=lists(both)) == [
        ("1 甲",), ("1 甲", "1.1 乙"),
    ]  # fmt: skip


def test_numbering_by_a_list_style() -> None:
    linked = (
        '<w:abstractNum w:abstractNumId="8"><w:numStyleLink w:val="L"/></w:abstractNum>'
        f'<w:abstractNum w:abstractNumId="9"><w:styleLink w:val="L"/>{level(0, "upperRoman", "%1)")}'
        '</w:abstractNum><w:num w:numId="5"><w:abstractNumId w:val="8"/></w:num>'
    )
    assert _lines(numbered("x", 5) + numbered("y", 5), numbering=linked) == ["I) x", "II) y"]


@pytest.mark.parametrize(
    ("form", "numbers"),
    [
        (
            "chineseCounting",
            {1: "一", 10: "十", 11: "十一", 20: "二十", 99: "九十九", 105: "一〇五"},
        ),
        (
            "chineseCountingThousand",
            {10: "十", 101: "一百零一", 110: "一百一十", 1010: "一千零一十"},
        ),
        ("chineseLegalSimplified", {1: "壹", 10: "壹拾", 23: "贰拾叁"}),
        ("ideographDigital", {10: "一〇", 24: "二四"}),
        ("ideographTraditional", {1: "甲", 10: "癸", 11: "11"}),
        ("ideographZodiac", {1: "子", 12: "亥"}),
        ("upperRoman", {4: "IV", 9: "IX", 40: "XL", 1990: "MCMXC"}),
        ("lowerLetter", {1: "a", 26: "z", 27: "aa", 53: "aaa"}),
        ("decimalZero", {3: "03", 12: "12"}),
        ("decimalEnclosedCircleChinese", {1: "①", 20: "⑳", 21: "㉑"}),
        ("decimalFullWidth", {12: "１２"}),
        ("ordinal", {1: "1st", 2: "2nd", 11: "11th"}),
        ("unheardOf", {7: "7"}),
    ],
)
def test_number_formats(form: str, numbers: dict[int, str]) -> None:
    for number, written in numbers.items():
        numbering = lists(level(0, form, "%1．", start=number))
        assert _lines(numbered("x"), numbering=numbering) == [f"{written}． x"]


def test_bullets_and_broken_numbering() -> None:
    bullets = lists(level(0, "bullet", "\uf06c"))
    assert _lines(numbered("x"), numbering=bullets) == ["• x"]
    assert _lines(numbered("x", 77, 3), numbering=bullets) == ["x"]
    assert _lines(numbered("x", 1, 12), numbering=bullets) == ["x"]


# ---------------------------------------------------------------- what a reader sees


def test_insertions_in_deletions_out() -> None:
    body = (
        f"<w:p>{r('标准为')}<w:del><w:r><w:delText>400</w:delText></w:r></w:del>"
        f"<w:ins>{r('500')}</w:ins>{r('元')}</w:p>"
        f"<w:moveFrom>{p('旧处')}</w:moveFrom><w:p><w:moveTo>{r('新处')}</w:moveTo></w:p>"
    )
    assert _lines(body) == ["标准为500元", "新处"]


def test_deleted_paragraph_end_joins_two_paragraphs() -> None:
    body = p("前半", properties="<w:rPr><w:del/></w:rPr>") + p("后半")
    assert _lines(body) == ["前半后半"]


def test_text_boxes_once_though_written_twice() -> None:
    inner = f"<w:txbxContent>{p('框内')}</w:txbxContent>"
    body = (
        f"<w:p>{r('正文')}<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wps:txbx>"
        f"{inner}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>{inner}"
        "</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>" + p("后文")
    )
    assert _lines(body) == ["正文", "框内", "后文"]
    old = f"<w:p><w:r><w:pict><v:textbox>{inner}</v:textbox></w:pict></w:r></w:p>"
    assert _lines(old) == ["框内"]


def test_footnotes_follow_their_paragraph() -> None:
    note = f'<w:footnote w:id="2">{p("见附件。")}</w:footnote>'
    body = f'<w:p>{r("员工")}<w:r><w:footnoteReference w:id="2"/></w:r>{r("是指。")}</w:p>' + p(
        "下段"
    )
    assert _lines(body, notes=note) == ["员工[^1]是指。", "[^1]: 见附件。", "下段"]


def test_content_controls_links_and_fields() -> None:
    code = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> DATE </w:instrText></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{r("3月")}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    body = (
        f"<w:sdt><w:sdtContent>{p('控件内')}</w:sdtContent></w:sdt>"
        f"<w:p><w:sdt><w:sdtContent>{r('行内')}</w:sdtContent></w:sdt><w:hyperlink>{r('链接')}</w:hyperlink>"
        f"<w:smartTag>{r('标记')}</w:smartTag>{code}</w:p>"
    )
    assert _lines(body) == ["控件内", "行内链接标记3月"]


def test_prompts_of_empty_controls_are_no_text() -> None:
    prompt = f"<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{r('单击此处')}</w:sdtContent></w:sdt>"
    assert _lines(
        f"<w:p>{r('姓名：')}{prompt}</w:p>" + prompt.replace(r("单击此处"), p("单击此处"))
    ) == ["姓名："]


def test_hidden_text_is_out() -> None:
    shown = '<w:vanish w:val="0"/>'
    styles = (
        STYLES + '<w:style w:styleId="h"><w:name w:val="H"/><w:rPr><w:vanish/></w:rPr></w:style>'
    )
    body = f"<w:p>{r('看见')}{r('不见', '<w:vanish/>')}{r('又见', shown)}</w:p>" + p("隐", "h")
    assert _lines(body, styles=styles) == ["看见又见"]


def test_signs_in_plain_text_by_their_font() -> None:
    font = '<w:rFonts w:ascii="{}"/>'
    signs = r("\uf0fe是", font.format("Wingdings")) + r("\uf0b3", font.format("Symbol"))
    assert _lines(f"<w:p>{signs}{r('x')}</w:p>" + p("\uf0b7 y")) == ["☑是≥x", "• y"]


def test_signs_breaks_and_formulas() -> None:
    body = (
        "<w:p><w:r><w:t>a</w:t><w:br/><w:t>b</w:t><w:noBreakHyphen/><w:t>c</w:t><w:tab/>"
        '<w:sym w:font="Wingdings" w:char="F0FE"/><w:sym w:font="Symbol" w:char="F0B3"/></w:r>'
        "<m:oMath><m:f><m:num><m:r><m:t>a+1</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den>"
        "</m:f></m:oMath></w:p>"
    )
    assert _lines(body) == ["a", "b-c\t☑≥(a+1)/b"]


# ---------------------------------------------------------------- tables


def test_table_rows_are_lines_and_merged_cells_are_said_again() -> None:
    down = '<w:tcPr><w:vMerge w:val="{}"/></w:tcPr>'
    wide = '<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>'
    body = table(
        ["类别", "城市", "标准"],
        [down.format("restart") + p("一类"), "北京", "500"],
        [down.format("continue") + p(), "上海", "480"],
        [wide + p("合计"), "980"],
    )
    assert _parse(body).text == (
        "类别 | 城市 | 标准\n一类 | 北京 | 500\n一类 | 上海 | 480\n合计 | 合计 | 980\n"
    )


def test_rows_deleted_and_cells_of_several_paragraphs() -> None:
    body = table(["a", p("b") + p("c")], ["d", ""]).replace(
        "<w:tr><w:tc>" + p("d"), "<w:tr><w:trPr><w:del/></w:trPr><w:tc>" + p("d")
    )
    assert _lines(body) == ["a | b c"]


def test_nested_tables_and_tables_that_lay_out() -> None:
    inner = table(["x", "1"], ["y", "2"])
    assert _lines(table(["左", p("说明") + inner + p()])) == ["左", "说明", "x | 1", "y | 2"]
    boxed = table([p("第一章", "1") + p("正文")])
    assert _trails(boxed) == [("第一章",)]
    assert _lines(boxed) == ["第一章", "正文"]


def test_numbers_in_a_column_count_on() -> None:
    body = table([numbered(""), "甲"], [numbered("件"), "乙"])
    assert _lines(body, numbering=lists(level(0, "decimal", "%1"))) == ["1 | 甲", "2 件 | 乙"]


# ---------------------------------------------------------------- files as they come


def test_pictures_are_known_by_name() -> None:
    drawing = '<w:r><w:drawing><a:blip r:embed="i"/></w:drawing></w:r>'
    picture = relation("i", "image", "media/image1.png")
    document = _parse(f"<w:p>{r('见图')}{drawing}</w:p>", relations=picture)
    assert [image.target for image in document.images] == ["!/word/media/image1.png"]
    bare = parse("a.docx", docx(f"<w:p>{drawing}</w:p>", relations=picture))
    assert (bare.state, bare.reason) == ("no_text", "only pictures: 1")


def test_charts_are_read_from_their_part() -> None:
    names = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
    points = "".join(f'<c:pt idx="{at}"><c:v>{at}.50</c:v></c:pt>' for at in (0, 1))
    series = f"<c:ser><c:tx><c:pt idx='0'><c:v>量</c:v></c:pt></c:tx><c:cat>{points}</c:cat><c:val>{points}</c:val></c:ser>"
    drawing = f'<w:r><w:drawing><c:chart {names} r:id="c"/></w:drawing></w:r>'
    lines = _lines(
        f"<w:p>{r('见图')}{drawing}</w:p>",
        relations=relation("c", "chart", "charts/chart1.xml"),
        parts={"word/charts/chart1.xml": f"<c:chartSpace {names}>{series}</c:chartSpace>".encode()},
    )
    assert lines == ["见图", " | 量", "0.5 | 0.5", "1.5 | 1.5"]


def test_file_of_the_library_with_header_and_footer() -> None:
    library = pytest.importorskip("docx")
    made = library.Document()
    made.sections[0].header.paragraphs[0].text = "内部资料"
    made.sections[0].footer.paragraphs[0].text = "第 1 页"
    made.add_heading("手册", 0)
    made.add_heading("安装", 1)
    made.add_paragraph("先读说明。")
    made.add_paragraph("第一步", style="List Number")
    made.add_paragraph("第二步", style="List Number")
    out = io.BytesIO()
    made.save(out)
    document = parse("a.docx", out.getvalue())
    assert document.title == "手册"
    assert document.text == "手册\n\n安装\n\n先读说明。\n\n1. 第一步\n\n2. 第二步\n"


def test_strict_namespaces_and_pages_put_into_the_text() -> None:
    import zipfile

    made = docx(p("总则", "1") + p("文"))
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(made)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            data = old.read(name).replace(
                b"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
                b"http://purl.oclc.org/ooxml/wordprocessingml/main",
            )
            new.writestr(name.replace("/", "\\"), data)
    assert parse("a.docx", out.getvalue()).sections[0].trail == ("总则",)
    chunk = '<w:altChunk r:id="c"/>'
    document = _parse(
        chunk, relations=relation("c", "aFChunk", "/word/x.html"),
        parts={"word/x.html": b"<html><p>one</p><p>two</p></html>"},
    )  # fmt: skip
    assert document.text == "one\n\ntwo\n"


BLOCKS = st.sampled_from((
    p("总则", "1"), p("细则", "2"), p("标题", "a3"), p("正文。"), p("第一条 甲。"), p("第二条 乙。"), p("一、总"),
    p("二、分"), p("粗", run=BOLD), p("a\u3000"), p(), numbered("x"), numbered("y", level=1), numbered(""),
    table(["a", "b"], ["", ""]), table([p("内", "1") + table(["c"])]), p("半", properties="<w:rPr><w:del/></w:rPr>"),
    "<w:p><w:r><w:br/><w:t>z</w:t><w:br/></w:r></w:p>", "<w:sdt/>", "<w:tbl/>", "<mc:AlternateContent/>",
))  # fmt: skip


@given(body=st.lists(BLOCKS).map("".join))
def test_sections_joined_are_the_text(body: str) -> None:
    numbering = lists(level(0, "chineseCounting", "第%1章") + level(1, "decimal", "%1.%2"))
    document = _parse(body, numbering=numbering)
    assert document.state == "ok" or document.reason == "empty"
    assert all(section.end > section.start for section in document.sections)
