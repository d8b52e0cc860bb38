"""Users and tokens of all workers over one store: one record, changed by compare and swap.

Each worker reads it again after a second at most, when somebody comes: what is revoked on one is
revoked on all then. It holds hashes alone, as the file does.
"""

import threading
import time
from collections.abc import Callable

from fanshu.cluster.changing import change
from fanshu.cluster.packing import closed, opened
from fanshu.cluster.records import Record, Records
from fanshu.errors import AccountError
from fanshu.serve.accounts import NOBODY, AccountBook, Change, Known, known_of, plain_of

ACCOUNTS, KEY = "accounts", "all"
FRESH_SECONDS = 1.0  # that what is known counts


class SharedAccounts(AccountBook):
    """`Accounts` over a record. Raises: AccountError, DataNewer, StoreError."""

    def __init__(
        self, records: Records, place: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._records, self.place, self._clock = records, place, clock
        self._guard = threading.Lock()
        self._known, self._read = NOBODY, float("-inf")

    def known(self) -> Known:
        """The accounts as they were a second ago at most."""
        with self._guard:
            now = self._clock()
            if now - self._read >= FRESH_SECONDS:
                self._known, self._read = self._of(self._records.get(ACCOUNTS, KEY)), now
            return self._known

    def _of(self, record: Record | None) -> Known:
        if record is None:
            return NOBODY
        try:
            data = opened(record.body)
        except ValueError as error:
            detail = f"The users and tokens in {self.place} cannot be read: {error}."
            raise AccountError(detail=detail) from error
        return known_of(data, self.place)

    def _change(self, work: Change) -> None:
        """Change the record; of several at once none is lost."""

        def changed(before: Record | None) -> Record:
            known = self._of(before)
            users, tokens = dict(known.users), dict(known.tokens)
            work(users, tokens)
            return Record(KEY, closed(plain_of(Known(users, tokens))))

        change(self._records, ACCOUNTS, KEY, changed)
        with self._guard:
            self._read = float("-inf")
