"""The verbs about cached answers: cache list, show, clear, stats."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from fanshu.cli import show
from fanshu.cli.helping import Verb, Verbs
from fanshu.cli.messages import Texts
from fanshu.cli.options import Call, with_settings
from fanshu.cli.screen import FAINT, HEAD, Line, line
from fanshu.errors import AnswerMissing
from fanshu.types import plain

if TYPE_CHECKING:
    from fanshu.agent.cache import Kept
    from fanshu.agent.entries import Entry


def add(app: typer.Typer, texts: Texts) -> None:
    """Put these verbs on the program."""
    answers = typer.Typer(
        cls=Verbs, rich_markup_mode=None, no_args_is_help=True, help=texts("help.cache")
    )
    app.add_typer(answers, name="cache", rich_help_panel=texts("help.more"))
    wanted = typer.Argument(metavar="ID", help=texts("help.cache_id"))

    @answers.command("list", cls=Verb, help=texts("help.cache_list"))
    @with_settings("store", texts=texts)
    def list_(call: Call) -> int:
        return _list(call)

    @answers.command("show", cls=Verb, help=texts("help.cache_show"))
    @with_settings("store", texts=texts)
    def show_(call: Call, entry_id: Annotated[str, wanted]) -> int:
        return _show(call, entry_id)

    @answers.command("clear", cls=Verb, help=texts("help.cache_clear"))
    @with_settings("store", texts=texts)
    def clear(call: Call, entry_id: Annotated[str | None, wanted] = None) -> int:
        return _clear(call, entry_id)

    @answers.command("stats", cls=Verb, help=texts("help.cache_stats"))
    @with_settings("store", texts=texts)
    def stats(call: Call) -> int:
        return _stats(call)


def _list(call: Call) -> int:
    from fanshu.app import open_entries

    kept = open_entries(call.settings).all()
    if call.json:
        call.screen.json([_about(one) for one in kept])
        return 0
    texts = call.screen.texts
    for one in kept:
        status = texts.known(f"status.{one.status}", one.status)
        used = texts("cache.used", hits=one.hits)
        about = f"  {_when(one.saved)} · {one.reader} · {status} · {used}"
        call.screen.show([((one.id, HEAD), (about, FAINT)), line(f"  {one.question}")])
    if not kept:
        call.screen.show([line(texts("cache.none"))])
    return 0


def _about(entry: "Entry") -> dict[str, object]:
    return {
        "id": entry.id,
        "question": entry.question,
        "status": entry.status,
        "reader": entry.reader,
        "tokens": entry.tokens,
        "bytes": entry.bytes,
        "saved": _when(entry.saved),
        "used": _when(entry.used),
        "hits": entry.hits,
    }


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _show(call: Call, entry_id: str) -> int:
    from fanshu.agent.cache import opened
    from fanshu.app import open_entries

    entry = next((one for one in open_entries(call.settings).all() if one.id == entry_id), None)
    kept = opened(entry.body) if entry else None
    if entry is None or kept is None:
        raise AnswerMissing(answer_id=entry_id)
    if call.json:
        call.screen.json(_about(entry) | {"answer": plain(kept.answer), "looks": plain(kept.looks)})
        return 0
    call.screen.show([line(entry.question, HEAD), line()])
    call.screen.show(show.answer(call.screen.texts, kept.answer))
    call.screen.show(_evidence(call.screen.texts, kept))
    return 0


def _evidence(texts: Texts, kept: "Kept") -> Iterator[Line]:
    yield line()
    yield line(texts("cache.looks" if kept.looks else "cache.state"))
    for look in kept.looks:
        given = json.dumps(dict(look.arguments), ensure_ascii=False)
        said = texts("cache.found", tool=look.tool, arguments=given, count=len(look.shown))
        yield line(f"  {said}", FAINT)


def _clear(call: Call, entry_id: str | None) -> int:
    from fanshu.app import open_entries

    count = open_entries(call.settings).clear(entry_id)
    if entry_id and not count:
        raise AnswerMissing(answer_id=entry_id)
    if call.json:
        call.screen.json({"removed": count})
    else:
        call.screen.show([line(call.screen.texts("cache.cleared", count=count))])
    return 0


def _stats(call: Call) -> int:
    from fanshu.app import open_entries

    entries = open_entries(call.settings)
    totals = entries.totals()
    if call.json:
        call.screen.json(totals)
        return 0
    texts = call.screen.texts
    mb, path = totals.bytes / 1e6, entries.place
    call.screen.show(
        [
            line(texts("cache.kept", entries=totals.entries, mb=mb, path=path)),
            line(
                texts(
                    "cache.counts",
                    hits=totals.hits,
                    stale=totals.stale,
                    misses=totals.misses,
                    tokens=totals.tokens,
                )
            ),
        ]
    )
    return 0
