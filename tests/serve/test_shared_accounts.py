"""Users and tokens that workers share: the same as in a file, and a change counts on all of them."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fanshu.cluster.packing import opened
from fanshu.cluster.records import Records
from fanshu.errors import AccountError
from fanshu.serve.accounts import Account, AccountBook, Accounts
from fanshu.serve.shared_accounts import ACCOUNTS, FRESH_SECONDS, KEY, SharedAccounts
from tests.records import KINDS, shared_records

PASSWORD = "correct horse"
Make = Callable[[], AccountBook]


@pytest.fixture(params=KINDS)
def records(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Records]:
    with shared_records(request, tmp_path) as found:
        yield found


@pytest.fixture(params=["file", *KINDS])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Accounts over one place, as several processes have them."""
    if request.param == "file":
        yield lambda: Accounts(tmp_path / "accounts.json")
        return
    with shared_records(request, tmp_path) as found:
        yield lambda: SharedAccounts(found, "store")


def test_tokens_are_made_changed_and_taken_away(make: Make) -> None:
    accounts = make()
    token = accounts.add_token(Account("bot", "", ("manuals:public/*",), cost=2.5))
    person = make().by_token(token)
    assert person is not None
    assert (person.scope("manuals").patterns, person.cost) == (("public/*",), 2.5)
    accounts.change_token("bot", ("rules",))
    person = make().by_token(token)
    assert person is not None
    assert person.libraries(["manuals", "rules"]) == ("rules",)
    accounts.revoke("bot")
    assert make().by_token(token) is None
    assert accounts.by_token(token) is None  # at once where it was done
    for work in (accounts.revoke, accounts.remove_user):
        with pytest.raises(AccountError):
            work("bot")


def test_users_come_with_their_password(make: Make) -> None:
    accounts = make()
    accounts.add_user(Account("lin", "", writes=True), PASSWORD)
    with pytest.raises(AccountError, match="already"):
        accounts.add_user(Account("lin", ""), PASSWORD)
    user = make().by_password("lin", PASSWORD)
    assert user is not None
    assert user.writes
    assert make().by_password("lin", "wrong horse") is None
    before = user.stamp
    accounts.set_password("lin", "another horse")
    changed = make().user("lin")
    assert changed is not None
    assert changed.stamp != before
    accounts.remove_user("lin")
    assert make().user("lin") is None


def test_several_who_change_them_at_once_lose_nothing(make: Make) -> None:
    def add(name: str) -> None:
        accounts = make()
        for number in range(5):
            accounts.add_token(Account(f"{name}{number}", ""))

    threads = [threading.Thread(target=add, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(make().known().tokens) == 15


def test_a_change_counts_elsewhere_after_a_second(records: Records) -> None:
    now = [0.0]
    here, elsewhere = (SharedAccounts(records, "store", clock=lambda: now[0]) for _ in range(2))
    token = here.add_token(Account("bot", ""))
    assert elsewhere.by_token(token)
    here.revoke("bot")
    now[0] += FRESH_SECONDS
    assert elsewhere.by_token(token) is None


def test_no_secret_is_kept_in_clear(records: Records) -> None:
    accounts = SharedAccounts(records, "store")
    accounts.add_user(Account("lin", ""), PASSWORD)
    token = accounts.add_token(Account("bot", ""))
    record = records.get(ACCOUNTS, KEY)
    assert record
    text = json.dumps(opened(record.body))
    assert "$argon2id$" in text
    for secret in (PASSWORD, token, token.split("_", 2)[2]):
        assert secret not in text
        assert secret not in json.dumps(record.body)
