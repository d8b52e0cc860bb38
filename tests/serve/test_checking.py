"""The check-up over HTTP: findings, how far it is, what outdates it, and what nobody may learn."""

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from fanshu.library.library import Progress
from fanshu.models.extractive import ExtractiveReader
from fanshu.serve.accounts import Account
from fanshu.serve.checking import LEFT_SECONDS, Checkups, Working, _Left
from fanshu.serve.libraries import Libraries
from fanshu.types import EVERYTHING
from tests.serve.served import Served, plan_of, serving, until, write
from tests.waiting import PATIENCE

ONE = "# 甲\n\n`read_timeout` 默认为 30 秒。\n"
OTHER = "# 乙\n\n`read_timeout` 默认为 60 秒。\n"
LINKED = "# 丙\n\n见[丁](none.md)、[甲](../../hr/pay.md)、[戊](../../hr/absent.md)。\n"
IGNORE = '[[ignore]]\nid = "{id}"\nreason = "as agreed"\n'
FILES = {
    "hr/pay.md": ONE,
    "public/notes.md": OTHER,
    "public/guide/links.md": LINKED,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "main", FILES)


@pytest.fixture
def main(folder: Path, tmp_path: Path) -> Iterator[Served]:
    """A library with a conflict and links that lead nowhere, for this machine."""
    plan = plan_of({"main": folder}, {"model": None})
    with serving(plan, tmp_path / "service", lambda _: ExtractiveReader()) as served:
        yield served


def checked(http: httpx.Client, **wanted: Any) -> dict[str, Any]:
    """The check-up, once there is one."""
    told = http.get("/v1/check", params={"wait": 30} | wanted)
    assert told.status_code == 200, told.text
    found: dict[str, Any] = told.json()
    return found


def renewed(http: httpx.Client) -> dict[str, Any]:
    """The check-up, once there is one of the documents as they are now."""
    until(lambda: not (one := checked(http))["outdated"] and not one["working"], 30)
    return checked(http)


def test_findings_are_told_with_their_passages(main: Served) -> None:
    with main.client() as http:
        told = checked(http)
    assert (told["library"], told["files"], told["everything"]) == ("main", 3, True)
    assert {one["kind"]: one["count"] for one in told["kinds"]} == {"conflict": 1, "link": 2}
    conflict = next(one for one in told["findings"] if one["kind"] == "conflict")
    assert (conflict["code"], conflict["term"]) == ("parameter", "read_timeout")
    assert "默认值" in conflict["message_zh"] and "default" in conflict["message"]
    for side in conflict["sides"]:
        assert [side["text"][a:b] for a, b in side["marked"]] == [side["value"]]
    assert {tuple(side["lines"]) for side in conflict["sides"]} == {(3, 3)}


def test_kind_path_limit_and_offset_choose(main: Served) -> None:
    with main.client() as http:
        links = checked(http, kind="link")
        assert [one["kind"] for one in links["findings"]] == ["link", "link"]
        assert links["total"] == 2
        assert [one["count"] for one in links["kinds"]] == [1, 2]  # what other kinds have stays
        assert checked(http, kind=["link", "conflict"])["total"] == 3
        assert [one["kind"] for one in checked(http, path="hr")["findings"]] == ["conflict"]
        assert checked(http, path="public/guide")["total"] == 2
        assert {one["path"]: one["count"] for one in links["folders"]} == {"hr": 1, "public": 3}
        every = checked(http)["findings"]
        assert checked(http, limit=1, offset=1)["findings"] == every[1:2]
        assert checked(http, limit=0)["findings"] == []
        wrong = {"kind": "whale"}, {"limit": 501}, {"wait": 31}, {"offset": -1}
        assert {http.get("/v1/check", params=one).status_code for one in wrong} == {422}
        assert http.get("/v1/check", params={"path": "whales"}).status_code == 404
        assert http.get("/v1/check", params={"library": "whales"}).status_code == 404


def test_how_far_it_is_is_told_until_there_is_one(main: Served) -> None:
    with main.client() as http:
        first = http.get("/v1/check", params={"wait": 0})
        assert first.status_code == 202
        assert first.headers["retry-after"] == "1"
        assert first.json()["state"] in ("waiting", "working")
        until(lambda: http.get("/v1/check", params={"wait": 0}).status_code == 200)


def test_it_is_kept_until_a_document_changes(main: Served, folder: Path) -> None:
    with main.client() as http:
        first = checked(http)
        assert checked(http)["at"] == first["at"]
        (folder / "public/notes.md").write_text(OTHER.replace("60", "30"), encoding="utf-8")
        until(lambda: checked(http)["at"] != first["at"])
        assert [one["kind"] for one in renewed(http)["findings"]] == ["link", "link"]


def test_what_the_index_does_not_know_of_is_seen_when_asked_for_anew(
    main: Served, folder: Path
) -> None:
    with main.client() as http:
        first = checked(http)
        (folder / "public/guide/none.md").mkdir()  # a target, and no document
        assert checked(http)["at"] == first["at"]
        until(lambda: checked(http, fresh=True)["at"] != first["at"])
        assert [one["term"] for one in checked(http, kind="link")["findings"]] == ["hr/absent.md"]


