import pytest

from fanshu.library.parsers import parse
from fanshu.library.parsers.encoding import decode

CHINESE = "制度规定：员工应当按时上班，不得迟到。"
TRADITIONAL = "本辦法所稱機關，指中央及地方各級機關，應當依照規定辦理。"


@pytest.mark.parametrize(
    ("text", "codec", "encoding"),
    [
        (CHINESE, "utf-8", "utf-8"),
        (CHINESE, "utf-8-sig", "utf-8"),
        (CHINESE, "gb18030", "gb18030"),
        ("制度", "gbk", "gb18030"),
        (CHINESE, "utf-16", "utf-16-le"),
        (CHINESE, "utf-16-le", "utf-16-le"),
        ("制度", "utf-16-le", "utf-16-le"),
        (CHINESE, "utf-16-be", "utf-16-be"),
        (CHINESE, "utf-32", "utf-32-le"),
        (TRADITIONAL, "big5", "big5"),
        ("plain English text", "utf-16-le", "utf-16-le"),
        ("plain English text", "ascii", "utf-8"),
        ("x" * 70_000 + CHINESE, "gb18030", "gb18030"),
    ],
)
def test_u15_encodings(text: str, codec: str, encoding: str) -> None:
    decoded = decode(text.encode(codec))
    assert decoded is not None
    assert (decoded.text, decoded.encoding, decoded.lossy) == (text, encoding, False)


def test_u15_nul_noise_is_text_with_a_warning() -> None:
    document = parse("a.txt", b"\0" + "制".encode() + b"\0")
    assert (document.text, document.state) == ("\ufffd制\ufffd", "ok")
    assert document.reason == "lossy decoding"


def test_cut_last_character_is_lossy() -> None:
    decoded = decode((CHINESE * 3).encode()[:-1])
    assert decoded is not None
    assert (decoded.encoding, decoded.lossy) == ("utf-8", True)
    assert decoded.text.startswith(CHINESE)


def test_lines_of_two_encodings() -> None:
    data = b"\n".join([CHINESE.encode(), TRADITIONAL.encode("gb18030"), b"plain"])
    decoded = decode(data)
    assert decoded is not None
    assert decoded.text == f"{CHINESE}\n{TRADITIONAL}\nplain"
    assert decoded.encoding == "mixed"


def test_western_text_is_not_taken_for_chinese() -> None:
    text = "Le café est fermé à Noël; naïve résumé, déjà vu, être où."
    decoded = decode(text.encode("cp1252"))
    assert decoded is not None
    assert decoded.text == text


@pytest.mark.parametrize(
    "data",
    [b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4, bytes(range(256)) * 20, b"\x7fELF" + b"\0" * 400,
     b"PK\x03\x04" + b"\0\x01\x02" * 300, b"ustar" + b"\0" * 507],
)  # fmt: skip
def test_binaries_are_skipped(data: bytes) -> None:
    document = parse("a.txt", data)
    assert (document.state, document.reason) == ("skipped", "binary")
