"""Users and tokens: one file in the owner's data folder, readable by the owner alone.

Passwords are hashed with Argon2id. A token is 256 random bits, which nobody guesses however fast
the hash is; SHA-256 of it is kept, so that each request costs microseconds.
"""

import hashlib
import hmac
import json
import re
import secrets
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fanshu.errors import AccountError, DataNewer
from fanshu.keeping import write_private
from fanshu.serve.access import Grant, Person

FILE = "accounts.json"
FORMAT = 1
NAME = re.compile(r"[\w.@+-]{1,64}")
LEAST_PASSWORD = 8  # characters, as NIST SP 800-63B asks at least
MOST_PASSWORD = 1_000  # characters; hashing a book would keep the service busy
TOKEN_START = "fanshu_"  # noqa: S105 - so that scanners for secrets know one
ID_CHARS = 8
_ID = re.compile(rf"{TOKEN_START}([0-9a-f]{{{ID_CHARS}}})_([\w-]{{20,100}})")


@dataclass(frozen=True, slots=True)
class Account:
    """A user or a token. `hash` is empty for users that only sign in through a proxy."""

    name: str
    hash: str
    grants: tuple[str, ...] = ("*",)
    writes: bool = False
    keeps: bool = False
    cost: float | None = None
    created: str = ""
    approves: bool = False

    def person(self, token: bool) -> Person:
        """Whoever uses this account."""
        grants = tuple(map(Grant.of, self.grants))
        return Person(
            kind="token" if token else "user",
            name=self.name,
            grants=grants,
            writes=self.writes,
            keeps=self.keeps,
            approves=self.approves,
            cost=self.cost,
            since=self.created,
        )

    @property
    def stamp(self) -> str:
        """Changes with the password, so that logins made with an older one end."""
        return hashlib.sha256(self.hash.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Known:
    """All accounts: users by name, tokens by their id."""

    users: Mapping[str, Account]
    tokens: Mapping[str, Account]


NOBODY = Known({}, {})
Users = dict[str, Account]  # by name
Tokens = dict[str, Account]  # by id
Change = Callable[[Users, Tokens], None]


class AccountBook(ABC):
    """Users and tokens, wherever they are kept. Thread-safe.

    Raises: AccountError, StoreError, where they cannot be read.
    """

    @abstractmethod
    def known(self) -> Known:
        """The accounts as they are now."""

    @abstractmethod
    def _change(self, work: Change) -> None:
        """Let `work` change users and tokens, and write them when that went well.

        It may be called several times.
        """

    # ---------------------------------------------------------------- who is it

    def by_token(self, token: str) -> Person | None:
        """Whoever holds a token, None when there is no such token."""
        match = _ID.fullmatch(token)
        account = self.known().tokens.get(match[1]) if match else None
        if account and hmac.compare_digest(account.hash, _digest(token)):
            return account.person(token=True)
        return None

    def by_password(self, name: str, password: str) -> Account | None:
        """The user with this name and password. Takes as long for names that are unknown."""
        from argon2 import PasswordHasher
        from argon2.exceptions import InvalidHashError, VerificationError

        account = self.known().users.get(name)
        wanted = account.hash if account and account.hash else _nobody()
        try:
            right = PasswordHasher().verify(wanted, password[:MOST_PASSWORD])
        except (VerificationError, InvalidHashError):
            return None
        return account if right and account and account.hash else None

    def user(self, name: str) -> Account | None:
        """The user of this name."""
        return self.known().users.get(name)

    # ---------------------------------------------------------------- changes

    def add_user(self, account: Account, password: str | None) -> None:
        """A new user; without a password only a proxy can sign it in. Raises: AccountError."""
        _check(account)
        made = replace(account, hash=_hashed(password), created=_now())

        def added(users: Users, _: Tokens) -> None:
            if account.name in users:
                raise AccountError(detail=f"There is a user {account.name!r} already.")
            users[account.name] = made

        self._change(added)

    def set_password(self, name: str, password: str) -> None:
        """Another password; logins made with the old one end. Raises: AccountError."""
        hashed = _hashed(password)

        def changed(users: Users, _: Tokens) -> None:
            if name not in users:
                raise AccountError(detail=f"There is no user {name!r}.")
            users[name] = replace(users[name], hash=hashed)

        self._change(changed)

    def remove_user(self, name: str) -> None:
        """Raises: AccountError — there is none."""

        def removed(users: Users, _: Tokens) -> None:
            if users.pop(name, None) is None:
                raise AccountError(detail=f"There is no user {name!r}.")

        self._change(removed)

    def add_token(self, account: Account) -> str:
        """A new token, which is shown this once. Raises: AccountError."""
        _check(account)
        token_id = secrets.token_hex(ID_CHARS // 2)
        token = f"{TOKEN_START}{token_id}_{secrets.token_urlsafe(32)}"
        made = replace(account, hash=_digest(token), created=_now())

        def added(_: Users, tokens: Tokens) -> None:
            if any(one.name == account.name for one in tokens.values()):
                raise AccountError(detail=f"There is a token {account.name!r} already.")
            tokens[token_id] = made

        self._change(added)
        return token

    def revoke(self, name: str) -> None:
        """Take a token away, by its name or id. Raises: AccountError."""

        def revoked(_: Users, tokens: Tokens) -> None:
            for key in _named(tokens, name):
                del tokens[key]

        self._change(revoked)

    def change_token(self, name: str, grants: tuple[str, ...]) -> None:
        """What the holder of a token may see from now on. Raises: AccountError."""

        def changed(_: Users, tokens: Tokens) -> None:
            for key in _named(tokens, name):
                tokens[key] = replace(tokens[key], grants=grants)

        self._change(changed)


class Accounts(AccountBook):
    """The accounts in one file; what changes there counts at once. Thread-safe."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[int, int, int] | None = None
        self._known = NOBODY
        self._guard = threading.Lock()

    def known(self) -> Known:
        """The accounts as they are now. Raises: AccountError — the file cannot be read."""
        with self._guard:
            try:
                info = self.path.stat()
            except FileNotFoundError:
                self._seen, self._known = None, NOBODY
                return self._known
            except OSError as error:
                raise _unreadable(self.path, error) from error
            mark = info.st_mtime_ns, info.st_size, info.st_ino
            if mark != self._seen:
                self._known, self._seen = _load(self.path), mark
            return self._known

    def _change(self, work: Change) -> None:
        """Change the file; one process at a time."""
        from filelock import FileLock

        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(self.path.with_suffix(".lock"), mode=0o600):
            known = _load(self.path) if self.path.exists() else NOBODY
            users, tokens = dict(known.users), dict(known.tokens)
            work(users, tokens)
            _save(self.path, Known(users, tokens))


def _check(account: Account) -> None:
    _check_name(account.name)
    for grant in account.grants:  # a script with a variable unset must not open everything
        if not grant or grant.endswith(":"):
            detail = f"{grant!r} allows nothing; write LIBRARY, LIBRARY:PATTERN or *."
            raise AccountError(detail=detail)


def _check_name(name: str) -> None:
    if not NAME.fullmatch(name):
        detail = f"{name!r} cannot be a name; letters, digits and . _ @ + - can stand in one."
        raise AccountError(detail=detail)


def _hashed(password: str | None) -> str:
    if password is None:
        return ""
    if not LEAST_PASSWORD <= len(password) <= MOST_PASSWORD:
        detail = f"A password has {LEAST_PASSWORD} to {MOST_PASSWORD:,} characters."
        raise AccountError(detail=detail)
    from argon2 import PasswordHasher

    return PasswordHasher().hash(password)


_unknown: list[str] = []


def _nobody() -> str:
    """A hash that no password has."""
    if not _unknown:
        _unknown.append(_hashed(secrets.token_urlsafe(32)))
    return _unknown[0]


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat()


def _unreadable(path: Path | str, error: object) -> AccountError:
    return AccountError(detail=f"The users and tokens in {str(path)!r} cannot be read: {error}.")


def _load(path: Path) -> Known:
    try:
        return known_of(json.loads(path.read_text(encoding="utf-8")), str(path))
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def known_of(data: dict[str, Any], place: str) -> Known:
    """Accounts from plain data, as `plain_of` gives it. Raises: AccountError, DataNewer."""
    try:
        if isinstance(data["format"], int) and data["format"] > FORMAT:
            raise DataNewer(path=place, format=data["format"])
        if data["format"] != FORMAT:
            raise _unreadable(place, f"format {data['format']!r}")
        users = {one["name"]: _account(one) for one in data["users"]}
        tokens = {one["id"]: _account(one) for one in data["tokens"]}
    except (KeyError, TypeError) as error:
        raise _unreadable(place, error) from error
    return Known(users, tokens)


def _account(fields: dict[str, Any]) -> Account:
    known = {name: value for name, value in fields.items() if name != "id"}
    return Account(**{**known, "grants": tuple(known["grants"])})


def _named(tokens: Mapping[str, Account], name: str) -> list[str]:
    """The ids of the tokens of a name, or of that id. Raises: AccountError."""
    found = [key for key, one in tokens.items() if name in (key, one.name)]
    if not found:
        raise AccountError(detail=f"There is no token {name!r}.")
    return found


def plain_of(known: Known) -> dict[str, Any]:
    """Accounts as plain data: hashes, no secrets."""
    tokens: Sequence[dict[str, Any]] = [
        {"id": key, **asdict(one)} for key, one in known.tokens.items()
    ]
    users = [asdict(one) for one in known.users.values()]
    return {"format": FORMAT, "users": users, "tokens": tokens}


def _save(path: Path, known: Known) -> None:
    text = json.dumps(plain_of(known), ensure_ascii=False)
    write_private(path, text.encode("utf-8"), lasting=True)
