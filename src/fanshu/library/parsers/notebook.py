"""Notebooks (.ipynb) → document: text cells as Markdown, code cells as fences, no outputs."""

import json
from dataclasses import replace

from fanshu.library.parsers.encoding import Decoded
from fanshu.library.parsers.markdown import parse_markdown
from fanshu.types import Document


def parse_notebook(decoded: Decoded) -> Document:
    """The document of a notebook, which is read as the Markdown text it stands for."""
    try:
        notebook = json.loads(decoded.text)
        cells = _cells(notebook)
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        return Document("", (), state="failed", reason=f"corrupt: {error}"[:200], first_line=None)
    language = _language(notebook)
    text = "\n".join(_cell(kind, source, language) for kind, source in cells if source.strip())
    document = parse_markdown(Decoded(text, decoded.encoding, decoded.lossy))
    sections = tuple(replace(section, lines=None) for section in document.sections)
    return replace(document, sections=sections, first_line=None)


def _cells(notebook: dict[str, object]) -> list[tuple[str, str]]:
    """Kind and source of every cell, of old notebooks with sheets as well."""
    cells = notebook.get("cells")
    if not isinstance(cells, list):
        sheets = notebook.get("worksheets")
        cells = (
            [one for sheet in sheets for one in sheet["cells"]] if isinstance(sheets, list) else []
        )
    return [(str(one.get("cell_type")), _source(one)) for one in cells]


def _source(cell: dict[str, object]) -> str:
    source = cell.get("source", cell.get("input", ""))
    return "".join(map(str, source)) if isinstance(source, list) else str(source)


def _language(notebook: dict[str, object]) -> str:
    found: object = notebook
    for name in ("metadata", "kernelspec", "language"):
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, str) else ""


def _cell(kind: str, source: str, language: str) -> str:
    source = source.rstrip("\n")
    if kind in ("markdown", "raw", "heading"):
        return f"{source}\n"
    fence = "`" * max(3, _longest_run(source) + 1)
    return f"{fence}{language}\n{source}\n{fence}\n"


def _longest_run(source: str) -> int:
    """The most backticks in a row, which a fence must outdo."""
    longest = run = 0
    for char in source:
        run = run + 1 if char == "`" else 0
        longest = max(longest, run)
    return longest
