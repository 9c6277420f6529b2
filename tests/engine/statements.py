"""The lease statements by hand: one operation a row, through asyncpg, as any server's writer would send them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from ipaddress import IPv4Address
from typing import Any

import asyncpg

from ipam_core.db import queries

COLUMNS = (
    "tenant_no", "address", "subnet_no", "fence", "operation", "lifetime", "margin", "age", "version", "hw_type",
    "hw_address", "client_id", "client_key", "hostname", "relay", "circuit_id", "remote_id",
)  # fmt: skip


@dataclass(frozen=True)
class Operation:
    """The parameters of one row, in the statements' order."""

    tenant_no: int
    address: IPv4Address
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

    def value(self, column: str) -> Any:
        if column == "client_key" and self.client_key is None:
            return b"\0" + self.address.packed if self.operation == "q" else b"\x01\x01" + self.hw_address
        return getattr(self, column)

    def but(self, **fields: Any) -> Operation:
        return replace(self, **fields)


async def write(
    connection: asyncpg.Connection, operations: list[Operation], node_no: int | None = None
) -> list[IPv4Address]:
    """One statement for all of them, which its first one names; the addresses that won."""
    lease = queries.load("dhcp_lease")
    named = {"b": lease.bind_leases, "q": lease.quarantine_leases}
    query = named.get(operations[0].operation, lease.change_leases).sql
    columns = [[operation.value(column) for operation in operations] for column in COLUMNS]
    return [row["address"] for row in await connection.fetch(query, *columns, node_no)]
