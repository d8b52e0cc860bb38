"""④ The answer: what the model sent is checked against what it read, before it counts.

Checked is that quotes stand where they are said to stand, and that figures stand in the
passages quoted. Whether a passage supports the claim remains the model's judgement.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from fanshu.agent.bounds import turned_round
from fanshu.agent.citing import Place, cite, distinct, evidence_of
from fanshu.agent.copies import turned_over
from fanshu.agent.draft import Draft, DraftCitation
from fanshu.agent.evidence import find, left_out, mentions
from fanshu.agent.ledger import FigureCheck, check_figures
from fanshu.agent.locating import locate
from fanshu.agent.neighbours import neighbours
from fanshu.agent.objections import listed, say, shortened
from fanshu.agent.planted import echo, is_planted, is_suspect
from fanshu.agent.seen import whole_id
from fanshu.types import Chunk, Citation, Derived, Language, Status

Strictness = Literal["strict", "lenient"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the check found.

    `citations` passed, `rejected` did not. `unsupported` is what the response says and no quoted
    passage does: figures, wrong arithmetic, a "not" too many or too few, words of an order in a
    text; `derived` are figures that follow from others. `objections` say to the model what is
    wrong and what to do; without any the answer can go out as it is. `remarks` are doubts that
    the reader should know of. `suspect`: a cited section gives orders to models, so that more of
    it may be planted.
    """

    citations: tuple[Citation, ...] = ()
    rejected: tuple[DraftCitation, ...] = ()
    unsupported: tuple[str, ...] = ()
    derived: tuple[Derived, ...] = ()
    objections: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    suspect: bool = False


def check(
    draft: Draft,
    *,
    read: Mapping[str, Chunk],
    question: str,
    language: Language,
    changed: Collection[str] = (),
    strictness: Strictness = "strict",
    small: bool = False,
) -> Verdict:
    """Check a draft against the chunks read in this run, by id.

    `changed`: ids of chunks whose file is no longer what was read. `strictness`: a `lenient`
    check takes figures from anywhere in the cited chunks, and doubts about a "not" or about
    which figure is which are only remarked. A draft that says nothing was found passes: it
    claims nothing. `small`: places of bare figures are found by the question's words too.
    """
    if not draft.found:
        return Verdict()
    checks = [_check_citation(one, read, changed, language) for one in draft.citations]
    passed = [one for one in checks if isinstance(one, _Passed)]
    failed = [one for one in checks if isinstance(one, _Failed)]
    located = [] if passed else _located(draft.response, read, changed, question if small else "")
    places = tuple(distinct(one.place for one in (*passed, *located)))
    lenient = strictness == "lenient"
    figures = check_figures(draft.response, evidence_of(places, whole=lenient), question)
    doubts = [
        *_doubts(draft.response, (*passed, *located), language),
        *_neighbours(draft.response, question, places, language),
    ]
    held, told = ([], doubts) if lenient else (doubts, [])
    objections = [one.objection for one in failed]
    objections += _on_figures(figures, language) if places else []
    objections += [one.objection for one in held]
    if not draft.citations and not located:
        objections.append(say("none", language))
    near = (question, *(one.passage for one in places))
    echoed = echo(draft.response, read.values(), near)
    objections += [say("echo", language, words=echoed)] if echoed else []
    claims = (echoed, *(one.claim for one in held))
    against = filter(None, (*figures.unsupported, *figures.wrong, *claims))
    by_code = [say("located?", language)] if located else []
    return Verdict(
        citations=tuple(cite(one, "located" if located else "quoted") for one in places),
        rejected=tuple(one.draft for one in failed),
        unsupported=tuple(dict.fromkeys(against)),
        derived=figures.derived,
        objections=tuple(dict.fromkeys(objections)),
        remarks=(*by_code, *(one.remark for one in told)),
        suspect=any(is_suspect(one.chunk, read.values()) for one in places),
    )


