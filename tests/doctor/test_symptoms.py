"""Each symptom shows in the trace of a run that has it, and in no trace of a healthy one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fanshu.doctor.symptoms import LAST, SYMPTOMS, symptoms_of
from fanshu.errors import ContextTooLong, ModelTimeout, ModelUnreachable
from fanshu.library.library import Library
from fanshu.models import Reply
from fanshu.types import ToolCall, Usage
from tests.agent.runs import GATEWAY, NOT_FOUND, RIGHT, TIMEOUT, answer, make_library, read, search
from tests.audit.recorded import recorded

QUOTE = "读超时时间为 30 秒"
WRONG = answer("读超时为 45 秒。", (TIMEOUT, QUOTE))
MISQUOTED = answer("读超时为 30 秒。", (TIMEOUT, QUOTE), (TIMEOUT, "写超时也是"))
LARGE = Reply(
    calls=(ToolCall("call_9", "search", {"keyword": "超时"}),), usage=Usage(prompt=20_000)
)
ENOUGH = Reply(
    calls=(ToolCall("call_9", "read", {"chunk_id": TIMEOUT}),), usage=Usage(prompt=3_900)
)
OLD = "规定(2021-01-01).md"
FILES = GATEWAY | {
    OLD: "# 规定\n\n押金为 100 元。\n",
    "规定(2024-01-01).md": "# 规定\n\n押金为 200 元。\n",
}
CASES = {
    "many_rounds": ([search("超时"), read(TIMEOUT), RIGHT], "读超时是多少", {"max_rounds": 3}),
    "irrelevant": ([read(TIMEOUT), RIGHT], "鲸鱼吃什么", {}),
    "brief": ([read(TIMEOUT), RIGHT], "读超时和写超时分别是多少", {}),
    "missed": ([search("读超时"), NOT_FOUND], "读超时是多少", {}),
    "context": ([LARGE, read(TIMEOUT), RIGHT], "读超时是多少", {}),
    "budget": (
        [ENOUGH, search("重试"), RIGHT], "读超时是多少", {"max_tokens": 4_000},
    ),
    "bounced": ([read(TIMEOUT), WRONG, RIGHT], "读超时是多少", {}),
    "rejected": ([read(TIMEOUT), MISQUOTED, MISQUOTED], "读超时是多少", {}),
    "slow": ([ModelTimeout(model="m", seconds=120.0)], "读超时是多少", {}),
    "repeats": ([search("超时"), search("超时"), read(TIMEOUT), RIGHT], "读超时是多少", {}),
    "bad_calls": (["嗯。", "好。", "是。"], "读超时是多少", {}),
    "model_failed": ([ModelUnreachable(model="m", url="u", detail="d")], "读超时是多少", {}),
    "outdated": (
        [read(f"{OLD}#1"), answer("100 元。", (f"{OLD}#1", "押金为 100 元"))], "押金是多少", {},
    ),
}  # fmt: skip
ALSO = {"rejected": {"bounced"}}  # what cannot be had alone


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    made = make_library(tmp_path, FILES)
    yield made
    made.close()


def test_there_is_a_case_for_every_symptom() -> None:
    assert list(CASES) == [symptom.code for symptom in SYMPTOMS]


@pytest.mark.parametrize("code", CASES)
async def test_a_symptom_shows(library: Library, code: str) -> None:
    script, question, options = CASES[code]
    trace = await recorded(library, script, question, **options)
    found = list(symptoms_of([trace]))
    assert {one.code for one in found} == {code} | ALSO.get(code, set())
    (one,) = [one for one in found if one.code == code]
    assert one.level == "attention"
    assert one.values == {"count": 1, "runs": 1, "trace": trace["trace_id"]}


async def test_a_context_that_is_refused_shows_too(library: Library) -> None:
    script = [ContextTooLong(model="m", detail="8192 tokens")] * 9
    trace = await recorded(library, script, "读超时是多少")
    assert [one.code for one in symptoms_of([trace])] == ["context"]


async def test_a_deadline_shows_as_slow(library: Library) -> None:
    trace = await recorded(library, [read(TIMEOUT), RIGHT], "读超时是多少", deadline=1e-6)
    assert [one.code for one in symptoms_of([trace])] == ["slow"]


async def test_a_healthy_run_shows_nothing(library: Library) -> None:
    script = [search("超时"), read(TIMEOUT), RIGHT]
    healthy = await recorded(library, script, "读超时是多少", first_search=True)
    absent = await recorded(library, [search("鲸鱼"), NOT_FOUND], "鲸鱼吃什么")
    foreign = await recorded(
        library,
        [read(TIMEOUT), answer("It is 30 seconds.", (TIMEOUT, QUOTE))],
        "What is the read timeout?",
    )
    assert list(symptoms_of([healthy, absent, foreign])) == []


async def test_what_is_rare_is_a_note_and_old_runs_do_not_count(library: Library) -> None:
    well = await recorded(library, [read(TIMEOUT), RIGHT], "读超时是多少")
    ill = await recorded(library, [read(TIMEOUT), WRONG, RIGHT], "读超时是多少")
    (rare,) = symptoms_of([*[well] * 5, ill])
    assert (rare.level, rare.values["count"], rare.values["runs"]) == ("note", 1, 6)
    assert not list(symptoms_of([*[well] * LAST, ill]))
