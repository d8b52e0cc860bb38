"""Logins of people: a name and a password for a cookie, which holds for some days."""

import hashlib
import secrets

from starlette.datastructures import Headers
from starlette.requests import cookie_parser

from fanshu.serve.accounts import Account, AccountBook
from fanshu.serve.register import RunRegister

COOKIE = "fanshu_login"
SECURE_COOKIE = "__Host-fanshu_login"  # browsers take this name only with Secure and Path=/


def digest(value: str) -> str:
    """What the register knows a cookie by: whoever reads the register cannot use it."""
    return hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()


def new_cookie() -> str:
    """The value of a new cookie."""
    return secrets.token_urlsafe(32)


def cookie_of(headers: Headers) -> str | None:
    """The login cookie that came with a request."""
    cookies = cookie_parser(headers.get("cookie", ""))
    return cookies.get(SECURE_COOKIE) or cookies.get(COOKIE)


def user_of(headers: Headers, accounts: AccountBook, register: RunRegister) -> Account | None:
    """The user whose login came with a request, while it holds and the password is the same."""
    value = cookie_of(headers)
    held = register.login(digest(value)) if value else None
    account = accounts.user(held[0]) if held else None
    return account if account and held and account.stamp == held[1] else None
