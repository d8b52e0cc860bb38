"""A service whose store goes away and comes back."""

from pathlib import Path

import pytest
from scripts.opensearch_for_tests.cluster import Cluster

from tests.faults.conftest import Report
from tests.faults.shelf import STORED, Shelf, mark
from tests.serve.models import Curious
from tests.serve.served import plan_of, serving
from tests.waiting import until

pytestmark = [pytest.mark.cluster, pytest.mark.slow]


def test_without_its_store_the_service_says_try_later(
    three_nodes: Cluster, shelf: Shelf, tmp_path: Path, report: Report
) -> None:
    shelf.write(1, 5)
    settings = {"store": shelf.address, "store_timeout": 5.0, **STORED}
    plan = plan_of({"lib": shelf.docs}, settings)
    with (
        serving(plan, tmp_path / "serve", lambda _: Curious()) as service,
        service.client() as http,
    ):

        def found() -> bool:
            answer = http.get("/v1/search", params={"q": mark(1, 3, 1)})
            return answer.status_code == 200 and answer.json()["total"] == 1

        def ready() -> int:
            return http.get("/readyz").status_code

        until(found)
        three_nodes.wait_green()
        assert ready() == 200
        for number in (1, 2, 3):
            three_nodes.kill(number)
        answer = http.get("/v1/search", params={"q": mark(1, 3, 1)})
        report(f"{answer.status_code}, Retry-After {answer.headers.get('retry-after')}")
        report(answer.json())
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) > 0
        until(lambda: ready() == 503)
        assert http.get("/healthz").status_code == 200
        for number in (1, 2, 3):
            three_nodes.start(number)
        until(lambda: ready() == 200)
        until(found)
