"""The verbs of the service: serve, token, user."""

import getpass
import re
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fanshu.cli.helping import Verb, Verbs
from fanshu.cli.messages import Texts
from fanshu.cli.options import MODEL, Call, with_settings
from fanshu.cli.screen import FAINT, HEAD, line
from fanshu.errors import AccountError, ExtraMissing
from fanshu.settings import load
from fanshu.settings_file import service_tables

if TYPE_CHECKING:
    from fanshu.serve.accounts import Account, AccountBook
    from fanshu.serve.running import Started

NEEDED = ("fastapi", "uvicorn", "prometheus_client", "argon2")


def add(app: typer.Typer, texts: Texts) -> None:
    """Put these verbs on the program."""
    _add_serve(app, texts)
    _add_token(app, texts)
    _add_user(app, texts)


def _add_serve(app: typer.Typer, texts: Texts) -> None:
    example = texts("help.example", example="fanshu serve manuals=./manuals ./rules")

    def option(*decls: str, text: str, metavar: str | None = None) -> Any:
        return typer.Option(*decls, help=texts(text), metavar=metavar, show_default=False)

    @app.command(cls=Verb, help=f"{texts('help.serve')}\n\n{example}")
    @with_settings("store", *MODEL, texts=texts)
    def serve(
        call: Call,
        folders: Annotated[
            list[str] | None,
            typer.Argument(metavar="[[NAME=]FOLDER]...", help=texts("help.serve_folders")),
        ] = None,
        host: Annotated[
            str | None, option("--host", text="help.serve_host", metavar="ADDRESS")
        ] = None,
        port: Annotated[
            int | None,
            typer.Option(
                min=0, max=65_535, help=texts("help.serve_port"), metavar="N", show_default=False
            ),
        ] = None,
        allow_host: Annotated[
            list[str] | None, option("--allow-host", text="help.allow_host", metavar="NAME")
        ] = None,
        writable: Annotated[
            bool | None, option("--writable/--no-writable", text="help.writable")
        ] = None,
        login: Annotated[bool | None, option("--login/--no-login", text="help.login")] = None,
    ) -> int:
        flags: dict[str, Any] = {"host": host, "port": port, "writable": writable, "login": login}
        flags["hosts"] = tuple(allow_host) if allow_host else None
        flags["log_questions"] = call.verbose or None
        return _serve(call, tuple(folders or ()), flags)


def _serve(call: Call, folders: tuple[str, ...], flags: dict[str, Any]) -> int:
    need_extra("serve")
    from fanshu.serve.planning import Plan, plan
    from fanshu.serve.running import serve

    given = {
        name: getattr(call.settings, name)
        for name, origin in call.loaded.origin.items()
        if origin == "flag"
    }

    named = bool(call.config and service_tables(call.config)[1]) and not folders

    def make_plan() -> Plan:
        base = load(given, config=call.config).settings
        return plan(base, folders, call.config, flags, named=named)

    serve(
        make_plan,
        watched=call.config,
        on_start=lambda started: _tell(call, started),
    )
    return 0


def _tell(call: Call, started: "Started") -> None:
    texts = call.screen.texts
    if call.json:
        call.screen.json(
            {"url": started.url, "libraries": started.libraries, "login": started.login}
        )
        sys.stdout.flush()
        return
    names = ", ".join(started.libraries)
    call.screen.say(texts("serve.started", url=started.url, names=names))
    call.screen.say(texts("serve.login" if started.login else "serve.open"))


