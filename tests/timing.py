"""Measured time that other work on the machine disturbs little."""

import gc
import time
from collections.abc import Callable


def least_seconds(work: Callable[[], object], *, times: int = 3, enough: float = 0.0) -> float:
    """The least processor time of several runs, in seconds; no more of them once it is `enough`.

    What runs beside it, or a collection of garbage that others have made, only ever adds.
    """
    least = _seconds(work)
    for _ in range(times - 1):
        if least < enough:
            break
        least = min(least, _seconds(work))
    return least


def _seconds(work: Callable[[], object]) -> float:
    gc.collect()
    gc.disable()
    try:
        began = time.process_time()
        work()
        return time.process_time() - began
    finally:
        gc.enable()
