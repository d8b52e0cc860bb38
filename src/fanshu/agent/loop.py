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

from fanshu.agent import answering, compact
from fanshu.agent.answer import Strictness
from fanshu.agent.calls import understood
from fanshu.agent.context import Fence, size
from fanshu.agent.events import Ended, OnEvent, RoundStarted, Started, Stepped
from fanshu.agent.folding import fit
from fanshu.agent.limits import Limits
from fanshu.agent.opening import open_run
from fanshu.agent.owntools import Tool, by_name
from fanshu.agent.prompts import language_of
from fanshu.agent.result import answer_of, warn_of_unreadable
from fanshu.agent.run import Run, State
from fanshu.agent.tools import Repeat, Tools
from fanshu.errors import ContextTooLong, ModelError
from fanshu.library.library import Library
from fanshu.models import Model, Reply, Turn
from fanshu.types import EVERYTHING, Exchange, Language, Observation, Scope, Step

MAX_ROUNDS = 10  # the ceiling of DESIGN §3, whatever is asked for
BAD_TURNS = 3  # in a row without one good call: this model will not find its way
BARREN_TURNS = 2  # in a row that only repeat: a circle, whatever its length
LEAST_ROOM = 2_000  # tokens; a model that takes less cannot hold the rules and one chunk
SHRINK = 0.7  # of what proved too long; our count may be a third below the model's own
NOTE_AFTER = 3  # rounds; a shorter run is a note of itself


class LoopAgent:
    """Answers questions over a `library` with a `model`; one may serve many questions at once.

    `max_rounds`: calls of the model for one question, at most 10; an answer that fails the
    check adds one. `hits`: lines of a search. `first_search`: search with the question's own
    words before the first round; `text_ahead`: give the best texts of one that went well.
    `search_path`: let the model limit a search to a file or folder. `directory_summary`: show the
    library at a glance; a text takes its place. `summarize`: ask for notes in every round, in
    long runs (auto), or do not even offer the tool. `context_tokens`: an estimate of what one
    request may hold. `deadline` (seconds) ends a run at the moment; `max_tokens` and `max_cost`
    (US dollars) make the round the last that could not be followed by another. `strictness`:
    `strict` fails an answer for what `lenient` only warns of. `keep_unverified`: give back refused
    text and the model's own notes as `unverified_text`. `executor`: the threads that library calls
    run in; by default the event loop's own. `marker`: what fences document text; by default a
    random one for each run.
    `small`: the model is a small one, which gets a short prompt, fewer tools and at most 3 rounds.
    `tools`: tools of your own, beside ours.

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
        text_ahead: bool = True,
        search_path: bool = True,
        directory_summary: bool | str = True,
        summarize: Literal["auto", "always", "never"] = "auto",
        language: Language | Literal["auto"] = "auto",
        context_tokens: int = 24_000,
        deadline: float | None = None,
        max_tokens: int | None = None,
        max_cost: float | None = None,
        scope: Scope = EVERYTHING,
        strictness: Strictness = "strict",
        keep_unverified: bool = False,
        executor: Executor | None = None,
        marker: str | None = None,
        small: bool = False,
        tools: Sequence[Tool] = (),
    ) -> None:
        self.library, self.model, self.scope = library, model, scope
        self.max_rounds = max(1, min(max_rounds, compact.ROUNDS if small else MAX_ROUNDS))
        self.hits = min(hits, compact.HITS) if small else hits
        self.first_search, self.small = first_search, small
        self.text_ahead, self.search_path = text_ahead, search_path
        self.directory_summary = directory_summary
        self.summarize = summarize
        self.without = ("summarize",) if summarize == "never" else ()
        self.language = language
        self.context_tokens = context_tokens
        self.limits = Limits(deadline, max_tokens, max_cost)
        self.strictness, self.keep_unverified = strictness, keep_unverified
        self.executor, self.marker = executor, marker
        self.tools = tuple(by_name(tools).values())

    async def ask(
        self,
        question: str,
        *,
        earlier: Sequence[Exchange] = (),
        on_event: OnEvent | None = None,
    ) -> Run:
        """Run the loop for one `question`; `earlier`: the conversation it goes on from.

        Cancelling the task that awaits this ends the run early, once: it returns what there
        is, with the stop reason `interrupted`, and the cancellation is used up. Errors of the
        model end a run too (`model_error`); they are never raised.

        Raises: LibraryError — the library cannot be searched at all.
        """
        state = self._begin(question, earlier, on_event)
        try:
            async with asyncio.timeout(self.limits.seconds):
                await open_run(
                    state,
                    summary=self.directory_summary,
                    first_search=self.first_search,
                    text_ahead=self.text_ahead,
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
        read = tuple(state.tools.seen.read.values())
        return Run(answer, tuple(state.steps), tuple(state.turns), state.opening, read)

    def _begin(self, question: str, earlier: Sequence[Exchange], on_event: OnEvent | None) -> State:
        language = language_of(question) if self.language == "auto" else self.language
        tools = Tools(
            self.library,
            language=language,
            hits=self.hits,
            scope=self.scope,
            fence=Fence(self.marker),
            without=self.without,
            search_path=self.search_path,
            small=self.small,
            own=self.tools,
            executor=self.executor,
        )
        clock = asyncio.get_running_loop().time  # by which the deadline ends a run as well
        state = State(
            question,
            language,
            tools,
            self.max_rounds,
            self.context_tokens,
            on_event,
            extractive=self.model.extractive,
            earlier=tuple(earlier),
            clock=clock,
            began=clock(),
        )
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
        state.forced = state.forced or self.limits.near(state)
        if not fit(state.turns, state.tools, room=state.room, sent=state.sent):
            state.forced = state.forced or "budget"
        return state.forced is not None or state.left == 1

    async def _decide(self, state: State, *, final: bool) -> Reply:
        """One call of the model."""
        state.tell(RoundStarted(state.round + 1, state.left))
        state.round += 1
        at_once = self.small and state.round == 1 and state.answerable
        due = "search" if state.search_due and not state.searched else None
        reply = await self._request(state, "answer" if final or at_once else due)
        state.sent = len(state.turns)
        state.usage += reply.usage
        return understood(reply, state.tools.names, state.round)

    async def _request(self, state: State, force: str | None) -> Reply:
        """The model's reply; what proves too long for it is folded and sent again."""
        while True:
            try:
                state.estimated += size(state.turns, state.tools.specs)
                return await self.model.next(state.turns, state.tools.specs, force=force)
            except ContextTooLong:
                sent = size(state.turns, state.tools.specs)
                state.room = int(min(state.room, sent) * SHRINK)
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
                results[at] = await answering.answer(
                    state, call, known=known, final=final, strictness=self.strictness
                )
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
        if not only_answer and self._wants_note(state, reply):
            left += say("note_due")
        last = state.turns[-1]
        state.turns[-1] = replace(last, text=f"{last.text}\n{left}")

    def _wants_note(self, state: State, reply: Reply) -> bool:
        """Whether to ask for a note of what is known and what is missing."""
        if (
            self.summarize == "never"
            or self.small
            or any(call.name in ("summarize", "answer") for call in reply.calls)
        ):
            return False
        return self.summarize == "always" or (
            state.round >= NOTE_AFTER and not state.tools.seen.notes
        )

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
