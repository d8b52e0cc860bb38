"""Async work finished from sync code."""

from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Finish async work from sync code, also where an event loop runs already (notebooks)."""
    import asyncio  # no search needs it: start-up is felt
    from concurrent.futures import ThreadPoolExecutor

    if not _loop_runs():
        return asyncio.run(work)
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, work).result()


def _loop_runs() -> bool:
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
