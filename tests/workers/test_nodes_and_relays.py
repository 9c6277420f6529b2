"""Events of nodes and of relays that nobody trusts: raised with what they tell, once."""

import asyncio
import socket
import time
from ipaddress import ip_address
from typing import Any

import asyncpg
import pytest
from workers.site import Site

from ipam_core.db import queries
from ipam_core.services.unknown_relays import TOLD_AT_ONCE, note_unknown
from ipam_core.workers.node import Node, reported
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


SILENT = """
update node set heartbeat_at = now() - $2::text::interval, started_at = now() - interval '1 day' where name = $1"""


async def test_what_was_started_again_takes_the_place_of_what_crashed(pool: asyncpg.Pool) -> None:
    """Within half a minute its name is taken still. One row for each process that was started since; what ran beside it
    replaces nothing."""
    host = socket.gethostname()

    async def states() -> dict[str, str]:
        rows = await pool.fetch("select name, state from node")
        return {row["name"].removeprefix(f"{host}/"): row["state"] for row in rows}

    async with pool.acquire() as connection:
        crashed = [Node("worker") for _ in range(2)]
        for node in (*crashed, Node("api", "10.0.0.1:8080")):
            await node.beat(connection, "")
        await pool.execute(SILENT, f"{host}/worker", "45 s")
        await SQL.retire_replaced(connection)
        assert await states() == {"worker": "ready", "worker#2": "ready", "10.0.0.1:8080": "ready"}
        for name in ("worker", "worker#2", "10.0.0.1:8080"):
            await pool.execute(SILENT, f"{host}/{name}", "61 s")
        await SQL.retire_replaced(connection)
        assert set((await states()).values()) == {"ready"}  # nothing was started since
        await pool.execute(SILENT, f"{host}/worker", "25 s")
        await pool.execute(SILENT, f"{host}/worker#2", "25 s")
        again = Node("worker")
        await again.beat(connection, "")
        await pool.execute(SILENT, f"{host}/worker", "70 s")
        await pool.execute(SILENT, f"{host}/worker#2", "80 s")
        await SQL.retire_replaced(connection)
        assert await states() == {
            "worker": "stopped",
            "worker#2": "ready",  # silent, and missing
            "worker#3": "ready",
            "10.0.0.1:8080": "ready",
        }


async def test_a_process_is_among_the_nodes_while_it_serves(
    pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From when it does; then it says what is wrong, and at last that it ends. None that never served is listed."""
    monkeypatch.setattr("ipam_core.workers.node.BEAT_SECONDS", 0.2)
    faults = ["it is not listening yet"]

    async def becomes(*wanted: str) -> None:
        deadline = time.monotonic() + 30
        while (row := await pool.fetchrow("select state, detail from node")) is None or tuple(row) != wanted:
            assert time.monotonic() < deadline, row
            await asyncio.sleep(0.02)

    async with reported(Node("dns"), pool, lambda: faults[-1]):
        assert await pool.fetchval("select count(*) from node") == 0
    assert await pool.fetchval("select count(*) from node") == 0
    async with reported(Node("dns"), pool, lambda: faults[-1]):
        faults.append("")
        await becomes("ready", "")
        faults.append("degraded: zones are old")
        await becomes("degraded", "degraded: zones are old")
    await becomes("stopped", "")


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
