"""The verbs approve and approved: list, show, also, drop, review, keep, export, import."""

import getpass
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fanshu.cli import approvals as shown
from fanshu.cli.helping import Verb, Verbs
from fanshu.cli.library import opened, reading, waiting
from fanshu.cli.messages import Texts
from fanshu.cli.options import LIBRARY, Call, with_settings
from fanshu.cli.screen import line
from fanshu.errors import ApprovalRefused

if TYPE_CHECKING:
    from fanshu.approved.approval import Kept
    from fanshu.approved.approving import Wish
    from fanshu.approved.stores import ApprovalStore
    from fanshu.library.library import Library

WAITS = 1
STREAM = "-"
FORMS = ("csv", "jsonl", "questions")


def add(app: typer.Typer, texts: Texts) -> None:
    """Put these verbs on the program."""
    _add_approve(app, texts)
    group = typer.Typer(
        cls=Verbs, rich_markup_mode=None, no_args_is_help=True, help=texts("help.approved")
    )
    app.add_typer(group, name="approved", rich_help_panel=texts("help.more"))
    _add_reading(group, texts)
    _add_changing(group, texts)
    _add_files(group, texts)


class _Options:
    """The options that several of these verbs have in common."""

    def __init__(self, texts: Texts) -> None:
        self.edit = typer.Option("--edit", help=texts("help.approve_edit"))
        answer = texts("help.approve_answer")
        self.answer = typer.Option("--answer", metavar="FILE|TEXT", help=answer)
        self.by = typer.Option("--by", metavar="NAME", help=texts("help.approve_by"))
        self.note = typer.Option("--note", metavar="TEXT", help=texts("help.approve_note"))
        self.force = typer.Option("--force", help=texts("help.approve_force"))


def _add_approve(app: typer.Typer, texts: Texts) -> None:
    of = _Options(texts)
    asked = typer.Option("--question", metavar="TEXT", help=texts("help.approve_question"))
    example = texts("help.example", example="fanshu approve last --by ada")

    @app.command(
        cls=Verb, help=f"{texts('help.approve')}\n\n{example}", rich_help_panel=texts("help.more")
    )
    @with_settings(*LIBRARY, texts=texts)
    def approve(
        call: Call,
        what: Annotated[
            list[str], typer.Argument(metavar="RUN|QUESTION", help=texts("help.approve_what"))
        ],
        edit: Annotated[bool, of.edit] = False,
        answer: Annotated[str | None, of.answer] = None,
        by: Annotated[str, of.by] = "",
        note: Annotated[str, of.note] = "",
        question: Annotated[str | None, asked] = None,
        force: Annotated[bool, of.force] = False,
    ) -> int:
        from fanshu.approved.approving import Wish

        wish = Wish(by or _login(), _text(answer), note, question, force)
        return _approve(call, " ".join(what).strip(), wish, edit)


def _add_reading(group: typer.Typer, texts: Texts) -> None:
    wanted = typer.Argument(metavar="ID", help=texts("help.approved_id"))

    @group.command("list", cls=Verb, help=texts("help.approved_list"))
    @with_settings(*LIBRARY, texts=texts)
    def list_(call: Call) -> int:
        with _approvals(call) as (approvals, _):
            kept = approvals.all()
        return _listed(call, kept, "approved.none")

    @group.command("review", cls=Verb, help=texts("help.approved_review"))
    @with_settings(*LIBRARY, texts=texts)
    def review(call: Call) -> int:
        with _approvals(call) as (approvals, _):
            kept, all_ = approvals.waiting(), len(approvals.all())
        _listed(call, kept, "approved.none_waits", side_by_side=True)
        if kept and not call.json:
            said = call.screen.texts("approved.waiting", count=len(kept), all=all_)
            call.screen.show([line(said)])
        return WAITS if kept else 0

    @group.command("show", cls=Verb, help=texts("help.approved_show"))
    @with_settings(*LIBRARY, texts=texts)
    def show(call: Call, answer_id: Annotated[str, wanted]) -> int:
        with _approvals(call) as (approvals, _):
            kept = approvals.one(answer_id)
            history = approvals.history(kept.id)
        if call.json:
            from fanshu.approved.telling import told, told_revision

            call.screen.json(told(kept) | {"history": [told_revision(one) for one in history]})
        else:
            call.screen.show(shown.whole(call.screen.texts, kept, history))
        return 0


