"""Metrics of a worker as Prometheus text: its own counters, and what all workers share: the outbox, the nodes."""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import suppress

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from ipam_core import build_info, faults
from ipam_core.db import queries
from ipam_core.db.outage import FAILED
from ipam_core.services.entity.entity import Row
from ipam_core.workers import service_metrics
from ipam_core.workers.worker import Worker

SQL = queries.load("ddns")
WEBHOOKS = queries.load("webhook_worker")
SEARCH = queries.load("search_follower")

ASK_SECONDS = 2.0
STATES = ("pending", "retrying", "failed", "conflict")
WAITING = ("pending", "retrying")


async def page(worker: Worker) -> str:
    registry = CollectorRegistry()
    registry.register(Page(await families(worker)))
    return generate_latest(registry).decode()


async def families(worker: Worker) -> list[Metric]:
    """Return its own counters alone where the database does not answer."""
    outbox: list[Row] = []
    lag, waiting, search = None, None, None
    service: list[Metric] = []
    with suppress(*FAILED):
        async with asyncio.timeout(ASK_SECONDS), worker.pool.acquire() as connection:
            outbox = [row async for row in SQL.outbox(connection)]
            lag = await SQL.events_lag(connection)
            waiting = await WEBHOOKS.waiting(connection)
            search = await SEARCH.state(connection)
            service = [*service_metrics.families(await service_metrics.read(connection))]
    return [
        *of_process(worker),
        *of_outbox(outbox, lag),
        *of_webhooks(worker, waiting),
        *of_search(worker, search),
        *service,
    ]


class Page(Collector):
    """Numbers that were looked up already."""

    def __init__(self, metrics: Iterable[Metric]) -> None:
        self.metrics = list(metrics)

    def collect(self) -> Iterator[Metric]:
        return iter(self.metrics)


def of_process(worker: Worker) -> Iterator[Metric]:
    yield build_info.family()
    yield faults.family()
    sent = CounterMetricFamily(
        "ipam_ddns_updates", "DNS updates finished by this worker, by adapter and outcome.",
        labels=["adapter", "outcome"],
    )  # fmt: skip
    for labels, count in worker.sender.outcomes.items():
        sent.add_metric(labels, count)
    yield sent
    errors = CounterMetricFamily(
        "ipam_ddns_server_errors", "Attempts refused by a DNS server, by adapter and kind of error.",
        labels=["adapter", "kind"],
    )  # fmt: skip
    for labels, count in worker.sender.errors.items():
        errors.add_metric(labels, count)
    yield errors
    yield CounterMetricFamily(
        "ipam_ddns_enqueued", "DNS updates queued by this worker.", worker.events.updates
    )
    yield CounterMetricFamily(
        "ipam_dns_published", "Serials assigned to zones by this process.", worker.publisher.published
    )
    yield GaugeMetricFamily(
        "ipam_dns_publisher", "Whether this process assigns serials to zones.", int(worker.publisher.elected)
    )
    stopped = GaugeMetricFamily(
        "ipam_worker_fault", "Whether a loop is stopped by an error.", labels=["loop"]
    )
    for loop in (*worker.loops, worker.publisher):
        stopped.add_metric([loop.name], int(bool(loop.fault)))
    yield stopped


def of_outbox(rows: Iterable[Row], lag: float | None) -> Iterator[Metric]:
    """Yield the metrics of the outbox. `lag`: of the reader of events, seconds; None: the database does not answer."""
    if lag is None:
        return
    yield GaugeMetricFamily(
        "ipam_ddns_events_lag_seconds", "Age of the oldest lease event that no worker has read.", lag
    )
    counts = {("embedded", state): 0 for state in STATES}
    oldest: dict[str, float] = {"embedded": 0.0}
    for row in rows:
        adapter, state = row["adapter"], row["state"]
        counts |= {(adapter, each): counts.get((adapter, each), 0) for each in STATES}
        counts[adapter, state] = row["count"]
        oldest[adapter] = max(oldest.get(adapter, 0.0), row["oldest"] if state in WAITING else 0.0)
    outbox = GaugeMetricFamily("ipam_ddns_outbox", "Unfinished DNS updates.", labels=["adapter", "state"])
    for labels, count in counts.items():
        outbox.add_metric(labels, count)
    yield outbox
    lags = GaugeMetricFamily(
        "ipam_ddns_outbox_lag_seconds", "Age of the oldest waiting DNS update.", labels=["adapter"]
    )
    for adapter, seconds in oldest.items():
        lags.add_metric([adapter], max(seconds, 0.0))
    yield lags


def of_webhooks(worker: Worker, waiting: Row | None) -> Iterator[Metric]:
    """Yield the metrics of webhooks. `waiting`: undelivered messages; None: the database does not answer."""
    for name, text, sender in (
        ("ipam_webhook_attempts", "Delivery attempts of this worker, by outcome.", worker.webhook_sender),
        (
            "ipam_notification_attempts",
            "Attempts of this worker to send a notification, by outcome.",
            worker.notification_sender,
        ),
    ):
        done = CounterMetricFamily(name, text, labels=["outcome"])
        for outcome in ("delivered", "failed", "dead"):
            done.add_metric([outcome], sender.outcomes[outcome])
        yield done
    yield CounterMetricFamily(
        "ipam_webhook_enqueued",
        "Deliveries created from events by this worker.",
        worker.webhook_events.enqueued,
    )
    if waiting is None:
        return
    counts = GaugeMetricFamily(
        "ipam_webhook_deliveries", "Unfinished deliveries, by state.", labels=["state"]
    )
    for state in ("pending", "failed"):
        counts.add_metric([state], waiting[state])
    yield counts
    yield GaugeMetricFamily(
        "ipam_webhook_lag_seconds", "Age of the oldest delivery without an attempt.", waiting["oldest"]
    )


def of_search(worker: Worker, state: Row | None) -> Iterator[Metric]:
    """Yield the metrics of the search. `state`: the progress of its follower; None: nobody has read yet, or the
    database is away."""
    yield CounterMetricFamily(
        "ipam_search_written",
        "Leases and objects indexed by this worker.",
        worker.search_follower.written,
    )
    yield GaugeMetricFamily(
        "ipam_search_building",
        "Whether the search index is being rebuilt.",
        int(state is None or state["building"] is not None),
    )
    lag = 0.0 if state is None or state["as_of"] is None else state["lag"]
    yield GaugeMetricFamily(
        "ipam_search_lag_seconds", "Age of the oldest commit that the search does not find yet.", lag
    )
