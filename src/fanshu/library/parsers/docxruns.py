"""The text inside a Word paragraph: what a reader sees of its runs, and what hangs on them."""

from collections import Counter
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

from fanshu.library.parsers.docxnames import MC, M, R, W, child, switch
from fanshu.library.parsers.docxstyles import Style, Styles, run_style

_THROUGH = frozenset(
    W + name
    for name in (
        "hyperlink ins moveTo smartTag sdt sdtContent customXml fldSimple dir bdo rubyBase"
    ).split()
) | {f"{M}oMathPara"}
_BREAKS = {f"{W}tab": "\t", f"{W}cr": "\n", f"{W}noBreakHyphen": "-", f"{W}ptab": "\t"}
_NOTES = {f"{W}footnoteReference": "footnote", f"{W}endnoteReference": "endnote"}
_BOX = f"{W}txbxContent"
_BLIP = "{http://schemas.openxmlformats.org/drawingml/2006/main}blip"
_IMAGE = "{urn:schemas-microsoft-com:vml}imagedata"
_CHECKED, _UNCHECKED = "☑", "☐"
# Signs that forms and manuals take from fonts of symbols.
_WINGDINGS = {0xFE: "☑", 0xFD: "☒", 0xA8: "☐", 0x6F: "□", 0xFC: "✓", 0xFB: "✗", 0x6C: "●",
              0x6E: "■", 0xE0: "→", 0xD8: "➢", 0x76: "❖"}  # fmt: skip
_WINGDINGS_2 = {0x52: "☑", 0x51: "☒", 0x53: "☒", 0x54: "☒", 0x50: "✓", 0x4F: "✗", 0xA3: "□"}
_SYMBOL = {0xA3: "≤", 0xB3: "≥", 0xB1: "±", 0xB4: "×", 0xB8: "÷", 0xB9: "≠", 0xBB: "≈",
           0xB0: "°", 0xA5: "∞", 0xAE: "→", 0xAB: "↔", 0xB7: "•", 0x6D: "μ", 0x57: "Ω",
           0x44: "Δ", 0x61: "α", 0x62: "β", 0x67: "γ", 0x70: "π", 0x53: "Σ"}  # fmt: skip