def _add_changing(group: typer.Typer, texts: Texts) -> None:
    of = _Options(texts)
    wanted = typer.Argument(metavar="ID", help=texts("help.approved_id"))
    other = typer.Argument(metavar="WORDING", help=texts("help.approved_wording"))
    insist = typer.Option("--force", help=texts("help.approved_also_force"))

    @group.command("also", cls=Verb, help=texts("help.approved_also"))
    @with_settings(*LIBRARY, texts=texts)
    def also(
        call: Call,
        answer_id: Annotated[str, wanted],
        wording: Annotated[list[str], other],
        by: Annotated[str, of.by] = "",
        force: Annotated[bool, insist] = False,
    ) -> int:
        from fanshu.approved.deciding import say_also

        with _approvals(call) as (approvals, _):
            said = " ".join(wording)
            kept = say_also(approvals, answer_id, said, by or _login(), force=force)
        return _done(call, kept)

    @group.command("drop", cls=Verb, help=texts("help.approved_drop"))
    @with_settings(*LIBRARY, texts=texts)
    def drop(
        call: Call,
        answer_id: Annotated[str, wanted],
        by: Annotated[str, of.by] = "",
        note: Annotated[str, of.note] = "",
    ) -> int:
        with _approvals(call) as (approvals, _):
            kept = approvals.one(answer_id)
            approvals.drop(kept.id, by or _login(), note)
        if call.json:
            call.screen.json({"dropped": kept.id})
        else:
            call.screen.show([line(call.screen.texts("approved.dropped", id=kept.id))])
        return 0

    @group.command("keep", cls=Verb, help=texts("help.approved_keep"))
    @with_settings(*LIBRARY, texts=texts)
    def keep(
        call: Call,
        answer_id: Annotated[str, wanted],
        edit: Annotated[bool, of.edit] = False,
        answer: Annotated[str | None, of.answer] = None,
        by: Annotated[str, of.by] = "",
        note: Annotated[str, of.note] = "",
        force: Annotated[bool, of.force] = False,
    ) -> int:
        from fanshu.approved import deciding
        from fanshu.approved.approving import Wish

        with _approvals(call) as (approvals, library):
            kept = approvals.one(answer_id)
            text = _edited(kept.approved.answer.answer, _text(answer)) if edit else _text(answer)
            wish = Wish(by or _login(), text, note, None, force)
            kept = deciding.keep(approvals, library, kept, wish)
        return _done(call, kept)


def _add_files(group: typer.Typer, texts: Texts) -> None:
    target = typer.Argument(metavar="FILE", help=texts("help.approved_to"))
    source = typer.Argument(metavar="FILE", help=texts("help.approved_from"))
    form_ = typer.Option("--as", metavar="csv|jsonl|questions", help=texts("help.approved_as"))
    questions = typer.Option("--as-questions", help=texts("help.as_questions"))
    of = _Options(texts)

    @group.command("export", cls=Verb, help=texts("help.approved_export"))
    @with_settings(*LIBRARY, texts=texts)
    def export(
        call: Call,
        file: Annotated[str, target] = STREAM,
        form: Annotated[str, form_] = "",
        as_questions: Annotated[bool, questions] = False,
    ) -> int:
        return _export(call, file, "questions" if as_questions else form)

    @group.command("import", cls=Verb, help=texts("help.approved_import"))
    @with_settings(*LIBRARY, texts=texts)
    def import_(call: Call, file: Annotated[str, source], by: Annotated[str, of.by] = "") -> int:
        from fanshu.approved.exporting import read
        from fanshu.approved.importing import take_in

        rows = read(_contents(file), file)
        with _approvals(call) as (approvals, library):
            who, check = by or _login(), call.settings.check
            done = take_in(approvals, library, rows, who, check)
        told = {"taken": len(done.taken), "unchanged": done.unchanged, "waiting": done.waiting}
        if call.json:
            call.screen.json(told)
        else:
            call.screen.show([line(call.screen.texts("approved.imported", **told))])
        return 0


