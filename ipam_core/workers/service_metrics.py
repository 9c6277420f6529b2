"""Metrics of the whole service that a worker shows, from the database: the nodes, and the managed addresses."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from prometheus_client.core import GaugeMetricFamily, Metric

from ipam_core.db import queries
from ipam_core.services import managed_limit
from ipam_core.services.entity.entity import Connection, Row

SQL = queries.load("metrics")


class Service(NamedTuple):
    """`nodes`: how many by role and state; `managed`: reservations and assignments of all tenants."""

    nodes: list[Row]
    managed: int


async def read(connection: Connection) -> Service:
    return Service([row async for row in SQL.nodes(connection)], await managed_limit.count(connection))


def families(service: Service) -> Iterator[Metric]:
    yield nodes(service.nodes)
    yield GaugeMetricFamily(
        "ipam_managed_addresses", "Managed addresses: reservations plus static assignments.", service.managed
    )


def nodes(rows: Iterable[Row]) -> Metric:
    found = GaugeMetricFamily(
        "ipam_nodes", "Servers and workers by their role and state; down: silent for 30 seconds.",
        labels=["role", "state"],
    )  # fmt: skip
    for row in rows:
        found.add_metric([row["role"], row["shown"]], row["count"])
    return found
