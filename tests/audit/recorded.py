"""Traces of real runs with a scripted model, as they come back from the disk."""

import json
from typing import Any

from fanshu.library.library import Library
from fanshu.traces import new_id, record
from tests.agent.runs import Script, play

SETTINGS = {
    "docs": ["/docs"],
    "model": "m",
    "max_rounds": 6,
    "context_tokens": 24_000,
    "max_tokens": None,
}
VERSIONS = {"fanshu": "0.1.0", "prompt_version": 1}


async def recorded(
    library: Library, script: Script, question: str, **options: object
) -> dict[str, Any]:
    """The trace of one run; a round of one call need not be a list."""
    rounds = [[said] if isinstance(said, tuple) else said for said in script]
    run, _ = await play(library, rounds, question, **options)
    known = SETTINGS | {name: value for name, value in options.items() if name in SETTINGS}
    trace = record(run, new_id(), known, VERSIONS)
    loaded: dict[str, Any] = json.loads(json.dumps(trace, ensure_ascii=False))
    return loaded
