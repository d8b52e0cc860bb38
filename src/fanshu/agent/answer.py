"""④ The answer: what the model sent is checked against what it read, before it counts.

Checked is that quotes stand where they are said to stand, and that figures stand in the
passages quoted. Whether a passage supports the claim remains the model's judgement.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from fanshu.agent.evidence import Found, find, left_out
from fanshu.agent.support import Evidence, FigureCheck, check_figures
from fanshu.library.terms import fold
from fanshu.types import Chunk, Citation, Derived, Language, Lines, Status


@dataclass(frozen=True, slots=True)
class DraftCitation:
    chunk_id: str
    quote: str


@dataclass(frozen=True, slots=True)
class Draft:
    """What the model sent with the `answer` tool, not yet checked."""

    response: str
    citations: tuple[DraftCitation, ...]
    found: bool
    question_summary: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the check found.

    `citations` passed, `rejected` did not. `unsupported` are figures that stand in no quoted
    passage, and arithmetic that is wrong; `derived` those that follow from others. `objections`
    say to the model what is wrong and what to do; without any the answer can go out as it is.
    """

    citations: tuple[Citation, ...] = ()
    rejected: tuple[DraftCitation, ...] = ()
    unsupported: tuple[str, ...] = ()
    derived: tuple[Derived, ...] = ()
    objections: tuple[str, ...] = ()


_SAY: Mapping[str, tuple[str, str]] = {
    "no response": (
        "answer 缺 response：写出答案；没有找到就 found=false。",
        "answer needs response: the text of the answer; if nothing was found, found=false.",
    ),
    "citations": (
        'citations 应是列表，每条 {"chunk_id": "文件#n", "quote": "原文"}。',
        'citations is a list of {"chunk_id": "file#n", "quote": "words of the text"}.',
    ),
    "none": (
        "没有引用，不算找到：引用读过的块并抄出原文，或 found=false。",
        "Without a citation nothing counts as found: cite a chunk you have read, or found=false.",
    ),
    "unread": (
        "{chunk_id} 这一轮问答里没有读过，不能引用。读过的有：{read}。",
        "{chunk_id} was not read in this run and cannot be cited. Read so far: {read}.",
    ),
    "changed": (
        "{chunk_id} 的文件已改动：重新读取后再引用，或去掉这条。",
        "The file of {chunk_id} has changed: read it again before citing it, or drop it.",
    ),
    "no quote": (
        "对 {chunk_id} 的引用缺 quote：逐字抄下含答案的那句。",
        "The citation of {chunk_id} lacks its quote: copy the words that hold the answer.",
    ),
    "not there": (
        "{chunk_id} 里没有“{quote}”{elsewhere}。逐字抄原文（空白不计），或去掉这条。",
        "“{quote}” is not in {chunk_id}{elsewhere}. Copy the text word for word (white space is"
        " ignored), or drop the citation.",
    ),
    "elsewhere": ("（它在 {chunk_id} 里）", " (it stands in {chunk_id})"),
    "figures": (
        "{figures} 不在所引的句子、其标题或文件名里。引用含它的那句；算出来的写出算式（3×2×2=12）；"
        "也可以不写它。",
        "{figures}: not in any quoted sentence, its headings or its file name. Quote the sentence"
        " that holds it; show the arithmetic of a computed figure (3×2×2=12); leaving it out is"
        " fine.",
    ),
    "wrong": (
        "算式不成立：{figures}。重算，或不写它。",
        "The arithmetic does not hold: {figures}. Work it out again, or leave it out.",
    ),
    "left out": (
        "{chunk_id} 的引文“{quote}”旁边有“{word}”：再看一遍整句，确认意思没有反；没有就原样再答。",
        "Beside the quote “{quote}” in {chunk_id} stands “{word}”: look at the whole sentence"
        " again; if the answer still holds, send it as it is.",
    ),
}
MAX_LISTED = 12  # ids or figures named in one objection
MAX_QUOTE = 40  # characters of a quote repeated in an objection


def _say(name: str, language: Language, **fields: str) -> str:
    return _SAY[name][language == "en"].format(**fields)


