"""Asking over HTTP."""

from tests.serve.served import Served, events


def test_an_answer_as_json(service: Served) -> None:
    with service.client() as http:
        answer = http.post("/v1/ask", json={"question": "What is the write timeout?"})
    told = answer.json()
    assert told["status"] == "passages"
    assert told["citations"][0]["chunk_id"] == "manual.md#2"
    assert answer.headers["fanshu-run"]


def test_a_run_as_it_unfolds(service: Served) -> None:
    asked = {"question": "What is the write timeout?"}
    with (
        service.client() as http,
        http.stream("POST", "/v1/ask", json=asked, headers={"Accept": "text/event-stream"}) as said,
    ):
        told = list(events(said.iter_lines()))
    names = [event.name for event in told]
    assert (names[0], names[-1]) == ("started", "answer")
    assert {"step", "round"} <= set(names)
    assert told[-1].data["citations"][0]["chunk_id"] == "manual.md#2"


def test_history_and_feedback(service: Served) -> None:
    with service.client() as http:
        run_id = http.post("/v1/ask", json={"question": "write timeout"}).headers["fanshu-run"]
        (run,) = http.get("/v1/runs").json()["runs"]
        assert (run["id"], run["question"], run["good"]) == (run_id, "write timeout", None)
        whole = http.get(f"/v1/runs/{run_id}").json()
        assert whole["trace"]["question"] == "write timeout"
        assert "settings" not in whole["trace"]
        assert http.get(f"/v1/runs/{whole['answer']['trace_id']}").json()["id"] == run_id
        sent = http.post(f"/v1/runs/{run_id}/feedback", json={"good": False, "note": "old"})
        assert sent.status_code == 204
        (bad,) = http.get("/v1/unanswered").json()["unanswered"]
        assert (bad["good"], bad["note"]) == (False, "old")
