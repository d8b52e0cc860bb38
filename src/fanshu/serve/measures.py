"""What the service measures, for Prometheus. No names of people, no words of questions."""

from collections.abc import Collection, Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from fanshu.types import Answer

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"})  # clients make up
FAST = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
SLOW = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0)


class Measures:
    """Counters of one service; each has a registry of its own, so that tests may run several."""

    def __init__(self) -> None:
        self._all = CollectorRegistry()
        self._requests = Counter(
            "fanshu_requests_total",
            "Requests",
            ["route", "method", "status"],
            registry=self._all,
        )
        self._seconds = Histogram(
            "fanshu_request_seconds",
            "Seconds of a request",
            ["route"],
            buckets=FAST,
            registry=self._all,
        )
        self._runs = Counter(
            "fanshu_runs_total",
            "Questions that came to an end",
            ["library", "status", "cached"],
            registry=self._all,
        )
        self._run_seconds = Histogram(
            "fanshu_run_seconds",
            "Seconds of a question, waiting apart",
            ["library"],
            buckets=SLOW,
            registry=self._all,
        )
        self._rounds = Counter(
            "fanshu_rounds_total", "Calls of models", ["library"], registry=self._all
        )
        self._tokens = Counter(
            "fanshu_tokens_total", "Tokens of models", ["library", "kind"], registry=self._all
        )
        self._cost = Counter(
            "fanshu_cost_dollars_total",
            "US dollars, where prices are known",
            ["library"],
            registry=self._all,
        )
        self._running = Gauge("fanshu_runs_running", "Questions being answered", registry=self._all)
        self._waiting = Gauge(
            "fanshu_runs_waiting", "Questions waiting for their turn", registry=self._all
        )

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """A request was answered."""
        known = method if method in METHODS else "other"
        self._requests.labels(route, known, status).inc()
        self._seconds.labels(route).observe(seconds)

    def run(self, library: str, answer: Answer) -> None:
        """A question came to an end."""
        self._runs.labels(library, answer.status, str(answer.cached).lower()).inc()
        self._run_seconds.labels(library).observe(answer.seconds)
        self._rounds.labels(library).inc(answer.rounds)
        self._tokens.labels(library, "prompt").inc(answer.usage.prompt)
        self._tokens.labels(library, "completion").inc(answer.usage.completion)
        self._cost.labels(library).inc(answer.usage.cost or 0.0)

    def shown(self, running: int, waiting: int, libraries: Collection[str]) -> bytes:
        """Everything that is not of another library, in the text format of Prometheus."""
        self._running.set(running)
        self._waiting.set(waiting)
        return generate_latest(_Part(self._all, libraries))


class _Part(Collector):
    """What of all figures belongs to some libraries, or to none."""

    def __init__(self, everything: Collector, libraries: Collection[str]) -> None:
        self._everything, self._libraries = everything, libraries

    def collect(self) -> Iterator[Metric]:
        """The figures, without those of other libraries."""
        for whole in self._everything.collect():
            part = Metric(whole.name, whole.documentation, whole.type, whole.unit)
            part.samples = [one for one in whole.samples if self._shown(one.labels)]
            yield part

    def _shown(self, labels: Mapping[str, str]) -> bool:
        return "library" not in labels or labels["library"] in self._libraries