# ---------------------------------------------------------------- what the model sent

_RESPONSE = ("response", "answer", "text", "content")
_CHUNK_ID = ("chunk_id", "id", "chunk", "source")
_QUOTE = ("quote", "text", "passage", "content")
_NO = frozenset({"false", "no", "0", "否", "none", "null", ""})


def parse_draft(arguments: Mapping[str, object], language: Language = "en") -> Draft | str:
    """The draft in the arguments of an `answer` call, or a sentence on how to send one.

    Forgiving where the meaning is clear: citations as bare ids, a single citation, `found`
    left out, the text under another name.
    """
    response = _first_text(arguments, _RESPONSE)
    citations = _citations(arguments.get("citations"))
    if citations is None:
        return _say("citations", language)
    given = arguments.get("found")
    found = bool(citations) if given is None else str(given).strip().lower() not in _NO
    if found and not response:
        return _say("no response", language)
    return Draft(response, citations, found, _first_text(arguments, ("question_summary",)))


def _first_text(arguments: Mapping[str, object], names: tuple[str, ...]) -> str:
    texts = (arguments.get(name) for name in names)
    return next((text.strip() for text in texts if isinstance(text, str) and text.strip()), "")


def _citations(value: object) -> tuple[DraftCitation, ...] | None:
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        try:
            value = json.loads(value)
        except ValueError:
            return None
    if value is None or value == "":
        return ()
    found = [_citation(one) for one in (value if isinstance(value, list | tuple) else [value])]
    return None if None in found else tuple(one for one in found if one)


def _citation(value: object) -> DraftCitation | None:
    if isinstance(value, str) and value.strip():
        return DraftCitation(value.strip(), "")
    if not isinstance(value, Mapping):
        return None
    chunk_id = _first_text(value, _CHUNK_ID)
    return DraftCitation(chunk_id, _first_text(value, _QUOTE)) if chunk_id else None


# ---------------------------------------------------------------- the check


def check(
    draft: Draft,
    *,
    read: Mapping[str, Chunk],
    question: str,
    language: Language,
    changed: Collection[str] = (),
) -> Verdict:
    """Check a draft against the chunks read in this run, by id.

    `changed`: ids of chunks whose file is no longer what was read. A draft that says nothing
    was found passes: it claims nothing.
    """
    if not draft.found:
        return Verdict()
    checks = [_check_citation(one, read, changed, language) for one in draft.citations]
    passed = list(_distinct(one for one in checks if isinstance(one, _Passed)))
    failed = [one for one in checks if isinstance(one, _Failed)]
    figures = _check_figures(draft, passed, question)
    objections = [one.objection for one in failed]
    objections += _on_figures(figures, language) if passed else []
    objections += _on_edges(passed, draft.response, language)
    if not draft.citations:
        objections.append(_say("none", language))
    return Verdict(
        citations=tuple(_cite(one) for one in passed),
        rejected=tuple(one.draft for one in failed),
        unsupported=(*figures.unsupported, *figures.wrong),
        derived=figures.derived,
        objections=tuple(dict.fromkeys(objections)),
    )


def status_of(draft: Draft, verdict: Verdict) -> Status:
    """The status of an answer that is not sent back any more."""
    if not draft.found or not verdict.citations:
        return "not_found"
    return "partial" if verdict.unsupported or verdict.rejected else "answered"


@dataclass(frozen=True, slots=True)
class _Passed:
    draft: DraftCitation
    chunk: Chunk
    found: Found


@dataclass(frozen=True, slots=True)
class _Failed:
    draft: DraftCitation
    objection: str


def _check_citation(
    draft: DraftCitation, read: Mapping[str, Chunk], changed: Collection[str], language: Language
) -> _Passed | _Failed:
    chunk_id = _resolve(draft.chunk_id, read)
    if chunk_id is None:
        fields = {"chunk_id": draft.chunk_id, "read": ", ".join(list(read)[-MAX_LISTED:]) or "-"}
        return _Failed(draft, _say("unread", language, **fields))
    if chunk_id in changed:
        return _Failed(draft, _say("changed", language, chunk_id=chunk_id))
    if not draft.quote:
        return _Failed(draft, _say("no quote", language, chunk_id=chunk_id))
    if found := find(draft.quote, read[chunk_id]):
        return _Passed(draft, read[chunk_id], found)
    return _Failed(draft, _not_there(draft.quote, chunk_id, read, language))


