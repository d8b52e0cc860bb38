"""A desk to approve answers at."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.approved.desk import MANUAL, Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path, {"网关.md": MANUAL, "其他.md": "# 其他\n\n无关。\n"})
    yield made
    made.library.close()
