"""Every door to a paragraph that somebody may not see stays shut.

Two people: one who may see everything, one who may see `public/*` of one library. The paragraph
lies in `hr/`, and a second one in a library that is not theirs. docs/serve.md has the same list.
"""

import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from fpdf import FPDF

from fanshu.serve.accounts import Account
from fanshu.serve.app import Gated
from tests.serve.models import Curious
from tests.serve.served import Served, events, plan_of, serving, write

SECRET = "4711"
WORD = "marmalade"
PAY = f"# Pay\n\n## Bonus\n\nThe {WORD} bonus is {SECRET} yuan.\n\n![](chart.png)\n"
OPEN = "# Welcome\n\n## Hours\n\nThe office opens at 9.\n\n![](link.png)\n"
PNG = b"\x89PNG\r\n\x1a\n" + SECRET.encode()
QUESTION = f"How much is the {WORD} bonus?"


def pdf() -> bytes:
    document = FPDF()
    document.add_page()
    document.set_font("helvetica", size=12)
    document.cell(text=f"The {WORD} bonus is {SECRET} yuan.")
    return bytes(document.output())


def package() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("word/media/chart.png", PNG)
    return data.getvalue()


@dataclass
class Doors:
    served: Served
    everything: httpx.Client
    little: httpx.Client
    model: Curious


@pytest.fixture
def doors(tmp_path: Path) -> Iterator[Doors]:
    folders = {
        "main": write(
            tmp_path / "main",
            {
                "hr/pay.md": PAY,
                "hr/pay.pdf": pdf(),
                "hr/chart.png": PNG,
                "hr/pay.docx": package(),
                "public/welcome.md": OPEN,
                "public/hours.md": "# Hours\n\nNine to five.\n",
            },
        ),
        "board": write(tmp_path / "board", {"board.md": PAY}),
    }
    (folders["main"] / "public" / "link.png").symlink_to(folders["main"] / "hr" / "chart.png")
    model = Curious(
        ("search", {"keyword": WORD}),
        ("search", {"keyword": WORD, "path": "hr"}),
        ("read", {"chunk_id": "hr/pay.md#2"}),
        ("next_chunk", {"chunk_id": "hr/pay.md#1"}),
        ("outline", {"path": "hr"}),
    )
    tokens: list[str] = []

    def before(app: Gated) -> None:
        accounts = app.service.accounts
        tokens.append(
            accounts.add_token(Account("all", "", writes=True, keeps=True, approves=True))
        )
        little = Account("little", "", ("main:public/*",), True, True, approves=True)
        tokens.append(accounts.add_token(little))

    plan = plan_of(folders, login=True, writable=True)
    with serving(plan, tmp_path / "service", lambda _: model, before=before) as served:
        everything, little = map(served.client, tokens)
        with everything, little:
            yield Doors(served, everything, little, model)


def forbidden(door: str, **query: str | int) -> tuple[str, dict[str, str | int]]:
    return door, query


