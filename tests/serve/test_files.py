"""Originals, pages of PDFs as pictures, pictures of sections."""

import io
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from fpdf import FPDF

from fanshu.models.extractive import ExtractiveReader
from tests.serve.served import Served, plan_of, serving, write

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 20


def pdf(pages: int = 2) -> bytes:
    document = FPDF()
    document.set_font("helvetica", size=12)
    for number in range(1, pages + 1):
        document.add_page()
        document.cell(text=f"Page {number} of the manual.")
    return bytes(document.output())


def package() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("word/media/image1.png", PNG)
    return data.getvalue()


@pytest.fixture
def files(tmp_path: Path) -> Iterator[Served]:
    folder = write(
        tmp_path / "docs",
        {
            "手册.pdf": pdf(),
            "broken.pdf": b"%PDF-1.7\nnothing",
            "a.md": "# A\n\n![](img/a.png)\n\nText beside it.\n",
            "img/a.png": PNG,
            "img/not.png": b"no picture",
            "img/key.pem": b"BM is how a text may begin",
            ".gitignore": "scans/\n",
            "scans/a.png": PNG,
            "b.docx": package(),
            "gb.txt": "第一章 总则\n\n本办法自发布之日起施行。\n".encode("gb18030"),
        },
    )
    with serving(
        plan_of({"docs": folder}, {"model": None}), tmp_path / "s", lambda _: ExtractiveReader()
    ) as served:
        yield served


def test_a_page_is_a_picture_and_kept_by_whoever_has_it(files: Served) -> None:
    where = {"path": "手册.pdf", "page": 2}
    with files.client() as http:
        page = http.get("/v1/page", params=where)
        assert page.headers["content-type"] == "image/png"
        width, height = struct.unpack(">II", page.content[16:24])
        assert 1_300 < width < 1_500 < height
        assert page.headers["cache-control"] == "private, no-cache"  # nothing outlives a logout
        again = http.get("/v1/page", params=where, headers={"If-None-Match": page.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        by_name = http.get("/v1/image", params={"path": "手册.pdf#page=2"})
        assert by_name.content == page.content
        for path, number in (("手册.pdf", 3), ("broken.pdf", 1), ("a.md", 1)):
            missing = http.get("/v1/page", params={"path": path, "page": number})
            assert missing.status_code == 404, path


def test_pictures_are_pictures_by_their_content(files: Served) -> None:
    with files.client() as http:
        chunk = http.get("/v1/chunk", params={"id": "a.md#1"}).json()
        assert chunk["images"] == ["img/a.png"]
        for path in (*chunk["images"], "b.docx!/word/media/image1.png"):
            told = http.get("/v1/image", params={"path": path})
            assert (told.content, told.headers["content-type"]) == (PNG, "image/png")
        for path in ("img/key.pem", "scans/a.png"):  # no picture; left out by a rule
            assert http.get("/v1/image", params={"path": path}).status_code == 404
        for path in ("img/not.png", "a.md", "b.docx!/word/nothing.png", "http://x/a.png", "a\0b"):
            assert http.get("/v1/image", params={"path": path}).status_code == 404


def test_originals_come_as_they_are(files: Served) -> None:
    with files.client() as http:
        told = http.get("/v1/original", params={"path": "手册.pdf"})
        assert told.headers["content-type"] == "application/pdf"
        assert told.headers["content-disposition"].startswith("attachment; filename*=UTF-8''%E6")
        assert told.content.startswith(b"%PDF")
        text = http.get("/v1/original", params={"path": "gb.txt"})
        assert "第一章" in text.text
        assert text.headers["content-disposition"].startswith("inline")
        part = http.get("/v1/original", params={"path": "a.md"}, headers={"Range": "bytes=0-2"})
        assert (part.status_code, part.content) == (206, b"# A")
