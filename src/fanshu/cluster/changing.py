"""Changing a record that others may change too: read, change, write if it is still the same."""

import random
import time
from collections.abc import Callable

from fanshu.cluster.records import NEW, Conflict, Record, Records
from fanshu.errors import StoreRefused

TRIES = 200  # of many who change one record at once, one gets through each time
LONGEST_PAUSE = 0.1  # seconds
Work = Callable[[Record | None], Record | None]


def change(records: Records, collection: str, key: str, work: Work) -> Record | None:
    """Let `work` say what a record becomes, given what it is; None from it: it stays as it is.

    `work` may be called several times. Gives what was written. Raises: StoreUnreachable,
    StoreRefused, and whatever the work does.
    """
    for number in range(TRIES):
        before = records.get(collection, key)
        after = work(before)
        if after is None:
            return None
        try:
            records.put(collection, after, expect=before.version if before else NEW)
        except Conflict:
            time.sleep(random.uniform(0, min(LONGEST_PAUSE, 0.002 * 2**number)))  # noqa: S311
            continue
        return after
    raise StoreRefused(address="", detail=f"too many change {collection}/{key} at once")