def need_extra(verb: str) -> None:
    """Raises: ExtraMissing — a package of the extra is not installed."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise ExtraMissing(verb=verb, extra="serve", detail=", ".join(missing))


# ---------------------------------------------------------------- users and tokens


def _accounts(call: Call) -> "AccountBook":
    from fanshu.serve.state import open_accounts

    return open_accounts(call.settings)


def _grant_options(texts: Texts) -> tuple[Any, Any, Any, Any, Any]:
    def option(*decls: str, text: str, metavar: str | None = None) -> Any:
        return typer.Option(*decls, help=texts(text), metavar=metavar, show_default=False)

    return (
        option("--allow", text="help.allow", metavar="LIBRARY[:PATTERN]"),
        option("--writer", text="help.writer"),
        option("--keeper", text="help.keeper"),
        option("--approver", text="help.approver"),
        typer.Option(
            "--month-cost",
            min=0.01,
            help=texts("help.month_cost"),
            metavar="DOLLARS",
            show_default=False,
        ),
    )


def _group(app: typer.Typer, texts: Texts, name: str) -> typer.Typer:
    group = typer.Typer(
        cls=Verbs, rich_markup_mode=None, no_args_is_help=True, help=texts(f"help.{name}")
    )
    app.add_typer(group, name=name, rich_help_panel=texts("help.more"))
    return group


def _add_token(app: typer.Typer, texts: Texts) -> None:
    tokens = _group(app, texts, "token")
    allow_option, writer_option, keeper_option, approver_option, cost_option = _grant_options(texts)
    named = typer.Argument(metavar="NAME", help=texts("help.token_name"))

    @tokens.command("create", cls=Verb, help=texts("help.token_create"))
    @with_settings("store", texts=texts)
    def create(
        call: Call,
        name: Annotated[str, named],
        allow: Annotated[list[str] | None, allow_option] = None,
        writer: Annotated[bool, writer_option] = False,
        keeper: Annotated[bool, keeper_option] = False,
        approver: Annotated[bool, approver_option] = False,
        month_cost: Annotated[float | None, cost_option] = None,
    ) -> int:
        token = _accounts(call).add_token(
            _account(name, allow, (writer, keeper, approver), month_cost)
        )
        if call.json:
            call.screen.json({"name": name, "token": token})
        else:
            call.screen.show([line(token)])
            call.screen.say(texts("token.once"))
        return 0

    @tokens.command("list", cls=Verb, help=texts("help.token_list"))
    @with_settings("store", texts=texts)
    def list_(call: Call) -> int:
        return _list(call, {f"{key}": one for key, one in _accounts(call).known().tokens.items()})

    @tokens.command("revoke", cls=Verb, help=texts("help.token_revoke"))
    @with_settings("store", texts=texts)
    def revoke(call: Call, name: Annotated[str, named]) -> int:
        _accounts(call).revoke(name)
        return _done(call, name)


def _add_user(app: typer.Typer, texts: Texts) -> None:
    users = _group(app, texts, "user")
    allow_option, writer_option, keeper_option, approver_option, cost_option = _grant_options(texts)
    named = typer.Argument(metavar="NAME", help=texts("help.user_name"))

    @users.command("add", cls=Verb, help=texts("help.user_add"))
    @with_settings("store", texts=texts)
    def add_(
        call: Call,
        name: Annotated[str, named],
        allow: Annotated[list[str] | None, allow_option] = None,
        writer: Annotated[bool, writer_option] = False,
        keeper: Annotated[bool, keeper_option] = False,
        approver: Annotated[bool, approver_option] = False,
        month_cost: Annotated[float | None, cost_option] = None,
        proxy_only: Annotated[
            bool, typer.Option("--proxy-only", help=texts("help.proxy_only"))
        ] = False,
    ) -> int:
        need_extra("user")
        account = _account(name, allow, (writer, keeper, approver), month_cost)
        _accounts(call).add_user(account, None if proxy_only else _password(texts))
        return _done(call, name)

    @users.command("password", cls=Verb, help=texts("help.user_password"))
    @with_settings("store", texts=texts)
    def password(call: Call, name: Annotated[str, named]) -> int:
        need_extra("user")
        _accounts(call).set_password(name, _password(texts))
        return _done(call, name)

    @users.command("list", cls=Verb, help=texts("help.user_list"))
    @with_settings("store", texts=texts)
    def list_(call: Call) -> int:
        return _list(call, _accounts(call).known().users)

    @users.command("remove", cls=Verb, help=texts("help.user_remove"))
    @with_settings("store", texts=texts)
    def remove(call: Call, name: Annotated[str, named]) -> int:
        _accounts(call).remove_user(name)
        return _done(call, name)


def _account(
    name: str, allow: list[str] | None, rights: tuple[bool, bool, bool], cost: float | None
) -> "Account":
    from fanshu.serve.accounts import Account

    writer, keeper, approver = rights
    return Account(name, "", tuple(allow or ("*",)), writer, keeper, cost=cost, approves=approver)


def _password(texts: Texts) -> str:
    """Typed twice at a terminal; else the first line of stdin. Raises: AccountError."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    first = getpass.getpass(texts("user.password"))
    if getpass.getpass(texts("user.again")) != first:
        raise AccountError(detail="The passwords differ.")
    return first


def _done(call: Call, name: str) -> int:
    if call.json:
        call.screen.json({"name": name})
    else:
        call.screen.say(call.screen.texts("account.done", name=name))
    return 0


def _list(call: Call, accounts: "dict[str, Account] | Any") -> int:
    if call.json:
        call.screen.json([_shown(key, one) for key, one in accounts.items()])
        return 0
    for key, one in accounts.items():
        rights = [name for name in ("writes", "keeps", "approves") if getattr(one, name)]
        about = " · ".join([*one.grants, *rights, re.sub(r"\.\d+", "", one.created)])
        label = one.name if key == one.name else f"{one.name}  {key}"
        call.screen.show([((label, HEAD), (f"  {about}", FAINT))])
    return 0


def _shown(key: str, one: "Account") -> dict[str, object]:
    return {
        "id": key,
        "name": one.name,
        "allow": one.grants,
        "writer": one.writes,
        "keeper": one.keeps,
        "approver": one.approves,
        "month_cost": one.cost,
        "created": one.created,
    }
