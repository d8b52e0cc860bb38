"""Users, tokens and history as the first service kept them, and as a later one may."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fanshu.errors import DataNewer
from fanshu.serve.accounts import Account, Accounts
from fanshu.serve.register import Register

FIRST_REGISTER = """
CREATE TABLE run(
  id TEXT PRIMARY KEY, who TEXT NOT NULL, library TEXT NOT NULL, patterns TEXT NOT NULL,
  asked REAL NOT NULL, question TEXT NOT NULL, status TEXT NOT NULL, trace TEXT, cached INTEGER,
  seconds REAL NOT NULL, cost REAL NOT NULL, tokens INTEGER NOT NULL, answer TEXT NOT NULL,
  good INTEGER, note TEXT NOT NULL DEFAULT '');
CREATE TABLE login(
  hash TEXT PRIMARY KEY, user TEXT NOT NULL, stamp TEXT NOT NULL, ends REAL NOT NULL);
INSERT INTO run VALUES('r1', 'token:ci', 'manuals', '["*"]', 1767225600.0, 'How long?', 'answered',
  NULL, 0, 1.5, 0.25, 900, '{"status": "answered"}', 1, 'helpful');
"""


def test_a_register_without_a_number_keeps_its_history(tmp_path: Path) -> None:
    path = tmp_path / "register.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(FIRST_REGISTER)
    for _ in range(2):  # opened by this version, and opened again
        register = Register(path, days=100_000)
        (run,) = register.runs("token:ci")
        register.close()
        assert (run.question, run.good, run.note, run.cost) == ("How long?", True, "helpful", 0.25)


def test_a_register_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "register.db"
    Register(path, days=1).close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(DataNewer, match="format 99"):
        Register(path, days=1)


def test_accounts_of_a_newer_version_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "accounts.json"
    accounts = Accounts(path)
    accounts.add_token(Account("ci", ""))
    written = json.loads(path.read_text(encoding="utf-8")) | {"format": 99}
    path.write_text(json.dumps(written), encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(DataNewer, match="format 99"):
        Accounts(path).known()
    with pytest.raises(DataNewer, match="format 99"):
        accounts.add_token(Account("another", ""))
    assert path.read_bytes() == before
