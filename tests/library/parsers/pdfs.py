"""Small PDFs written by hand, so that a test knows where every line stands."""

from collections.abc import Sequence
from dataclasses import dataclass

PAGE = (595.0, 842.0)


@dataclass(frozen=True)
class Text:
    """A line: its base line's place in points, its size, and one of the fonts below."""

    x: float
    y: float
    text: str
    size: float = 10.0
    font: str = "F1"


@dataclass(frozen=True)
class Mark:
    """A bookmark; `page` from 0, None for one that leads nowhere."""

    title: str
    page: int | None
    y: float | None = None
    level: int = 0


FONTS = {
    "F1": b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    "F2": b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>",
    "F3": b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>",
    "F4": (
        b"<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H "
        b"/DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light "
        b"/CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> "
        b"/FontDescriptor << /Type /FontDescriptor /FontName /STSong-Light /Flags 4 "
        b"/FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /StemV 80 >> "
        b"/DW 1000 >>] >>"
    ),
}


def pdf(
    pages: Sequence[Sequence[Text]],
    marks: Sequence[Mark] = (),
    *,
    images: Sequence[int] = (),
    title: str = "",
) -> bytes:
    """A PDF of these pages; the pages `images` show a grey picture all over. `title`: its own."""
    objects: list[bytes] = [b"", b"", b""]  # 1 catalogue, 2 pages, 3 outline
    fonts = {name: _add(objects, body) for name, body in FONTS.items()}
    image = _add(objects, _stream(b"\x80", b"/Type /XObject /Subtype /Image /Width 1 /Height 1 "
                                  b"/ColorSpace /DeviceGray /BitsPerComponent 8 "))  # fmt: skip
    resources = b"<< /Font << %s >> /XObject << /I %d 0 R >> >>" % (
        b" ".join(b"/%s %d 0 R" % (name.encode(), n) for name, n in fonts.items()), image
    )  # fmt: skip
    numbers = [
        _page(objects, lines, resources, picture=at in images) for at, lines in enumerate(pages)
    ]
    kids = b" ".join(b"%d 0 R" % number for number in numbers)
    outline = _outline(objects, marks, numbers)
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R %s >>" % outline
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(numbers))
    objects[2] = objects[2] or b"<< >>"
    named = b"<< /Title <feff%s> >>" % title.encode("utf-16-be").hex().encode()
    return _file(objects, _add(objects, named))


def _add(objects: list[bytes], body: bytes) -> int:
    objects.append(body)
    return len(objects)


def _stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<< %s/Length %d >>\nstream\n%s\nendstream" % (entries, len(data), data)


def _page(objects: list[bytes], lines: Sequence[Text], resources: bytes, *, picture: bool) -> int:
    shown = [b"q %d 0 0 %d 0 0 cm /I Do Q" % PAGE] if picture else []
    for line in lines:
        if line.font == "F4":
            string = b"<%s>" % line.text.encode("utf-16-be").hex().encode()
        else:
            string = b"<%s>" % line.text.encode("latin-1").hex().encode()
        place = (line.font.encode(), line.size, line.x, line.y, string)
        shown.append(b"BT /%s %.1f Tf %.1f %.1f Td %s Tj ET" % place)
    content = _add(objects, _stream(b"\n".join(shown)))
    return _add(
        objects,
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Resources %s /Contents %d 0 R >>"
        % (*PAGE, resources, content),
    )


def _outline(objects: list[bytes], marks: Sequence[Mark], pages: Sequence[int]) -> bytes:
    if not marks:
        return b""
    first = len(objects) + 1
    own = [first + at for at in range(len(marks))]
    parents = [_parent(marks, at) for at in range(len(marks))]
    for at, mark in enumerate(marks):
        siblings = [n for n in range(len(marks)) if parents[n] == parents[at]]
        children = [n for n in range(len(marks)) if parents[n] == at]
        place = siblings.index(at)
        body = b"/Title <feff%s> /Parent %d 0 R" % (
            mark.title.encode("utf-16-be").hex().encode(),
            3 if parents[at] is None else own[parents[at]],
        )
        if place:
            body += b" /Prev %d 0 R" % own[siblings[place - 1]]
        if place + 1 < len(siblings):
            body += b" /Next %d 0 R" % own[siblings[place + 1]]
        if children:
            body += b" /First %d 0 R /Last %d 0 R" % (own[children[0]], own[children[-1]])
            body += b" /Count %d" % len(children)
        if mark.page is not None:
            y = b"null" if mark.y is None else b"%.1f" % mark.y
            body += b" /Dest [%d 0 R /XYZ 0 %s 0]" % (pages[mark.page], y)
        _add(objects, b"<< %s >>" % body)
    tops = [own[at] for at, parent in enumerate(parents) if parent is None]
    objects[2] = b"<< /Type /Outlines /First %d 0 R /Last %d 0 R /Count %d >>" % (
        tops[0], tops[-1], len(tops),
    )  # fmt: skip
    return b"/Outlines 3 0 R"


def _parent(marks: Sequence[Mark], at: int) -> int | None:
    above = (n for n in range(at - 1, -1, -1) if marks[n].level < marks[at].level)
    return next(above, None)


def _file(objects: Sequence[bytes], info: int) -> bytes:
    out = bytearray(b"%PDF-1.7\n")
    places: list[int] = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        out += b"%010d 00000 n \n" % place
    out += b"trailer << /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1, info, start,
    )  # fmt: skip
    return bytes(out)