def status_of(draft: Draft, verdict: Verdict) -> Status:
    """The status of an answer that is not sent back any more."""
    if not draft.found or not verdict.citations:
        return "not_found"
    replaced = verdict.citations[0].verified == "located"  # code found better ones
    refused = verdict.rejected and not replaced
    lacking = verdict.unsupported or refused or verdict.suspect
    return "partial" if lacking else "answered"


# ---------------------------------------------------------------- citations


@dataclass(frozen=True, slots=True)
class _Passed:
    draft: DraftCitation
    place: Place


@dataclass(frozen=True, slots=True)
class _Failed:
    draft: DraftCitation
    objection: str


def _check_citation(
    draft: DraftCitation, read: Mapping[str, Chunk], changed: Collection[str], language: Language
) -> _Passed | _Failed:
    chunk_id = whole_id(draft.chunk_id, read)
    if chunk_id is None:
        fields = {"chunk_id": shortened(draft.chunk_id), "read": listed(list(read), language)}
        return _Failed(draft, say("unread", language, **fields))
    if chunk_id in changed:
        return _Failed(draft, say("changed", language, chunk_id=chunk_id))
    if not draft.quote:
        return _Failed(draft, say("no quote", language, chunk_id=chunk_id))
    if found := find(draft.quote, read[chunk_id]):
        place = Place(read[chunk_id], found)
        if is_planted(place):
            return _Failed(draft, say("orders", language, quote=shortened(draft.quote)))
        return _Passed(draft, place)
    return _Failed(draft, _not_there(draft.quote, chunk_id, read, language))


def _located(
    response: str, read: Mapping[str, Chunk], changed: Collection[str], question: str
) -> list[_Passed]:
    """Places that code finds for an answer of which no citation can be used."""
    places = locate(response, [one for key, one in read.items() if key not in changed], question)
    return [_Passed(DraftCitation(one.chunk.chunk_id, one.quote), one) for one in places]


def _not_there(quote: str, chunk_id: str, read: Mapping[str, Chunk], language: Language) -> str:
    others = (known for known, chunk in read.items() if known != chunk_id and find(quote, chunk))
    other = next(others, None)
    elsewhere = say("elsewhere", language, chunk_id=other) if other else ""
    short = shortened(quote)
    return say("not there", language, chunk_id=chunk_id, quote=short, elsewhere=elsewhere)


# ---------------------------------------------------------------- figures


def _on_figures(figures: FigureCheck, language: Language) -> list[str]:
    named = {"figures": figures.unsupported, "wrong": figures.wrong}
    return [
        say(name, language, figures=listed(found, language))
        for name, found in named.items()
        if found
    ]


# ---------------------------------------------------------------- doubts


@dataclass(frozen=True, slots=True)
class _Doubt:
    """Words of the answer that its passages seem to say otherwise."""

    claim: str
    objection: str
    remark: str


def _doubts(response: str, passed: Collection[_Passed], language: Language) -> Iterator[_Doubt]:
    """Negations and bounds that are not those of the passages."""
    for one in passed:
        word = left_out(one.place.found, one.place.chunk.text)
        if word and not mentions(response, word):
            fields = {"chunk_id": one.place.chunk.chunk_id, "quote": shortened(one.draft.quote)}
            yield _doubt("left out", one.place.quote, language, word=word, **fields)
    passages = [one.place.passage for one in passed]
    kinds = {"not": turned_over, "bound": turned_round}
    for name, find_in in kinds.items():
        for claim in find_in(response, passages):
            yield _doubt(name, claim, language, claim=shortened(claim))


def _neighbours(
    response: str, question: str, places: Sequence[Place], language: Language
) -> Iterator[_Doubt]:
    """Names that the passages have instead of those that the question asks for."""
    for asked, near in neighbours(response, question, places):
        yield _doubt("neighbour", asked, language, asked=shortened(asked), near=shortened(near))


def _doubt(name: str, said: str, language: Language, **fields: str) -> _Doubt:
    objection, remark = (say(key, language, **fields) for key in (name, f"{name}?"))
    return _Doubt(shortened(said), objection, remark)