def _resolve(chunk_id: str, read: Mapping[str, Chunk]) -> str | None:
    """The id meant: as it stands, or the one id read that ends in it (`b.md#2`, `#2`)."""
    wanted = chunk_id.strip().strip("[]`\"'")
    if wanted in read:
        return wanted
    ending = wanted if wanted.startswith("#") else f"/{wanted}"
    meant = [known for known in read if "#" in wanted and known.endswith(ending)]
    return meant[0] if len(meant) == 1 else None


def _not_there(quote: str, chunk_id: str, read: Mapping[str, Chunk], language: Language) -> str:
    others = (known for known, chunk in read.items() if known != chunk_id and find(quote, chunk))
    other = next(others, None)
    elsewhere = _say("elsewhere", language, chunk_id=other) if other else ""
    short = _shortened(quote)
    return _say("not there", language, chunk_id=chunk_id, quote=short, elsewhere=elsewhere)


def _shortened(quote: str) -> str:
    quote = " ".join(quote.split())
    return quote if len(quote) <= MAX_QUOTE else quote[: MAX_QUOTE - 1] + "…"


def _distinct(passed: Iterable[_Passed]) -> Iterator[_Passed]:
    """The citations that passed, each place once."""
    seen: set[tuple[str, tuple[int, int]]] = set()
    for one in passed:
        place = one.chunk.chunk_id, one.found.quote
        if place not in seen:
            seen.add(place)
            yield one


def _check_figures(draft: Draft, passed: Collection[_Passed], question: str) -> FigureCheck:
    texts = (text for one in passed for text in _evidence_texts(one))
    return check_figures(draft.response, Evidence(tuple(dict.fromkeys(texts))), question)


def _evidence_texts(one: _Passed) -> Iterator[str]:
    """The passage, and what names it: headings, file name, title, date, chunk id."""
    yield one.found.passage_text(one.chunk.text)
    yield from one.chunk.section_path
    yield one.chunk.chunk_id
    yield one.chunk.title
    yield one.chunk.date or ""


def _on_figures(figures: FigureCheck, language: Language) -> list[str]:
    named = {"figures": figures.unsupported, "wrong": figures.wrong}
    comma = "、" if language == "zh" else ", "
    return [
        _say(name, language, figures=comma.join(found[:MAX_LISTED]))
        for name, found in named.items()
        if found
    ]


def _on_edges(passed: Collection[_Passed], response: str, language: Language) -> list[str]:
    """Negations and exceptions beside quotes that the response does not repeat."""
    objections = []
    for one in passed:
        word = left_out(one.found, one.chunk.text)
        if word and fold(word).split(" ")[0] not in fold(response):
            fields = {"chunk_id": one.chunk.chunk_id, "quote": _shortened(one.draft.quote)}
            objections.append(_say("left out", language, word=word, **fields))
    return objections


# ---------------------------------------------------------------- citations


def _cite(one: _Passed) -> Citation:
    chunk, found = one.chunk, one.found
    return Citation(
        chunk_id=chunk.chunk_id,
        file_path=chunk.file_path,
        section_path=chunk.section_path,
        lines=_lines(chunk, *found.quote),
        page=chunk.page,
        quote=chunk.text[slice(*found.quote)],
        passage=found.passage_text(chunk.text),
        verified="quoted",
        hash=chunk.hash,
        newer_version=chunk.newer_version,
    )


def _lines(chunk: Chunk, start: int, end: int) -> Lines | None:
    """The lines of a quote, where the chunk's text is line by line that of the file."""
    if chunk.lines is None:
        return None
    first, last = chunk.lines
    fewest = chunk.text.rstrip().count("\n")
    if not first + fewest <= last <= first + chunk.text.count("\n"):
        return chunk.lines
    return first + chunk.text.count("\n", 0, start), first + chunk.text.count("\n", 0, end)
