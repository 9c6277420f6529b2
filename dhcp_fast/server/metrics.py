"""The server's counters as Prometheus text, drawn from the engine when they are asked for."""

from collections.abc import Iterator
from typing import Any, Protocol

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from dhcp_fast.database.leases import blockers
from dhcp_fast.database.leases.commit_stats import Histogram
from dhcp_fast.database.leases.lease_writers import LeaseWriters
from ipam_core import build_info, faults

BY_LABEL = {
    "received": ("ipam_dhcp4_packets_received", "DHCPv4 messages received, by type.", "type"),
    "replied": ("ipam_dhcp4_replies", "DHCPv4 replies sent, by type.", "type"),
    "drops": ("ipam_dhcp4_drops", "Packets that got no answer, by reason.", "reason"),
    "ignored_options": (
        "ipam_dhcp4_ignored_options",
        "Packets with a malformed or repeated option that was ignored, by code.",
        "code",
    ),
    "options_left_out": (
        "ipam_dhcp4_options_left_out",
        "Options omitted because the answer had no room, by code; `other`: codes above 255.",
        "code",
    ),
    "offers_unchecked": (
        "ipam_dhcp4_offers_unchecked",
        "Offers with an address that was not pinged despite ping_check, by reason.",
        "reason",
    ),
}
COUNTERS = {
    "early_renewals": ("ipam_dhcp4_early_renewals", "Renewals answered from memory."),
    "offers_taken_back": (
        "ipam_dhcp4_offers_taken_back",
        "Open offers given to another client because the pool was full.",
    ),
    "ended": ("ipam_dhcp4_leases_ended", "Leases ended by a release or decline."),
    "pings": ("ipam_dhcp4_pings", "Addresses pinged before an offer."),
    "pings_answered": ("ipam_dhcp4_pings_answered", "Addresses quarantined because they answered a ping."),
    "pings_remembered": (
        "ipam_dhcp4_pings_remembered",
        "Offers without a ping because the address was pinged shortly before.",
    ),
    "lost": ("ipam_dhcp4_refused_writes", "Lease writes that the database refused because another row won."),
    "astray": (
        "ipam_dhcp4_packets_astray",
        "Packets that the kernel delivered to a worker of another client.",
    ),
    "values_forgotten": (
        "ipam_dhcp4_class_values_forgotten",
        "Values of template classes removed to make room for newer ones, least recently seen first.",
    ),
    "kernel_drops": (
        "ipam_dhcp4_kernel_drops",
        "Datagrams dropped by the kernel because the socket buffer was full.",
    ),
}
GAUGES = {
    "class_values": (
        "ipam_dhcp4_class_values",
        "Client classes created by template classes; at most 1024 per template.",
    ),
    "offers": ("ipam_dhcp4_offers", "Open offers."),
    "leases_known": ("ipam_dhcp4_leases_known", "Addresses in the lease cache."),
    "pages_to_read": (
        "ipam_dhcp4_lease_pages_to_read",
        "Pages of the lease table known only as bitmaps; early renewals of their leases are written.",
    ),
    "slots_in_use": ("ipam_dhcp4_packets_waiting", "Packets waiting for the database."),
    "pings_waiting": ("ipam_dhcp4_pings_waiting", "Pings in progress."),
    "ready": ("ipam_dhcp4_writes_ready", "Lease operations waiting for a free writer."),
}
NOTHING: dict[str, Any] = {key: {} for key in (*BY_LABEL, "noticed")} | dict.fromkeys((*COUNTERS, *GAUGES), 0)


class Counted(Protocol):
    """Counters of a server.

    `counters`: with the keys of NOTHING; `families`: metrics of pools and commits, once there are
    any.
    """

    family: int

    def counters(self) -> dict[str, Any]: ...
    def families(self) -> Iterator[Metric]: ...
    def feed_age(self) -> float: ...
    def feed_lag(self) -> float: ...
    def days_ahead(self) -> int | None: ...


