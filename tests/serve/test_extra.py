"""The tests of the service need what its extra installs."""

from importlib.util import find_spec

import pytest

NEEDED = ("argon2", "fastapi", "httpx", "prometheus_client", "uvicorn")


def test_the_extra_is_installed() -> None:
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        pytest.skip(f"needs the extra serve: {', '.join(missing)}")
