"""Nothing that a text holds can become markup."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanshu.audit.markup import clean, element, several


class Texts(HTMLParser):
    """What a browser would make of it: the tags, and the text between them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@given(st.text(), st.text())
def test_text_stays_text(inside: str, attribute: str) -> None:
    html = str(element("p", inside, title=attribute))
    read = Texts()
    read.feed(html)
    read.close()
    assert read.tags == ["p"]
    html.encode("utf-8")
    assert not re.search("[\x00-\x08\x7f\u202a-\u202e\u2066-\u2069]", html)


def test_text_is_kept_as_it_was() -> None:
    read = Texts()
    read.feed(str(several("p", ["a < b & c", element("b", '"quoted"'), None])))
    assert read.text == 'a < b & c"quoted"'


def test_marks_that_turn_text_around_are_shown() -> None:
    assert clean("invoice\u202efdp.exe") == "invoice⟦U+202E⟧fdp.exe"


@pytest.mark.parametrize("target", ["https://example.org", "//example.org", "javascript:1", "x"])
def test_no_link_leads_out(target: str) -> None:
    with pytest.raises(ValueError, match="out of the page"):
        element("a", "x", href=target)


def test_void_elements_are_not_closed() -> None:
    assert str(element("meta", charset="utf-8")) == '<meta charset="utf-8">'
