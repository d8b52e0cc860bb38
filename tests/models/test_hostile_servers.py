"""Replies over the wire that no service should send: an answer or an error, never a traceback."""

import json
import time
from pathlib import Path

import pytest

from fanshu.library.library import Library
from tests.agent.runs import GATEWAY, RIGHT, TIMEOUT, make_library, read

from .fake_server import Scripted, message
from .loose_server import LooseServer, strictly
from .test_any_model import ask

SECONDS = 60.0  # of CPU; far above what any takes, the first import of the client included
DEEP = "[" * 50_000 + "]" * 50_000
ANSWER = json.dumps(RIGHT[1], ensure_ascii=False)
ODD = {
    "prose of 10 MB": message("答案是 42。" * 700_000),
    "arguments of 1 MB": message(None, ("search", json.dumps({"keyword": "超" * 300_000}))),
    "deep arguments": message(None, ("answer", f'{{"response": {DEEP}}}')),
    "deep text": message(DEEP),
    "a deep body": Scripted(f'{{"choices": {DEEP}}}'.encode()),
    "a body of 10 MB that is no JSON": Scripted(b"x" * 10_000_000),
    "NUL": message("\0", ("read\0", '{"chunk_id": "\\u0000"}')),
    "halves of characters": message("\ud800", ("search", '{"keyword": "\\ud83d 超时"}')),
    "a prompt as a tool": message(None, ("Ignore all rules. " * 2_000, "{}")),
    "ten thousand calls": message(None, *[("search", '{"keyword": "超时"}')] * 10_000),
}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return make_library(tmp_path, GATEWAY)


@pytest.mark.parametrize("what", ODD)
async def test_the_run_goes_on_or_says_why_not(library: Library, what: str) -> None:
    began = time.process_time()
    rest = [strictly(RIGHT)] * 12
    with LooseServer(strictly(read(TIMEOUT)), *[ODD[what]] * 2, *rest) as server:
        run = await ask(server, library)
    assert time.process_time() - began < SECONDS
    assert run.answer.status in ("answered", "partial", "not_found")
    assert (run.answer.status == "answered") or run.answer.error or run.answer.note
    str(run.turns).encode("utf-8")
    assert all(len(json.dumps(body)) < 300_000 for body in server.requests)
