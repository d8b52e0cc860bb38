"""Workbooks, slides, e-books, tables; old files, broken files, and files under false names."""

import io
import struct
import subprocess
import sys
import zipfile
from datetime import date, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from fanshu.library.library import Library, Root
from fanshu.library.parsers import needs, parse
from fanshu.library.parsers.convert import converted
from fanshu.library.parsers.kinds import office_kind
from fanshu.library.parsers.package import Unreadable
from fanshu.types import Document
from tests.library.parsers.docxs import docx, p, relation, table
from tests.waiting import PATIENCE

_PICTURES = "http://schemas.openxmlformats.org/drawingml/2006/picture"
LINKED_PICTURE = (
    '<w:p><w:r><w:drawing xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/'
    f'wordprocessingDrawing" xmlns:pic="{_PICTURES}"><wp:inline><wp:extent cx="9906" cy="7924"/>'
    f'<wp:docPr id="1" name="P"/><a:graphic><a:graphicData uri="{_PICTURES}"><pic:pic>'
    '<pic:nvPicPr><pic:cNvPr id="0" name="x"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill>'
    '<a:blip r:link="L"/></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/>'
    '<a:ext cx="9906" cy="7924"/></a:xfrm><a:prstGeom prst="rect"/></pic:spPr></pic:pic>'
    "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"
)
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)


def _ole(*streams: str) -> bytes:
    return OLE + b"".join(name.encode("utf-16-le") + bytes(64) for name in streams)


def _zip(**parts: bytes | str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name.replace("__", "/"), data)
    return out.getvalue()


def _together(document: Document) -> Document:
    joined = "".join(document.text[one.start : one.end] for one in document.sections)
    assert joined == document.text
    return document


# ---------------------------------------------------------------- workbooks


def _workbook() -> bytes:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    pytest.importorskip("python_calamine")
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out)
    prices = book.add_worksheet("价目")
    prices.write_row("B2", ["品类", "型号", "单价", "生效"])
    prices.merge_range("B3:B4", "阀门")
    prices.write_row("C3", ["V-1", 12.5])
    prices.write_row("C4", ["V-2", 30.0])
    day = book.add_format({"num_format": "yyyy-mm-dd"})
    prices.write_datetime("E3", datetime(2024, 3, 1), day)
    prices.write_formula("D6", "=D3*2", None, 25)
    prices.write("E6", 0.07, book.add_format({"num_format": "0.0%"}))
    hidden = book.add_worksheet("底表")
    hidden.hide()
    hidden.write("A1", "系数\n说明")
    book.add_worksheet("空")
    book.close()
    return out.getvalue()


def test_sheets_are_sections_and_rows_are_lines() -> None:
    document = _together(parse("a.xlsx", _workbook()))
    assert document.text == (
        "价目\n\n品类 | 型号 | 单价 | 生效\n阀门 | V-1 | 12.5 | 2024-03-01\n阀门 | V-2 | 30\n"
        " |  | 25 | 7%\n\n底表\n\n系数 说明\n"
    )
    assert [one.trail for one in document.sections] == [("价目",), ("底表",)]
    assert document.metadata["hidden_sheets"] == "底表"


def test_without_the_extra_the_reason_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    data = _workbook()
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    document = parse("a.xlsx", data)
    assert (document.state, document.reason) == ("skipped", needs.for_workbooks())


def test_sheet_that_claims_all_cells_ends_its_process_only() -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    pytest.importorskip("python_calamine")
    out = io.BytesIO()
    with xlsxwriter.Workbook(out) as book:
        sheet = book.add_worksheet()
        sheet.write("A1", "x")
        sheet.write("XFD1048576", "y")
    document = parse("a.xlsx", out.getvalue())
    assert document.state == "failed"
    assert (document.reason or "").startswith(("crashed", "memory"))


def test_workbook_named_as_an_old_one() -> None:
    assert parse("a.xls", _workbook()).state == "ok"
    assert parse("a.et", _workbook()).state == "ok"


def test_pages_and_tables_named_as_workbooks() -> None:
    page = "<html><table><tr><td>品名<td>单价</tr></table></html>".encode("gbk")
    assert parse("a.xls", page).text == "品名 | 单价\n"
    assert parse("a.xls", "品名\t单价\n阀\t3\n".encode()).text == "品名 | 单价\n阀 | 3\n"


# ---------------------------------------------------------------- slides


