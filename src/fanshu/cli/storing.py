"""The verbs about stores: store copy, roots, forget."""

from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from fanshu.cli import show
from fanshu.cli.helping import Verb, Verbs
from fanshu.cli.messages import Texts
from fanshu.cli.options import LIBRARY, Call, with_settings
from fanshu.cli.screen import line
from fanshu.errors import ConfigError

if TYPE_CHECKING:
    from fanshu.library.copying import Plan

NOT_FOUND = 1
NO_STORE = "roots are registered in a store of other machines: name one with --store"


def add(app: typer.Typer, texts: Texts) -> None:
    """Put these verbs on the program."""
    stores = typer.Typer(
        cls=Verbs, rich_markup_mode=None, no_args_is_help=True, help=texts("help.store")
    )
    app.add_typer(stores, name="store", rich_help_panel=texts("help.more"))

    @stores.command("copy", cls=Verb, help=texts("help.store_copy"))
    @with_settings("docs", texts=texts)
    def copy_(
        call: Call,
        source: Annotated[str, typer.Argument(metavar="FROM", help=texts("help.store_from"))],
        target: Annotated[str, typer.Argument(metavar="TO", help=texts("help.store_to"))],
        replace: Annotated[
            bool, typer.Option("--replace", help=texts("help.store_replace"))
        ] = False,
        dry_run: Annotated[
            bool, typer.Option("--dry-run", help=texts("help.store_dry_run"))
        ] = False,
    ) -> int:
        return _copy(call, source, target, replace=replace, dry_run=dry_run)

    @stores.command("roots", cls=Verb, help=texts("help.store_roots"))
    @with_settings(*LIBRARY, texts=texts)
    def roots(call: Call) -> int:
        return _roots(call)

    @stores.command("forget", cls=Verb, help=texts("help.store_forget"))
    @with_settings(*LIBRARY, texts=texts)
    def forget(
        call: Call,
        root: Annotated[str, typer.Argument(metavar="ROOT", help=texts("help.store_root"))],
    ) -> int:
        return _forget(call, root)


def _copy(call: Call, source: str, target: str, *, replace: bool, dry_run: bool) -> int:
    from fanshu.errors import TargetNotEmpty
    from fanshu.library import copying
    from fanshu.remote import side, target_as_it_is

    docs = call.settings.docs if "docs" in call.loaded.origin else ()
    with ExitStack() as both:
        one = both.enter_context(side(call.settings, source, docs, reads=True))
        other = both.enter_context(
            target_as_it_is(call.settings, target)
            if dry_run
            else side(call.settings, target, docs, reads=False)
        )
        if one.name == other.name:
            raise ConfigError(name="store", detail=f"{one.name} cannot be copied to itself")
        todo = copying.plan(one.store, other.store)
        if todo.others and not replace:
            raise TargetNotEmpty(address=other.name, files=todo.others, source=one.name)
        if dry_run:
            return _planned(call, todo)
        with other.held(), call.screen.progress("store.progress") as on_progress:
            done = copying.copy(one.store, other.store, todo, other.name, on_progress)
    if call.json:
        call.screen.json(done)
        return 0
    texts = call.screen.texts
    call.screen.show(
        [
            line(texts("store.copied", copied=done.copied, there=todo.there, seconds=done.seconds)),
            line(
                texts(
                    "store.checked",
                    documents=done.documents,
                    chunks=done.chunks,
                    aliases=done.aliases,
                    checksum=done.checksum,
                )
            ),
            line(texts("store.rest")),
        ]
    )
    return 0


def _planned(call: Call, todo: "Plan") -> int:
    chunks = sum(record.chunks for record in todo.wanted)
    counts = {
        "documents": len(todo.wanted),
        "chunks": chunks,
        "there": todo.there,
        "removed": len(todo.removed),
    }
    if call.json:
        call.screen.json(counts)
    else:
        call.screen.show([line(call.screen.texts("store.planned", **counts))])
    return 0


def _roots(call: Call) -> int:
    from fanshu import remote

    if not call.settings.remote:
        raise ConfigError(name="store", detail=NO_STORE)
    known = remote.registry(call.settings, ()).status()
    if call.json:
        call.screen.json(known)
    elif known:
        call.screen.show(show.roots(call.screen.texts, known))
    else:
        call.screen.show([line(call.screen.texts("store.no_roots"))])
    return 0 if known else NOT_FOUND


def _forget(call: Call, root: str) -> int:
    """Take a root and its documents out; those of a root that is indexed now stay."""
    from fanshu import remote

    key = "" if root == "-" else root
    if not call.settings.remote:
        raise ConfigError(name="store", detail=NO_STORE)
    known, documents = remote.forget(call.settings, key)
    if call.json:
        call.screen.json({"root": key, "known": known, "documents": documents})
    else:
        said = "store.forgotten" if known or documents else "store.unknown_root"
        call.screen.show([line(call.screen.texts(said, root=root, documents=documents))])
    return 0 if known or documents else NOT_FOUND