PLACES = [
    forbidden("/v1/search", q=WORD),
    forbidden("/v1/search", q=WORD, path="hr"),
    forbidden("/v1/search", q=WORD, path="hr/pay.md"),
    forbidden("/v1/search", q=WORD, library="board"),
    forbidden("/v1/search", q=f"office | {WORD}"),
    forbidden("/v1/suggest", q="marmalde"),
    forbidden("/v1/suggest", q="bonus"),
    forbidden("/v1/chunk", id="hr/pay.md#2"),
    forbidden("/v1/chunk", id="HR/PAY.md#2"),
    forbidden("/v1/chunk", id="public/../hr/pay.md#2"),
    forbidden("/v1/chunk", id="hr/pay.md#1", next=1),
    forbidden("/v1/chunk", id="hr/pay.md#2", prev=1),
    forbidden("/v1/chunk", id="hr/pay.pdf#1"),
    forbidden("/v1/chunk", id="board.md#2", library="board"),
    forbidden("/v1/outline"),
    forbidden("/v1/outline", path="hr"),
    forbidden("/v1/outline", path="hr/pay.md#2"),
    forbidden("/v1/outline", words="Bonus"),
    forbidden("/v1/check", wait=30),
    forbidden("/v1/check", wait=30, path="hr"),
    forbidden("/v1/check", wait=30, library="board"),
    forbidden("/v1/documents"),
    forbidden("/v1/documents", library="board"),
    forbidden("/v1/original", path="hr/pay.md"),
    forbidden("/v1/original", path="hr/pay.pdf"),
    forbidden("/v1/original", path="public/../hr/pay.md"),
    forbidden("/v1/original", path="public/link.png"),
    forbidden("/v1/original", path="board.md", library="board"),
    forbidden("/v1/page", path="hr/pay.pdf", page=1),
    forbidden("/v1/image", path="hr/chart.png"),
    forbidden("/v1/image", path="public/../hr/chart.png"),
    forbidden("/v1/image", path="public/link.png"),
    forbidden("/v1/image", path="hr/pay.docx!/word/media/chart.png"),
    forbidden("/v1/image", path="hr/pay.pdf#page=1"),
    forbidden("/v1/approved"),
    forbidden("/v1/approved", library="board"),
    forbidden("/v1/approved/review"),
    forbidden("/v1/runs"),
    forbidden("/v1/runs/states"),
    forbidden("/v1/unanswered"),
    forbidden("/v1/me"),
    forbidden("/v1/models"),
]
HIDDEN = (SECRET, "hr/", "Bonus", "pay.md", "board.md", "Pay")


def test_a_forbidden_paragraph_is_behind_no_door(doors: Doors) -> None:
    run = doors.everything.post("/v1/ask", json={"question": QUESTION}).headers["fanshu-run"]
    kept = doors.everything.post("/v1/approved", json={"run_id": run})
    assert kept.status_code == 201
    open_doors = []
    for path, query in PLACES:
        told = doors.little.get(path, params=query)
        said = told.text if told.status_code == 200 else told.text.replace("hr/pay", "")
        for word in map(str, query.values()):  # what was asked for may be said again
            said = said.replace(word, "")
        leaks = [word for word in HIDDEN if word in said]
        if told.status_code not in (200, 404) or leaks:
            open_doors.append((path, query, told.status_code, leaks))
    assert not open_doors, open_doors


def test_the_doors_are_open_for_whoever_may_see_it(doors: Doors) -> None:
    """Else the test above could not fail."""
    answer = doors.everything.post("/v1/ask", json={"question": QUESTION}).json()
    assert answer["status"] == "answered"
    assert SECRET in answer["answer"]
    shut = []
    for path, query in PLACES:
        answer = doors.everything.get(path, params=query)
        way_round = any(part in str(query) for part in ("..", "link.png"))
        if (answer.status_code == 200) == way_round:
            shut.append((path, query, answer.text))
    assert not shut, shut


def test_an_answer_is_not_shared_through_the_cache_or_a_run(doors: Doors) -> None:
    """The same question, after and while somebody asks it who may see everything."""
    known = doors.everything.post("/v1/ask", json={"question": QUESTION}).json()
    assert SECRET in known["answer"]
    again = doors.everything.post("/v1/ask", json={"question": QUESTION}).json()
    assert again["cached"]
    told = doors.little.post("/v1/ask", json={"question": QUESTION})
    assert SECRET not in told.text
    assert told.json()["status"] == "not_found"
    with doors.little.stream(
        "POST",
        "/v1/ask",
        json={"question": QUESTION, "fresh": True},
        headers={"Accept": "text/event-stream"},
    ) as stream:
        steps = list(events(stream.iter_lines()))
    assert len(steps) > 6
    assert SECRET not in str(steps)
    followed = {
        "question": "And?",
        "earlier": [{"question": QUESTION, "answer": "?", "places": ["hr/pay.md#2"]}],
    }
    assert SECRET not in doors.little.post("/v1/ask", json=followed).text
    assert (
        doors.little.post("/v1/ask", json={"question": QUESTION, "library": "board"}).status_code
        == 404
    )


