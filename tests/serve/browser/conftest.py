"""Debian's Chromium, driven over one service with documents of all kinds."""

import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"

if any(
    find_spec(name) is None
    for name in ("axe_playwright_python", "playwright", "fastapi", "uvicorn", "httpx", "argon2")
):
    collect_ignore_glob = ["test_[!e]*.py"]  # test_extra.py says so
else:
    from playwright.sync_api import Browser, expect, sync_playwright

    from tests.models.fake_server import FakeServer
    from tests.serve.browser.stage import PATIENCE, Desk, Model, desk, write_documents
    from tests.serve.served import Served, plan_of, serving

    expect.set_options(timeout=PATIENCE)

    @pytest.fixture(scope="session")
    def browser() -> Iterator[Browser]:
        if not Path(CHROMIUM).exists():
            pytest.skip("needs Chromium: apt-get install chromium")
        with sync_playwright() as driver:
            yield driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])

    @pytest.fixture(scope="session")
    def documents(tmp_path_factory: pytest.TempPathFactory, examples: Path) -> Path:
        return write_documents(tmp_path_factory.mktemp("browsed") / "manuals", examples)

    @pytest.fixture(scope="session")
    def model_server() -> Iterator[FakeServer]:
        with FakeServer() as server:
            yield server

    @pytest.fixture(scope="session")
    def served(
        documents: Path, model_server: FakeServer, tmp_path_factory: pytest.TempPathFactory
    ) -> Iterator[Served]:
        """One library, answered by the model on loopback, for this machine."""
        place = tmp_path_factory.mktemp("service")
        settings = {
            "model": "openai:gpt-4o",
            "base_url": model_server.url,
            "api_key": "none",
            "cache": False,
            "index": str(place / "index"),
        }
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_DATA_HOME", str(place / "data"))
            patch.setenv("XDG_CONFIG_HOME", str(place / "config"))
            from fanshu.app import open_model

            with serving(
                plan_of({"manuals": documents}, settings), place / "kept", open_model
            ) as one:
                yield one

    @pytest.fixture
    def model(model_server: FakeServer) -> Iterator[Model]:
        yield Model(model_server)
        model_server.script.clear()
        complaints = model_server.complaints[:]
        model_server.complaints.clear()
        assert not complaints

    @pytest.fixture
    def at_desk(browser: Browser, served: Served) -> Iterator[Desk]:
        """The page in English, on a screen of a desk."""
        with desk(browser, served) as made:
            yield made

    @pytest.fixture(scope="session")
    def chunks(served: Served) -> "Chunks":
        return Chunks(served)

    class Chunks:
        """Ids of chunks by what stands in them."""

        def __init__(self, served: Served) -> None:
            self._served = served

        def __call__(self, path: str, text: str) -> str:
            with self._served.client() as client:
                told = client.get("/v1/outline", params={"path": path}).json()
                for entry in told["entries"]:
                    read = client.get("/v1/chunk", params={"id": entry["chunk_id"]}).json()
                    if text in read["text"]:
                        return str(entry["chunk_id"])
            raise AssertionError(f"{text!r} is not in {path}")
