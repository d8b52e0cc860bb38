"""HTML that cannot be broken out of: a tree of elements, escaped when it is written.

A template engine would be a dependency for one page, and its escaping a setting; here there is
no way to put text in unescaped, and links lead nowhere but into the page itself.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Union

VOID = frozenset({"meta", "br", "hr"})
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
# Marks that turn the order of letters around: a document could show something it does not say.
_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

Child = Union["Element", str, None]


@dataclass(frozen=True, slots=True)
class Element:
    """A tag with its attributes and what stands in it."""

    name: str
    attributes: Mapping[str, str]
    children: tuple[Child, ...]

    def __str__(self) -> str:
        given = "".join(f' {name}="{clean(value)}"' for name, value in self.attributes.items())
        if self.name in VOID:
            return f"<{self.name}{given}>"
        inside = "".join(written(child) for child in self.children)
        return f"<{self.name}{given}>{inside}</{self.name}>"


def element(name: str, /, *children: Child, **attributes: str) -> Element:
    """An element; `class_="x"` is its class, `http_equiv` its http-equiv.

    Raises: ValueError — a link that leads out of the page.
    """
    named = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
    if not named.get("href", "#").startswith("#"):
        raise ValueError(f"a link out of the page: {named['href']!r}")
    return Element(name, named, children)


def several(name: str, rows: Iterable[Child], **attributes: str) -> Element:
    """An element around many."""
    return element(name, *rows, **attributes)


def written(child: Child) -> str:
    """A child as HTML; text is escaped."""
    if child is None:
        return ""
    return clean(child) if isinstance(child, str) else str(child)


def clean(text: str) -> str:
    """Text as it may stand in a page: escaped, what is invisible removed or made visible."""
    shown = _TURNING.sub(lambda mark: f"⟦U+{ord(mark[0]):04X}⟧", _CONTROLS.sub("", text))
    return escape(shown, quote=True)