def test_slides_with_title_table_group_and_notes() -> None:
    library = pytest.importorskip("pptx")
    from pptx.util import Inches

    made = library.Presentation()
    first = made.slides.add_slide(made.slide_layouts[5])
    first.shapes.title.text = "季度计划"
    group = first.shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.text = "组内文字"
    cells = first.shapes.add_table(2, 2, 0, 0, Inches(2), Inches(1)).table
    for at, text in enumerate(("项", "额", "甲", "3")):
        cells.cell(at // 2, at % 2).text = text
    first.notes_slide.notes_text_frame.text = "先讲背景"
    second = made.slides.add_slide(made.slide_layouts[6])
    second.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.text = "谢谢"
    out = io.BytesIO()
    made.save(out)
    document = _together(parse("a.pptx", out.getvalue()))
    assert document.title == "季度计划"
    assert document.text == ("季度计划\n\n组内文字\n\n项 | 额\n甲 | 3\n\n备注：先讲背景\n\n谢谢\n")
    assert [one.trail for one in document.sections] == [("季度计划",), ("谢谢",)]
    assert document.pages == (0, document.text.index("谢谢"))


def test_charts_are_the_table_they_show() -> None:
    library = pytest.importorskip("pptx")
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE

    made = library.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[6])
    data = CategoryChartData()
    data.categories = ["一月", "二月"]
    data.add_series("销量", (12.5, None))
    data.add_series("退货", (1, 2))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, 99, 99, data)
    out = io.BytesIO()
    made.save(out)
    assert parse("a.pptx", out.getvalue()).text == (
        " | 销量 | 退货\n一月 | 12.5 | 1\n二月 |  | 2\n"
    )


# ---------------------------------------------------------------- e-books


def _book(**more: bytes | str) -> bytes:
    container = '<container><rootfile full-path="O/c.opf"/></container>'
    opf = (
        "<package><metadata><title>运维手册</title><date>2023-05-01</date></metadata><manifest>"
        '<item id="n" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
        '<item id="b" href="b%20c.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/></spine></package>'
    )
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF__container.xml": container,
        "O__c.opf": opf,
        "O__nav.xhtml": '<!DOCTYPE html><html><nav><a href="b%20c.xhtml#x">后记</a></nav></html>',
        "O__a.xhtml": "<html><body><h1>安装</h1><p>一</p><h2>准备</h2><p>二</p></body></html>",
        "O__b c.xhtml": "<html><body><p>三</p></body></html>",
    }
    return _zip(**(parts | more))


def test_book_in_order_of_its_spine() -> None:
    document = _together(parse("a.epub", _book()))
    assert (document.title, document.metadata["date"]) == ("运维手册", "2023-05-01")
    assert document.text.split() == ["安装", "一", "准备", "二", "三"]
    assert [one.trail for one in document.sections] == [("安装",), ("安装", "准备"), ("后记",)]


def test_locked_book() -> None:
    lock = '<encryption><CipherReference URI="O/a.xhtml"/></encryption>'
    assert parse("a.epub", _book(**{"META-INF__encryption.xml": lock})).state == "encrypted"
    fonts = lock.replace("a.xhtml", "f.otf")
    assert parse("a.epub", _book(**{"META-INF__encryption.xml": fonts})).state == "ok"


# ---------------------------------------------------------------- tables as text


def test_csv_with_quotes_keeps_its_lines() -> None:
    document = _together(
        parse("a.csv", '名称,说明\r\n甲,"大,小"\r\n乙,"a ""b"""\r\n'.encode("gbk"))
    )
    assert document.text == '名称 | 说明\n甲 | 大,小\n乙 | a "b"\n'
    assert document.sections[0].lines == (1, 3)
    assert document.first_line == 1


def test_csv_whose_cells_hold_line_ends_has_no_lines() -> None:
    document = parse("a.csv", b'a;b\n1;"x\ny"\n')
    assert document.text == "a | b\n1 | x y\n"
    assert (document.first_line, document.sections[0].lines) == (None, None)


def test_tsv_and_open_quote() -> None:
    assert parse("a.tsv", b"a\tb,c\n1\t2,3\n").text == "a | b,c\n1 | 2,3\n"
    assert "tail" in parse("a.csv", b'a,b\n1,"open\nx,tail\n').text


# ---------------------------------------------------------------- what a file really is


@pytest.mark.parametrize(
    ("suffix", "data", "kind"),
    [
        (".docx", _ole("Root Entry", "WordDocument"), "doc"),
        (".wps", _ole("WordDocument"), "doc"),
        (".et", _ole("Workbook"), "xls"),
        (".xls", _ole("WordDocument", "Workbook"), "xls"),
        (".doc", _ole("WordDocument", "Workbook"), "doc"),
        (".ppt", _ole("PowerPoint Document"), "ppt"),
        (".docx", _ole("EncryptedPackage", "EncryptionInfo"), "encrypted"),
        (".doc", OLE + b"\xec\xa5" + bytes(9) + b"\x01" + _ole("WordDocument"), "encrypted"),
        (".wps", _ole("CONTENTS"), "doc"),
        (".docx", b"{\\rtf1\\ansi x}", "rtf"),
        (".doc", b"\xef\xbb\xbf\r\n<html><p>x</p></html>", "html"),
        (".doc", "<html><p>x</p>".encode("utf-16"), "html"),
        (".doc", b"%PDF-1.4", "pdf"),
        (".doc", docx(p("x")), "docx"),
        (".doc", b'<?xml version="1.0"?><?mso-application progid="Word.Document"?><x/>', "wordxml"),
        (".docx", b"plain words", "text"),
        (".doc", b"<!-- -->" * 400 + b"<x>", "text"),
        (".doc", b"<?xml version='1.0'?><!-- a --> <!-- b --><html>", "html"),
        (".docx", b"PK\x03\x04 cut", "unknown"),
        (".doc", bytes(64), "unknown"),
    ],
)
def test_kind_by_content(suffix: str, data: bytes, kind: str) -> None:
    assert office_kind(suffix, data) == kind


