"""An address's history does not run against its versions, however long a transaction waited before it wrote."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
from engine.serving import mac_of, octets
from engine.site import Site, Subnet
from engine.statements import Operation, write

from ipam_core.db.connect import connect

pytestmark = pytest.mark.shared_server

MINE, OTHER = octets(mac_of(1)), octets(mac_of(2))
LONG_SECONDS = 5.2  # longer than what is written follows a time to come
RUN_OUT = {"expires_at": -20.0, "reuse_at": -10.0}


@pytest.fixture
async def early(database: str) -> AsyncIterator[asyncpg.Connection]:
    """A session whose transaction has begun before anything else is written."""
    session = await connect(database)
    await session.execute("begin")
    await session.fetchval("select now()")
    yield session
    await session.close()


def operation(site: Site, subnet: Subnet, kind: str, **fields: Any) -> Operation:
    told = {"fence": 1, "hw_address": MINE} | fields
    return Operation(site.tenant_no, subnet.address(100), subnet.no, operation=kind, **told)


async def in_order(site: Site, subnet: Subnet, kinds: str) -> list[dict[str, Any]]:
    events = await site.events(subnet.address(100))
    assert "".join(event["kind"] for event in events) == kinds
    times = [event["at"] for event in events]
    assert times == sorted(times)
    return events


@pytest.mark.parametrize("then", ["b", "n"])
async def test_after_an_expiry(then: str, early: asyncpg.Connection, site: Site, subnet: Subnet) -> None:
    """The transaction of what is granted began before the expiry was written."""
    version = await site.put_lease(subnet.address(100), MINE, subnet.no, **RUN_OUT)
    assert await write(site.connection, [operation(site, subnet, "x", version=version)])
    assert await write(early, [operation(site, subnet, then)])
    await early.execute("commit")
    events = await in_order(site, subnet, "xg" if then == "b" else "xn")
    assert events[1]["granted_at"] == events[1]["at"], "a lease that begins, as it is counted"


@pytest.mark.parametrize("first", ["b", "n"])
@pytest.mark.parametrize("then", ["b", "n"])
async def test_after_another_grant(
    first: str, then: str, early: asyncpg.Connection, site: Site, subnet: Subnet
) -> None:
    """Two servers grant the same client the same lease."""
    await site.put_lease(subnet.address(100), MINE, subnet.no)
    assert await write(site.connection, [operation(site, subnet, first)])
    assert await write(early, [operation(site, subnet, then)])
    await early.execute("commit")
    events = await in_order(site, subnet, f"{first}{then}".replace("b", "g"))
    assert events[0]["granted_at"] == events[1]["granted_at"] < events[0]["at"], "one lease, as it is counted"


async def test_after_a_wait_of_many_seconds(early: asyncpg.Connection, site: Site, subnet: Subnet) -> None:
    """For the lock of another row of its batch, or for a standby."""
    await site.put_lease(subnet.address(100), MINE, subnet.no)
    await asyncio.sleep(LONG_SECONDS)
    for kind in "nb":
        assert await write(site.connection, [operation(site, subnet, kind)])
    for kind in "nb":
        assert await write(early, [operation(site, subnet, kind)])
    await early.execute("commit")
    await in_order(site, subnet, "ngng")


@pytest.mark.parametrize("first", ["b", "n"])
@pytest.mark.parametrize("then", ["b", "n"])
async def test_what_was_told_meanwhile_is_kept(
    first: str, then: str, early: asyncpg.Connection, site: Site, subnet: Subnet
) -> None:
    """The client may have heard either server, and another one gets the address when both have ended."""
    await site.put_lease(subnet.address(100), MINE, subnet.no)
    assert await write(site.connection, [operation(site, subnet, first)])
    told = await site.lease(subnet.address(100))
    assert await write(early, [operation(site, subnet, then)])
    await early.execute("commit")
    kept = await site.lease(subnet.address(100))
    assert (kept["expires_at"], kept["reuse_at"]) == (told["expires_at"], told["reuse_at"])
    assert await write(site.connection, [operation(site, subnet, then, lifetime=60)])
    assert (await site.lease(subnet.address(100)))["expires_at"] < told["expires_at"], "a shorter one"


async def test_a_lease_that_two_servers_grant_at_once_begins_once(
    early: asyncpg.Connection, site: Site, subnet: Subnet
) -> None:
    """As it is counted: an event whose time is that of the grant is one more."""
    assert await write(site.connection, [operation(site, subnet, "b")])
    assert await write(early, [operation(site, subnet, "b")])
    await early.execute("commit")
    first, second = await in_order(site, subnet, "gg")
    assert first["at"] == first["granted_at"] == second["granted_at"] < second["at"]


async def test_after_a_release(early: asyncpg.Connection, site: Site, subnet: Subnet) -> None:
    await site.put_lease(subnet.address(100), MINE, subnet.no)
    assert await write(site.connection, [operation(site, subnet, "r")])
    assert await write(early, [operation(site, subnet, "b")])
    await early.execute("commit")
    await in_order(site, subnet, "rg")


async def test_a_time_to_come_is_not_followed_far(site: Site, subnet: Subnet) -> None:
    """From before the clock was put back by an hour."""
    await site.put_lease(subnet.address(100), MINE, subnet.no, renewed_at=3600.0)
    assert await write(site.connection, [operation(site, subnet, "n")])
    lease = await site.lease(subnet.address(100))
    now = await site.connection.fetchval("select now()")
    assert (lease["renewed_at"] - now).total_seconds() <= 5


async def test_what_a_takeover_ends_began_when_its_owner_got_it(site: Site, subnet: Subnet) -> None:
    await site.put_lease(subnet.address(100), OTHER, subnet.no, granted_at=-3600.0, **RUN_OUT)
    before = await site.lease(subnet.address(100))
    assert await write(site.connection, [operation(site, subnet, "b")])
    ended, granted = await in_order(site, subnet, "xg")
    assert (ended["hw_address"], ended["granted_at"]) == (OTHER, before["granted_at"])
    assert (granted["hw_address"], granted["granted_at"]) == (MINE, granted["at"])
