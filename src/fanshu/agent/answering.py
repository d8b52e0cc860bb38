"""The model calls `answer`: its citations are opened, everything is checked, and the run ends or
goes back once with what is wrong.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import partial

from fanshu.agent.answer import Strictness, Verdict, check
from fanshu.agent.calls import bad_arguments
from fanshu.agent.draft import Draft, parse_draft
from fanshu.agent.events import Bounced
from fanshu.agent.lines import quoted_lines, turns
from fanshu.agent.opening import questions_in
from fanshu.agent.result import warnings_of_ocr
from fanshu.agent.run import State
from fanshu.agent.seen import whole_id
from fanshu.agent.tools import Tools
from fanshu.errors import LibraryError
from fanshu.types import Chunk, Observation, ToolCall

_LACKING = re.compile(  # an answer that says what it did not find
    r"没有?(?:写|找到|提到|说明|规定|载明)|未(?:找到|写明|提及|说明|规定|见)|找不到|不在文档"
    r"|\b(?:not (?:found|stated|given|documented|mentioned|specified)|no mention"
    r"|do(?:es)? not (?:say|state|mention))\b",
    re.IGNORECASE,
)


async def answer(
    state: State,
    call: ToolCall,
    *,
    known: Collection[str] | None,
    final: bool,
    strictness: Strictness,
) -> Observation:
    """Take an answer, or say what it lacks. What fails the check goes back once.

    `known`: what was read before, when the answer came beside other calls. `final`: no other
    round follows.
    """
    say = state.tools.say
    if state.stop:
        return Observation(call.id, call.name, say("answer_first"), error=True)
    draft: Draft | str = say("no_object")
    if call.arguments is not None:
        draft = parse_draft(call.arguments, state.language)
    if isinstance(draft, str):
        if final and not state.bounces:
            state.bounces = 1
        text = state.tools.fence.harmless(bad_arguments(call, draft, state.language))
        return Observation(call.id, call.name, text, error=True)
    if not draft.found and state.tools.small and not (final or state.searched):
        state.search_due = True
        return Observation(call.id, call.name, say("search_first"), draft)
    if say("objections") in draft.response:  # small models repeat what they were told
        draft = replace(draft, found=False, response="", citations=())
    draft = _with_full_ids(draft, state.tools)
    cited = {citation.chunk_id for citation in draft.citations}
    if known is not None and not cited <= set(known):
        return Observation(call.id, call.name, say("answer_alone"), draft)
    doubtful = await _open_quoted(state.tools, draft)
    if doubtful and not (final or state.opened):
        state.opened = True
        verdict = await _verdict(state, draft, strictness)
        text = "\n".join([state.tools.give(doubtful), *_objections(state, verdict)])
        return Observation(call.id, call.name, text, draft)
    state.half_seen = tuple(dict.fromkeys([*state.half_seen, *(one.chunk_id for one in doubtful)]))
    return await _checked(state, call, draft, strictness)


def _with_full_ids(draft: Draft, tools: Tools) -> Draft:
    """A draft that names chunks by whole ids; a short one means the one that was read."""

    def full(given: str) -> str:
        return whole_id(given, tools.seen.read) or tools.seen.full_id(given)

    citations = tuple(replace(c, chunk_id=full(c.chunk_id)) for c in draft.citations)
    return replace(draft, citations=citations)


async def _open_quoted(tools: Tools, draft: Draft) -> list[Chunk]:
    """Open the chunks of which only a line was seen; those whose rest the model should read."""
    opened = []
    for chunk_id in quoted_lines(draft, tools.seen):
        try:
            chunk = await tools.read(chunk_id)
        except LibraryError:
            continue  # the check says that it was not read
        hit = tools.seen.hits.get(chunk_id)
        if hit and hit.section_path != chunk.section_path:
            tools.seen.forget(chunk_id)  # the same text, but under headings that were not shown
            continue
        tools.seen.read[chunk_id] = chunk
        opened.append(chunk)
    return [one for one in opened if turns(one, draft, tools.seen.lines_of(one.chunk_id))]


async def _checked(
    state: State, call: ToolCall, draft: Draft, strictness: Strictness
) -> Observation:
    verdict = await _verdict(state, draft, strictness)
    if one_sided := _one_sided(state, draft, verdict):
        verdict = replace(verdict, objections=(*verdict.objections, one_sided))
    by_ocr = await state.tools.call(warnings_of_ocr, state.tools, verdict.citations)
    state.draft, state.verdict, state.by_ocr = draft, verdict, by_ocr
    if verdict.objections and draft.found and not (state.bounces or state.extractive):
        state.bounces = 1
        state.tell(Bounced(state.round, verdict.objections))
        return Observation(call.id, call.name, "\n".join(_objections(state, verdict)), verdict)
    state.stop = "answered"
    return Observation(call.id, call.name, state.tools.say("accepted"), verdict)


def _one_sided(state: State, draft: Draft, verdict: Verdict) -> str | None:
    """An objection to an answer that cites one place for several questions, and says no more.

    Of 20 questions of the evaluation set that ask twice or more, one place answers two.
    """
    asked = questions_in(state.question)
    places = {(one.chunk_id, one.passage) for one in verdict.citations}
    if asked < 2 or len(places) != 1 or _LACKING.search(draft.response):
        return None
    return state.tools.say("one_sided", count=asked)


def _objections(state: State, verdict: Verdict) -> list[str]:
    """What is wrong with an answer, for the model; nothing where nothing is."""
    wrong = [state.tools.fence.beside(one) for one in verdict.objections]
    return [state.tools.say("objections"), *wrong] if wrong else []


async def _verdict(state: State, draft: Draft, strictness: Strictness) -> Verdict:
    before = dict(state.tools.seen.read)
    changed = await _changed(state.tools, [one.chunk_id for one in draft.citations])
    judge = partial(
        check,
        # What a not-found answer cites as nearest is checked too, but never sent back.
        replace(draft, found=draft.found or bool(draft.citations)),
        read=before | state.tools.seen.read,
        question=state.question,
        language=state.language,
        strictness=strictness,
        small=state.tools.small,
    )
    verdict = await state.tools.call(judge, changed=changed)
    located = [one.chunk_id for one in verdict.citations if one.verified == "located"]
    if gone := await _changed(state.tools, located):
        verdict = await state.tools.call(judge, changed=(*changed, *gone))
    return verdict


async def _changed(tools: Tools, cited: Iterable[str]) -> tuple[str, ...]:
    """Which of the cited chunks are no longer what was read; of the others, where they are."""
    changed, seen = [], tools.seen
    for chunk_id in dict.fromkeys(cited):
        if chunk_id not in seen.read:
            continue
        try:
            now = await tools.read(chunk_id)
        except LibraryError:
            changed.append(chunk_id)
            continue
        if now.section_path == seen.read[chunk_id].section_path:
            seen.read[chunk_id] = now
        else:  # the same text, but under headings that were not shown
            seen.forget(chunk_id)
            changed.append(chunk_id)
    return tuple(changed)
