"""Charts of office files → the rows of the table that they show."""

from collections.abc import Iterator
from xml.etree import ElementTree as ET

C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
CHART = f"{C}chart"  # where a drawing or slide shows one
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
MAX_POINTS = 200  # of a series; more are a curve that nobody reads as numbers


def chart_rows(root: ET.Element) -> Iterator[str]:
    """The title of a chart, and its values as rows: a column a series, a row a category."""
    title = root.find(f"{C}chart/{C}title")
    text = "".join(item.text or "" for item in title.iter(f"{A}t")) if title is not None else ""
    if text.strip():
        yield " ".join(text.split())
    series = list(root.iter(f"{C}ser"))
    names = [" ".join(_points(one.find(f"{C}tx")).values()) for one in series]
    values = [_points(one.find(f"{C}val")) for one in series]
    categories = _points(series[0].find(f"{C}cat")) if series else {}
    if any(names) and any(values):
        yield " | ".join(["", *names])
    for at in sorted({at for column in values for at in column})[:MAX_POINTS]:
        yield " | ".join([categories.get(at, ""), *(column.get(at, "") for column in values)])


def _points(item: ET.Element | None) -> dict[int, str]:
    """The values that the chart keeps of the cells it was drawn from, by position."""
    found: dict[int, str] = {}
    for point in item.iter(f"{C}pt") if item is not None else ():
        index, value = point.get("idx", ""), point.findtext(f"{C}v") or ""
        if index.isdecimal():
            found[int(index)] = _rounded(value)
    return found


def _rounded(value: str) -> str:
    try:
        return format(float(value), ".15g")
    except ValueError:
        return " ".join(value.split())
