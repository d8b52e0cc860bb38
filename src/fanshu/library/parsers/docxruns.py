"""The text inside a Word paragraph: what a reader sees of its runs, and what hangs on them."""

from collections import Counter
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

from fanshu.library.parsers.charts import CHART
from fanshu.library.parsers.docxformulas import formula
from fanshu.library.parsers.docxnames import MC, M, R, W, child, switch
from fanshu.library.parsers.docxsigns import symbol, with_signs
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
_VML_TITLE = "{urn:schemas-microsoft-com:office:office}title"
_ABOUT = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}docPr"
_CHECKED, _UNCHECKED = "☑", "☐"


@dataclass(slots=True)
class Runs:
    """What was read of a paragraph.

    `notes`: kind, id and marker of each note referred to; `images`: relation id and alt text;
    `charts`: relation ids; `alt`: what is said of the drawing that is being read.
    """

    parts: list[str] = field(default_factory=list)
    notes: list[tuple[str, str, str]] = field(default_factory=list)
    boxes: list[ET.Element] = field(default_factory=list)
    images: list[tuple[str, str]] = field(default_factory=list)
    alt: str = ""
    charts: list[str] = field(default_factory=list)
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
            elif tag in _THROUGH and not is_placeholder(item):
                self._children(item, style, runs)
            elif tag == f"{M}oMath":
                runs.write(formula(item), style)
            elif tag == f"{MC}AlternateContent":
                self._children(alternative(item), style, runs)

    def _run(self, run: ET.Element, style: Style, runs: Runs) -> None:
        for item in run:
            tag = item.tag
            if tag == f"{W}t":
                runs.write(with_signs(item.text or "", run), style)
            elif tag in _BREAKS:
                runs.write(_BREAKS[tag], style)
            elif tag == f"{W}br":
                runs.write(
                    "\n" if item.get(f"{W}type", "textWrapping") == "textWrapping" else "", style
                )
            elif tag == f"{W}sym":
                runs.write(symbol(item), style)
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


def is_placeholder(item: ET.Element) -> bool:
    """Whether a content control shows nothing but its prompt (`Click here to enter text`)."""
    return item.find(f"{W}sdtPr/{W}showingPlcHdr") is not None


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
    """Text boxes, pictures and charts of a drawing."""
    if item.tag == _BOX:
        runs.boxes.append(item)
        return
    if item.tag == f"{MC}AlternateContent":
        item = alternative(item)
    if item.tag == CHART:
        runs.charts.append(item.get(f"{R}id", ""))
    if item.tag in (_BLIP, _IMAGE):
        names = (item.get(f"{R}{name}") for name in ("embed", "id", "link"))
        alt = " ".join((item.get(_VML_TITLE) or runs.alt).split())
        runs.images += [(name, alt) for name in names if name]
    elif item.tag == _ABOUT:
        runs.alt = item.get("descr") or item.get("title") or ""
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
