"""Which places a chunk mentions (第十二条, 附件3, see section 4.2, 见《…》), and which it defines.

Facts of one chunk: whether a place exists is for `references` to say, which knows all files.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fanshu.checkup.numbers import CAPTIONED, NUMBERED, Number, numbered
from fanshu.library.passages import Span

OWN = ""  # the document of a mention that is its own
MOST = 400  # mentions of one chunk; more is an index or a table of contents
BEFORE = 24  # characters looked at before a mention

_CODE = re.compile(r"(?ms)^[ \t]*(```|~~~).*?^[ \t]*\1|`[^`\n]{1,200}`")
_SEE = re.compile(
    r"(?:见|参见|详见|参看|参阅|参考|参照|按照?|依照|依据|根据|如|填写|使用|附有"
    r"|\b(?:see|in|refer to|per|under|follow))"
    r"[\s“\"《(（]*(?:also |the )?(?:下|上)?$",
    re.IGNORECASE,
)
_OTHER_LAW = re.compile(
    r"(?:法|条例|办法|规定|细则|规则|决定|公约|规范|标准|通知|章程|协议|合同|制度|手册|指南|》|该|原|其|同|前述"
    r"|\bthe \w+ (?:act|law|rules|code))[)）》”\"]?\s*(?:的|中|之)?\s*$"
)
_OWN_NAME = re.compile(
    r"(?:本(?:法|条例|办法|规定|细则|规则|决定|规范|标准|通知|章程|协议|合同|制度|手册|指南|文|章|节|篇|文档)"
    r"|\bthis (?:document|guide|manual|policy|page|chapter|section))\s*(?:的|中|之)?\s*$",
    re.IGNORECASE,
)
_TITLED = re.compile(r"《([^《》\n]{2,60})》[^，。；、\n《》]{0,3}$")
_OF = re.compile(
    r"\s+(?:of|in) (?:the )?[*_“\"《]{0,2}([A-Z][\w-]*(?: [A-Z][\w-]*){0,5})"
    r"|\s+of the ([a-z][\w-]*(?: [\w-]+){0,3})"
)
_NAMED = re.compile(
    r"(?:见|参见|详见|参看|参阅|参照)(?:英文|中文|文档|文件|另一?篇)?\s*《([^《》\n]{2,60})》(?!\s*第)"
    r"|\b(?:see|refer to) (?:the )?[*_“\"]{1,2}([A-Z][^*_”\"\n]{2,60})[*_”\"]{1,2}"
)
_HEADED = re.compile(
    r"(?:见|参见|详见|参看|参阅)\s*[“「\"]([^“”「」\"\n]{2,40})[”」\"](?:一?[节章]|部分|$|[，。；、）)])"
)
_LINE_START = re.compile(r"(?m)^[ \t\u3000\xa0>#*_|!\[（(【]*(?:<[^>\n]{1,80}>)*[ \t*_]*")
_AND = re.compile(
    r"\s*(?:第[^，。；、\n]{1,8}[款项目]){0,2}\s*(?:[、,至和或及与到~-]|以及|或者|and|or|to)?\s*"
)
_AFTER_CAPTION = re.compile(r"\s*(?:所示|中|的|列出|给出|显示|说明|shows|lists|gives|is|and)")


@dataclass(frozen=True, slots=True)
class Mention:
    """A place that a text sends its reader to.

    `document`: the title of another document, `OWN`, or None where it is not known which.
    `heading`: the title of a document or section that is named, without a number.
    """

    unit: str
    number: Number
    written: str
    span: Span
    document: str | None = OWN
    heading: str = ""
    sent: bool = False


@dataclass(frozen=True, slots=True)
class Places:
    """What a chunk mentions, and which captions and attachments begin in it."""

    mentions: tuple[Mention, ...]
    defined: frozenset[tuple[str, Number]]


def places(text: str) -> Places:
    """The mentions and definitions of a chunk."""
    if not NUMBERED.search(text) and "《" not in text and "见" not in text and "see " not in text:
        return Places((), frozenset())
    said = _CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)
    starts = {match.end() for match in _LINE_START.finditer(said)}
    mentions: list[Mention] = []
    last: tuple[int, str | None] = (-1, OWN)
    defined: set[tuple[str, Number]] = set()
    for match in NUMBERED.finditer(said):
        found = numbered(match)
        if not found or len(mentions) >= MOST:
            continue
        at_start = match.start() in starts
        begins = found.unit == "article" and _begins(said, *match.span())
        if begins or (at_start and not _AFTER_CAPTION.match(said, match.end())):
            defined.add((found.unit, found.number))
            continue
        before = said[max(0, match.start() - BEFORE) : match.start()]
        if last[0] >= 0 and _AND.fullmatch(said, last[0], match.start()):
            document = last[1]
        else:
            document = _document(before, said[match.end() : match.end() + 60])
        last = match.end(), document
        mention = Mention(
            found.unit,
            found.number,
            found.written,
            match.span(),
            document,
            sent=bool(document) or bool(_SEE.search(before)),
        )
        mentions.append(mention)
    mentions.extend(_by_title(said))
    return Places(tuple(mentions), frozenset(defined))


def _begins(text: str, start: int, end: int) -> bool:
    """Whether an article begins in the middle of a line: after a full stop, or with 本."""
    after = text[end : end + 1]
    return after == "本" or (
        text[:start].rstrip()[-1:] in ("。", "；") and after in (" ", "\u3000")
    )


def _document(before: str, after: str) -> str | None:
    """The document that a number belongs to, by the words around it."""
    if titled := _TITLED.search(before):
        return titled[1]
    if _OWN_NAME.search(before):
        return OWN
    if _OTHER_LAW.search(before):
        return None
    if of := _OF.match(after):
        return of[1] or None
    return OWN


def _by_title(text: str) -> Iterator[Mention]:
    for match in _NAMED.finditer(text):
        title = match[1] or match[2]
        yield Mention(
            "document", (), f"《{title}》" if match[1] else title, match.span(), title, sent=True
        )
    for match in _HEADED.finditer(text):
        yield Mention("heading", (), f"“{match[1]}”", match.span(), OWN, match[1], sent=True)


def captioned(unit: str) -> bool:
    """Whether a unit is defined by a line that begins with it, not by a heading."""
    return unit in CAPTIONED
