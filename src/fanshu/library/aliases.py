"""Other names that a document gives to what it speaks of: abbreviations and short names.

Three ways of writing are believed, since in them it is certain where names begin and end:
`国家金库（以下简称国库）` and its kin, `Data Migration (DM)` in a text, and a heading that is two
names, `备份与恢复（BR）`. Which words before a bracket an abbreviation stands for is told by the
rule of Schwartz and Hearst (2003): its letters stand there in order, the first at the beginning of
a word.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from fanshu.library.synonyms import key
from fanshu.library.terms import CJK, is_cjk
from fanshu.types import Document

MAX_ALIASES = 200  # of a document; a glossary has about as many
MAX_CHARS = 30  # of a name
SHORT_CHARS = 10  # of an abbreviation (Schwartz and Hearst)

CONTAINED_CHARS = 3  # of a short name that is part of the long one: 单位 says too little

_MARKS = "“”\"'「」《》〈〉*`　 "
_SAYS = re.compile("[简统通合]称|以?下称")
_LONG = re.compile(
    rf"(?:[《“「][^《》“”「」\n]{{2,40}}[》”」]|[\w{CJK}·]{{2,40}})\s*[（(，,]\s*(?:以下|下)?$"
)
_SHORT_NAME = re.compile(rf"[为作：:]?\s*[“「《\"]?([\w{CJK}-]{{2,20}})[”」》\"]?\s*[）)，,。；;]")
_IN_BRACKETS = re.compile(r"(?<=[\w ])[（(]([A-Za-z][\w&/-]{1,9})[）)]")
_TWO_NAMES = re.compile(r"^([^（()）]{2,30})[（(]([^（()）]{2,30})[）)]$")
_SEVERAL = re.compile("[、，,;]|或者|以及|等$")  # a name of several things is no name
_INFLECTIONS = tuple(
    "s es d ed r er ing able ible ly ness ity ability ment ion ation".split()
)  # nullable is NULL in another form, no other name of it
_IS = ("是", "为", "指")
_WORD = re.compile(r"\w+")
_LATIN = re.compile(r"[A-Za-z][\w &/.'-]*$", re.ASCII)
BEFORE = 100  # characters that may hold the long form


class Alias(NamedTuple):
    """Two names for one thing, folded."""

    long: str
    short: str


def aliases(document: Document) -> list[Alias]:
    """The pairs of names that a document defines, each once, at most `MAX_ALIASES`."""
    headings = {section.trail[-1] for section in document.sections if section.trail}
    found: dict[Alias, None] = {}
    for long, short in (*_in_headings(headings), *_in_text(document.text)):
        one = Alias(key(long), key(short))
        if _tells(one):
            found[one] = None
    return list(found)[:MAX_ALIASES]


def _tells(alias: Alias) -> bool:
    """Whether it is worth looking for one name where the other is asked for."""
    long, short = alias
    if long == short or max(len(long), len(short)) > MAX_CHARS or _SEVERAL.search(long):
        return False
    first = long.partition(" ")[0]
    if first.startswith(short) and first.removeprefix(short) in _INFLECTIONS:
        return False
    return short not in long or len(short) >= CONTAINED_CHARS


def _in_headings(headings: Iterable[str]) -> Iterator[tuple[str, str]]:
    for heading in sorted(headings):
        if match := _TWO_NAMES.match(heading.strip()):
            a, b = (name.strip(_MARKS) for name in match.groups())
            if _abbreviates(b, a) or _beside_acronym(a, b):
                yield a, b
            elif _abbreviates(a, b) or _beside_acronym(b, a):
                yield b, a


def _in_text(text: str) -> Iterator[tuple[str, str]]:
    for match in _SAYS.finditer(text):
        long = _LONG.search(text[max(match.start() - BEFORE, 0) : match.start()])
        short = _SHORT_NAME.match(text[match.end() : match.end() + BEFORE])
        if long and short and (named := _named(long[0], short[1])):
            yield named, short[1]
    for match in _IN_BRACKETS.finditer(text):
        before = text[max(match.start() - BEFORE, 0) : match.start()]
        if long_form := _long_form(match[1], before):
            yield long_form, match[1]


def _named(before: str, short: str) -> str:
    """The name in front of a short one: as marked, or from its first character on."""
    name = before.rstrip("以下 （(，,")
    if name[-1:] in tuple("》”」"):
        return name.strip(_MARKS)
    for start in range(len(name) - 1, -1, -1):
        if name[start] == short[0] and _in_order(short, name[start:]):
            # 主管部门是国家海洋局（以下简称主管部门）: a sentence, no name.
            return "" if name.startswith(_IS, start + len(short)) else name[start:]
    return ""


def _abbreviates(short: str, long: str) -> bool:
    """Whether one name is a short form of the other."""
    if is_cjk(short) and is_cjk(long):
        return 2 <= len(short) < len(long) and short[0] == long[0] and _in_order(short, long)
    return _is_acronym(short) and _long_form(short, long) == long


def _beside_acronym(chinese: str, latin: str) -> bool:
    """备份与恢复（BR）: a Chinese name beside an acronym."""
    return is_cjk(chinese) and _is_acronym(latin) and not any(c.isascii() for c in chinese)


def _is_acronym(text: str) -> bool:
    capitals = sum(char.isupper() for char in text)
    return len(text) <= SHORT_CHARS and capitals >= 2 and text.replace("-", "").isalnum()


def _in_order(short: str, long: str) -> bool:
    rest = iter(long)
    return all(char in rest for char in short)


def _long_form(short: str, before: str) -> str:
    """The words at the end of a text that an abbreviation stands for; empty when none do."""
    if not _is_acronym(short):
        return ""
    latin = _LATIN.search(before)
    words = (latin[0] if latin else "").split()[-min(len(short) + 5, 2 * len(short)) :]
    text = " ".join(words)
    at = len(text)
    for number, char in enumerate(reversed(short.lower())):
        if not char.isalnum():
            continue
        first = number == len(short) - 1
        at -= 1
        while at >= 0 and not (
            text[at].lower() == char and (not first or at == 0 or not text[at - 1].isalnum())
        ):
            at -= 1
        if at < 0:
            return ""
    long = text[at:]
    return (
        long if len(long) > len(short) and short.lower() not in _WORD.findall(long.lower()) else ""
    )
