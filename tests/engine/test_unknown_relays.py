"""Relays that were turned away are counted for the operator, who may trust them then."""

import asyncpg
from engine.serving import Servers, drops, mac_of
from engine.site import Subnet, until
from oracle import packets as say

from dhcp_fast.engine.notices import unknown_relays


async def test_a_relay_that_nobody_trusts_is_listed_with_its_count(
    connection: asyncpg.Connection, servers: Servers, subnet: Subnet
) -> None:
    server = await servers.start(trusted_relays=())
    relay = servers.relay(server, "127.0.0.1")
    for client in range(3):
        relay.send(say.discover(mac_of(client)))
    await until("dropped", lambda: drops(server, "untrusted_relay") == 3)
    await server.report_relays()
    listed = await connection.fetch("select host(address) as address, count from unknown_relay")
    assert [(row["address"], row["count"]) for row in listed] == [("127.0.0.1", 3)]
    assert unknown_relays(server.engine) == []


async def test_a_flood_of_invented_relays_fills_its_places_and_is_forgotten(
    servers: Servers, subnet: Subnet
) -> None:
    server = await servers.start(trusted_relays=())
    relay = servers.relay(server, "127.0.0.1")
    for host in range(200):
        packet = say.discover(mac_of(host)).with_relay(f"10.77.0.{host}")
        relay.socket.sendto(packet.bytes(), relay.server)
    await until("dropped", lambda: drops(server, "untrusted_relay") == 200)
    assert len(unknown_relays(server.engine)) == 64
