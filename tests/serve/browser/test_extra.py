"""The tests of the page need a browser's driver."""

from importlib.util import find_spec

import pytest

NEEDED = ("axe_playwright_python", "playwright")


def test_the_driver_is_installed() -> None:
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        pytest.skip(f"needs the extra dev: {', '.join(missing)}")