class ServerCollector(Collector):
    """Collector that reads one server's state at each scrape. Metrics of DHCPv6 have it in their name."""

    def __init__(self, server: Counted) -> None:
        self.server = server

    def collect(self) -> Iterator[Metric]:
        for metric in self.metrics():
            yield metric if self.server.family == 4 else of_dhcp6(metric)

    def metrics(self) -> Iterator[Metric]:
        counters = self.server.counters()
        yield build_info.family()
        yield faults.family()
        for key, (name, text, label) in BY_LABEL.items():
            family = CounterMetricFamily(name, text, labels=[label])
            for value, count in counters[key].items():
                family.add_metric([value], count)
            yield family
        family = CounterMetricFamily(
            "ipam_dhcp4_unusual", "Refusals by cause, and other unusual decisions.", labels=["decision"]
        )
        for value, count in counters["noticed"].items():
            family.add_metric([value], count)
        yield family
        for key, (name, text) in COUNTERS.items():
            yield CounterMetricFamily(name, text, value=counters[key])
        for key, (name, text) in GAUGES.items():
            yield GaugeMetricFamily(name, text, value=counters[key])
        yield from self.server.families()
        yield GaugeMetricFamily(
            "ipam_dhcp4_feed_age_seconds", "Time since the lease feed was last read.", self.server.feed_age()
        )
        yield GaugeMetricFamily(
            "ipam_dhcp4_feed_lag_seconds",
            "Age of the last known write of other servers; a long transaction in the database increases it.",
            self.server.feed_lag(),
        )
        if (ahead := self.server.days_ahead()) is not None:
            yield GaugeMetricFamily(
                "ipam_lease_event_partitions_ahead",
                "Daily partitions of the lease history from tomorrow on; at 0 or less, leases soon fail.",
                ahead,
            )


def of_dhcp6(metric: Metric) -> Metric:
    metric.name = metric.name.replace("dhcp4", "dhcp6")
    metric.documentation = metric.documentation.replace("DHCPv4", "DHCPv6")
    metric.samples = [
        sample._replace(name=sample.name.replace("dhcp4", "dhcp6")) for sample in metric.samples
    ]
    return metric


def families(writers: LeaseWriters) -> Iterator[Metric]:
    """Yield how the lease statements fare."""
    commits = writers.commits
    yield histogram(
        "ipam_dhcp4_commit_duration_seconds",
        "Time from sending a lease statement to its COMMIT.",
        commits.seconds,
    )
    yield histogram("ipam_dhcp4_batch_leases", "Lease operations per statement.", commits.sizes)
    yield CounterMetricFamily(
        "ipam_dhcp4_write_retries", "Statements repeated after a deadlock.", commits.retries
    )
    failures = CounterMetricFamily(
        "ipam_dhcp4_write_failures",
        "Failed lease statements with an unknown outcome, by SQLSTATE.",
        labels=["sqlstate"],
    )
    for sqlstate, count in commits.failures.items():
        failures.add_metric([sqlstate], count)
    yield failures
    yield CounterMetricFamily(
        "ipam_dhcp4_database_warnings",
        "Warnings of PostgreSQL for lease statements that do not concern their commits.",
        commits.remarks,
    )
    yield from blockers.family(writers.blockers)


def histogram(name: str, text: str, counted: Histogram) -> HistogramMetricFamily:
    return HistogramMetricFamily(name, text, buckets=counted.buckets(), sum_value=counted.sum)


def text(server: Counted) -> str:
    """Return the page in the format of Prometheus, version 0.0.4."""
    registry = CollectorRegistry()
    registry.register(ServerCollector(server))
    return generate_latest(registry).decode()


def unserved(count: int) -> Metric:
    text = "Rows of the configuration that are invalid and not served; the log and /readyz list them."
    return GaugeMetricFamily("ipam_dhcp4_unserved_rows", text, count)
