"""A lease is found in the moment of its ACK, by whatever people ask for (engine rule 13)."""

from typing import Any

import asyncpg
import pytest
from engine.serving import Relay, Servers, mac_of, reloaded, server_id
from engine.site import Site
from oracle import packets as say
from oracle.packets import Packet

from ipam_core.model.actor import Actor
from ipam_core.services import lease_events, leases, search

VIEWER = Actor(role="viewer")
MAC = mac_of(1)
CLIENT_ID = b"\xff\x00\x00\x00\x01\x00\x02\x00\x00\xab\x11"
USUAL_ID = b"\x01" + bytes.fromhex(MAC.replace(":", ""))

ETHERNET = say.discover(MAC).option(12, "laptop")
CLIENTS = {
    "by its MAC": (ETHERNET, False),
    "by its MAC, with the usual client id": (ETHERNET.client_id(USUAL_ID), False),
    "by its client id": (ETHERNET.client_id(CLIENT_ID), True),
    "by the usual client id": (ETHERNET.client_id(USUAL_ID), True),
}


async def hits(pool: asyncpg.Pool, text: str) -> set[tuple[str, str]]:
    async with pool.acquire() as connection:
        page = await search.find(connection, VIEWER, {"q": text})
    return {(hit.label.split()[0], hit.match) for hit in page.items if hit.type == "lease"}


async def listed(pool: asyncpg.Pool, **query: str) -> list[str]:
    async with pool.acquire() as connection:
        return [lease.ip for lease in (await leases.find(connection, VIEWER, query)).items]


async def history(pool: asyncpg.Pool, ip: str) -> list[str]:
    async with pool.acquire() as connection:
        return [event.event for event in (await lease_events.find(connection, VIEWER, {"ip": ip})).items]


async def serve(site: Site, servers: Servers, **fields: Any) -> Relay:
    subnet = await site.subnet(**fields)
    await subnet.pool(10, 250)
    return servers.relay(await servers.start(), subnet.relay)


@pytest.mark.parametrize("known", CLIENTS)
async def test_who_has_just_got_an_address_is_found(
    known: str, site: Site, servers: Servers, pool: asyncpg.Pool
) -> None:
    discover, match_client_id = CLIENTS[known]
    relay = await serve(site, servers, match_client_id=match_client_id)
    ip = str((await relay.lease(MAC, discover)).yiaddr)
    assert await hits(pool, MAC) == {(ip, "mac")}
    assert await hits(pool, "laptop") == {(ip, "hostname")}
    assert await listed(pool, mac=MAC) == await listed(pool, hostname="lap") == [ip]
    assert await history(pool, ip) == ["granted"]
    if said := dict(discover.options).get(61):
        assert await hits(pool, said.hex(":")) == {(ip, "client_id")}
        assert await listed(pool, client_id=said.hex()) == [ip]


async def test_each_of_many_is_found_by_its_mac(site: Site, servers: Servers, pool: asyncpg.Pool) -> None:
    """And its address's history, in the moment of the next ACK as well as of its own."""
    relay = await serve(site, servers)
    given: dict[str, str] = {}
    for number in range(1, 61):
        mac = mac_of(number)
        given[mac] = str((await relay.lease(mac)).yiaddr)
        assert await listed(pool, mac=mac) == [given[mac]]
        assert await history(pool, given[mac]) == ["granted"]
    assert {mac: await hits(pool, mac) for mac in given} == {mac: {(ip, "mac")} for mac, ip in given.items()}


def on_token_ring(packet: Packet) -> Packet:
    """IEEE 802 networks (RFC 1700: hardware type 6) have addresses of six octets too."""
    return packet.field(htype=6)


async def test_other_hardware_is_found_by_its_address(
    site: Site, servers: Servers, pool: asyncpg.Pool
) -> None:
    relay = await serve(site, servers)
    offer = await relay.offer(on_token_ring(say.discover(MAC)))
    request = say.request_selecting(MAC, offer.yiaddr, server_id(offer))
    ip = str((await relay.ack(on_token_ring(request))).yiaddr)
    assert await hits(pool, MAC) == {(ip, "mac")}
    assert await listed(pool, mac=MAC) == [ip]


async def test_a_client_that_is_known_otherwise_since(
    site: Site, servers: Servers, pool: asyncpg.Pool
) -> None:
    """A subnet's match_client_id gives a row another key at the next renewal: it leaves one index for the other."""
    subnet = await site.subnet()
    await subnet.pool(10, 250)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    discover = ETHERNET.client_id(CLIENT_ID)
    ip = str((await relay.lease(MAC, discover)).yiaddr)
    for match_client_id, kind in ((True, 2), (False, 1)):
        async with subnet.change():
            await subnet.set(match_client_id=match_client_id)
        await reloaded(server, subnet)
        assert str((await relay.lease(MAC, discover)).yiaddr) == ip
        assert (await site.lease(ip))["client_key"][0] == kind
        assert await hits(pool, MAC) == {(ip, "mac")}
        assert await listed(pool, mac=MAC) == [ip]
