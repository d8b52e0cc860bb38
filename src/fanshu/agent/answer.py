"""④ The answer: what the model sent is checked against what it read, before it counts.

Checked is that quotes stand where they are said to stand, and that figures stand in the
passages quoted. Whether a passage supports the claim remains the model's judgement.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from fanshu.agent.context import reads_like_orders
from fanshu.agent.evidence import Found, before, find, left_out, mentions
from fanshu.agent.objections import listed, say, shortened
from fanshu.agent.support import Evidence, FigureCheck, Quoted, check_figures, names_in
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


# ---------------------------------------------------------------- what the model sent

_RESPONSE = ("response", "answer", "text", "content")
_CHUNK_ID = ("chunk_id", "id", "chunk", "source")
_QUOTE = ("quote", "text", "passage", "content")
_NO = frozenset("false,no,n,0,none,null,not found,not_found,否,没有,没找到,未找到,无,".split(","))


def parse_draft(arguments: Mapping[str, object], language: Language = "en") -> Draft | str:
    """The draft in the arguments of an `answer` call, or a sentence on how to send one.

    Forgiving where the meaning is clear: citations as bare ids, a single citation, `found`
    left out, the text under another name.
    """
    response = _first_text(arguments, _RESPONSE)
    citations = _citations(arguments.get("citations"))
    if citations is None:
        return say("citations", language)
    given = arguments.get("found")
    found = bool(citations) if given is None else str(given).strip().lower() not in _NO
    if found and not response:
        return say("no response", language)
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
    # An id is kept as it is: a file's name may begin with a space.
    ids = (value.get(name) for name in _CHUNK_ID)
    chunk_id = next((one for one in ids if isinstance(one, str) and one.strip()), "")
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
        objections.append(say("none", language))
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
    chunk_id = resolve(draft.chunk_id, read)
    if chunk_id is None:
        fields = {"chunk_id": draft.chunk_id, "read": listed(list(read), language)}
        return _Failed(draft, say("unread", language, **fields))
    if chunk_id in changed:
        return _Failed(draft, say("changed", language, chunk_id=chunk_id))
    if not draft.quote:
        return _Failed(draft, say("no quote", language, chunk_id=chunk_id))
    if found := find(draft.quote, read[chunk_id]):
        if reads_like_orders(found.paragraph_text(read[chunk_id].text)):
            return _Failed(draft, say("orders", language, quote=shortened(draft.quote)))
        return _Passed(draft, read[chunk_id], found)
    return _Failed(draft, _not_there(draft.quote, chunk_id, read, language))


def resolve(chunk_id: str, read: Mapping[str, Chunk]) -> str | None:
    """The id meant: as it stands, or the one id read that ends in it (`b.md#2`, `#2`)."""
    wanted = chunk_id.strip().strip("[]`\"'")
    for exact in (chunk_id, wanted):
        if exact in read:
            return exact
    ending = wanted if wanted.startswith("#") else f"/{wanted}"
    meant = [known for known in read if "#" in wanted and known.endswith(ending)]
    return meant[0] if len(meant) == 1 else None


def _not_there(quote: str, chunk_id: str, read: Mapping[str, Chunk], language: Language) -> str:
    others = (known for known, chunk in read.items() if known != chunk_id and find(quote, chunk))
    other = next(others, None)
    elsewhere = say("elsewhere", language, chunk_id=other) if other else ""
    short = shortened(quote)
    return say("not there", language, chunk_id=chunk_id, quote=short, elsewhere=elsewhere)


def _distinct(passed: Iterable[_Passed]) -> Iterator[_Passed]:
    """The citations that passed, each place once."""
    seen: set[tuple[str, tuple[int, int]]] = set()
    for one in passed:
        place = one.chunk.chunk_id, one.found.quote
        if place not in seen:
            seen.add(place)
            yield one


def _check_figures(draft: Draft, passed: Collection[_Passed], question: str) -> FigureCheck:
    evidence = Evidence(
        passages=tuple(Quoted(_passage(one), one.chunk.text) for one in passed),
        headings=tuple(dict.fromkeys(text for one in passed for text in _headings(one.chunk))),
        names=tuple(_subject(one) for one in passed),
    )
    return check_figures(draft.response, evidence, question)


def _headings(chunk: Chunk) -> tuple[str, ...]:
    every = (*chunk.section_path, chunk.file_path, chunk.title, chunk.date or "")
    return tuple(text for text in every if not reads_like_orders(text))


def _subject(one: _Passed) -> str:
    """Where a passage that names nothing itself takes its subject from: the nearest names above.

    `pg_prewarm.autoprewarm_interval` stands over "The default is 300 seconds."
    """
    passage = _passage(one)
    if names_in(passage):
        return ""
    return next((text for text in before(one.chunk.text, one.found.passage) if names_in(text)), "")


def _on_figures(figures: FigureCheck, language: Language) -> list[str]:
    named = {"figures": figures.unsupported, "wrong": figures.wrong}
    return [
        say(name, language, figures=listed(found, language))
        for name, found in named.items()
        if found
    ]


def _on_edges(passed: Collection[_Passed], response: str, language: Language) -> list[str]:
    """Negations and exceptions beside quotes that the response does not repeat."""
    objections = []
    for one in passed:
        word = left_out(one.found, one.chunk.text)
        if word and not mentions(response, word):
            fields = {"chunk_id": one.chunk.chunk_id, "quote": shortened(one.draft.quote)}
            objections.append(say("left out", language, word=word, **fields))
    return objections


# ---------------------------------------------------------------- citations


def _passage(one: _Passed) -> str:
    """The passage, with the header of its table where that stands in an earlier part."""
    chunk, text = one.chunk, one.found.passage_text(one.chunk.text)
    is_row = text.startswith("|") or " | " in text
    return f"{chunk.carried}\n{text}" if chunk.carried and is_row and not one.found.leads else text


def _cite(one: _Passed) -> Citation:
    chunk, found = one.chunk, one.found
    return Citation(
        chunk_id=chunk.chunk_id,
        file_path=chunk.file_path,
        section_path=chunk.section_path,
        lines=_lines(chunk, *found.quote),
        page=chunk.page,
        quote=chunk.text[slice(*found.quote)],
        passage=_passage(one),
        verified="quoted",
        hash=chunk.hash,
        newer_version=chunk.newer_version,
        images=chunk.images or _page_image(chunk),
    )


def _page_image(chunk: Chunk) -> tuple[str, ...]:
    """The page of a PDF as a picture: whoever shows citations can draw it."""
    is_pdf = chunk.page is not None and chunk.file_path.lower().endswith(".pdf")
    return (f"{chunk.file_path}#page={chunk.page}",) if is_pdf else ()


def _lines(chunk: Chunk, start: int, end: int) -> Lines | None:
    """The lines of a quote, where the chunk's text is line by line that of the file."""
    if chunk.lines is None:
        return None
    first, last = chunk.lines
    blank = len(chunk.text) - len(chunk.text.lstrip())  # lines are counted from the first word
    fewest = chunk.text.rstrip().count("\n", blank)
    if not first + fewest <= last <= first + chunk.text.count("\n", blank):
        return chunk.lines
    return (
        first + chunk.text.count("\n", blank, start),
        first + chunk.text.count("\n", blank, end),
    )
