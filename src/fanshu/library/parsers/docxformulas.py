"""Formulas of Word as a line of text."""

from xml.etree import ElementTree as ET

from fanshu.library.parsers.docxnames import M


def formula(item: ET.Element) -> str:
    """A formula in one line: `a/b`, `x^2`, `x_1`, `√(x)`."""
    name = item.tag.removeprefix(M)
    if name == "t":
        return item.text or ""
    parts = {one.tag.removeprefix(M): formula(one) for one in item if not one.tag.endswith("Pr")}
    if name == "f":
        return f"{_grouped(parts.get('num', ''))}/{_grouped(parts.get('den', ''))}"
    if name in ("sSup", "sSub", "sSubSup"):
        low, high = parts.get("sub"), parts.get("sup")
        low, high = (f"_{_grouped(low)}" if low else ""), (f"^{_grouped(high)}" if high else "")
        return parts.get("e", "") + low + high
    if name == "rad":
        return f"{parts.get('deg', '')}√{_grouped(parts.get('e', ''))}"
    if name == "d":
        return "(" + ", ".join(formula(one) for one in item if one.tag == f"{M}e") + ")"
    if name == "nary":
        sign = item.find(f"{M}naryPr/{M}chr")
        sign_text = "∫" if sign is None else sign.get(f"{M}val", "")
        low, high = parts.get("sub"), parts.get("sup")
        bounds = (f"_{_grouped(low)}" if low else "") + (f"^{_grouped(high)}" if high else "")
        return f"{sign_text}{bounds} {parts.get('e', '')}"
    return "".join(formula(one) for one in item)


def _grouped(text: str) -> str:
    return text if len(text) <= 1 or text.isalnum() else f"({text})"
