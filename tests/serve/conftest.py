"""A service over two small libraries, with a model that says what a test tells it to."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

if any(find_spec(name) is None for name in ("fastapi", "uvicorn", "httpx", "argon2")):
    collect_ignore_glob = ["test_[!e]*.py"]  # test_extra.py says so
else:
    from tests.serve.served import Served, plan_of, serving, write

    MANUAL = """\
# Gateway manual

## Timeouts

The write timeout of the gateway is 30 seconds.

## Retries

A request is repeated 3 times.
"""
    RULES = "# Travel rules\n\n## Hotels\n\nA night in a hotel costs 550 yuan at most.\n"

    @pytest.fixture
    def folders(tmp_path: Path) -> dict[str, Path]:
        """Two libraries: manuals and rules."""
        return {
            "manuals": write(tmp_path / "manuals", {"manual.md": MANUAL}),
            "rules": write(tmp_path / "rules", {"travel.md": RULES}),
        }

    @pytest.fixture
    def service(folders: dict[str, Path], tmp_path: Path) -> Iterator[Served]:
        """The two libraries, served to this machine without a model."""
        from fanshu.models.extractive import ExtractiveReader

        plan = plan_of(folders, {"model": None})
        with serving(plan, tmp_path / "service", lambda _: ExtractiveReader()) as served:
            yield served