# ---------------------------------------------------------------- approving


def _approve(call: Call, what: str, wish: "Wish", edit: bool) -> int:
    from dataclasses import replace

    from fanshu import app
    from fanshu.approved.deciding import accept
    from fanshu.approved.opening import approvals_of
    from fanshu.approved.recorded import answer_of, asked_before, followed

    document = asked_before(app.open_traces(call.settings), what)
    answer = answer_of(document)
    if edit:
        wish = replace(wish, text=_edited(answer.answer, wish.text))
    anew = frozenset(name for name in LIBRARY if call.loaded.origin.get(name) == "flag")
    settings = app.recorded(document, call.settings, anew)
    with closing(app.open_library(settings, waiting(call))) as library:
        with reading(call) as on_progress:
            app.up_to_date(library, on_progress)
        kept = accept(
            approvals_of(library),
            library,
            answer,
            wish,
            strictness=settings.check,
            follows=followed(document),
        )
    return _done(call, kept)


def _edited(own: str, given: str | None) -> str:
    from fanshu.cli.changing import edited

    return edited(own if given is None else given)


def _text(given: str | None) -> str | None:
    """The text that was given, or what stands in the file that was named."""
    if given is None:
        return None
    if given == STREAM or (len(given) < 1_000 and "\n" not in given and Path(given).is_file()):
        return _contents(given)
    return given


def _contents(file: str) -> str:
    if file == STREAM:
        return sys.stdin.read()
    try:
        with Path(file).open(encoding="utf-8-sig", newline="") as opened_file:
            return opened_file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{file}: {error}") from error


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError) as error:
        raise ApprovalRefused(detail="nobody is named who approves it; use --by") from error


def _done(call: Call, kept: "Kept") -> int:
    if call.json:
        from fanshu.approved.telling import told

        call.screen.json(told(kept))
    else:
        call.screen.show(shown.brief(call.screen.texts, kept, done=True))
    return 0


# ---------------------------------------------------------------- lists and files


@contextmanager
def _approvals(call: Call) -> "Iterator[tuple[ApprovalStore, Library]]":
    """The approved answers over the documents, which are up to date."""
    from fanshu.approved.opening import approvals_of

    with opened(call) as (library, _):
        yield approvals_of(library), library


def _listed(call: Call, kept: "tuple[Kept, ...]", none: str, *, side_by_side: bool = False) -> int:
    texts = call.screen.texts
    if call.json:
        from fanshu.approved.telling import told

        call.screen.json([told(one) for one in kept])
        return 0
    for one in kept:
        call.screen.show(shown.brief(texts, one))
        if side_by_side:
            call.screen.show(shown.evidence(texts, one))
    if not kept:
        call.screen.show([line(texts(none))])
    return 0


def _export(call: Call, file: str, form: str) -> int:
    from fanshu.approved import exporting

    form = form or (Path(file).suffix.lstrip(".").lower() if file != STREAM else "jsonl")
    if form not in FORMS:
        raise typer.BadParameter(f"--as takes {', '.join(FORMS)}.")
    with _approvals(call) as (approvals, _):
        kept = approvals.all()
    text = getattr(exporting, f"as_{form}")(kept)
    if file == STREAM:
        call.screen.raw(text)
        return 0
    try:
        from fanshu.keeping import write_private

        write_private(Path(file), text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise typer.BadParameter(f"{file}: {error.strerror}") from error
    said = call.screen.texts("approved.exported", count=len(kept), path=file)
    call.screen.show([line(said)])
    return 0