def test_rules_count_at_once(main: Served, folder: Path) -> None:
    with main.client() as http:
        first = checked(http)
        rules = folder / ".fanshu/check-ignore.toml"
        rules.parent.mkdir()
        own = IGNORE.format(id=first["findings"][0]["id"])
        rules.write_text(own + IGNORE.format(id="link-00000000"), encoding="utf-8")
        told = checked(http)
        assert (told["at"], told["total"], told["ignored"]) == (first["at"], 2, 1)
        assert told["unused_rules"] == ["id = 'link-00000000'"]
        rules.write_text("ignore = whales", encoding="utf-8")
        told = checked(http)
        assert (told["total"], told["rules_failed"]) == (3, True)
        assert str(folder) not in json.dumps(told)


@pytest.fixture
def guarded(folder: Path, tmp_path: Path) -> Iterator[tuple[Served, list[str]]]:
    """The same with tokens: one that sees everything, one that sees `public/*`."""
    tokens: list[str] = []

    def before(app: Any) -> None:
        accounts = app.service.accounts
        tokens.append(accounts.add_token(Account("all", "")))
        tokens.append(accounts.add_token(Account("little", "", ("main:public/*",))))

    rules = folder / ".fanshu/check-ignore.toml"
    write(folder, {".fanshu/check-ignore.toml": '[[ignore]]\npath = "hr/x*"\nreason = "pay"\n'})
    assert rules.exists()
    plan = plan_of({"main": folder}, {"model": None}, login=True)
    with serving(plan, tmp_path / "service", lambda _: ExtractiveReader(), before=before) as served:
        yield served, tokens


def test_only_what_may_be_seen_is_compared(guarded: tuple[Served, list[str]]) -> None:
    served, (everything, little) = guarded
    with served.client(everything) as http:
        assert checked(http)["total"] == 3
        assert checked(http)["unused_rules"] == ["path = 'hr/x*'"]
    with served.client(little) as http:
        told = checked(http)
        assert (told["total"], told["files"], told["everything"]) == (1, 2, False)
        assert [one["term"] for one in told["findings"]] == ["public/guide/none.md"]
        assert [one["path"] for one in told["folders"]] == ["public/guide"]
        for secret in ("30 秒", "hr/x", "conflict", '"hr'):
            assert secret not in json.dumps(told, ensure_ascii=False)
        assert http.get("/v1/check", params={"path": "hr"}).status_code == 404
    with served.client() as http:
        assert http.get("/v1/check").status_code == 401


def test_whether_a_file_exists_that_one_may_not_see_is_not_told(
    guarded: tuple[Served, list[str]],
) -> None:
    """A link to `hr/pay.md`, which is there, and one to `hr/absent.md`, which is not."""
    served, (everything, little) = guarded
    with served.client(everything) as http:
        assert "hr/absent.md" in [one["term"] for one in checked(http)["findings"]]
    with served.client(little) as http:
        assert not [one for one in checked(http)["findings"] if one["term"].startswith("hr/")]


# ---------------------------------------------------------------- beginning and ending


def test_nobody_waits_for_one_that_nobody_asks_for_any_more() -> None:
    step = Progress(1, 2, "a.md")
    working = Working(listeners=1)
    working.step(step)
    working.listeners = 0
    with pytest.raises(_Left):
        working.step(step)
    working.heard = time.monotonic() - LEFT_SECONDS / 2
    working.step(step)
    assert working.progress == step
    working.ended = True
    with pytest.raises(_Left):
        working.step(step)


def test_one_whose_only_asker_leaves_is_given_up(tmp_path: Path) -> None:
    files = {f"{n}.md": f"# {n}\n\n{ONE}" for n in range(300)}
    plan = plan_of({"many": write(tmp_path / "many", files)}, {"index": str(tmp_path / "index")})

    async def left_and_asked_again() -> tuple[bool, bool]:
        libraries = Libraries(plan, lambda _: ExtractiveReader())
        libraries.open()
        checkups = Checkups(libraries)
        shelf = libraries.all["many"]
        await shelf.up_to_date()
        nobody = asyncio.create_task(asyncio.sleep(0))
        somebody = asyncio.create_task(asyncio.sleep(3_600))
        await nobody
        gone = await checkups.of(shelf, EVERYTHING, fresh=False, seconds=PATIENCE, gone=nobody)
        assert gone.working and gone.working.task
        await gone.working.task
        again = await checkups.of(shelf, EVERYTHING, fresh=False, seconds=0, gone=somebody)
        done = await checkups.of(shelf, EVERYTHING, fresh=False, seconds=PATIENCE, gone=somebody)
        somebody.cancel()
        await checkups.end()
        await libraries.close()
        return again.checked is None, done.checked is not None

    assert asyncio.run(left_and_asked_again()) == (True, True)