_FONTS = {"wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS_2, "symbol": _SYMBOL}


@dataclass(slots=True)
class Runs:
    """What was read of a paragraph. `notes`: kind, id and marker of each note referred to."""

    parts: list[str] = field(default_factory=list)
    notes: list[tuple[str, str, str]] = field(default_factory=list)
    boxes: list[ET.Element] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    sizes: Counter[int] = field(default_factory=Counter)
    bold: int = 0
    codes: list[bool] = field(default_factory=list)  # open fields: still in its code?

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def write(self, text: str, style: Style) -> None:
        if text and not any(self.codes):
            self.parts.append(text)
            visible = len(text.strip())
            self.bold += visible if style.bold else 0
            self.sizes[style.size] += visible


class RunReader:
    """Reads paragraphs of one document; counts its notes through."""

    def __init__(self, styles: Styles) -> None:
        self._styles = styles
        self._notes = 0

    def read(self, paragraph: ET.Element, style: Style) -> Runs:
        """The runs of a paragraph of this style: insertions in, deletions and hidden text out."""
        runs = Runs()
        self._children(paragraph, style, runs)
        return runs

    def _children(self, parent: ET.Element, style: Style, runs: Runs) -> None:
        for item in parent:
            tag = item.tag
            if tag == f"{W}r":
                own = run_style(style, child(item, "rPr"), self._styles)
                if not own.hidden:
                    self._run(item, own, runs)
            elif tag in _THROUGH:
                self._children(item, style, runs)
            elif tag == f"{M}oMath":
                runs.write(_formula(item), style)
            elif tag == f"{MC}AlternateContent":
                self._children(alternative(item), style, runs)

    def _run(self, run: ET.Element, style: Style, runs: Runs) -> None:
        for item in run:
            tag = item.tag
            if tag == f"{W}t":
                runs.write(item.text or "", style)
            elif tag in _BREAKS:
                runs.write(_BREAKS[tag], style)
            elif tag == f"{W}br":
                runs.write(
                    "\n" if item.get(f"{W}type", "textWrapping") == "textWrapping" else "", style
                )
            elif tag == f"{W}sym":
                runs.write(_symbol(item), style)
            elif tag == f"{W}fldChar":
                _field(item, style, runs)
            elif tag in _NOTES:
                self._note(_NOTES[tag], item, style, runs)
            elif tag == f"{W}ruby":
                self._children(item, style, runs)
            elif tag == f"{MC}AlternateContent":
                self._run(alternative(item), style, runs)
            elif tag in (f"{W}drawing", f"{W}pict", f"{W}object"):
                _hanging(item, runs)

    def _note(self, kind: str, item: ET.Element, style: Style, runs: Runs) -> None:
        self._notes += 1
        marker = f"[^{self._notes}]"
        runs.notes.append((kind, item.get(f"{W}id", ""), marker))
        runs.write(marker, style)


def alternative(item: ET.Element) -> ET.Element:
    """The variant to read of what is written twice, for newer and for older programs."""
    choice, fallback = item.find(f"{MC}Choice"), item.find(f"{MC}Fallback")
    if choice is None or (
        fallback is not None
        and next(choice.iter(_BOX), None) is None
        and next(fallback.iter(_BOX), None) is not None
    ):
        return item if fallback is None else fallback
    return choice


def _hanging(item: ET.Element, runs: Runs) -> None:
    """Text boxes and pictures of a drawing."""
    if item.tag == _BOX:
        runs.boxes.append(item)
        return
    if item.tag == f"{MC}AlternateContent":
        item = alternative(item)
    if item.tag in (_BLIP, _IMAGE):
        names = (item.get(f"{R}{name}") for name in ("embed", "id", "link"))
        runs.images += [name for name in names if name]
    for inner in item:
        _hanging(inner, runs)


def _field(item: ET.Element, style: Style, runs: Runs) -> None:
    kind = item.get(f"{W}fldCharType")
    if kind == "begin":
        box = item.find(f"{W}ffData/{W}checkBox")
        if box is not None:
            ticked = switch(box, "checked")
            ticked = switch(box, "default") if ticked is None else ticked
            runs.write(_CHECKED if ticked else _UNCHECKED, style)
        runs.codes.append(True)
    elif kind == "separate" and runs.codes:
        runs.codes[-1] = False
    elif kind == "end" and runs.codes:
        runs.codes.pop()


def _symbol(item: ET.Element) -> str:
    try:
        code = int(item.get(f"{W}char", ""), 16)
    except ValueError:
        return ""
    signs = _FONTS.get(item.get(f"{W}font", "").lower())
    if code >= 0xF000 or signs:
        return (signs or {}).get(code & 0xFF, "")
    return chr(code)


def _formula(item: ET.Element) -> str:
    """A formula in one line: `a/b`, `x^2`, `x_1`, `√(x)`."""
    name = item.tag.removeprefix(M)
    if name == "t":
        return item.text or ""
    parts = {one.tag.removeprefix(M): _formula(one) for one in item if not one.tag.endswith("Pr")}
    if name == "f":
        return f"{_grouped(parts.get('num', ''))}/{_grouped(parts.get('den', ''))}"
    if name in ("sSup", "sSub", "sSubSup"):
        low, high = parts.get("sub"), parts.get("sup")
        low, high = (f"_{_grouped(low)}" if low else ""), (f"^{_grouped(high)}" if high else "")
        return parts.get("e", "") + low + high
    if name == "rad":
        return f"{parts.get('deg', '')}√{_grouped(parts.get('e', ''))}"
    if name == "d":
        return "(" + ", ".join(_formula(one) for one in item if one.tag == f"{M}e") + ")"
    if name == "nary":
        sign = item.find(f"{M}naryPr/{M}chr")
        sign_text = "∫" if sign is None else sign.get(f"{M}val", "")
        low, high = parts.get("sub"), parts.get("sup")
        bounds = (f"_{_grouped(low)}" if low else "") + (f"^{_grouped(high)}" if high else "")
        return f"{sign_text}{bounds} {parts.get('e', '')}"
    return "".join(_formula(one) for one in item)


def _grouped(text: str) -> str:
    return text if len(text) <= 1 or text.isalnum() else f"({text})"
