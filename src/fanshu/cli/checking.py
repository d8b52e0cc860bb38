"""The verb check."""

import asyncio
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from fanshu.cli.helping import Verb
from fanshu.cli.messages import Texts
from fanshu.cli.options import ASKING, LIBRARY, MODEL, Call, with_settings
from fanshu.cli.screen import FAINT, HEAD, QUOTE, WARNING, Line, line
from fanshu.cli.show import place
from fanshu.errors import ConfigError

if TYPE_CHECKING:
    from fanshu.checkup.findings import Finding, Report, Side
    from fanshu.library.library import Library
    from fanshu.settings import Settings
    from fanshu.types import Answer

FOUND = 1
SHOWN = 20  # findings on a terminal; the first are worth reading, the last are many
ASKED = 20  # findings that --deep asks about: each is a run of the loop
SHOWN_CHARS = 240  # of a passage
LEVELS = ("low", "medium", "high")
STDOUT = "-"


def add(app: typer.Typer, texts: Texts) -> None:
    """Put this verb on the program."""
    help_text = (
        f"{texts('help.check')}\n\n{texts('help.example', example='fanshu check ./manuals')}"
    )

    @app.command(cls=Verb, help=help_text, rich_help_panel=texts("help.more"))
    @with_settings(*LIBRARY, *MODEL, *ASKING, texts=texts)
    def check(
        call: Call,
        folders: Annotated[
            list[str] | None, typer.Argument(metavar="[DIR]...", help=texts("help.check_folders"))
        ] = None,
        top: Annotated[int, typer.Option(min=0, metavar="N", help=texts("help.top"))] = SHOWN,
        fail_on: Annotated[
            Literal["high", "medium", "low", "never"],
            typer.Option(metavar="LEVEL", help=texts("help.fail_on")),
        ] = "high",
        html: Annotated[
            str | None, typer.Option("--html", metavar="FILE", help=texts("help.check_html"))
        ] = None,
        deep: Annotated[bool, typer.Option("--deep", help=texts("help.deep"))] = False,
        deep_limit: Annotated[
            int, typer.Option(min=1, metavar="N", help=texts("help.deep_limit"))
        ] = ASKED,
    ) -> int:
        settings = call.settings
        if folders:
            settings = settings.model_copy(update={"docs": tuple(folders)})
        report = _report(call, settings, deep_limit if deep else 0)
        _tell(call, report, html, top)
        worst = report.worst()
        failed = fail_on != "never" and worst and LEVELS.index(worst) >= LEVELS.index(fail_on)
        return FOUND if failed else 0


def _report(call: Call, settings: "Settings", deep: int) -> "Report":
    from fanshu import app
    from fanshu.checkup.examination import check

    if deep and not settings.configured:
        raise ConfigError(name="model", detail=call.screen.texts("check.no_model"))
    with closing(app.open_library(settings)) as library:
        with call.screen.progress() as on_progress:
            app.up_to_date(library, on_progress)
        app.require_documents(library, settings)
        with call.screen.progress("check.progress") as on_progress:
            report = check(library, on_progress=on_progress)
        return _deepened(call, settings, library, report, deep) if deep else report


def _deepened(
    call: Call, settings: "Settings", library: "Library", report: "Report", limit: int
) -> "Report":
    from fanshu import app
    from fanshu.checkup.deep import deepened

    texts = call.screen.texts
    model = app.open_model(settings)

    def told(done: int, count: int) -> None:
        call.screen.note(line(texts("check.asking", number=done + 1, count=count), FAINT))

    with asyncio.Runner() as runner:  # one loop: connections of the model belong to it

        def ask(question: str) -> "Answer":
            return runner.run(app.answer(question, settings, library, model))

        return deepened(report, ask, language=texts.language, limit=limit, on_progress=told)


def _tell(call: Call, report: "Report", html: str | None, top: int) -> None:
    if html:
        _write(call, report, html)
    if call.json:
        call.screen.json(as_json(report))
    elif html != STDOUT:
        call.screen.show(_lines(call.screen.texts, report, top))
    for rule in report.unused:
        call.screen.warn("check.unused", rule=rule)