def test_page_under_the_name_of_a_word_file() -> None:
    document = parse("a.docx", "<html><h1>安装</h1><p>步骤</p></html>".encode())
    assert document.sections[0].trail == ("安装",)


def test_wiki_export_of_a_page_with_its_pictures() -> None:
    data = (
        b"Date: Mon, 1 Jan 2024 00:00:00 +0000\r\nMIME-Version: 1.0\r\n"
        b'Content-Type: multipart/related; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html; '
        b"charset=UTF-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<html><h1>Set=\r\nup"
        b"</h1><p>=E6=AD=A5</p></html>\r\n--b--\r\n"
    )
    document = parse("a.doc", data)
    assert (document.sections[0].trail, document.text.split()) == (("Setup",), ["Setup", "步"])


@pytest.mark.parametrize(
    ("name", "data", "state", "reason"),
    [
        ("a.docx", _ole("EncryptedPackage"), "encrypted", "encrypted"),
        ("a.docx", b"PK\x03\x04 cut", "failed", "corrupt: "),
        ("a.docx", docx(p("x"))[:-40], "failed", "corrupt: "),
        ("a.docx", _zip(word__document="x"), "failed", "corrupt: no document"),
        ("a.docx", _zip(**{"word__document.xml": "<w:x"}), "failed", "corrupt: "),
        ("a.docx", docx(""), "skipped", "empty"),
        ("b/~$a.docx", b"\x04user" + bytes(157), "skipped", "lock file"),
        ("a.epub", _zip(**{"META-INF__container.xml": "<x/>"}), "failed", "corrupt: "),
        ("a.pptx", b"PK\x03\x04", "failed", "corrupt: "),
        ("a.doc", bytes(64), "failed", "corrupt: "),
    ],
)
def test_files_without_text(name: str, data: bytes, state: str, reason: str) -> None:
    document = parse(name, data)
    assert document.state == state
    assert (document.reason or "").startswith(reason)
    assert (document.text, document.sections) == ("", ())


def test_broken_workbook() -> None:
    pytest.importorskip("python_calamine")
    document = parse("a.xlsx", _workbook()[:-60])
    assert (document.state, (document.reason or "")[:7]) == ("failed", "corrupt")


def test_zip_bombs_are_refused() -> None:
    bomb = _zip(**{"word__document.xml": b"<a>" + bytes(1) * 20_000_000})
    document = parse("a.docx", bomb)
    assert document.state == "failed"
    assert (document.reason or "").startswith("refused: word/document.xml unpacks to 19 MB")


def test_zip_that_lies_about_its_sizes() -> None:
    made = bytearray(docx(p("字" * 10_000)))
    entry = made.rindex(b"PK\x01\x02", 0, made.rindex(b"word/document.xml"))
    made[entry + 24 : entry + 28] = struct.pack("<I", 100)
    assert parse("a.docx", bytes(made)).state == "failed"


def test_entities_are_refused() -> None:
    xml = '<!DOCTYPE w [<!ENTITY a "aaaa">]><w:document xmlns:w="x">&a;</w:document>'
    document = parse("a.docx", _zip(**{"word__document.xml": xml}))
    assert (document.state, document.reason) == ("failed", "refused: the file holds a DOCTYPE")


def test_deep_nesting_is_a_state() -> None:
    deep = "<w:ins>" * 10_000 + "</w:ins>" * 10_000
    document = parse("a.docx", docx(deep))
    assert (document.state, document.reason) == ("failed", "nested too deep")


def test_broken_side_parts_do_not_take_the_text_with_them() -> None:
    document = parse("a.docx", docx(p("正文"), styles="<broken"))
    assert (document.state, document.text) == ("ok", "正文\n")


# ---------------------------------------------------------------- LibreOffice


def _program(folder: Path, body: str) -> str:
    """A program that stands for LibreOffice: Python, with the arguments as `args`."""
    script = folder / "soffice"
    lines = f"#!{sys.executable}\nimport pathlib, sys, time\nargs = sys.argv[1:]\n{body}\n"
    script.write_text(lines, encoding="utf-8")
    script.chmod(0o700)
    return str(script)


