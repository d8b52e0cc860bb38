"""③ The loop: ask the model, do what it calls for, show it what came of that, until it answers.

    run = await LoopAgent(library, model).ask("What is the write timeout?")

A round is one call of the model. Rounds, repeats, bad calls, room and time have limits;
running into one is a result, never an exception.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Literal

from fanshu.agent.answer import Draft, check, parse_draft, resolve
from fanshu.agent.calls import bad_arguments, understood
from fanshu.agent.context import Fence
from fanshu.agent.events import Bounced, Ended, OnEvent, RoundStarted, Started, Stepped
from fanshu.agent.folding import fit
from fanshu.agent.opening import open_run
from fanshu.agent.prompts import language_of
from fanshu.agent.result import answer_of, warn_of_unreadable, warnings_of_ocr
from fanshu.agent.run import Run, State
from fanshu.agent.tools import Repeat, Tools
from fanshu.errors import ContextTooLong, LibraryError, ModelError
from fanshu.library.library import Library
from fanshu.models import Model, Reply, Turn
from fanshu.types import EVERYTHING, Language, Observation, Scope, Step, ToolCall

MAX_ROUNDS = 10  # the ceiling of DESIGN §3, whatever is asked for
BAD_TURNS = 3  # in a row without one good call: this model will not find its way
BARREN_TURNS = 2  # in a row that only repeat: a circle, whatever its length
LEAST_ROOM = 2_000  # tokens; a model that takes less cannot hold the rules and one chunk
HURRY = 0.75  # of the deadline: from then on only an answer is asked for


class LoopAgent:
    """Answers questions over a library with a model; one may serve many questions at once.

    `max_rounds`: calls of the model for one question, at most 10; an answer that fails the
    check adds one. `hits`: lines of a search. `first_search`: search with the question's own
    words before the first round. `directory_summary`: show the library at a glance; a text
    takes its place. `summarize`: offer the tool of that name. `context_tokens`: an estimate of
    what one request may hold. `deadline`: seconds for one question. `keep_unverified`: give
    back refused text as `unverified_text`. `executor`: the threads that library calls run in;
    by default the event loop's own.
    `marker`: what fences document text; by default a random one for each run.

    The caller synchronises the library; a run only notices changes of what it shows.
    """

    def __init__(
        self,
        library: Library,
        model: Model,
        *,
        max_rounds: int = 6,
        hits: int = 10,
        first_search: bool = True,
        directory_summary: bool | str = True,
        summarize: bool = True,
        language: Language | Literal["auto"] = "auto",
        context_tokens: int = 24_000,
        deadline: float | None = None,
        scope: Scope = EVERYTHING,
        keep_unverified: bool = False,
        executor: Executor | None = None,
        marker: str | None = None,
    ) -> None:
        self.library, self.model, self.scope = library, model, scope
        self.max_rounds = max(1, min(max_rounds, MAX_ROUNDS))
        self.hits, self.first_search = hits, first_search
        self.directory_summary = directory_summary
        self.without = () if summarize else ("summarize",)
        self.language = language
        self.context_tokens, self.deadline = context_tokens, deadline
        self.keep_unverified = keep_unverified
        self.executor, self.marker = executor, marker

    async def ask(self, question: str, *, on_event: OnEvent | None = None) -> Run:
        """Run the loop for one question.

        Cancelling the task that awaits this ends the run early, once: it returns what there
        is, with the stop reason `interrupted`, and the cancellation is used up. Errors of the
        model end a run too (`model_error`); they are never raised.

        Raises: LibraryError — the library cannot be searched at all.
        """
        state = self._begin(question, on_event)
        try:
            async with asyncio.timeout(self.deadline):
                await open_run(
                    state, summary=self.directory_summary, first_search=self.first_search
                )
                while not state.stop:
                    await self._step(state)
                await warn_of_unreadable(state)
        except TimeoutError:
            state.stop = "deadline"
        except asyncio.CancelledError:
            state.stop = "interrupted"
            if task := asyncio.current_task():
                task.uncancel()
        except ModelError as error:
            state.stop, state.error = "model_error", str(error)
        answer = answer_of(state, self.model, keep_unverified=self.keep_unverified)
        state.tell(Ended(answer))
        return Run(answer, tuple(state.steps), tuple(state.turns), state.opening)

    def _begin(self, question: str, on_event: OnEvent | None) -> State:
        language = language_of(question) if self.language == "auto" else self.language
        tools = Tools(
            self.library,
            language=language,
            hits=self.hits,
            scope=self.scope,
            fence=Fence(self.marker),
            without=self.without,
            executor=self.executor,
        )
        state = State(question, language, tools, self.max_rounds, self.context_tokens, on_event)
        state.tell(Started(question, self.model.name, self.max_rounds))
        return state

    # ------------------------------------------------------------ a round

    async def _step(self, state: State) -> None:
        """One round: the model decides, its calls are made, what came of them is appended."""
        began, bounces = state.seconds, state.bounces
        final = self._final(state)
        reply = await self._decide(state, final=final)
        observations = await self._act(state, reply, final=final)
        took = state.seconds - began
        state.steps.append(
            Step(state.round, reply.text, reply.calls, observations, reply.usage, took)
        )
        self._judge(state, observations, refused=final and state.bounces == bounces)
        self._append(state, reply, observations)

    def _final(self, state: State) -> bool:
        """Whether the coming round can only be an answer."""
        if self.deadline and state.seconds > HURRY * self.deadline:
            state.forced = state.forced or "deadline"
        if not fit(state.turns, state.tools, room=state.room, sent=state.sent):
            state.forced = state.forced or "budget"
        return state.forced is not None or state.left == 1

    async def _decide(self, state: State, *, final: bool) -> Reply:
        """One call of the model."""
        state.tell(RoundStarted(state.round + 1, state.left))
        state.round += 1
        reply = await self._request(state, "answer" if final else None)
        state.sent = len(state.turns)
        state.usage += reply.usage
        return understood(reply, state.tools.names, state.round)

    async def _request(self, state: State, force: str | None) -> Reply:
        """The model's reply; what proves too long for it is folded to half and sent again."""
        while True:
            try:
                return await self.model.next(state.turns, state.tools.specs, force=force)
            except ContextTooLong:
                state.room //= 2
                if state.room < LEAST_ROOM:
                    raise
                fit(state.turns, state.tools, room=state.room, sent=state.sent)

    async def _act(self, state: State, reply: Reply, *, final: bool) -> tuple[Observation, ...]:
        """One observation for each call, in order. An answer waits for the other calls."""
        read = set(state.tools.seen.read)
        known = None if final or len(reply.calls) == 1 else read
        results: dict[int, Observation] = {}
        numbered = list(enumerate(reply.calls))
        for at, call in sorted(numbered, key=lambda pair: pair[1].name == "answer"):
            if call.name == "answer":
                results[at] = await self._answer(state, call, known=known, final=final)
            elif final:
                text = state.tools.say("answer_only")
                results[at] = Observation(call.id, call.name, text, error=True)
            else:
                results[at] = await state.tools.run(call, state.round)
            state.tell(Stepped(state.round, call, results[at], state.seconds))
        return tuple(results[at] for at, _ in numbered)

    def _append(self, state: State, reply: Reply, observations: Sequence[Observation]) -> None:
        """The reply and its observations become turns; the last says how many rounds are left."""
        say = state.tools.say
        state.turns.append(Turn("assistant", reply.text, reply.calls, native=reply.native))
        state.turns += [
            Turn("tool", done.text, call_id=done.call_id, tool=done.tool, data=done.data)
            for done in observations
        ]
        if not observations:
            state.turns.append(Turn("user", say("prose")))
        if state.stop:
            return
        only_answer = state.forced is not None or state.left == 1
        left = say("last") if only_answer else say("left", left=state.left)
        last = state.turns[-1]
        state.turns[-1] = replace(last, text=f"{last.text}\n{left}")

    def _judge(self, state: State, observations: Sequence[Observation], *, refused: bool) -> None:
        """Whether the run goes on, goes on to an answer only, or ends; `refused`: to answer."""
        if state.stop:
            return
        good = [done for done in observations if not done.error]
        barren = bool(good) and all(isinstance(done.data, Repeat) for done in good)
        state.bad = 0 if good else state.bad + 1
        state.barren = state.barren + 1 if barren else 0
        if refused:
            state.stop = state.forced or "max_rounds"
        elif state.bad == BAD_TURNS:
            state.stop = "bad_calls"
        elif state.barren == BARREN_TURNS or (barren and state.repeated_at_once):
            state.forced = "loop"

    # ------------------------------------------------------------ the answer

    async def _answer(
        self, state: State, call: ToolCall, *, known: set[str] | None, final: bool
    ) -> Observation:
        """Check an answer. What fails goes back once; after that it stands as it is.

        `known`: what was read before, when the answer came beside other calls.
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
            text = bad_arguments(call, draft, state.language)
            return Observation(call.id, call.name, text, error=True)
        draft = _with_full_ids(draft, state.tools)
        cited = {citation.chunk_id for citation in draft.citations}
        if known is not None and not cited <= known:
            return Observation(call.id, call.name, say("answer_alone"), draft)
        return await self._checked(state, call, draft)

    async def _checked(self, state: State, call: ToolCall, draft: Draft) -> Observation:
        say = state.tools.say
        before = dict(state.tools.seen.read)
        changed = await self._changed(state, draft)
        read = before | state.tools.seen.read
        # What a not-found answer cites as nearest is checked too, but never sent back.
        verdict = await state.tools.call(
            check,
            replace(draft, found=draft.found or bool(draft.citations)),
            read=read,
            question=state.question,
            language=state.language,
            changed=changed,
        )
        by_ocr = await state.tools.call(warnings_of_ocr, state.tools, verdict.citations)
        state.draft, state.verdict, state.by_ocr = draft, verdict, by_ocr
        if verdict.objections and draft.found and not (state.bounces or self.model.extractive):
            state.bounces = 1
            state.tell(Bounced(state.round, verdict.objections))
            wrong = map(state.tools.fence.beside, verdict.objections)
            text = "\n".join([say("objections"), *wrong])
            return Observation(call.id, call.name, text, verdict)
        state.stop = "answered"
        return Observation(call.id, call.name, say("accepted"), verdict)

    async def _changed(self, state: State, draft: Draft) -> tuple[str, ...]:
        """Which of the cited chunks are no longer what was read; of the others, where they are."""
        changed, seen = [], state.tools.seen
        for chunk_id in dict.fromkeys(citation.chunk_id for citation in draft.citations):
            if chunk_id not in seen.read:
                continue
            try:
                now = await state.tools.read(chunk_id)
            except LibraryError:
                changed.append(chunk_id)
                continue
            if now.section_path == seen.read[chunk_id].section_path:
                seen.read[chunk_id] = now
            else:  # the same text, but under headings that were not shown
                seen.forget(chunk_id)
                changed.append(chunk_id)
        return tuple(changed)


def _with_full_ids(draft: Draft, tools: Tools) -> Draft:
    """A draft that names chunks by whole ids; a short one means the one that was read."""

    def full(given: str) -> str:
        return resolve(given, tools.seen.read) or tools.seen.full_id(given)

    citations = tuple(replace(c, chunk_id=full(c.chunk_id)) for c in draft.citations)
    return replace(draft, citations=citations)
