"""Alerts of clients: two that use one identity at the same time are told of, at most once an hour."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ipam_core.db import queries
from ipam_core.model.values import Address, encode_value
from ipam_core.services import events
from ipam_core.services.entity.entity import Connection

SQL = queries.load("client_alert")

SHARED = "client.identity_shared"


class Sharing(NamedTuple):
    """A client that renewed a lease which another one has: its card (empty: unknown), its client id or DUID."""

    subnet_no: int
    ip: Address
    card: bytes
    identity: bytes


async def raise_shared(connection: Connection, found: Sequence[Sharing]) -> int:
    """Return an event for each hardware address, or client where none is known, at most one an hour; how many there
    were."""
    if not found:
        return 0
    subnets, addresses, cards, told = zip(*found, strict=True)
    async with connection.transaction():
        await SQL.forget_alerts(connection)
        rows = SQL.raise_shared(connection, subnets=subnets, addresses=addresses, cards=cards, told=told)
        raised = [row async for row in rows]
        for row in raised:
            await events.record(connection, SHARED, data_of(row), row["tenant_no"])
    return len(raised)


def data_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of the alert."""
    identities = [row["told"].hex(), *sorted(other.hex() for other in row["others"])]
    return {
        "mac": row["card"].hex(":") if row["card"] else None,
        "identities": [identity for identity in identities if identity],
        "ip": encode_value(row["ip"]),
        "subnet_id": encode_value(row["subnet_id"]),
        "cidr": encode_value(row["cidr"]),
    }
