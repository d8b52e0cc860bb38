"""Approved answers over HTTP: who may approve, who is given them, and what waits."""

import json
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from fanshu import app
from fanshu.approved.approving import Wish
from fanshu.approved.deciding import accept
from fanshu.approved.opening import approvals_of
from fanshu.errors import ConfigError
from fanshu.models.extractive import ExtractiveReader
from fanshu.serve.accounts import Account
from fanshu.serve.webhook import Webhook
from tests.serve.served import Served, plan_of, serving, until

QUESTION = "What is the write timeout of the gateway?"


def asked(http: httpx.Client, question: str = QUESTION) -> httpx.Response:
    return http.post("/v1/ask", json={"question": question, "library": "manuals"})


def approved(http: httpx.Client, **more: object) -> httpx.Response:
    run = asked(http).headers["Fanshu-Run"]
    return http.post("/v1/approved", json={"run_id": run, **more})


def edit(folders: dict[str, Path], old: str, new: str) -> None:
    path = folders["manuals"] / "manual.md"
    path.write_text(path.read_text("utf-8").replace(old, new), encoding="utf-8")


def test_an_approved_answer_is_given_first(service: Served) -> None:
    with service.client() as http:
        told = approved(http, answer="30 seconds.", note="as agreed")
        assert told.status_code == 201
        kept = told.json()
        assert (kept["state"], kept["by"], kept["edited"]) == ("unchanged", "local", True)
        again = asked(http, "what is the write timeout of the gateway").json()
        assert (again["answer"], again["status"]) == ("30 seconds.", "answered")
        assert again["approved"]["id"] == kept["id"]
        assert again["usage"]["prompt"] == again["rounds"] == 0
        streamed = http.post(
            "/v1/ask", json={"question": QUESTION}, headers={"Accept": "text/event-stream"}
        ).text
        assert kept["id"] in streamed
        fresh = http.post("/v1/ask", json={"question": QUESTION, "fresh": True}).json()
        assert fresh["approved"] is None


def test_a_text_that_does_not_hold_is_named_and_can_be_forced(service: Served) -> None:
    with service.client() as http:
        refused = approved(http, answer="31 seconds.")
        assert refused.status_code == 409
        assert (refused.json()["code"], refused.json()["unsupported"]) == (
            "approval_unchecked",
            ["31 seconds"],
        )
        kept = approved(http, answer="31 seconds.", force=True).json()
        assert kept["unsupported"] == ["31 seconds"]
        assert asked(http).json()["status"] == "partial"


def test_what_changed_waits_and_can_be_kept(service: Served, folders: dict[str, Path]) -> None:
    with service.client() as http:
        kept = approved(http, answer="30 seconds.").json()
        assert http.get("/v1/approved/review").json() == {"approved": []}
        edit(folders, "30 seconds", "40 seconds")
        until(lambda: bool(http.get("/v1/approved/review").json()["approved"]))
        (waits,) = http.get("/v1/approved/review").json()["approved"]
        assert (waits["id"], waits["state"], waits["waits"]) == (kept["id"], "changed", True)
        (evidence,) = waits["evidence"]
        assert ["30", True] in evidence["before"]
        assert ["40", True] in evidence["after"]
        told = asked(http).json()
        assert (told["approved"], told["under_review"]["state"]) == (None, "changed")
        at = f"/v1/approved/{kept['id']}"
        assert http.patch(at, json={"keep": True}).status_code == 409
        now = http.patch(at, json={"answer": "40 seconds.", "note": "new gateway"}).json()
        assert (now["state"], now["answer"]) == ("unchanged", "40 seconds.")
        assert [one["act"] for one in http.get(at).json()["history"]] == ["approved", "edited"]
        assert http.patch(at, json={"wording": "How long does a write wait?"}).status_code == 200
        assert asked(http, "How long does a write wait?").json()["answer"] == "40 seconds."
        assert http.delete(at).status_code == 204
        assert http.get(at).status_code == 404
        assert asked(http).json()["approved"] is None


def test_old_answers_are_marked_by_what_became_of_their_evidence(
    service: Served, folders: dict[str, Path]
) -> None:
    with service.client() as http:
        run = asked(http).headers["Fanshu-Run"]
        asked(http, "whales")
        assert http.get("/v1/runs/states").json() == {"states": {run: "unchanged"}}
        edit(folders, "30 seconds", "40 seconds")
        until(lambda: http.get("/v1/runs/states").json()["states"][run] == "changed")


@pytest.fixture
def guarded(folders: dict[str, Path], tmp_path: Path) -> Iterator[tuple[Served, list[str]]]:
    """A service with tokens: one that may approve, one that may not, one that sees little."""
    tokens: list[str] = []

    def before(app: Any) -> None:
        accounts = app.service.accounts
        tokens.append(accounts.add_token(Account("approver", "", approves=True)))
        tokens.append(accounts.add_token(Account("reader", "")))
        little = Account("little", "", ("manuals:public/*", "rules"), approves=True)
        tokens.append(accounts.add_token(little))

    (folders["manuals"] / "public").mkdir()
    (folders["manuals"] / "public/about.md").write_text("# About\n\nThe gateway is blue.\n")
    plan = plan_of(folders, {"model": None}, login=True)
    with serving(plan, tmp_path / "service", lambda _: ExtractiveReader(), before=before) as served:
        yield served, tokens


