"""Pages of a Confluence space exported as HTML: named by numbers, alike but for their content.

Each page repeats its place in the space as breadcrumbs, so it can be read without the index
of the export. What Confluence puts around the page is no text of it.
"""

from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from fanshu.library.dating import find_date

_AROUND = (
    "#breadcrumb-section, .page-metadata, #footer, #likes-and-labels-container, "
    # Macros that list what stands elsewhere: headings of this page, titles of others.
    ".toc-macro, .plugin_pagetree, .pagetree, fieldset.hidden, "
    "img[src^='images/icons/'], .confluence-information-macro-icon"
)


@dataclass(frozen=True, slots=True)
class WikiPage:
    """A page's own title, the titles of the pages above it, outermost first, and its date."""

    title: str
    ancestors: tuple[str, ...]
    shown: str  # the title as the page shows it, with that of the space before it
    date: str | None = None


def wiki_page(tree: LexborHTMLParser) -> WikiPage | None:
    """What the tree says of its page, whose surroundings are taken out; None for other pages."""
    heading, crumbs = tree.css_first("#title-text"), tree.css("#breadcrumbs li")
    if heading is None or not crumbs or tree.css_first("#main-content") is None:
        return None
    shown, ancestors = _text(heading), tuple(filter(None, map(_text, crumbs)))
    prefix = f"{ancestors[0]} : " if ancestors else ""
    about = tree.css_first(".page-metadata")
    date = find_date(_text(about)) if about else None
    for node in tree.css(_AROUND):
        node.decompose()
    attachments = tree.css_first("#attachments")
    section = attachments and _section(attachments)
    if section:
        section.decompose()
    return WikiPage(shown.removeprefix(prefix), ancestors, shown, date)


def _text(node: LexborNode) -> str:
    return " ".join(node.text(deep=True).split())


def _section(node: LexborNode) -> LexborNode | None:
    """The section of the page that a node stands in."""
    parent = node.parent
    while parent is not None:
        if "pageSection" in (parent.attributes.get("class") or "").split():
            return parent
        parent = parent.parent
    return None
