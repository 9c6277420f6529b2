"""External PostgreSQL: the oldest that is supported, with a standby; for failovers see test_failover.py."""

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import asyncpg
import pytest
import uvloop
from outage.clusters import Cluster, cluster, standby_of
from outage.databases import execute, fetch
from outage.processes import Role, await_true
from outage.storms import judge, renew, storm
from outage.wires import FAR, Wire

from dhcp_fast.database.leases.lease_session import SESSION as LEASES
from dhcp_fast.database.leases.lease_writers import SESSIONS
from dhcp_fast.probe.client import Client, NoAnswer
from ipam_core.db.connect import LIVENESS, SESSION, connect, connect_any, create_pool, watch_peer
from ipam_core.db.outage import AWAY

MAC = bytes.fromhex("020000000001")
HELD = "select count(*) from pg_locks where locktype = 'advisory' and granted"
WRITING = "select count(*) from pg_stat_activity where application_name = 'ipam lease writer'"
CANCEL = (
    "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'"
    " and application_name = 'ipam lease writer'"
)


def test_a_storm_on_postgresql_15(oldest: Cluster, tmp_path: Path) -> None:
    """Killed in its midst, too."""
    with Role(tmp_path, "dhcp", database_url=oldest.dsn) as server:
        server.ready()
        with storm(server.address) as running:
            running.goes_on(1500)
            oldest.kill()
            oldest.start()
            running.goes_on(1500)
            result = running.result()
        assert fetch(oldest.dsn, "select current_setting('server_version_num')::integer / 10000") == 15
        judge(oldest.dsn, result)
        renew(server.address, result)


def test_a_standby_alone_is_awaited_until_it_is_promoted(oldest: Cluster, tmp_path: Path) -> None:
    """With and without the wish for a server that takes writes."""
    with standby_of(oldest) as standby:
        picky = Role(tmp_path, "dhcp", database_url=f"{standby.dsn}?target_session_attrs=read-write")
        trusting = Role(tmp_path, "dhcp", database_url=standby.dsn)
        with picky, trusting:
            for server in (picky, trusting):
                await_true(lambda: "cannot be read" in server.readiness()[1], "waiting")  # noqa: B023 - used at once
            oldest.kill()
            fetch(standby.dsn, "select pg_promote()")
            for server in (picky, trusting):
                server.ready()


def test_a_commit_that_came_with_a_warning_is_not_acknowledged(oldest: Cluster, tmp_path: Path) -> None:
    """Rule 11: the synchronous standby is away, and an administrator cancels the writer's wait for it. PostgreSQL then
    reports success, although the standby has nothing: who fails over to it would find the address free. The warning
    comes also where the database wants to hear of errors only."""
    execute(oldest.dsn, "alter database postgres set client_min_messages = 'error'")
    with (
        standby_of(oldest) as standby,
        Role(tmp_path, "dhcp", database_url=oldest.dsn) as server,
        Client(server.address, mac=MAC, timeout=1.0, tries=1) as client,
    ):
        server.ready()
        offer = client.discover().reply
        standby.stop()
        with ThreadPoolExecutor(1) as threads:
            asking = threads.submit(client.select, offer)
            await_true(lambda: fetch(oldest.dsn, CANCEL), "waiting for the standby")
        with pytest.raises(NoAnswer):
            asking.result()
        assert "commit with a warning" in server.said()
        assert fetch(oldest.dsn, "select count(*) from lease") == 1
        standby.start()
        client.tries = 10
        assert client.select(offer).reply.yiaddr == offer.yiaddr


def test_hung_commits_leave_no_sessions_behind(oldest: Cluster, tmp_path: Path) -> None:
    """The synchronous standby is away for long. A commit that is abandoned stays in its wait until somebody ends it;
    the operator who would mend this found every connection taken. It mends itself when the standby is back."""
    with (
        standby_of(oldest) as standby,
        Role(tmp_path, "dhcp", database_url=oldest.dsn) as server,
        Client(server.address, mac=MAC, timeout=1.0, tries=30) as client,
    ):
        server.ready()
        lease = client.select(client.discover().reply).reply
        with storm(server.address) as running:
            running.goes_on(500)
            held = running.result().log
        standby.stop()
        with storm(server.address, window=8, mix="renew", held=held):
            await_true(lambda: server.said().count("batch abandoned") >= 4, "abandoned often", 40.0)
            assert fetch(oldest.dsn, WRITING) <= 2 * SESSIONS
        standby.start()
        server.ready()
        assert client.renew(lease).reply.yiaddr == lease.yiaddr
        assert fetch(oldest.dsn, WRITING) == SESSIONS


def test_every_session_notices_a_machine_that_is_gone(oldest: Cluster) -> None:
    """Rule 11: within three seconds. Otherwise a feed would wait a minute for a primary that a standby has replaced."""

    async def look() -> None:
        single = await connect(oldest.dsn)
        async with await create_pool(oldest.dsn) as pool, pool.acquire() as pooled:
            for session in (single, pooled):
                sock = session._transport.get_extra_info("socket")
                assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 3000
                assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        await single.close()

    asyncio.run(look())


async def settings_of(connection: asyncpg.Connection) -> dict[str, str]:
    rows = await connection.fetch("select name, setting from pg_settings where name like 'tcp\\_%'")
    return {row["name"]: row["setting"] for row in rows}


def test_the_server_notices_too(oldest: Cluster) -> None:
    """Else the lock of the server that writes expiry, and its rows' locks, outlive its power by two hours."""

    async def look() -> None:
        for settings in (SESSION, LEASES):
            session = await connect_any(oldest.dsn, server_settings=settings)
            assert await settings_of(session) == LIVENESS
            await session.close()

    asyncio.run(look())


def test_the_lock_of_a_server_without_power_is_free_soon(
    cluster_template: Path, data_dir: Path, tmp_path: Path
) -> None:
    """The wire to the server that writes expiry is cut; PostgreSQL hears no end of its session, and ends it."""
    with (
        Wire() as wire,
        wire.far(),
        cluster(cluster_template, data_dir.parent, FAR) as primary,
        wire.near(),
        Role(tmp_path, "dhcp", database_url=primary.dsn) as server,
    ):
        server.ready()
        with wire.far():
            await_true(lambda: fetch(primary.dsn, HELD) == 1, "chosen")
        wire.cut()
        with wire.far():
            await_true(lambda: fetch(primary.dsn, HELD) == 0, "free")


def test_a_session_that_ends_as_it_begins_is_a_database_that_is_away(oldest: Cluster) -> None:
    """PostgreSQL dies when it has just let us in: a failure to wait out, not one that ends the process."""

    async def look() -> None:
        session, other = await connect(oldest.dsn), await connect(oldest.dsn)
        ended = asyncio.Event()
        session.add_termination_listener(lambda _: ended.set())
        await other.execute("select pg_terminate_backend($1)", session.get_server_pid())
        await ended.wait()
        with pytest.raises(AWAY):
            watch_peer(session)
        await other.close()

    uvloop.run(look())
