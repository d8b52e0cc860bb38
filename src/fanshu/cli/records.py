"""Verbs about fanshu itself: config and trace."""

import json
import os
from collections.abc import Iterator
from contextlib import closing
from typing import Annotated, Any

import typer

from fanshu.cli import auditing
from fanshu.cli.helping import Verb, Verbs
from fanshu.cli.messages import Texts
from fanshu.cli.options import ASKING, LIBRARY, MODEL, Call, with_settings
from fanshu.cli.screen import FAINT, HEAD, WARNING, Line, line
from fanshu.cli.show import label
from fanshu.settings import Settings, table, unknown_variables, user_config, user_data
from fanshu.types import plain

CHANGED = 1
TEXT_SHOWN = 400  # characters of one observation in `trace show`; the JSON has all


def add(app: typer.Typer, texts: Texts) -> None:
    """Put these verbs on the program."""

    @app.command(cls=Verb, help=texts("help.config"), rich_help_panel=texts("help.more"))
    @with_settings(*LIBRARY, *MODEL, *ASKING, texts=texts)
    def config(call: Call) -> int:
        return _config(call)

    example = texts("help.example", example="fanshu purge --yes --only indexes")

    @app.command(
        cls=Verb,
        help=f"{texts('help.purge')}\n\n{example}",
        rich_help_panel=texts("help.more"),
    )
    @with_settings(texts=texts)
    def purge(
        call: Call,
        yes: Annotated[bool, typer.Option("--yes", help=texts("help.yes"))] = False,
        only: Annotated[
            str,
            typer.Option(
                "--only", metavar="indexes|traces|cache|models|history", help=texts("help.only")
            ),
        ] = "",
    ) -> int:
        return _purge(call, yes, only)

    traces = typer.Typer(
        cls=Verbs, rich_markup_mode=None, no_args_is_help=True, help=texts("help.trace")
    )
    app.add_typer(traces, name="trace", rich_help_panel=texts("help.more"))
    wanted = typer.Argument(metavar="ID", help=texts("help.trace_id"))

    @traces.command("list", cls=Verb, help=texts("help.trace_list"))
    @with_settings("store", texts=texts)
    def list_(
        call: Call,
        check: Annotated[bool, typer.Option("--check", help=texts("help.trace_check"))] = False,
    ) -> int:
        return _list(call, check)

    @traces.command("show", cls=Verb, help=texts("help.trace_show"))
    @with_settings("store", texts=texts)
    def show_(
        call: Call,
        trace_id: Annotated[str, wanted],
        html: Annotated[
            str | None, typer.Option("--html", metavar="FILE", help=texts("help.html"))
        ] = None,
    ) -> int:
        if html and call.json:
            raise typer.BadParameter("--html and --json exclude each other.")
        return _show(call, trace_id, html)

    @traces.command("replay", cls=Verb, help=texts("help.trace_replay"))
    @with_settings(*LIBRARY, texts=texts)
    def replay(call: Call, trace_id: Annotated[str, wanted]) -> int:
        return _replay(call, trace_id)

    auditing.add(traces, texts)


# ---------------------------------------------------------------- settings


def _config(call: Call) -> int:
    values = _values(call.settings)
    if call.json:
        call.screen.json(_effective(call, values))
    else:
        call.screen.show(_config_lines(call, values))
    if strangers := unknown_variables():
        call.screen.warn("config.unknown", names=", ".join(strangers))
    return 0


def _values(settings: Settings) -> dict[str, Any]:
    """Every value as it may be shown."""
    from fanshu.models.providers import shown

    values = settings.model_dump(mode="json")
    if settings.base_url:
        values["base_url"] = shown(settings.base_url)
    if settings.store:
        values["store"] = settings.store_shown
    return values


def _effective(call: Call, values: dict[str, Any]) -> dict[str, object]:
    return {
        "file": str(user_config()),
        "settings": {
            row.name: {
                "value": values[row.name],
                "origin": call.loaded.origin.get(row.name, "default"),
                "variable": row.variable,
            }
            for row in table()
        },
    }


def _config_lines(call: Call, values: dict[str, Any]) -> Iterator[Line]:
    texts = call.screen.texts
    for row in table():
        origin = call.loaded.origin.get(row.name, "default")
        value = values[row.name]
        shown = texts("config.unset") if value is None else _shown(value)
        yield (
            (f"{row.name} = {shown}", HEAD if origin != "default" else ""),
            (f"  {texts.known(f'config.{origin}', origin)} · {row.variable}", FAINT),
        )


def _shown(value: object) -> str:
    if isinstance(value, list):
        return os.pathsep.join(map(str, value)) or "-"
    return str(value).lower() if isinstance(value, bool) else str(value)


# ---------------------------------------------------------------- what is kept


