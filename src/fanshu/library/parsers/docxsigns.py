"""Signs that Word takes from fonts of symbols → the characters they look like."""

import re
from collections.abc import Mapping
from xml.etree import ElementTree as ET

from fanshu.library.parsers.docxnames import W

_WINGDINGS = {0xFE: "☑", 0xFD: "☒", 0xA8: "☐", 0x6F: "□", 0xFC: "✓", 0xFB: "✗", 0x6C: "●",
              0x6E: "■", 0xE0: "→", 0xD8: "➢", 0x76: "❖"}  # fmt: skip
_WINGDINGS_2 = {0x52: "☑", 0x51: "☒", 0x53: "☒", 0x54: "☒", 0x50: "✓", 0x4F: "✗", 0xA3: "□"}
_SYMBOL = {0xA3: "≤", 0xB3: "≥", 0xB1: "±", 0xB4: "×", 0xB8: "÷", 0xB9: "≠", 0xBB: "≈",
           0xB0: "°", 0xA5: "∞", 0xAE: "→", 0xAB: "↔", 0xB7: "•", 0x6D: "μ", 0x57: "Ω",
           0x44: "Δ", 0x61: "α", 0x62: "β", 0x67: "γ", 0x70: "π", 0x53: "Σ"}  # fmt: skip
_FONTS = {"wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS_2, "symbol": _SYMBOL}
_LIKELY = _WINGDINGS | {0xB7: "•"}  # when no font is named
_PRIVATE = re.compile("[\uf000-\uf0ff]")  # where such a font's characters stand in plain text


def symbol(item: ET.Element) -> str:
    """The character that a `w:sym` shows; empty for a sign that means nothing in text."""
    try:
        code = int(item.get(f"{W}char", ""), 16)
    except ValueError:
        return ""
    signs = _signs_of(item.get(f"{W}font", ""))
    if code >= 0xF000 or signs:
        return (signs or {}).get(code & 0xFF, "")
    return chr(code)


def with_signs(text: str, run: ET.Element) -> str:
    """The text of a run whose font may be one of symbols."""
    if not _PRIVATE.search(text):
        return text
    fonts = run.find(f"{W}rPr/{W}rFonts")
    signs = _signs_of(fonts.get(f"{W}ascii", "") if fonts is not None else "") or _LIKELY
    return _PRIVATE.sub(lambda match: signs.get(ord(match[0]) & 0xFF, ""), text)


def _signs_of(font: str) -> Mapping[int, str] | None:
    return _FONTS.get(font.lower())