def _converter(folder: Path, old: bytes, new: bytes) -> str:
    """A program that makes the Word file `new` of the file `old`."""
    (folder / "old.doc").write_bytes(old)
    (folder / "new.docx").write_bytes(new)
    return _program(
        folder,
        f"folder = pathlib.Path({str(folder)!r})\n"
        "source, out = pathlib.Path(args[-1]), pathlib.Path(args[args.index('--outdir') + 1])\n"
        "assert source.read_bytes() == (folder / 'old.doc').read_bytes()\n"
        "out.mkdir()\n"
        "(out / f'{source.stem}.docx').write_bytes((folder / 'new.docx').read_bytes())",
    )


def test_old_files_are_converted(tmp_path: Path) -> None:
    made = converted(b"old", "doc", "docx", _converter(tmp_path, b"old", docx(p("转换后"))))
    assert parse("a.docx", made).text == "转换后\n"


def test_files_are_read_once_the_program_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = _ole("WordDocument")
    docs, programs = tmp_path / "docs", tmp_path / "bin"
    docs.mkdir()
    programs.mkdir()
    (docs / "a.doc").write_bytes(old)
    library = Library([Root(docs)], tmp_path / "index.db", search_seconds=PATIENCE)
    monkeypatch.setenv("PATH", str(programs))
    if needs.soffice():
        pytest.skip("optional: LibreOffice is installed here outside PATH")
    needs.installed.cache_clear()
    assert [library.sync().parsed, library.status().files[0].state] == [0, "skipped"]
    assert library.sync().unchanged == 1
    _converter(programs, old, docx(p("转换后")))
    needs.installed.cache_clear()
    library.sync()
    assert library.status().files[0].state == "ok"
    assert library.search("转换后").hits
    needs.installed.cache_clear()
    library.close()


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("print('source file could not be loaded')", "corrupt: LibreOffice cannot read it: source"),
        ("time.sleep(60)", "timeout: not converted in 1 seconds"),
    ],
)
def test_conversion_that_fails(tmp_path: Path, body: str, reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        converted(b"old", "doc", "docx", _program(tmp_path, body), seconds=1.0)
    assert caught.value.state == "failed"
    assert caught.value.reason.startswith(reason)


def test_without_libreoffice_the_reason_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    if needs.soffice():
        pytest.skip("optional: LibreOffice is installed here outside PATH")
    document = parse("a.doc", _ole("WordDocument"))
    assert document.state == "skipped"
    assert "apt install libreoffice" in (document.reason or "")


@pytest.mark.slow
@pytest.mark.skipif(needs.soffice() is None, reason="optional: LibreOffice is not installed")
@pytest.mark.parametrize("kind", ["doc", "odt"])
def test_real_conversion_there_and_back(tmp_path: Path, kind: str) -> None:
    program = needs.soffice()
    assert program is not None
    new = tmp_path / "a.docx"
    rates = table(["城市", "标准"], ["北京", "500"])
    new.write_bytes(docx(p("总则", "1") + p("正文。") + rates + p("完")))
    profile = (tmp_path / "profile").as_uri()
    command = [program, f"-env:UserInstallation={profile}", "--headless", "--convert-to", kind]
    subprocess.run([*command, "--outdir", str(tmp_path), str(new)], check=True, capture_output=True)
    document = parse(f"a.{kind}", (tmp_path / f"a.{kind}").read_bytes())
    assert document.text == "总则\n\n正文。\n\n城市 | 标准\n北京 | 500\n\n完\n"
    assert document.sections[0].trail == ("总则",)


@pytest.mark.slow
@pytest.mark.skipif(needs.soffice() is None, reason="optional: LibreOffice is not installed")
def test_conversion_fetches_nothing_that_a_file_links_to() -> None:
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

    server = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/a.png"
    linked = relation("L", "image", address).replace("/>", ' TargetMode="External"/>')
    data = docx(p("甲") + LINKED_PICTURE + p("乙"), relations=linked)
    made = converted(data, "docx", "docx")
    server.shutdown()
    assert parse("a.docx", made).text == "甲\n\n乙\n"
    assert asked == []


def test_date_cells() -> None:
    from fanshu.library.parsers.xlsx import cell_text

    assert cell_text(datetime(2024, 3, 1, 9, 30)) == "2024-03-01 09:30:00"
    assert cell_text(date(2024, 3, 1)) == "2024-03-01"
    assert [cell_text(value) for value in (0.1 + 0.2, 1e6, 1e20, True, "a\nb")] == [
        "0.3", "1000000", "100000000000000000000", "TRUE", "a b",
    ]  # fmt: skip
