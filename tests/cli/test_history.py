"""What was typed: kept in private, never a key, and no more than there is room for."""

import os
from pathlib import Path

import pytest

from fanshu.cli.history import MOST, ROOM, History, secret
from tests.cli.conftest import Fanshu


def test_lines_come_back_in_order_and_only_their_owner_may_read_them(tmp_path: Path) -> None:
    path = tmp_path / "history" / "chat.jsonl"
    for line in ("写超时是多少", "第一行\n第二行", "第一行\n第二行"):
        History(path).add(line)
    assert History(path).lines == ("写超时是多少", "第一行\n第二行")
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "line",
    [
        " not this one",
        "the key is sk-proj-abcdefghijklmnop",
        "api_key=12345678",
        "密码是 hunter2hunter2",
        "Authorization: Bearer abcdef123456",
        "what is 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c",
    ],
)
def test_what_may_be_a_secret_is_not_kept(tmp_path: Path, line: str) -> None:
    kept = History(tmp_path / "chat.jsonl")
    kept.add(line)
    assert kept.lines == ()
    assert not (tmp_path / "chat.jsonl").exists()


@pytest.mark.parametrize(
    "line",
    [
        "token 有效期多久？",
        "密码怎么修改",
        "tidb_gc_life_time 默认多少",
        "E-4012 是什么",
        "api key 在哪里申请",
    ],
)
def test_a_question_about_keys_is_kept(line: str) -> None:
    assert not secret(line)


def test_the_file_does_not_grow_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text("".join(f'"{n}"\n' for n in range(MOST + ROOM)) + "no JSON\n")
    kept = History(path)
    for number in range(ROOM + 1):
        kept.add(f"new {number}")
    assert len(path.read_bytes().splitlines()) == MOST
    assert History(path).lines[-1] == f"new {ROOM}"


def test_a_place_that_cannot_be_written_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = History(tmp_path / "file" / "chat.jsonl")
    kept.add("写超时是多少")
    assert kept.lines == ("写超时是多少",)
    assert History(None).lines == ()


def test_purge_removes_it(fanshu: Fanshu, home: Path) -> None:
    path = home / "data" / "fanshu" / "history" / "chat.jsonl"
    History(path).add("写超时是多少")
    (kept,) = fanshu("purge", "--only", "history", "--json").json["kept"]
    assert kept["path"] == str(path.parent)
    assert fanshu("purge", "--only", "history", "--yes").code == 0
    assert not path.exists()
