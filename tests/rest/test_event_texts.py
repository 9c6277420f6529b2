"""The data of each event of the service has the fields that docs/reference/events.md lists."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Any

import asyncpg
import httpx

from ipam_core.model.event_texts import TEXTS
from ipam_core.services import client_alerts, events, managed_limit, pool_alerts, secondaries, unknown_relays
from ipam_core.services.client_alerts import Sharing
from ipam_core.services.pool_alerts import PoolLevel
from ipam_core.workers import ddns_changes, ddns_events, ddns_outcomes
from ipam_core.workers.node import Node
from ipam_core.workers.notification_events import Window
from ipam_core.workers.webhook_events import SQL

Make = Callable[..., Awaitable[dict[str, Any]]]
NOW = datetime.now(UTC)
CLIENT = ip_address("10.40.10.142")


async def raise_events(connection: asyncpg.Connection[Any]) -> None:
    """Let the services and the triggers record one of each."""
    pool_no = await connection.fetchval("select no from pool")
    subnet_no = await connection.fetchval("select no from subnet")
    for type_ in (pool_alerts.HIGH, pool_alerts.EXHAUSTED):
        await pool_alerts.raise_alerts(connection, type_, {pool_no: PoolLevel(91, 100)})
    await pool_alerts.raise_storms(connection, {subnet_no: CLIENT})
    await client_alerts.raise_shared(connection, [Sharing(subnet_no, CLIENT, b"\2" * 6, b"\1\2")])
    await unknown_relays.note_unknown(connection, [(ip_address("192.0.2.1"), 3)])
    await connection.execute("insert into managed_change (delta) values (9)")
    await managed_limit.tell_thresholds(connection, 10)
    node = Node("worker")
    for fault in ("", "", "the disk is full"):
        await node.beat(connection, fault)
    await connection.execute("update node set heartbeat_at = now() - interval '31 s'")
    await SQL.tell_silent_nodes(connection)


def of_updates() -> Iterator[events.Told]:
    """Yield the events that the worker records of DNS updates."""
    row = {
        "id": "1",
        "action": "add",
        "ip": CLIENT,
        "fqdn": "a.example.",
        "tenant_no": 1,
        "last_error": "taken",
    }
    yield ddns_changes.displacement(row)
    yield from (ddns_outcomes.told(ddns_outcomes.Outcome(row, state)) for state in ("applied", "failed"))
    yield ddns_events.without_domain({"id": "1", "cidr": "10.40.10.0/24", "tenant_no": 1})


def of_secondaries() -> Iterator[events.Told]:
    """Yield the events that a DNS server records of the secondaries of its zones."""
    row = {
        "zone_id": "1",
        "zone": "example.net",
        "dns_server_id": "2",
        "name": "ns2",
        "address": "192.0.2.53",
    }
    row |= {
        "port": 53,
        "refusal": None,
        "seen_at": None,
        "refused_at": None,
        "tenant_no": 1,
        "zone_serial": 7,
    }
    for serial in (5, 7):
        state = secondaries.state_of(serial, 7)
        yield secondaries.event_of(row | {"serial": serial, "newer": 2, "differs_since": None}, state)


async def test_events_have_the_fields_that_the_page_lists(
    admin: httpx.AsyncClient, make: Make, pool: asyncpg.Pool
) -> None:
    prefix = await make("/prefixes", cidr="10.0.0.0/8")
    subnet = await make("/subnets", prefix_id=prefix["id"], cidr="10.40.10.0/24", name="office")
    await make(f"/subnets/{subnet['id']}/pools", start_ip="10.40.10.100", end_ip="10.40.10.199")
    hook = await make("/webhooks", url="https://hooks.example/")
    chat = await make("/notifications", name="noc", kind="slack", url="https://hooks.example/")
    async with pool.acquire() as connection:
        await raise_events(connection)
        told = await connection.fetch("select type, data from event")
    for path in (f"/webhooks/{hook['id']}/test", f"/notifications/{chat['id']}/test"):
        assert (await admin.post(path)).status_code < 300
    sent = (await admin.get("/deliveries")).json()["items"]
    found: dict[str, set[str]] = {}
    for type_, data in [
        *((row["type"], row["data"]) for row in told),
        *((each["event"], each["payload"]["data"]) for each in sent),
        ("notification.summary", Window(NOW, 10, {"node.up": 3}).summed(NOW)),
        *((each.type, each.data) for each in [*of_updates(), *of_secondaries()]),
    ]:
        found.setdefault(type_, set()).update(data)
    assert found == {type_: set(text.fields) for type_, text in TEXTS.items()}
