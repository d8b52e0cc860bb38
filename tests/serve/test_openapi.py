"""The description of the interface: complete, and true of what the service does."""

import subprocess
import sys
from pathlib import Path

import pytest

from fanshu.serve.refusals import speaks_openai
from tests.serve.served import Served

PATHS = {
    "/v1/ask", "/v1/search", "/v1/chunk", "/v1/outline", "/v1/documents", "/v1/original",
    "/v1/page", "/v1/image", "/v1/runs", "/v1/runs/{run_id}", "/v1/runs/{run_id}/feedback",
    "/v1/suggest", "/v1/unanswered", "/v1/me", "/healthz", "/readyz", "/metrics", "/login",
    "/logout", "/v1/approved", "/v1/approved/review", "/v1/approved/{answer_id}",
    "/v1/runs/states", "/v1/check", "/v1/chat/completions", "/v1/models", "/v1/models/{model}",
}  # fmt: skip


def test_every_route_is_described(service: Served) -> None:
    with service.client() as http:
        told = http.get("/openapi.json").json()
    assert set(told["paths"]) == PATHS
    for path, methods in told["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], (method, path)
            form = "OpenAIError" if speaks_openai(path) else "Problem"
            assert form in str(operation["responses"]["422"]), (method, path)
    body = told["components"]["schemas"]["Ask"]
    assert body["examples"][0]["question"]
    assert told["components"]["schemas"]["Answer"]["properties"]["citations"]


def test_a_path_of_its_own_is_not_the_name_of_something(service: Served) -> None:
    with service.client() as http:
        told = http.request("OPTIONS", "/v1/approved/review")
        assert (told.status_code, told.headers["allow"]) == (405, "GET")
        named = http.request("OPTIONS", "/v1/approved/3fa2c1d0")
        assert named.headers["allow"] == "DELETE, GET, PATCH"


@pytest.mark.slow
def test_answers_are_as_described(service: Served) -> None:
    """Whatever is sent, sensible or not: no failure of the service, nothing undescribed."""
    options = "--checks all --max-examples 20 --seed 1 --warnings off --suppress-health-check all"
    phases = "--phases examples,coverage,fuzzing"
    config = str(Path(__file__).parent / "schemathesis.toml")
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", config]
    command += ["run", f"{service.url}/openapi.json"]
    done = subprocess.run(
        [*command, *options.split(), *phases.split()], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-2_000:]
    assert "Tested: 32" in done.stdout
