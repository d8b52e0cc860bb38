"""Bytes → text: which encoding, and whether anything was lost on the way.

A ladder, most certain step first: byte order mark, strict UTF-8, the NUL pattern of UTF-16,
lines of two encodings in one file, damaged UTF-8, the likeliest of the Chinese encodings by
the characters they give, and charset-normalizer for everything else.
"""

import codecs
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

SAMPLE_BYTES = 65_536
LIKELY = 1.15  # score from which a Chinese encoding is believed; 287 of 288 samples came out right
MAX_BAD_SHARE = 0.02  # damaged UTF-8: more bad bytes than this are another encoding
MAX_NUL_SHARE = 0.02  # text of one-byte encodings holds no more NULs than this
NUL_NOISE = 0.10  # share of NULs up to which valid ASCII is still text
MAX_WESTERN_SHARE = 0.5  # of ASCII letters: French has 4 %, Cyrillic read so has none of them
SHORT = 64  # bytes; shares mean little below
LABELS = {"gb2312": "gb18030", "gbk": "gb18030", "gb_2312-80": "gb18030", "x-gbk": "gb18030"}
_CHINESE = ("gb18030", "big5", "utf-16-le", "utf-16-be")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_COMMON = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过"
    "发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心本前"
    "开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最"
    "重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门"
    "任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数"
    "安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科"
    "為這個們來國說時會對後種經學現當沒動還進樣從實軍無長機關點業將兩間問應戰頭體產門員論處義幾條"
    "係氣題變總電數報結務場計資許統區隊決規則辦違設備"
)
_ASCII_TEXT = frozenset("\t\n\r\f" + "".join(map(chr, range(32, 127))))


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text without its byte order mark, NULs as U+FFFD.

    `encoding` is a Python codec name, or `mixed` when lines differ; `lossy`: some bytes
    could not be read and stand as U+FFFD.
    """

    text: str
    encoding: str
    lossy: bool = False


def decode(data: bytes, declared: str | None = None) -> Decoded | None:
    """The text of a file, or None when the bytes are no text at all.

    `declared`: the encoding that the file itself names; it is believed after strict UTF-8.
    """
    found = (
        _by_mark(data)
        or _strict(data)
        or _utf16_by_nuls(data)
        or _declared(data, declared)
        or _mixed(data)
        or _damaged(data)
        or _chinese(data)
    )
    if found is None and data.count(0) <= MAX_NUL_SHARE * len(data):
        found = _detected(data)
    return found and _without_nuls(found)


def _without_nuls(decoded: Decoded) -> Decoded:
    if "\0" not in decoded.text:
        return decoded
    return Decoded(decoded.text.replace("\0", "\ufffd"), decoded.encoding, lossy=True)


def _read(data: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(data.decode(encoding), encoding)
    except UnicodeDecodeError:
        return Decoded(data.decode(encoding, "replace"), encoding, lossy=True)


def _by_mark(data: bytes) -> Decoded | None:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _read(data[len(mark) :], encoding)
    return None


def _strict(data: bytes) -> Decoded | None:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    nuls = data.count(0)
    several_bytes = len(text) < len(data)
    if nuls <= NUL_NOISE * len(data) or (several_bytes and len(data) <= SHORT):
        return Decoded(text, "utf-8")
    return None


def _utf16_by_nuls(data: bytes) -> Decoded | None:
    """UTF-16 of mostly Latin text: nearly every second byte is NUL, on one side only."""
    even, odd = data[0:SAMPLE_BYTES:2].count(0), data[1:SAMPLE_BYTES:2].count(0)
    pairs = min(len(data), SAMPLE_BYTES) // 2
    if len(data) % 2 or not pairs:
        return None
    most, least = max(even, odd) / pairs, min(even, odd) / pairs
    if most < 0.6 or least > 0.02:
        return None
    return _read(data, "utf-16-le" if odd > even else "utf-16-be")


def _declared(data: bytes, label: str | None) -> Decoded | None:
    if not label:
        return None
    name = LABELS.get(label.strip().lower(), label.strip().lower())
    try:
        return Decoded(data.decode(name), codecs.lookup(name).name)
    except (LookupError, UnicodeDecodeError, ValueError):
        return None


def _mixed(data: bytes) -> Decoded | None:
    """A file whose lines are partly UTF-8 and partly GB18030, as joined files are."""
    lines = data.split(b"\n")
    if len(lines) < 2 or len(data) > 50 * SAMPLE_BYTES:
        return None
    texts: list[str] = []
    foreign: list[str] = []
    own: list[str] = []
    for line in lines:
        try:
            text = line.decode("utf-8")
            own += [text] if not text.isascii() else []
        except UnicodeDecodeError:
            try:
                text = line.decode("gb18030")
            except UnicodeDecodeError:
                return None
            foreign.append(text)
        texts.append(text)
    if own and foreign and _score("".join(own)) >= LIKELY and _score("".join(foreign)) >= LIKELY:
        return Decoded("\n".join(texts), "mixed")
    return None


def _damaged(data: bytes) -> Decoded | None:
    """UTF-8 with a few bad bytes or a cut last character."""
    text = data.decode("utf-8", "replace")
    real = data.count(b"\xef\xbf\xbd")
    bad = text.count("\ufffd") - real
    good = sum(1 for char in text[:SAMPLE_BYTES] if char > "\x7f") - bad
    cut = bad == 1 and text.endswith("\ufffd") and good > 0
    few = bad <= MAX_BAD_SHARE * len(data) and good > bad
    stray = b"\0" in data and bad <= 5 * MAX_BAD_SHARE * len(data)
    stray = stray and data.count(0) <= NUL_NOISE * len(data)
    return Decoded(text, "utf-8", lossy=True) if cut or few or stray else None


def _chinese(data: bytes) -> Decoded | None:
    sample = _sample(data)
    scored = [(_score(_sample_text(sample, name)), name) for name in _CHINESE]
    score, name = max(scored)
    return _read(data, name) if score >= LIKELY else None


def _sample(data: bytes) -> bytes:
    """The part that tells: from shortly before the first byte that is not ASCII."""
    first = _FOREIGN.search(data)
    start = max(0, first.start() - 1024) // 2 * 2 if first else 0
    return data[start : start + SAMPLE_BYTES]


def _sample_text(sample: bytes, encoding: str) -> str:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    return decoder.decode(sample, final=len(sample) < SAMPLE_BYTES)


def _score(text: str) -> float:
    """How much a text looks like Chinese with ASCII: 0 to 3, below 0 for noise."""
    counts = Counter(text)
    total = sum(counts.values())
    if not total:
        return 0.0
    plain = bad = common = foreign = 0
    for char, count in counts.items():
        if char in _ASCII_TEXT:
            plain += count
            continue
        foreign += count
        if char in _COMMON:
            common += count
        if _is_cjk(char):
            plain += count
        elif char == "\ufffd" or unicodedata.category(char) in ("Cc", "Cn", "Co", "Cs"):
            bad += count
    return (plain - 3 * bad) / total + 2 * (common / foreign if foreign else 0.0)


def _is_cjk(char: str) -> bool:
    return (
        "\u3000" <= char <= "\u303f"
        or "\u3400" <= char <= "\u9fff"
        or "\uff01" <= char <= "\uff5e"
        or "\U00020000" <= char <= "\U000323af"
        or char in "“”‘’…—·〇"
    )


_FOREIGN = re.compile(rb"[\x80-\xff]")
_LETTER = re.compile(r"[^\W_]")
_WESTERN = frozenset(
    "àâäáãåæçéèêëíìîïñóòôöõøœßúùûüÿÀÂÄÁÃÅÆÇÉÈÊËÍÌÎÏÑÓÒÔÖÕØŒÚÙÛÜ«»“”‘’–—…€£§°·¡¿©®•™ª×½²³\xa0"
)


def _detected(data: bytes) -> Decoded | None:
    from charset_normalizer import from_bytes  # slow to import, and seldom needed

    western = _western(data)
    if western is not None:
        return western
    best = from_bytes(_sample(data)).best()
    if best is None:
        text = data.decode("utf-8", "replace")
        readable = len(_LETTER.findall(text[:SAMPLE_BYTES]))
        enough = readable > len(text[:SAMPLE_BYTES]) / 2
        return Decoded(text, "utf-8", lossy=True) if enough else None
    return _read(data, codecs.lookup(best.encoding).name)


def _western(data: bytes) -> Decoded | None:
    """Windows-1252, when every sign above ASCII is one that Western languages use in words."""
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return None
    signs = {char for char in text if char > "\x7f"}
    ascii_letters = sum(char.isascii() and char.isalpha() for char in text[:SAMPLE_BYTES])
    foreign = sum(char > "\x7f" for char in text[:SAMPLE_BYTES])
    plain = signs <= _WESTERN and foreign < MAX_WESTERN_SHARE * ascii_letters
    return Decoded(text, "cp1252") if plain else None
