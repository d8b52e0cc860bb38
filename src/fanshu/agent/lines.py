"""Lines of a search that an answer quotes: their chunks are opened for it by code.

A search shows the sentence that matches under its heading. When that is all the answer needs,
another round only to read the chunk would show the model what it has seen (in 6 of 20 runs on
hard questions). So a quote that stands in such a line counts, once code has opened the chunk:
if the rest of it may change what the sentence says, the model gets it to read before it answers.
"""

import re
from collections.abc import Iterable, Sequence

from fanshu.agent.draft import Draft, DraftCitation
from fanshu.agent.evidence import Found, find, locate
from fanshu.agent.seen import Seen
from fanshu.types import Chunk

# Words with which a text takes back or narrows what it has said.
_TURNS = re.compile(
    r"但|除外|例外|另有|除非|不适用|不包括|不受|否则|反之|废止|已弃用|仅限|"
    r"\b(?:but|except|unless|however|otherwise|other than|only if|not apply|instead|deprecated|"
    r"no longer)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"不|未|无|非|勿|毋|禁|除|\b(?:not|no|never|none|without)\b|n't\b", re.IGNORECASE)
TWO_COLUMNS = 3  # bars; of a name and a value everybody knows which is which

_BEGINS = re.compile(
    r"\W{0,4}(?:但|注|警告|例外|however\b|but\b|note\b|warning\b|except)", re.IGNORECASE
)
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)、]|[（(][\d一二三四五六七八九十]{1,3}[)）])")


def quoted_lines(draft: Draft, seen: Seen) -> tuple[str, ...]:
    """The chunks not read yet of which an answer quotes a line that a search has shown."""
    unread = (one for one in draft.citations if one.chunk_id not in seen.read)
    quoted = (one.chunk_id for one in unread if _stands(one, seen.lines_of(one.chunk_id)))
    return tuple(dict.fromkeys(quoted))


def _stands(citation: DraftCitation, lines: Iterable[str]) -> bool:
    return bool(citation.quote) and any(locate(citation.quote, line) for line in lines)


def turns(chunk: Chunk, draft: Draft, lines: Sequence[str]) -> bool:
    """Whether what stands around a quote, and its `lines` have not shown, may change what it says.

    That is a word near it that takes something back, or what leads in to the passage.
    """
    return any(
        _taken_back(chunk.text, found.passage, lines) or _unled(chunk, found, lines)
        for citation in draft.citations
        if citation.chunk_id == chunk.chunk_id and (found := find(citation.quote, chunk))
    )


def _taken_back(text: str, passage: tuple[int, int], lines: Sequence[str]) -> bool:
    """Whether what stands around it has such a word, or the next paragraph begins with it.

    Around a sentence stands its paragraph; a row or an item of a list stands for itself.
    """
    start, end = passage
    apart = "|" in text[start:end] or _ITEM.match(text[start:end])
    border = "\n" if apart else "\n\n"
    before, behind = text[:start].rpartition(border)[2], text[end:].partition(border)[0]
    then = "" if apart else text[end:].partition("\n\n")[2].partition("\n\n")[0]
    rest = f"{before}{text[start:end]}{behind}"
    for line in lines:
        for piece in filter(None, map(str.strip, line.split("…"))):
            if span := locate(piece, rest):
                rest = f"{rest[: span[0]]}\n{rest[span[1] :]}"
    return bool(_TURNS.search(rest) or (_BEGINS.match(then) and _TURNS.search(then)))


def _unled(chunk: Chunk, found: Found, lines: Sequence[str]) -> bool:
    """Whether what leads in to a passage quoted says more than the line that was shown.

    The header of several columns tells which is which; a list may be one of what is forbidden.
    """
    leads = [chunk.text[slice(*span)] for span in found.leads] or [chunk.carried]
    unseen = [lead for lead in leads if not any(locate(lead, line) for line in lines)]
    return any(lead.count("|") > TWO_COLUMNS or _NOT.search(lead) for lead in unseen)