def _purge(call: Call, yes: bool, only: str) -> int:
    from fanshu import keeping

    if only and only not in keeping.KINDS:
        raise typer.BadParameter(f"--only takes {', '.join(keeping.KINDS)}.")
    wanted = keeping.KINDS.get(only)
    found = [one for one in keeping.kept(user_data()) if wanted in (None, one.kind)]
    if yes:
        for one in found:
            keeping.remove(one)
    if call.json:
        call.screen.json({"removed": yes, "kept": found})
        return 0
    texts = call.screen.texts
    for one in found:
        about = f"  {one.about}".replace("\n", ", ") if one.about else ""
        call.screen.show([line(f"{one.bytes / 1e6:8.1f} MB  {one.path}{about}")])
    key = "purge.removed" if yes else "purge.kept"
    megabytes = sum(one.bytes for one in found) / 1e6
    call.screen.show([line(texts(key, count=len(found), mb=megabytes))])
    return 0


# ---------------------------------------------------------------- traces


def _list(call: Call, check: bool) -> int:
    from fanshu.app import open_traces

    traces = open_traces(call.settings)
    kept = list(traces.summaries())
    states = auditing.states(call, [traces.load(one.trace_id) for one in kept]) if check else {}
    if call.json:
        states_told = {one.trace_id: {"state": states.get(one.trace_id)} for one in kept}
        more = states_told if check else {}
        call.screen.json([_as_data(one) | more.get(one.trace_id, {}) for one in kept])
        return 0
    texts = call.screen.texts
    for trace in kept:
        status = texts.known(f"status.{trace.status}", trace.status)
        about = f"  {trace.saved_at} · {trace.reader} · {status}"
        if state := states.get(trace.trace_id):
            about += f" · {texts('trace.state', state=texts(f'evidence.{state}'))}"
        call.screen.show([((trace.trace_id, HEAD), (about, FAINT)), line(f"  {trace.question}")])
    if not kept:
        call.screen.show([line(texts("trace.none"))])
    return 0


def _as_data(summary: object) -> dict[str, object]:
    data = plain(summary)
    return dict(data) if isinstance(data, dict) else {}


def _show(call: Call, trace_id: str, html: str | None) -> int:
    from fanshu.app import open_traces

    document = open_traces(call.settings).load(trace_id)
    if html:
        return auditing.write_page(call, document, html)
    if call.json:
        call.screen.json(document)
    else:
        call.screen.show(_trace_lines(call.screen.texts, document))
    return 0


def _trace_lines(texts: Texts, document: dict[str, Any]) -> Iterator[Line]:
    yield line(texts("trace.question", question=document["question"]), HEAD)
    yield line(f"{document['trace_id']} · {document['saved_at']}", FAINT)
    for row in _cut(document["first_message"]).splitlines():
        yield line(f"  {row}", FAINT)
    for step in document["rounds"]:
        yield line()
        yield line(texts("trace.round", round=step["round"]), HEAD)
        if step["text"]:
            yield line(f"  {step['text']}")
        given = {item["call_id"]: item["text"] for item in step["observations"]}
        for made in step["calls"]:
            yield line(f"  {_call(made['name'], made['arguments'])}", "cyan")
            for row in _cut(given.get(made["id"], "")).splitlines():
                yield line(f"    {row}", FAINT)
    answer = document["answer"]
    yield line()
    yield line(f"[{label(texts, answer['status'], told=bool(answer['citations']))}]", WARNING)
    yield line(answer["answer"] or answer["error"] or "")


def _call(tool: str, arguments: object) -> str:
    return f"{tool} {json.dumps(arguments, ensure_ascii=False)}"


def _cut(text: str) -> str:
    return text if len(text) <= TEXT_SHOWN else text[:TEXT_SHOWN] + "…"


def _replay(call: Call, trace_id: str) -> int:
    from fanshu import app

    document = app.open_traces(call.settings).load(trace_id)
    anew = frozenset(name for name in LIBRARY if call.loaded.origin.get(name) == "flag")
    settings = app.recorded(document, call.settings, anew)
    with closing(app.open_library(settings)) as library:
        with call.screen.progress() as on_progress:
            library.sync(on_progress)
        replayed = app.run(app.replay(document, settings, library))
    if call.json:
        call.screen.json(replayed)
        return CHANGED if replayed.changes else 0
    texts = call.screen.texts
    for change in replayed.changes:
        made = _call(change.tool, change.arguments)
        call.screen.show([line(texts("trace.changed", round=change.round, call=made), WARNING)])
    key = "trace.changes" if replayed.changes else "trace.same"
    said = texts(key, calls=replayed.calls, changed=len(replayed.changes))
    call.screen.show([line(said)])
    return CHANGED if replayed.changes else 0
