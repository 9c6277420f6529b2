"""The DNS server's counters as Prometheus text, drawn when they are asked for."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import dns.rcode
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from ipam_core import build_info, faults

COUNTERS = {
    "cut": ("ipam_dns_truncated", "Truncated responses (TC)."),
    "ignored": ("ipam_dns_ignored", "Messages without a response because they were not queries."),
    "limited": ("ipam_dns_rate_limited", "Queries above the limit of their network that got no response."),
    "slipped": (
        "ipam_dns_rate_slipped",
        "Queries above the limit of their network that got a truncated response.",
    ),
    "cookies": ("ipam_dns_cookies", "Queries with a valid cookie of this server."),
    "unsent": ("ipam_dns_unsent", "Responses that the kernel did not accept."),
    "kernel_drops": (
        "ipam_dns_kernel_drops",
        "Datagrams dropped by the kernel because the socket buffer was full.",
    ),
    "loads": ("ipam_dns_zone_loads", "Zones loaded completely."),
    "deltas": ("ipam_dns_zone_deltas", "Serials applied to zones in memory."),
    "published": ("ipam_dns_published", "Serials assigned to zones by this process."),
}
GAUGES = {
    "zones": ("ipam_dns_zones", "Zones served."),
    "names": ("ipam_dns_names", "Names in served zones."),
    "age": ("ipam_dns_zones_age_seconds", "Time since the zones were compared with the database."),
    "behind": ("ipam_dns_secondaries_behind", "Secondaries that are behind, over all zones."),
    "lost": (
        "ipam_dns_secondaries_lost",
        "Secondaries with an unknown serial, or with one that they consider newer.",
    ),
    "behind_seconds": (
        "ipam_dns_secondary_behind_seconds",
        "Time for which the longest delayed secondary has been behind.",
    ),
    "elected": ("ipam_dns_publisher", "Whether this process assigns serials to zones."),
}
BY_OUTCOME = {
    "transfers": ("ipam_dns_transfers", "Requested zone transfers, by outcome."),
    "notifies": ("ipam_dns_notifies", "NOTIFY messages to secondaries, by outcome."),
}


class Counted(Protocol):
    """`numbers`: by the keys above; `queries` by transport, `codes` by number, and outcomes by their word."""

    def numbers(self) -> Mapping[str, Any]: ...


class DnsCollector(Collector):
    def __init__(self, server: Counted) -> None:
        self.server = server

    def collect(self) -> Iterator[Metric]:
        numbers = self.server.numbers()
        yield build_info.family()
        yield faults.family()
        yield labelled("ipam_dns_queries", "Queries, by transport.", "transport", numbers["queries"])
        codes = {dns.rcode.to_text(dns.rcode.Rcode(n)): count for n, count in numbers["codes"].items()}
        yield labelled("ipam_dns_responses", "Responses, by code.", "code", codes)
        for key, (name, text) in BY_OUTCOME.items():
            yield labelled(name, text, "outcome", numbers[key])
        for key, (name, text) in COUNTERS.items():
            yield CounterMetricFamily(name, text, value=numbers[key])
        for key, (name, text) in GAUGES.items():
            yield GaugeMetricFamily(name, text, value=numbers[key])


def labelled(name: str, text: str, label: str, counts: Mapping[str, int]) -> CounterMetricFamily:
    family = CounterMetricFamily(name, text, labels=[label])
    for value, count in counts.items():
        family.add_metric([value], count)
    return family


def text(server: Counted) -> str:
    """Return the page in the format of Prometheus, version 0.0.4."""
    registry = CollectorRegistry()
    registry.register(DnsCollector(server))
    return generate_latest(registry).decode()
