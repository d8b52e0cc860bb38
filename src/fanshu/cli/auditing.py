"""Verbs of an audit: the page of a trace, answers checked again, an answer explained."""

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fanshu.cli.helping import Verb
from fanshu.cli.messages import Texts
from fanshu.cli.options import LIBRARY, Call, with_settings
from fanshu.cli.screen import FAINT, HEAD, WARNING, Line, line
from fanshu.cli.show import place
from fanshu.errors import FanshuError
from fanshu.settings import Settings
from fanshu.types import plain

if TYPE_CHECKING:
    from fanshu.agent.events import Event, OnEvent, Stepped
    from fanshu.audit.account import Account
    from fanshu.audit.rescoring import Rescored, Standing

DIFFERS = 1
STDOUT = "-"
OPENED = (
    "docs",
    "index",
    "exclude",
    "part_chars",
    "max_file_mb",
    "synonyms",
)  # what makes another library


def add(traces: typer.Typer, texts: Texts) -> None:
    """Put these verbs beside the others about traces."""

    @traces.command("rescore", cls=Verb, help=texts("help.trace_rescore"))
    @with_settings(*LIBRARY, texts=texts)
    def rescore(
        call: Call,
        trace_ids: Annotated[
            list[str] | None, typer.Argument(metavar="[ID]...", help=texts("help.rescore_ids"))
        ] = None,
        every: Annotated[bool, typer.Option("--all", help=texts("help.rescore_all"))] = False,
    ) -> int:
        return _rescore(call, trace_ids or [], every)


# ---------------------------------------------------------------- the page


def write_page(call: Call, document: dict[str, Any], target: str) -> int:
    """Write the page of a trace to a file that only its owner may read, or to stdout (`-`)."""
    from fanshu.audit.page import page

    html = page(document)
    if target == STDOUT:
        call.screen.raw(html)
        return 0
    try:
        with os.fdopen(_private(target), "w", encoding="utf-8", newline="\n") as file:
            file.write(html)
    except OSError as error:
        detail = f"{target!r} cannot be written: {error.strerror}"
        raise typer.BadParameter(detail, param_hint="--html") from error
    call.screen.show([line(call.screen.texts("trace.written", path=target))])
    return 0


def _private(target: str) -> int:
    return os.open(Path(target), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)


# ---------------------------------------------------------------- ask --explain


class Gathering:
    """Keeps what a run tells, in the form of a trace, and passes every event on."""

    def __init__(self, passed_to: "OnEvent") -> None:
        self._passed_to = passed_to
        self._steps: list[Stepped] = []

    def __call__(self, event: "Event") -> None:
        """Hear of an event."""
        from fanshu.agent.events import Stepped

        if isinstance(event, Stepped):
            self._steps.append(event)
        self._passed_to(event)

    def document(self, answer: object) -> dict[str, Any]:
        """What a trace would hold of the run, as far as an account of it needs."""
        rounds = [
            {
                "round": step.round,
                "calls": [plain(step.call)],
                "observations": [plain(step.observation)],
            }
            for step in self._steps
        ]
        return {"opening": None, "rounds": rounds, "answer": plain(answer)}


def explained(texts: Texts, told: "Account") -> Iterator[Line]:
    """Where each figure of an answer stands, and how the checks came out."""
    from fanshu.audit.words import say

    yield line()
    yield line(say(texts.language, "explained"), HEAD)
    for fact in told.facts:
        numbers = " ".join(f"[{number}]" for number in fact.sources)
        said = say(texts.language, f"fact.{fact.kind}", sources=numbers, arithmetic=fact.arithmetic)
        yield line(f"  {fact.text}  {said}", WARNING if fact.kind == "unsupported" else "")
    for one in told.checks:
        outcome = say(texts.language, f"outcome.{one.outcome}")
        said = say(texts.language, f"check.{one.code}", good=one.good, all=one.all)
        yield line(f"  {outcome}  {said}", "" if one.outcome == "passed" else WARNING)
    for refused in told.refused:
        yield line(f"  {say(texts.language, 'refused')}: {refused.quote} ({refused.chunk_id})")
    for sent in told.sent_back:
        yield line(f"  {say(texts.language, 'sent_back', round=sent.round)}:", WARNING)
        yield from (line(f"    {objection}", FAINT) for objection in sent.objections)
    yield line(f"  {say(texts.language, 'meaning')}", FAINT)


# ---------------------------------------------------------------- trace rescore


