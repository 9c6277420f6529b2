"""Clients of which two use one identity at the same time are reported (decisions: Reservations)."""

from __future__ import annotations

import itertools
from ipaddress import IPv4Network, ip_network
from typing import Any

import pytest
from engine.serving import Relay, Servers, mac_of, octets, server_id
from engine.site import Site, Subnet, until
from oracle import packets as say

from dhcp_fast.bench.servers.bench_plan import add

pytestmark = pytest.mark.own_server

SHARED = "client.identity_shared"
MAC, OTHER = mac_of(1), mac_of(2)
FIRST, SECOND = b"\0contA", b"\0contB"


async def told(site: Site) -> list[dict[str, Any]]:
    rows = await site.connection.fetch("select data from event where type = $1 order by id", SHARED)
    return [row["data"] for row in rows]


async def lease(relay: Relay, mac: str, client_id: bytes) -> Any:
    offer = await relay.offer(say.discover(mac).client_id(client_id))
    request = say.request_selecting(mac, offer.yiaddr, server_id(offer)).client_id(client_id)
    return (await relay.ack(request)).yiaddr


async def serve(site: Site, servers: Servers, **fields: Any) -> tuple[Subnet, Any, Relay]:
    subnet = await site.subnet(**fields)
    await subnet.pool(100, 199)
    server = await servers.start()
    return subnet, server, servers.relay(server, subnet.relay)


async def test_a_mac_under_two_client_ids(site: Site, servers: Servers) -> None:
    """Both renew one lease: they are answered as before, and the event names both; once within the hour."""
    _, server, relay = await serve(site, servers)
    address = await lease(relay, MAC, FIRST)
    assert await lease(relay, MAC, SECOND) == address
    for _ in range(3):
        for client_id in (FIRST, SECOND):
            await relay.ack(say.request_renewing(MAC, address).client_id(client_id))
    await server.watch_pools()
    (data,) = await told(site)
    assert (data["mac"], data["ip"]) == (MAC, str(address))
    assert sorted(data["identities"]) == [FIRST.hex(), SECOND.hex()]
    await site.connection.execute("update client_alert set since = now() - interval '61 minutes'")
    await relay.ack(say.request_renewing(MAC, address).client_id(FIRST))
    await server.watch_pools()
    assert len(await told(site)) == 2


async def test_a_machine_that_boots_is_no_two(site: Site, servers: Servers) -> None:
    """Its loader never renews; the system asks anew each time, by DISCOVER or INIT-REBOOT."""
    _, server, relay = await serve(site, servers)
    for _ in range(3):
        address = await lease(relay, MAC, FIRST)
        await lease(relay, MAC, SECOND)
        await relay.ack(say.request_renewing(MAC, address).client_id(SECOND))
        await lease(relay, MAC, FIRST)
        await relay.ack(say.request_init_reboot(MAC, address).client_id(SECOND))
        await relay.ack(say.request_renewing(MAC, address).client_id(SECOND))
    await server.watch_pools()
    assert await told(site) == []


async def test_two_client_ids_that_have_a_lease_each(site: Site, servers: Servers) -> None:
    """Where option 61 tells them apart, nothing is shared."""
    _, server, relay = await serve(site, servers, match_client_id=True)
    leases = {client_id: await lease(relay, MAC, client_id) for client_id in (FIRST, SECOND)}
    for client_id, address in leases.items():
        await relay.ack(say.request_renewing(MAC, address).client_id(client_id))
    await server.watch_pools()
    assert await told(site) == []


@pytest.mark.parametrize("match_client_id", [False, True])
async def test_two_machines_with_one_reservation(match_client_id: bool, site: Site, servers: Servers) -> None:
    subnet = await site.subnet(match_client_id=match_client_id)
    await subnet.reserve(20, circuit_id=b"port 7")
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    for number, client_id in ((1, FIRST), (2, SECOND)):
        offer = await relay.offer(say.discover(mac_of(number)).client_id(client_id).circuit("port 7"))
        request = say.request_selecting(mac_of(number), offer.yiaddr, server_id(offer)).client_id(client_id)
        await relay.ack(request.circuit("port 7"))
    renewal = say.request_renewing(MAC, subnet.address(20)).client_id(FIRST).circuit("port 7")
    await relay.nak(renewal)
    await server.watch_pools()
    (data,) = await told(site)
    assert data["identities"] == [FIRST.hex(), SECOND.hex()]
    assert data["mac"] == MAC


async def test_after_a_restart(site: Site, servers: Servers) -> None:
    """Rows that were loaded in brief say it once they are read or written."""
    subnet, _, relay = await serve(site, servers)
    address = await lease(relay, MAC, FIRST)
    await lease(relay, MAC, SECOND)
    server = await servers.start()
    later = servers.relay(server, subnet.relay)
    await until("loaded", lambda: server.engine.lease(site.tenant_no, int(address)))
    for client_id in (FIRST, SECOND, FIRST):
        await later.ack(say.request_renewing(MAC, address).client_id(client_id))
    await server.watch_pools()
    assert [data["mac"] for data in await told(site)] == [octets(MAC).hex(":")]


async def test_of_two_tenants_with_the_same_addresses(site: Site, servers: Servers) -> None:
    """What one tenant's clients do hides nothing of another's."""
    other = await Site.create(site.connection, itertools.count(6))
    await add(site.connection, "trusted_relay", cidr=ip_network("127.0.5.0/24"), tenant_no=site.tenant_no)
    ours, theirs = await site.subnet(5), await other.subnet(cidr=IPv4Network("10.5.0.0/24"), gateway=None)
    for subnet in (ours, theirs):
        await subnet.pool(100, 100)
    server = await servers.start()
    for relay in (servers.relay(server, ours.relay), servers.relay(server, theirs.relay)):
        address = await lease(relay, MAC, FIRST)
        await lease(relay, MAC, SECOND)
        await relay.ack(say.request_renewing(MAC, address).client_id(FIRST))
    await server.watch_pools()
    rows = await site.connection.fetch("select tenant_no, data from event where type = $1", SHARED)
    assert {row["tenant_no"] for row in rows} == {site.tenant_no, other.tenant_no}
    assert {row["data"]["ip"] for row in rows} == {"10.5.0.100"}