def _write(call: Call, report: "Report", target: str) -> None:
    from fanshu.audit.checked import page

    text = page(report, call.screen.texts.language)
    if target == STDOUT:
        call.screen.raw(text)
        return
    try:  # it quotes documents: its owner's alone
        place_ = os.open(Path(target), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(place_, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        detail = f"{target!r} cannot be written: {error.strerror}"
        raise typer.BadParameter(detail, param_hint="--html") from error
    call.screen.note(line(call.screen.texts("trace.written", path=target)))


def as_json(report: "Report") -> dict[str, object]:
    """A report for programs; messages are in English, whatever the language of the terminal."""
    from fanshu.checkup.plainly import finding_json

    return {
        "files": report.files,
        "sections": report.sections,
        "seconds": report.seconds,
        "findings": [finding_json(one) for one in report.findings],
        "ignored": [
            {"id": one.finding.id, "reason": one.reason, "message": one.finding.message("en")}
            for one in report.ignored
        ],
        "unused_rules": list(report.unused),
    }


# ---------------------------------------------------------------- the terminal


def _lines(texts: Texts, report: "Report", top: int) -> Iterator[Line]:
    from fanshu.checkup.messages import said

    shown = report.findings[: top or None]
    order = {kind: at for at, kind in enumerate(dict.fromkeys(one.kind for one in shown))}
    grouped = sorted(shown, key=lambda one: order[one.kind])  # stable: the rank inside of a kind
    for kind, group in groupby(grouped, lambda one: one.kind):
        yield line(said(texts.language, f"kind.{kind}"), HEAD)
        for one in group:
            yield from _finding(texts, one)
        yield line()
    if rest := len(report.findings) - len(shown):
        yield line(texts("check.rest", count=rest), FAINT)
    yield line(_sum(texts, report))
    if report.ignored:
        yield line(texts("check.ignored", count=len(report.ignored)), FAINT)


def _sum(texts: Texts, report: "Report") -> str:
    from fanshu.checkup.messages import said

    if not report.findings:
        return texts("check.none")
    found: Counter[str] = Counter(one.sureness for one in report.findings)
    counts = (
        texts("check.count", count=found[level], level=said(texts.language, f"sure.{level}"))
        for level in LEVELS[::-1]
        if found[level]
    )
    return texts(
        "check.sum",
        findings=len(report.findings),
        files=report.files,
        sections=report.sections,
        counts=("，" if texts.language == "zh" else ", ").join(counts),
    )


def _finding(texts: Texts, one: "Finding") -> Iterator[Line]:
    from fanshu.checkup.messages import said

    level = said(texts.language, f"sure.{one.sureness}")
    style = WARNING if one.sureness == "high" else ""
    yield (
        (f"  [{level}] ", style or FAINT),
        (one.message(texts.language), style),
        (f"  {one.id}", FAINT),
    )
    for side in one.sides:
        yield from _side(texts, side)
    if one.more:
        yield line(f"      {texts('check.more', count=one.more)}", FAINT)
    if one.verdict:
        holds = {True: "confirmed", False: "dismissed", None: "unclear"}[one.verdict.holds]
        yield ((f"      {texts(f'check.{holds}')}  ", HEAD), (one.verdict.said, ""))


def _side(texts: Texts, side: "Side") -> Iterator[Line]:
    yield line(
        f"      {place(texts, side.file_path, side.section_path, side.lines, side.page)}", FAINT
    )
    if side.text.strip():
        yield (("        ", ""), *_marked(side.text, side.marked))


def _marked(text: str, marked: Sequence[tuple[int, int]]) -> Iterator[tuple[str, str]]:
    """A passage on one line, its marked spans in the style of quotes."""
    start = max(0, min((a for a, _ in marked), default=0) - SHOWN_CHARS // 2)
    at, end = start, min(len(text), start + SHOWN_CHARS)
    if start:
        yield "… ", FAINT
    for a, b in sorted(marked):
        if at <= a < b <= end:
            yield _flat(text[at:a]), ""
            yield _flat(text[a:b]), QUOTE
            at = b
    yield _flat(text[at:end]), ""
    if end < len(text):
        yield " …", FAINT


def _flat(text: str) -> str:
    return text.replace("\r", " ").replace("\n", " ")