def _rescore(call: Call, trace_ids: Sequence[str], every: bool) -> int:
    from fanshu import app

    traces = app.open_traces(call.settings)
    if every and trace_ids:
        raise typer.BadParameter("--all and ids exclude each other.")
    wanted = [one.trace_id for one in traces.summaries()] if every else trace_ids or ["last"]
    results = list(_rescored(call, [traces.load(trace_id) for trace_id in wanted]))
    differing = sum(one.differs for one in results)
    if call.json:
        call.screen.json(
            [plain(one) | {"differs": one.differs} for one in results]  # type: ignore[operator]
        )
    else:
        call.screen.show(_rescored_lines(call.screen.texts, results, differing))
    return DIFFERS if differing else 0


def states(call: Call, documents: Sequence[dict[str, Any]]) -> dict[str, str]:
    """How the answers of traces stand today by what they cite; of those that can be looked at."""
    from fanshu import app
    from fanshu.approved.examining import state_today
    from fanshu.approved.recorded import answer_of
    from fanshu.approved.standing import Ground

    told: dict[str, str] = {}
    for settings, group in _by_library(call, documents):
        with suppress(FanshuError), closing(app.open_library(settings)) as library:
            with call.screen.progress() as on_progress:
                app.up_to_date(library, on_progress)
            ground = Ground(library)
            for document in group:
                if state := state_today(answer_of(document), ground):
                    told[str(document["trace_id"])] = state
    return told


def _rescored(call: Call, documents: Sequence[dict[str, Any]]) -> Iterator["Rescored"]:
    """Each answer over its own documents."""
    for settings, group in _by_library(call, documents):
        yield from _together(call, settings, group)


def _by_library(
    call: Call, documents: Sequence[dict[str, Any]]
) -> Iterator[tuple[Settings, list[dict[str, Any]]]]:
    """Traces with the settings of their library, which is opened once for all that share it."""
    from fanshu import app

    anew = frozenset(name for name in LIBRARY if call.loaded.origin.get(name) == "flag")
    groups: dict[tuple[object, ...], list[dict[str, Any]]] = {}
    for document in documents:
        settings = app.recorded(document, call.settings, anew)
        key = tuple(getattr(settings, name) for name in OPENED)
        groups.setdefault(key, []).append(document)
    for group in groups.values():
        yield app.recorded(group[0], call.settings, anew), group


def _together(
    call: Call, settings: Settings, documents: Sequence[dict[str, Any]]
) -> Iterator["Rescored"]:
    from fanshu import app
    from fanshu.audit.rescoring import closed, rescore

    try:
        library = app.open_library(settings)
        with closing(library), call.screen.progress() as on_progress:
            app.up_to_date(library, on_progress)
            yield from [rescore(document, library) for document in documents]
    except FanshuError as error:
        why = call.screen.texts.error(error)
        yield from (closed(document, why) for document in documents)


def _rescored_lines(texts: Texts, results: Sequence["Rescored"], differing: int) -> Iterator[Line]:
    from fanshu.audit.words import say

    for one in results:
        yield ((one.trace_id, HEAD), (f"  {one.question}", ""))
        if one.closed:
            yield line(f"  {say(texts.language, 'closed', why=one.closed)}", WARNING)
        for standing in one.citations:
            yield from _standing_lines(texts, standing)
        if one.status != one.status_now:
            status = say(texts.language, f"status.{one.status_now}")
            yield line(f"  {say(texts.language, 'recheck', status=status)}", WARNING)
        if one.found_now:
            words = " · ".join(one.found_now)
            yield line(f"  {say(texts.language, 'found_now', words=words)}", WARNING)
    yield line(say(texts.language, "rescored", answers=len(results), differing=differing))


def _standing_lines(texts: Texts, one: "Standing") -> Iterator[Line]:
    from fanshu.audit.words import say

    state = say(texts.language, f"state.{one.state}")
    style = "" if one.holds else WARNING
    yield ((f"  [{one.number}] {state}  ", style), (one.chunk_id, FAINT))
    if one.now and one.file_path and one.state in ("moved", "changed"):
        where = place(texts, one.file_path, one.section_path, one.lines, one.page)
        yield line(f"      {say(texts.language, 'now_at', place=f'{where}  {one.now}')}")
    if one.state in ("changed", "gone"):
        yield from _passage(say(texts.language, "before"), one.passage)
    if one.state == "changed" and one.passage_now:
        yield from _passage(say(texts.language, "after"), one.passage_now)
    if one.newer_version:
        yield line(f"      {say(texts.language, 'newer', path=one.newer_version)}", WARNING)


def _passage(name: str, text: str) -> Iterator[Line]:
    yield ((f"      {name}  ", FAINT), (" ".join(text.split()), ""))