def test_an_approved_answer_is_for_those_who_may_see_its_evidence(doors: Doors) -> None:
    run = doors.everything.post("/v1/ask", json={"question": QUESTION}).headers["fanshu-run"]
    kept = doors.everything.post("/v1/approved", json={"run_id": run}).json()
    asked = {"question": QUESTION}
    assert doors.everything.post("/v1/ask", json=asked).json()["approved"]["id"] == kept["id"]
    told = doors.little.post("/v1/ask", json=asked)
    assert SECRET not in told.text
    assert (told.json()["approved"], told.json()["under_review"]) == (None, None)
    at = f"/v1/approved/{kept['id']}"
    for answer in (
        doors.little.get(at),
        doors.little.patch(at, json={"wording": "The bonus?"}),
        doors.little.patch(at, json={"keep": True, "force": True}),
        doors.little.delete(at),
        doors.little.post("/v1/approved", json={"run_id": run}),
    ):
        assert answer.status_code == 404
        assert SECRET not in answer.text
    assert doors.everything.get(at).json()["wordings"] == [QUESTION]


def test_a_chat_looks_through_the_same_scope(doors: Doors) -> None:
    asked = {"model": "fanshu/main", "messages": [{"role": "user", "content": QUESTION}]}
    known = doors.everything.post("/v1/chat/completions", json=asked)
    assert SECRET in known.json()["choices"][0]["message"]["content"]
    followed = [
        *asked["messages"],
        {"role": "assistant", "content": "?\n\n**Quotes checked**\n\n[1] x · `hr/pay.md#2`"},
        {"role": "user", "content": "And?"},
    ]
    for change in ({}, {"stream": True}, {"messages": followed}):
        told = doors.little.post("/v1/chat/completions", json=asked | change)
        assert told.status_code == 200
        assert SECRET not in told.text
    assert len(doors.little.get("/v1/models").json()["data"]) == 1
    assert doors.little.get("/v1/models/fanshu/board").status_code == 404
    board = doors.little.post("/v1/chat/completions", json=asked | {"model": "fanshu/board"})
    assert board.status_code == 404
    assert board.text.count("board") == 1  # as it was asked for


def test_figures_are_those_of_what_may_be_seen(doors: Doors) -> None:
    asked = {"question": "When does the office open?", "library": "board"}
    doors.everything.post("/v1/ask", json=asked)
    assert 'library="board"' in doors.everything.get("/metrics").text
    told = doors.little.get("/metrics").text
    assert "board" not in told
    assert "fanshu_requests_total" in told


def test_runs_of_others_are_not_found(doors: Doors) -> None:
    asked = doors.everything.post("/v1/ask", json={"question": QUESTION})
    for run_id in (asked.headers["fanshu-run"], asked.json()["trace_id"]):
        assert doors.everything.get(f"/v1/runs/{run_id}").status_code == 200
        assert doors.little.get(f"/v1/runs/{run_id}").status_code == 404
        marked = doors.little.post(f"/v1/runs/{run_id}/feedback", json={"good": True})
        assert marked.status_code == 404


def test_what_somebody_saw_is_gone_when_they_may_see_less(doors: Doors) -> None:
    """A run holds what its asker might see then."""
    accounts = doors.served.app.service.accounts
    run_id = doors.everything.post("/v1/ask", json={"question": QUESTION}).headers["fanshu-run"]
    accounts.change_token("all", ("main:public/*",))
    assert doors.everything.get(f"/v1/runs/{run_id}").status_code == 404
    assert SECRET not in doors.everything.get("/v1/runs").text


def test_nobody_writes_where_they_may_not_look(doors: Doors) -> None:
    body = b"# New\n\nText.\n"
    for path in ("hr/new.md", "public/../hr/new.md", "../new.md", "/new.md", "public/.git/a.md"):
        told = doors.little.put("/v1/documents", params={"path": path}, content=body)
        assert told.status_code == 403, path
    assert doors.little.delete("/v1/documents", params={"path": "hr/pay.md"}).status_code == 404
    assert doors.everything.get("/v1/chunk", params={"id": "hr/pay.md#2"}).status_code == 200


def test_without_a_person_there_is_nothing(doors: Doors) -> None:
    with (
        doors.served.client() as nobody,
        doors.served.client("fanshu_00000000_" + "x" * 43) as fake,
    ):
        for path, query in [*PLACES, forbidden("/metrics"), forbidden("/v1/anything")]:
            for http in (nobody, fake):
                told = http.get(path, params=query)
                assert told.status_code == 401
                assert told.headers["www-authenticate"].startswith("Bearer")
