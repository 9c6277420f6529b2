"""Engine rule 25: an address that the API gives to a machine is claimed in the lease table, which arbitrates.

A claim is written here as the API writes it: the subnet's fence, the address's lease row, the object, one transaction.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest
from engine.serving import Servers, mac_of, octets
from engine.site import RAISE_FENCE, Site, Subnet, until
from engine.statements import Operation, write
from oracle import packets as say

from ipam_core.db.connect import connect

pytestmark = pytest.mark.shared_server

MAC, OTHER = mac_of(1), mac_of(2)
GONE = {"expires_at": -20.0, "reuse_at": -20.0}
CLAIM = """
insert into lease as l (tenant_no, address, prefix_length, subnet_no, state, granted_at, renewed_at, expires_at,
  reuse_at, version, client_key, claimed)
values ($1, $2, 32, $3, 'r', now(), now(), now(), now(), nextval('lease_version'),
  '\\x00'::bytea || substring(inet_send($2) from 5), true)
on conflict (tenant_no, address) do update set claimed = true where l.reuse_at <= clock_timestamp()
returning true"""
BLOCKED = (
    "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
)


@pytest.fixture
async def api(database: str) -> AsyncIterator[asyncpg.Connection]:
    session = await connect(database)
    yield session
    await session.close()


async def is_blocked(site: Site) -> bool:
    return bool(await site.connection.fetchval(BLOCKED))


async def claim(api: asyncpg.Connection, site: Site, subnet: Subnet, host: int) -> bool:
    await api.execute(RAISE_FENCE, subnet.no)
    return bool(await api.fetchval(CLAIM, site.tenant_no, subnet.address(host), subnet.no))


async def bind_of(site: Site, subnet: Subnet, host: int, kind: str = "b") -> Operation:
    fence = await site.connection.fetchval("select fence from subnet where no = $1", subnet.no)
    return Operation(site.tenant_no, subnet.address(host), subnet.no, fence, kind, octets(MAC))


async def bound_beside(
    database: str, site: Site, api: asyncpg.Connection, bind: Operation, end: str
) -> list[object]:
    """What a bind wins whose statement waits for the claim's transaction, which ends by `end`."""
    server = await connect(database)
    try:
        waiting = asyncio.create_task(write(server, [bind]))
        await until("blocked", lambda: is_blocked(site))
        await api.execute(end)
        return list(await waiting)
    finally:
        await server.close()


@pytest.mark.parametrize("row", ["none", "free", "its own"])
async def test_a_bind_that_waited_for_a_claim_loses(
    row: str, database: str, api: asyncpg.Connection, site: Site, subnet: Subnet
) -> None:
    """Its snapshot is older than the claim, so it knows the old fence; behind the lock it must read it anew."""
    if row != "none":
        await site.put_lease(
            subnet.address(100), octets(MAC if row == "its own" else OTHER), subnet.no, **GONE
        )
    bind = await bind_of(site, subnet, 100)
    await api.execute("begin")
    assert await claim(api, site, subnet, 100)
    assert await bound_beside(database, site, api, bind, "commit") == []
    assert (await site.lease(subnet.address(100)))["claimed"] is True
    assert await site.events(subnet.address(100)) == []


async def test_a_bind_that_waited_for_a_claim_that_was_taken_back_wins(
    database: str, api: asyncpg.Connection, site: Site, subnet: Subnet
) -> None:
    bind = await bind_of(site, subnet, 100)
    await api.execute("begin")
    assert await claim(api, site, subnet, 100)
    assert await bound_beside(database, site, api, bind, "rollback") == [bind.address]


async def test_who_was_decided_under_the_claims_fence_is_bound(
    api: asyncpg.Connection, site: Site, subnet: Subnet
) -> None:
    """The reserved client itself; the mark is gone with it."""
    assert await claim(api, site, subnet, 100)
    bind = await bind_of(site, subnet, 100)
    assert await write(site.connection, [bind]) == [bind.address]
    assert (await site.lease(bind.address))["claimed"] is None


async def test_a_lease_that_runs_cannot_be_claimed(
    api: asyncpg.Connection, site: Site, subnet: Subnet
) -> None:
    bind = await bind_of(site, subnet, 100)
    assert await write(site.connection, [bind]) == [bind.address]
    assert not await claim(api, site, subnet, 100)


async def test_a_client_that_waited_for_a_claim_is_refused_and_gets_another(
    servers: Servers, api: asyncpg.Connection, site: Site, subnet: Subnet
) -> None:
    """Through the server: the refused row's subnet is read anew, and the address is no more the client's to have."""
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    offer = await relay.offer(say.discover(MAC))
    await api.execute("begin")
    assert await claim(api, site, subnet, int(offer.yiaddr) & 255)
    await api.execute(
        "insert into assignment (id, subnet_no, ip, hostname) values (gen_random_uuid(), $1, $2, 'static')",
        subnet.no,
        offer.yiaddr,
    )
    sent = relay.send(say.request_selecting(MAC, offer.yiaddr, "127.0.0.1"))
    await until("blocked", lambda: is_blocked(site))
    await api.execute("commit")
    reply = await relay.answer_to(sent)
    assert reply is not None
    assert reply.message_type == 6
    assert (await relay.lease(MAC)).yiaddr != offer.yiaddr
