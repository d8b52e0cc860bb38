"""Where a quote stands in a chunk, what belongs to it, and what was left out beside it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fanshu.library.passages import Passage, Span, passage_at, passages
from fanshu.library.terms import fold, fold_map
from fanshu.types import Chunk

_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_MARKUP = re.compile(r"[*'|#>\\]|</?[a-z][^<>\n]{0,200}>|_(?![a-z0-9])|(?<![a-z0-9])_")
_ELLIPSIS = re.compile(r"\s*[\[(（]?(?:…+|\.{3,}|。{3,}|⋯+)[\])）]?\s*")
_LEAD_ENDS = re.compile(r"\n|[:：](?!\d)")
_WRAPPING = " \t\r\n\"'“”‘’「」『』。．.，,；;：:！!？?…"
_APART = "\u2423"  # between two figures that white space or markup keeps apart
SHORT_QUOTE = 2  # folded characters; a quote of fewer must not lie inside a word
MIN_PIECE = 2  # folded characters of each piece of a quote with an ellipsis
MOST_PIECES = 40  # lines, or pieces between ellipses, of a quote that is taken apart
LONGEST_QUOTE = 4  # times its text, which folding and links may shorten; the rest is babble


@dataclass(frozen=True, slots=True)
class Found:
    """A quote in its chunk: its own span, that of its passage, and of what leads in to it."""

    quote: Span
    passage: Span
    leads: tuple[Span, ...] = ()

    def passage_text(self, text: str) -> str:
        """The passage with its lead-ins, a line for each, as they stand in the document."""
        return "\n".join(text[slice(*span)] for span in (*self.leads, self.passage))

    def paragraph_text(self, text: str) -> str:
        """The passage with all that stands around it up to the next empty lines."""
        before = text[: self.passage[0]].rpartition("\n\n")[2]
        behind = text[self.passage[1] :].partition("\n\n")[0]
        return before + text[slice(*self.passage)] + behind


def find(quote: str, chunk: Chunk) -> Found | None:
    """The quote in the text of a chunk, widened to its passage."""
    span = locate(quote, chunk.text)
    return span and widen(chunk.text, span)


def locate(quote: str, text: str) -> Span | None:
    """Where a quote stands in a text, as offsets in it, or None.

    Both are folded as the index folds, white space does not count, nor do Markdown's marks
    where the bare search fails. An ellipsis may stand for words left out of one passage.
    """
    if len(quote) > LONGEST_QUOTE * len(text):
        return None
    for bare in (False, True):
        haystack = _Squashed(text, bare)
        for needle in dict.fromkeys((quote, quote.strip(_WRAPPING))):
            if span := haystack.find(needle):
                return span
    return _locate_pieces(quote, text) or _locate_with_lead(quote, text)


class _Squashed:
    """A text folded and without white space, that knows where each character came from."""

    def __init__(self, text: str, bare: bool) -> None:
        self.text = text
        self.bare = bare
        self.squashed, self.starts, self.ends = squash(text, bare)

    def find(self, quote: str, after: int = 0) -> Span | None:
        """The first place of a quote at or after an offset that cuts no number or word."""
        needle = squash(quote, self.bare)[0]
        if not needle:
            return None
        at = self.squashed.find(needle)
        while at >= 0:
            span = self.starts[at], self.ends[at + len(needle) - 1]
            if span[0] >= after and self._stands_alone(at, needle):
                return span
            at = self.squashed.find(needle, at + 1)
        return None

    def _stands_alone(self, at: int, needle: str) -> bool:
        before = self.squashed[max(0, at - 2) : at]
        behind = self.squashed[at + len(needle) : at + len(needle) + 2]
        if needle[0].isdigit() and re.search(r"\d[.,]?\Z", before):
            return False
        if needle[-1].isdigit() and re.match(r"[.,]?\d", behind):
            return False
        if len(needle) >= SHORT_QUOTE and not needle.isdigit():
            return True
        start, end = self.starts[at], self.ends[at + len(needle) - 1]
        edges = self.text[max(0, start - 1) : start], self.text[end : end + 1]
        return not any(_same_word(needle, edge) for edge in edges)


def _same_word(needle: str, edge: str) -> bool:
    """Whether a neighbouring character makes one word with a short quote (3 in 30, not in 3G)."""
    if needle.isdigit():
        return edge.isdigit() or edge == "_"
    return edge.isalnum() and edge.isascii() == needle.isascii()


def squash(text: str, bare: bool) -> tuple[str, list[int], list[int]]:
    """A text folded, without white space, and where each character began and ended in it.

    `bare`: Markdown's marks are left out too.
    """
    folded, offsets = fold_map(text)
    dropped = _dropped(folded) if bare else frozenset()
    chars: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    gap = False
    for at, char in enumerate(folded):
        if char.isspace() or at in dropped:
            gap = True
            continue
        if gap and char.isdigit() and chars and chars[-1].isdigit():
            chars.append(_APART)
            starts.append(offsets[at])
            ends.append(offsets[at])
        chars.append(char)
        starts.append(offsets[at])
        ends.append(_end(offsets, at))
        gap = False
    return "".join(chars), starts, ends


def _end(offsets: Sequence[int], at: int) -> int:
    """Where the character in the text ends that became the folded one at `at`."""
    following = at + 1
    while offsets[following] == offsets[at] and following < len(offsets) - 1:
        following += 1
    return offsets[following]


def _dropped(folded: str) -> frozenset[int]:
    """Places of marks that are not read aloud: emphasis, code, table bars, link targets, tags."""
    places: set[int] = set()
    for link in _LINK.finditer(folded):
        places.update(range(link.start(), link.start(1)))
        places.update(range(link.end(1), link.end()))
    for mark in _MARKUP.finditer(folded):
        places.update(range(*mark.span()))
    return frozenset(places)


def _locate_pieces(quote: str, text: str) -> Span | None:
    pieces = [piece for piece in _ELLIPSIS.split(quote.strip()) if piece]
    if not 2 <= len(pieces) <= MOST_PIECES:
        return None
    if any(len(squash(piece, True)[0]) < MIN_PIECE for piece in pieces):
        return None
    haystack = _Squashed(text, bare=True)
    found = passages(text)
    first = haystack.find(pieces[0])
    while first:
        end = _follow(haystack, pieces[1:], first[1])
        if end and _one_passage(found, first[0], end):
            return first[0], end
        first = haystack.find(pieces[0], first[0] + 1)
    return None


def _follow(haystack: _Squashed, pieces: Sequence[str], after: int) -> int | None:
    for piece in pieces:
        span = haystack.find(piece, after)
        if not span:
            return None
        after = span[1]
    return after


def _one_passage(found: Sequence[Passage], start: int, end: int) -> bool:
    return any(passage.start <= start and end <= passage.end for passage in found)


def _locate_with_lead(quote: str, text: str) -> Span | None:
    """A row quoted under its header, or an item under its lead-in, with others between them."""
    cuts = [match.end() for match in _LEAD_ENDS.finditer(quote.rstrip())]
    haystack = _Squashed(text, bare=True)
    for cut in reversed(cuts if len(cuts) <= MOST_PIECES else []):
        lead, rest = quote[:cut], quote[cut:]
        span = haystack.find(rest)
        leads = widen(text, span).leads if span else ()
        if any(_Squashed(text[slice(*one)], bare=True).find(lead) for one in leads):
            return span
    return None


# ---------------------------------------------------------------- the passage around a quote


def widen(text: str, span: Span) -> Found:
    """The whole sentence, item or row around a span, and the lines it must be read with."""
    found = passages(text)
    start, end = passage_at(found, *span)
    touched = [passage for passage in found if start <= passage.start and passage.end <= end]
    leads = {lead for passage in touched for lead in _leads(found, passage)}
    apart = sorted(lead for lead in leads if lead[1] <= start)
    return Found(span, (start, end), tuple(apart))


def before(text: str, passage: Span) -> Iterator[str]:
    """The passages before a passage, nearest first."""
    earlier = [one for one in passages(text) if one.end <= passage[0]]
    return (text[one.start : one.end] for one in reversed(earlier))


def _leads(found: Sequence[Passage], passage: Passage) -> list[Span]:
    """The lead-in of a passage, the lead-in of that, and so on outwards."""
    by_start = {one.start: one for one in found}
    leads: list[Span] = []
    current: Passage | None = passage
    while current and current.lead:
        leads.append(current.lead)
        current = by_start.get(current.lead[0])
    return leads


# ---------------------------------------------------------------- what a quote leaves out

_NOT = "不|未|无|非|没有|没|勿|毋|禁止|严禁"
_NOT_NOT = "不同|不仅|不但|不断|不管|不论|不过|不少|不错|无论|无线|非常|未来|没错"
_BEFORE = re.compile(
    rf"(?:(?:{_NOT})(?:得|能|可以?|应当?|会|需要?|必须|再|宜|曾|予)?|(?<![排删解免开消去切])除"
    r"|除[^，。；,;\n]{1,30}外[，,]?"
    r"|(?<![a-z])(?:not|no|never|without|except|unless|cannot|[a-z]+n't)(?: \w+)?)\s*\Z",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"(?!{_NOT_NOT})(?:(?:{_NOT})\w|的?除外|之?外(?![a-z部地面来])|以外"
    r"|(?:但是?)?[^，。；,;\n]{0,20}(?:除外|不在此限|不适用)"
    r"|除非|(?:except|unless|but not|not|never|without)\b)",
    re.IGNORECASE,
)
_PAUSE = re.compile(r"[\s，,；;（(]*")
_WORDS = re.compile(r"除|外|不|未|无|非|没|勿|毋|禁|n't|[a-z]+", re.IGNORECASE)
EDGE = 40  # characters beside a quote in which an exception may begin


def left_out(found: Found, text: str) -> str | None:
    """A negation or exception just outside a quote, inside its passage: the words, or None."""
    start, end = found.quote
    earlier = _BEFORE.search(text[max(found.passage[0], start - EDGE) : start].rstrip("*_` "))
    if earlier and not re.match(_NOT_NOT, earlier[0].strip() + text[start : start + 1]):
        return earlier[0].strip()
    later = text[end : min(found.passage[1], end + EDGE)]
    pause = _PAUSE.match(later)
    after = _AFTER.match(later, pause.end() if pause else 0)
    if after and pause and pause[0].strip() and re.match(_NOT, after[0]):
        return None  # 支持 A，不支持 B: another statement
    return after[0] if after else None


def mentions(response: str, word: str) -> bool:
    """Whether a response repeats a negation or exception that its quote leaves out."""
    first = _WORDS.search(fold(word))
    return bool(first and first[0] in fold(response))
