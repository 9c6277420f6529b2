"""What the API counts: answers by method and status, and how long they took."""

import time
from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

# Below a millisecond there is nothing to see, and at ten seconds every request has been answered.
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """One registry an application, so that two of them in one process do not mix."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.answers = Counter(
            "ipam_api_answers", "HTTP answers", ["method", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "ipam_api_answer_seconds", "Time from request to answer", registry=self.registry, buckets=BUCKETS
        )

    def count(self, method: str, status: int, began: float | None) -> None:
        """`began` by time.perf_counter; None: it had no end to wait for. Methods that HTTP does not know are one label,
        not a label each."""
        known = method if method in KNOWN_METHODS else "other"
        self.answers.labels(known, str(status)).inc()
        if began is not None:
            self.seconds.observe(time.perf_counter() - began)

    def show_streams(self, count: Callable[[], int]) -> None:
        """Of live events, that are open now; what they take is no time of an answer."""
        gauge = Gauge("ipam_api_event_streams", "Streams of events that are open", registry=self.registry)
        gauge.set_function(count)

    def page(self) -> str:
        return generate_latest(self.registry).decode()


KNOWN_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
