"""Metrics of the API: answers by method and status, and how long they took."""

import time
from collections.abc import Callable, Iterator

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from ipam_core import build_info, faults

# Prometheus finds a restart by a count that fell; a series more for each count would say nothing new.
disable_created_metrics()  # type: ignore[no-untyped-call]  # the library does not annotate it

# Below a millisecond there is nothing to see, and at ten seconds every request has been answered.
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """One registry an application, so that two of them in one process do not mix."""

    def __init__(self, managed_limit: int = 0) -> None:
        """Create the metrics. `managed_limit`: managed address limit; 0 is no limit."""
        self.registry = CollectorRegistry()
        self.answers = Counter(
            "ipam_api_answers",
            "HTTP responses by method and status.",
            ["method", "status"],
            registry=self.registry,
        )
        self.standby_reads = Counter(
            "ipam_api_standby_reads",
            "Reads that a standby may answer, by the server that answered or the reason for using the "
            "primary.",
            ["outcome"],
            registry=self.registry,
        )
        self.seconds = Histogram(
            "ipam_api_answer_seconds",
            "Time from request to response.",
            registry=self.registry,
            buckets=BUCKETS,
        )
        limit = Gauge(
            "ipam_managed_addresses_limit",
            "Managed address limit (reservations plus static assignments); 0 is no limit.",
            registry=self.registry,
        )
        limit.set(managed_limit)
        self.registry.register(Version())

    def count(self, method: str, status: int, began: float | None) -> None:
        """Count a request that `began` by time.perf_counter; None: it had no end to wait for. Methods that HTTP does
        not know are one label, not a label each."""
        known = method if method in KNOWN_METHODS else "other"
        self.answers.labels(known, str(status)).inc()
        if began is not None:
            self.seconds.observe(time.perf_counter() - began)

    def count_standby_read(self, outcome: str) -> None:
        """Count a read on the standby, or the reason of one on the primary: it was `unusable` when the read came, or
        found `late` or `failed`."""
        self.standby_reads.labels(outcome).inc()

    def show_streams(self, count: Callable[[], int]) -> None:
        """Show the open streams of live events, whose duration is no time of an answer."""
        gauge = Gauge("ipam_api_event_streams", "Open event streams.", registry=self.registry)
        gauge.set_function(count)

    def page(self) -> str:
        return generate_latest(self.registry).decode()


class Version(Collector):
    def collect(self) -> Iterator[Metric]:
        yield build_info.family()
        yield faults.family()


KNOWN_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
