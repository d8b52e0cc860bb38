"""How texts of questions, answers and documents are compared."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

_APART = "\u2423"  # between two numbers that white space keeps apart
_ARTICLE = re.compile("第[一二三四五六七八九十百零〇]+条(?:之[一二三四五六七八九十百零〇]+)?")
_MARKUP = re.compile(r"(?<!\s)[*`]|[*`](?!\s)")
_DASHES = re.compile("[~\u2010-\u2015\u2212]")


def has(choice: Iterable[str], text: str) -> bool:
    """Whether one of the wordings stands in a plain text; a number at its end stands alone."""
    for wording in map(plain, choice):
        before = r"(?<!\d)(?<!\d[.,])" if wording[0].isdigit() else ""
        after = r"(?!\d)(?![.,]\d)" if wording[-1].isdigit() else ""
        if re.search(before + re.escape(wording) + after, text):
            return True
    return False


def squash(text: str) -> str:
    """One form for each character, no white space but a mark between two numbers."""
    text = unicodedata.normalize("NFKC", re.sub(r"(?<=\d)，(?=\d)", ", ", text))
    text = re.sub(r"(?<=\d)([.,;]?)\s+(?=\d)", rf"\1{_APART}", text)
    return re.sub(r"\s+", "", text)


def plain(text: str) -> str:
    """Squashed, lower case, one kind of dash, no marks of bold and code."""
    return _DASHES.sub("-", squash(_MARKUP.sub("", text))).lower()


def trail_of(value: str | Sequence[str] | None) -> tuple[str, ...]:
    """Headings as they are compared, from a list or one text."""
    headings = value.split(" > ") if isinstance(value, str) else value or ()
    return tuple(_heading(one) for one in headings if one.strip())


@lru_cache(maxsize=4096)  # the same few headings are compared again and again
def _heading(text: str) -> str:
    text = re.sub(r"\{#[^}]*\}\s*$", "", text)
    text = re.sub(r"<[^>]+>", "", text).strip() or text  # a heading of tags only stays
    return squash(text.replace("`", "").replace("**", "")).lower()


def same_trail(cited: tuple[str, ...], place: tuple[str, ...]) -> bool:
    """The shorter is the end of the longer; an article may be cited with its first words."""
    if not cited or not place:
        return not cited and not place
    if _ARTICLE.fullmatch(place[-1]) and cited[-1].startswith(place[-1]):
        cited = (*cited[:-1], place[-1])
    length = min(len(cited), len(place))
    return cited[-length:] == place[-length:]
