"""The names of WordprocessingML, and how its properties are asked for."""

from xml.etree import ElementTree as ET

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_OFF = ("0", "false", "off", "none")


def child(item: ET.Element | None, name: str) -> ET.Element | None:
    """The child of this name, None when there is none."""
    return None if item is None else item.find(W + name)


def value(item: ET.Element | None, name: str) -> str:
    """The `w:val` of the child of this name; empty when there is none."""
    found = child(item, name)
    return "" if found is None else found.get(f"{W}val", "")


def switch(item: ET.Element | None, name: str) -> bool | None:
    """Whether a property is on or off; None when nothing is said."""
    found = child(item, name)
    return None if found is None else found.get(f"{W}val", "true").lower() not in _OFF
