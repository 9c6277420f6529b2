"""The lease statements by hand: one operation a row, through asyncpg, as any server's writer would send them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from ipaddress import IPv4Address, IPv6Address
from typing import Any

import asyncpg

from ipam_core.db import queries

FIELDS = (
    "tenant_no", "address", "subnet_no", "place", "operation", "lifetime", "margin", "age", "version", "hw_type",
    "hw_address", "client_id", "client_key", "hostname", "relay", "circuit_id", "remote_id", "association", "device",
    "fqdn_flags",
)  # fmt: skip


@dataclass(frozen=True)
class Operation:
    """One row of lease_request, and the fence that stands at its place."""

    tenant_no: int
    address: IPv4Address | IPv6Address
    subnet_no: int
    fence: int
    operation: str
    hw_address: bytes
    lifetime: int = 600
    margin: int = 10
    age: int = 0
    version: int = 0
    hw_type: int = 1
    client_id: bytes | None = None
    client_key: bytes | None = None
    hostname: str | None = None
    relay: IPv4Address | None = None
    circuit_id: bytes | None = None
    remote_id: bytes | None = None
    association: tuple[Any, ...] | None = None
    device: tuple[Any, ...] | None = None
    fqdn_flags: int | None = None

    def row(self, place: int) -> tuple[Any, ...]:
        key = b"\0" + self.address.packed if self.operation == "q" else b"\x01\x01" + self.hw_address
        derived = {"place": place, "client_key": self.client_key or key}
        return tuple(derived.get(field, getattr(self, field, None)) for field in FIELDS)

    def but(self, **fields: Any) -> Operation:
        return replace(self, **fields)


async def write(
    connection: asyncpg.Connection,
    operations: list[Operation],
    node_no: int | None = None,
    sent: datetime | None = None,
) -> list[IPv4Address | IPv6Address]:
    """One statement for all of them, which its first one names; the addresses that won."""
    lease = queries.load("dhcp_lease")
    named = {"b": lease.bind_leases, "g": lease.grant_leases, "q": lease.quarantine_leases}
    query = named.get(operations[0].operation, lease.change_leases).sql
    ordered = sorted(operations, key=lambda operation: (operation.tenant_no, operation.address))
    rows = [operation.row(place) for place, operation in enumerate(ordered, start=1)]
    places = ([operation.subnet_no for operation in ordered], [operation.fence for operation in ordered])
    if operations[0].operation == "q":
        more: tuple[Any, ...] = ()
    elif query is lease.change_leases.sql:
        more = (*places, sent)
    else:
        more = places
    won = await connection.fetch(query, rows, node_no, *more)
    return [row["address"] for row in won]
