"""What a DHCPv6 server forgets: leases that ended longer ago than `freed_lease_days`, as the database deletes them."""

from __future__ import annotations

from ipaddress import IPv6Address

import pytest
from engine.site import until
from engine6.serving6 import Servers, chosen, duid, leases
from engine6.site6 import Site6, Subnet6, association_key
from oracle import packets6 as say

from dhcp_fast.engine.configure import forget_after
from dhcp_fast.server.serving import Serving

ROUNDS, CLIENTS = 3, 40
A_SECOND = 1
PAST = "update lease set expires_at = now() - interval '2 d', reuse_at = now() - interval '2 d', state = 'x'"


@pytest.fixture
async def short(site: Site6) -> Subnet6:
    """All of a /64, leased for a second."""
    subnet = await site.subnet(lease_time_seconds=1, reuse_margin_seconds=2)
    await subnet.whole_pool()
    return subnet


def known(server: Serving) -> int:
    return int(server.counters()["leases_known"])


@pytest.mark.long
async def test_memory_stays_flat_over_many_short_leases(servers: Servers, short: Subnet6) -> None:
    """Hosts that come with another DUID each time: the places of those that have gone are taken again."""
    server = await servers.start()
    forget_after(server.engine, A_SECOND)
    relay = servers.relay(server, short.link)
    for turn in range(ROUNDS):
        for number in range(CLIENTS):
            await relay.lease(duid(turn * CLIENTS + number + 1))
        await until("forgotten", lambda: known(server) == 0)
    assert server.engine.lease_places() <= CLIENTS


async def test_what_was_forgotten_is_granted_again(servers: Servers, short: Subnet6, site: Site6) -> None:
    """The database has the row still: it is taken for new, refused as such, and bound over the old row."""
    server = await servers.start()
    forget_after(server.engine, A_SECOND)
    relay = servers.relay(server, short.link)
    first = leases(await relay.lease(duid(1)))
    await until("forgotten", lambda: known(server) == 0)
    assert leases(await relay.lease(duid(1))) == first
    assert [event["kind"] for event in await site.events(first[0])] == ["g", "x", "g"]


async def test_a_released_lease_is_forgotten_too(servers: Servers, site: Site6) -> None:
    """Its place in the wheel was that of the end which it no longer has."""
    subnet = await site.subnet(lease_time_seconds=3)
    await subnet.whole_pool()
    server = await servers.start()
    forget_after(server.engine, A_SECOND)
    relay = servers.relay(server, subnet.link)
    granted = await relay.lease(duid(1))
    await relay.reply(chosen(say.release(duid(1), relay.server_id), granted))
    assert known(server) == 1
    await until("forgotten", lambda: known(server) == 0)


async def test_what_ended_long_before_the_start_is_not_kept(
    servers: Servers, subnet: Subnet6, site: Site6
) -> None:
    for number in range(1, 9):
        key = association_key(3, 1, duid(number))
        await site.put_lease(subnet.address(0x100 + number), key, subnet.no)
    await site.connection.execute(PAST)
    server = await servers.start(freed_lease_days=1)
    await until("forgotten", lambda: known(server) == 0)


async def test_without_an_end_nothing_is_forgotten(servers: Servers, short: Subnet6) -> None:
    """The setting 0 keeps the rows, and so does memory."""
    server = await servers.start(freed_lease_days=0)
    relay = servers.relay(server, short.link)
    await relay.lease(duid(1))
    granted = await relay.lease(duid(2))
    await until("ended", lambda: state(server, short, leases(granted)[0]) == "x")
    assert known(server) == 2


def state(server: Serving, subnet: Subnet6, address: str) -> str:
    return str((server.engine.lease(subnet.site.tenant_no, int(IPv6Address(address))) or {})["state"])
