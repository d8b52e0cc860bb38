"""Links and places of HTML files, which the text of their chunks does not hold."""

from selectolax.lexbor import LexborHTMLParser

from fanshu.checkup.links import MOST, anchor, is_elsewhere
from fanshu.library.library import Library
from fanshu.library.originals import original
from fanshu.types import EVERYTHING

SUFFIXES = (".html", ".htm", ".xhtml")
MAX_BYTES = 5_000_000  # of a page; a larger one is data


def page_links(library: Library, file_path: str) -> tuple[list[tuple[str, str]], frozenset[str]]:
    """((target, text) of each link that stays in the library, places that links can name)."""
    real = original(library, file_path, EVERYTHING).real
    try:
        if real.stat().st_size > MAX_BYTES:
            return [], frozenset()
        tree = LexborHTMLParser(real.read_bytes())
    except (OSError, ValueError):
        return [], frozenset()
    named = (
        node.attributes.get(name) for node in tree.css("[id], [name]") for name in ("id", "name")
    )
    places = frozenset(anchor(one) for one in named if one)
    found: list[tuple[str, str]] = []
    for node in tree.css("a[href]")[: MOST * 4]:
        target = node.attributes.get("href") or ""
        if target and not is_elsewhere(target) and not _of_site(node):
            found.append((target, " ".join((node.text() or "").split())[:100]))
    return found, places


def _of_site(node: object) -> bool:
    """Whether a link belongs to the site around a text: its menu, its foot."""
    parent = getattr(node, "parent", None)
    while parent is not None:
        if parent.tag in ("nav", "header", "footer", "aside"):
            return True
        parent = parent.parent
    return False
