"""Events of nodes and of relays that nobody trusts: raised with what they tell, once."""

from ipaddress import ip_address
from typing import Any

import asyncpg
from workers.site import Site

from ipam_core.db import queries
from ipam_core.services.unknown_relays import TOLD_AT_ONCE, note_unknown
from ipam_core.workers.node import Node
from ipam_core.workers.webhook_events import SQL

BEATS = queries.load("dhcp_node")


async def told(pool: asyncpg.Pool) -> list[str]:
    return [row["type"] for row in await pool.fetch("select type from event order by no")]


async def test_a_node_is_up_degraded_down_and_up_again(pool: asyncpg.Pool) -> None:
    """Each once, however often it says so and however many look; a server that stopped is not down."""
    node = Node("worker")
    async with pool.acquire() as connection, pool.acquire() as other:
        for fault in ("", "", "the disk is full", "the disk is full", ""):
            await node.beat(connection, fault)
        expected = ["node.up", "node.degraded", "node.up"]
        assert await told(pool) == expected
        await SQL.tell_silent_nodes(connection)
        assert await told(pool) == expected
        await pool.execute("update node set heartbeat_at = now() - interval '31 s'")
        async with connection.transaction():
            assert await SQL.tell_silent_nodes(connection) == 1
            assert await SQL.tell_silent_nodes(other) == 0  # one looks at a time
        assert await SQL.tell_silent_nodes(other) == 0
        expected += ["node.down"]
        assert await told(pool) == expected
        data: dict[str, Any] = await connection.fetchval("select data from event order by no desc limit 1")
        assert (data["role"], data["state"], data["silent_seconds"]) == ("worker", "ready", 31)
        await node.beat(connection, "")
        await node.beat(connection, "")
        expected += ["node.up"]
        assert await told(pool) == expected
        await node.stop(connection)
        await pool.execute("update node set heartbeat_at = now() - interval '31 s'")
        assert await SQL.tell_silent_nodes(connection) == 0
        again = Node("worker")
        await again.beat(connection, "")
        assert await told(pool) == [*expected, "node.up"]


async def test_a_relay_that_nobody_trusts_is_told_of_once(pool: asyncpg.Pool, site: Site) -> None:
    """Many at once are told of in part: their addresses can be forged."""
    async with pool.acquire() as connection:
        for _ in range(2):
            await note_unknown(connection, [(ip_address("192.0.2.1"), 3)])
        assert await told(pool) == ["relay.untrusted"]
        data = await connection.fetchval("select data from event")
        assert (data["address"], data["count"]) == ("192.0.2.1", 3)
        await note_unknown(connection, [(ip_address(f"198.51.100.{n}"), 1) for n in range(100)])
        assert len(await told(pool)) == 1 + TOLD_AT_ONCE
        assert await connection.fetchval("select count(*) from unknown_relay") == 101
