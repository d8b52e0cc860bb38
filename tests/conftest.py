"""What all tests share: an empty home, no settings from outside, and in CI no silent skips.

The network is closed but for loopback by pytest-socket, see addopts in pyproject.toml.
"""

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes says more about the machine than about the code. In CI the same
# examples are drawn each time; at a desk, new ones.
settings.register_profile("fanshu", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("fanshu")

ROOT = Path(__file__).resolve().parent.parent
OPTIONAL = "optional:"
"""A skip whose reason begins so is allowed in CI; any other counts as a failure there."""


def in_ci() -> bool:
    return os.environ.get("CI", "").lower() in {"1", "true", "yes"}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI everything that a test needs is there, so that a skip hides something."""
    report = yield
    if report.skipped and in_ci() and not hasattr(report, "wasxfail"):
        _forbid_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a module that skips as a whole."""
    report = yield
    if report.skipped and in_ci():
        _forbid_skip(report)
    return report


def _forbid_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    reason = reason.removeprefix("Skipped: ")
    if not reason.startswith(OPTIONAL):
        report.outcome = "failed"
        report.longrepr = f"skipped in CI, where nothing may be missing: {reason}"


PROVIDER_KEYS = ("_API_KEY", "_BASE_URL", "_PROXY", "_proxy")


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for every test, and an environment without settings, keys or proxies."""
    for name in os.environ:
        if name.startswith("FANSHU_") or name.endswith(PROVIDER_KEYS):
            monkeypatch.delenv(name)
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(folder))
    for name, place in (("DATA", "data"), ("CONFIG", "config"), ("CACHE", "cache")):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(folder / place))
    # A machine that stands still for a moment is no reason to find less.
    monkeypatch.setenv("FANSHU_SEARCH_SECONDS", "120")
    return folder


@pytest.fixture(scope="session")
def examples() -> Path:
    """The example library that ships with fanshu."""
    return ROOT / "examples" / "library"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The evaluation set that lies beside a developer's checkout."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs ../shared, the evaluation set")
    return folder
