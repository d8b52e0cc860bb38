"""The tests of the MCP server need what its extra, and that of the service, install."""

from importlib.util import find_spec

import pytest

NEEDED = ("mcp", "fastapi", "httpx")


def test_the_extra_is_installed() -> None:
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        pytest.skip(f"needs the extras mcp and serve: {', '.join(missing)}")
