"""Approved answers as lines for people. Nothing here prints."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fanshu.cli.messages import Texts
from fanshu.cli.screen import FAINT, HEAD, QUOTE, WARNING, Line, line
from fanshu.cli.show import answer, place
from fanshu.library.naming import visible

if TYPE_CHECKING:
    from fanshu.approved.approval import Kept
    from fanshu.approved.standing import Standing
    from fanshu.approved.stores import Revision


def brief(texts: Texts, kept: "Kept", *, done: bool = False) -> Iterator[Line]:
    """Who approved what, when, and how it stands."""
    one, state = kept.approved, kept.examined.state
    said = texts(f"evidence.{state}")
    about = [f"{one.by}, {one.at}", *([texts("approved.edited")] if one.edited else [])]
    name = texts("approved.done", id=kept.id) if done else kept.id
    style = WARNING if kept.examined.waits else "green"
    yield ((name, HEAD), (f"  [{said}]", style), (f"  {' · '.join(about)}", FAINT))
    yield line(f"  {one.question}")
    if done:
        yield line(f"  {' '.join(one.answer.answer.split())}")
    for item in one.answer.unsupported:
        yield line(f"  ! {texts('approved.unsupported', item=item)}", WARNING)
    for wording in kept.wordings[1:]:
        yield line(f"  {texts('approved.also', wording=wording)}", FAINT)


def whole(texts: Texts, kept: "Kept", history: "Sequence[Revision]") -> Iterator[Line]:
    """An answer with its evidence, then and now, and who did what."""
    yield from brief(texts, kept)
    if kept.approved.note:
        yield line(f"  {kept.approved.note}", FAINT)
    yield line()
    yield from answer(texts, kept.given(kept.approved.question, 0.0))
    yield line()
    yield from evidence(texts, kept)
    yield line(texts("approved.history"), HEAD)
    for one in history:
        act = texts.known(f"approved.act.{one.act}", one.act)
        note = f"  {one.note}" if one.note else ""
        yield line(f"  {one.at}  {act}  {one.by}{note}")


def evidence(texts: Texts, kept: "Kept") -> Iterator[Line]:
    """What became of the evidence: each passage that is not what it was, then and now."""
    for one in kept.examined.standings:
        yield from _standing(texts, one)
    for against in kept.examined.contradictions:
        where = place(texts, against.file_path, against.section_path, None, None)
        fields = {"place": where, "says": against.says, "said": against.said}
        yield line(f"    {texts('approved.against', **fields)}", WARNING)
        yield line(f"      {' '.join(against.passage.split())}", FAINT)
    for item in kept.examined.unsupported:
        yield line(f"    {texts('approved.no_longer', item=item)}", WARNING)


def _standing(texts: Texts, one: "Standing") -> Iterator[Line]:
    if one.state == "unchanged" and not one.newer_version:
        return
    state = texts(f"evidence.{one.state}")
    style = "" if one.state in ("unchanged", "moved") else WARNING
    yield ((f"  [{one.number}] {state}  ", style), (visible(one.chunk_id), FAINT))
    if one.now and one.file_path and one.state != "unchanged":
        where = place(texts, one.file_path, one.section_path, one.lines, one.page)
        yield line(f"      {texts('approved.now_at', place=where)}")
    if one.state == "changed":
        yield from _side_by_side(texts, one)
    if one.state == "gone":
        yield _text(texts("approved.before"), ((one.passage, True),))
    if one.newer_version:
        said = texts("approved.newer", path=visible(one.newer_version))
        yield line(f"      {said}", WARNING)


def _side_by_side(texts: Texts, one: "Standing") -> Iterator[Line]:
    from fanshu.approved.marking import side_by_side

    before, after = side_by_side(one.passage, one.passage_now or "")
    yield _text(texts("approved.before"), before)
    yield _text(texts("approved.after"), after)


def _text(name: str, pieces: Sequence[tuple[str, bool]]) -> Line:
    """A text on one line, what differs marked."""
    spans = ((text.replace("\n", " "), QUOTE if differs else "") for text, differs in pieces)
    return ((f"      {name}  ", FAINT), *spans)
