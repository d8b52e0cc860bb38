"""The register, in a file and over records that workers share: runs, marks, costs, logins."""

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fanshu.serve.register import LOST_SECONDS, Register, RunRegister
from fanshu.serve.shared_register import COST_SECONDS, SharedRegister
from fanshu.types import Answer, Usage
from tests.records import KINDS, shared_records

Make = Callable[..., RunRegister]
SCOPE = ("manuals/*",)


@pytest.fixture(params=["file", *KINDS])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Registers over one place, as two processes open it."""
    if request.param == "file":
        with contextlib.ExitStack() as opened:

            def in_file(**options: object) -> RunRegister:
                register = Register(tmp_path / "register.db", days=31, **options)  # type: ignore[arg-type]
                opened.callback(register.close)
                return register

            yield in_file
        return
    with shared_records(request, tmp_path) as records:
        yield lambda **options: SharedRegister(records, days=31, **options)


def answer(question: str = "问?", status: str = "answered", cost: float = 0.0) -> Answer:
    return Answer(
        question,
        status,
        "答",
        trace_id=f"t-{question}",
        usage=Usage(prompt=5, completion=5, cost=cost),
    )  # type: ignore[arg-type]


def test_a_run_is_its_askers_alone(make: Make) -> None:
    one, other = make(), make()
    one.keep("1", "user:a", "manuals", SCOPE, answer())
    run = other.run("1", "user:a")
    assert run
    assert (run.question, run.status, run.patterns, run.ended) == ("问?", "answered", SCOPE, True)
    assert run.answer["answer"] == "答"
    assert other.run("t-问?", "user:a") == run
    assert other.run("1", "user:b") is None
    assert [found.id for found in other.runs("user:a")] == ["1"]


def test_the_newest_comes_first_and_few_are_listed(make: Make) -> None:
    now = [time.time()]
    register = make(clock=lambda: now[0])
    for n in range(5):
        now[0] += 1
        register.keep(str(n), "user:a", "manuals", SCOPE, answer(f"{n}"))
    assert [run.id for run in register.runs("user:a", 3)] == ["4", "3", "2"]


def test_what_was_not_answered_or_not_good(make: Make) -> None:
    now = [time.time()]
    register = make(clock=lambda: now[0])
    for n, status in enumerate(("answered", "not_found", "partial", "passages", "answered")):
        now[0] += 1
        register.keep(str(n), f"user:{n}", "manuals", SCOPE, answer(status=status))
    register.mark("0", good=False, note="veraltet")
    register.mark("1", good=False, note="")
    register.mark("4", good=True, note="")
    register.mark("9", good=True, note="")  # a run that is not kept any more
    found = register.unanswered()
    assert [(run.id, run.good, run.note) for run in found] == [
        ("2", None, ""),
        ("1", False, ""),
        ("0", False, "veraltet"),
    ]


def test_what_a_month_costs(make: Make) -> None:
    now = [time.time()]
    one, other = make(clock=lambda: now[0]), make(clock=lambda: now[0])
    one.keep("1", "user:a", "manuals", SCOPE, answer(cost=0.25))
    assert (one.cost("user:a"), one.cost("user:b"), one.cost()) == (0.25, 0.0, 0.25)
    one.keep("2", "user:b", "manuals", SCOPE, answer(cost=0.5))
    assert (one.cost("user:a"), one.cost("user:b"), one.cost()) == (0.25, 0.5, 0.75)
    other.cost("user:b")
    one.keep("3", "user:b", "manuals", SCOPE, answer(cost=0.5))
    now[0] += COST_SECONDS + 1
    assert (other.cost("user:b"), other.cost()) == (1.0, 1.25)


def test_costs_of_another_month_do_not_count(make: Make) -> None:
    now = [time.time()]
    register = make(clock=lambda: now[0])
    register.keep("1", "user:a", "manuals", SCOPE, answer(cost=0.25))
    assert register.cost("user:a") == 0.25
    now[0] += 32 * 86_400
    assert register.cost("user:a") == 0.0


def test_a_run_is_seen_while_it_runs_and_when_its_worker_died(make: Make) -> None:
    now = [time.time()]
    one, other = make(clock=lambda: now[0]), make(clock=lambda: now[0])
    one.begin("1", "user:a", "manuals", SCOPE, "问?")
    one.beat("1", [{"round": 1, "tool": "search"}])
    run = other.run("1", "user:a")
    assert run
    assert (run.status, run.ended, run.steps) == (
        "running",
        False,
        ({"round": 1, "tool": "search"},),
    )
    now[0] += LOST_SECONDS + 1
    assert [found.status for found in other.runs("user:a")] == ["interrupted"]
    one.beat("1", [])  # it was only slow
    assert [found.status for found in other.runs("user:a")] == ["running"]
    one.keep("1", "user:a", "manuals", SCOPE, answer())
    one.beat("1", [])  # a sign of life that comes late
    assert [found.status for found in other.runs("user:a")] == ["answered"]
    assert other.unanswered() == []


def test_a_run_that_came_to_nothing_is_forgotten(make: Make) -> None:
    register = make()
    register.begin("1", "user:a", "manuals", SCOPE, "问?")
    register.forget("1")
    register.beat("1", [])
    register.forget("1")
    register.keep("2", "user:a", "manuals", SCOPE, answer())
    register.forget("2")  # it has an answer
    assert [run.id for run in register.runs("user:a")] == ["2"]


def test_a_login_holds_for_its_time_and_until_it_is_ended(make: Make) -> None:
    now = [time.time()]
    one, other = make(clock=lambda: now[0]), make(clock=lambda: now[0])
    one.log_in("digest", "lin", "stamp", 60)
    assert other.login("digest") == ("lin", "stamp")
    assert other.login("another") is None
    other.log_out("digest")
    assert one.login("digest") is None
    one.log_in("digest", "lin", "stamp", 60)
    now[0] += 61
    assert other.login("digest") is None