def test_only_whoever_may_approve_does(guarded: tuple[Served, list[str]]) -> None:
    served, (approver, reader, little) = guarded
    with served.client(approver) as http:
        kept = approved(http, answer="30 seconds.").json()
        assert kept["by"] == "token:approver"
        assert http.get("/v1/me").json()["approves"] is True
    at = f"/v1/approved/{kept['id']}"
    with served.client(reader) as http:
        assert http.get("/v1/me").json()["approves"] is False
        told = [
            approved(http),
            http.get("/v1/approved"),
            http.get("/v1/approved/review"),
            http.get(at),
            http.patch(at, json={"keep": True}),
            http.delete(at),
        ]
        assert {one.status_code for one in told} == {403}
        assert asked(http).json()["approved"]["id"] == kept["id"]
    with served.client(little) as http:
        assert http.get("/v1/approved").json() == {"approved": []}
        told = [http.get(at), http.patch(at, json={"keep": True}), http.delete(at)]
        assert {one.status_code for one in told} == {404}
        answer = asked(http).json()
        assert (answer["approved"], answer["under_review"]) == (None, None)
    with served.client(approver) as http:
        assert http.get(at).status_code == 200


def test_the_runs_of_others_cannot_be_approved(guarded: tuple[Served, list[str]]) -> None:
    served, (approver, reader, _) = guarded
    with served.client(reader) as http:
        run = asked(http).headers["Fanshu-Run"]
    with served.client(approver) as http:
        assert http.post("/v1/approved", json={"run_id": run}).status_code == 404
        assert http.post("/v1/approved", json={"run_id": run, "x": 1}).status_code == 422


# ---------------------------------------------------------------- the webhook


class Listener(BaseHTTPRequestHandler):
    """Remembers what it is sent; the first `failing` attempts fail."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        heard = self.server.heard  # type: ignore[attr-defined]
        heard.append(json.loads(body))
        failing = self.server.failing  # type: ignore[attr-defined]
        endless = self.server.endless  # type: ignore[attr-defined]
        self.send_response(500 if len(heard) <= failing else 200 if endless else 204)
        self.end_headers()
        with suppress(OSError):
            while endless and not self.server.hung_up.wait(0.01):  # type: ignore[attr-defined]
                self.wfile.write(b"x" * 65_536)
        self.server.hung_up.set()  # type: ignore[attr-defined]

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as named there
        """Nothing."""


@pytest.fixture
def listener() -> Iterator[HTTPServer]:
    server = HTTPServer(("127.0.0.1", 0), Listener)
    server.heard, server.failing = [], 0  # type: ignore[attr-defined]
    server.endless, server.hung_up = False, threading.Event()  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.hung_up.set()  # type: ignore[attr-defined]
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("passages", [False, True])
def test_a_new_state_is_told_once(
    folders: dict[str, Path], tmp_path: Path, listener: HTTPServer, passages: bool
) -> None:
    url = f"http://127.0.0.1:{listener.server_port}/hook"
    more = {"review_webhook": url, "review_webhook_passages": passages}
    plan = plan_of(folders, {"model": None}, **more)
    heard = listener.heard  # type: ignore[attr-defined]
    served = serving(plan, tmp_path / "service", lambda _: ExtractiveReader())
    with served as service, service.client() as http:
        kept = approved(http, answer="30 seconds.").json()
        edit(folders, "30 seconds", "40 seconds")
        until(lambda: bool(http.get("/v1/approved/review").json()["approved"]))
        until(lambda: len(heard) == 1)
        edit(folders, "3 times", "4 times")
        until(lambda: http.get("/v1/search", params={"q": "4 times"}).json()["total"] > 0)
    assert len(heard) == 1
    (about,) = heard[0]["answers"]
    assert (about["id"], about["state"]) == (kept["id"], "changed")
    said = json.dumps(heard[0])
    assert ("40 seconds" in said) is passages


@pytest.mark.parametrize(("failing", "attempts"), [(2, 3), (9, 4)])
def test_it_is_told_again_a_few_times_when_that_failed(
    folders: dict[str, Path], listener: HTTPServer, failing: int, attempts: int
) -> None:
    listener.failing = failing  # type: ignore[attr-defined]
    library = app.open_library(plan_of(folders).libraries[0].settings)
    app.up_to_date(library)
    answer = app.ask(QUESTION, folders["manuals"])
    accept(approvals_of(library), library, answer, Wish("ada"))
    edit(folders, "30 seconds", "40 seconds")
    app.up_to_date(library)
    webhook = Webhook(f"http://127.0.0.1:{listener.server_port}/", pauses=(0.01, 0.01, 0.01))
    webhook.review("manuals", library)
    webhook.review("manuals", library)
    heard = listener.heard  # type: ignore[attr-defined]
    until(lambda: len(heard) == attempts)
    webhook.close()
    library.close()
    assert all(one == heard[0] for one in heard)


def test_a_reply_without_end_is_not_listened_to(
    folders: dict[str, Path], listener: HTTPServer
) -> None:
    listener.endless = True  # type: ignore[attr-defined]
    library = app.open_library(plan_of(folders).libraries[0].settings)
    app.up_to_date(library)
    accept(approvals_of(library), library, app.ask(QUESTION, folders["manuals"]), Wish("ada"))
    edit(folders, "30 seconds", "40 seconds")
    app.up_to_date(library)
    webhook = Webhook(f"http://127.0.0.1:{listener.server_port}/")
    webhook.review("manuals", library)
    until(listener.hung_up.is_set)  # type: ignore[attr-defined]
    webhook.close()
    library.close()


@pytest.mark.parametrize(
    "url", ["http://example.org/x", "ftp://127.0.0.1/", "https://", "file:///etc/passwd", "x"]
)
def test_an_address_that_others_could_listen_at_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="review_webhook"):
        Webhook(url)
