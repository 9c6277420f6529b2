"""Addresses that machines visibly use are never leased (decisions: Never leased)."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, ip_network
from typing import Any

import asyncpg
import pytest
from engine.serving import Relay, Servers, mac_of, server_id
from engine.site import Site, Subnet, until
from oracle import packets as say

from dhcp_fast.database import node
from dhcp_fast.engine import pool_usage
from dhcp_fast.server import serving
from dhcp_fast.server.serving import Serving
from ipam_core.db import queries
from ipam_core.services import addresses_in_use

CIDR = IPv4Network("127.5.0.0/24")


async def small(site: Site, **fields: Any) -> Subnet:
    """127.5.0.0/24 with the pool .4 to .8, behind any relay with an address in it."""
    made = await site.direct_subnet(**({"relay_addresses": []} | fields))
    await made.pool(4, 8)
    return made


async def in_pools(connection: asyncpg.Connection) -> list[tuple[str, str, bool]]:
    rows = await connection.fetch(
        "select host(address) as address, kind, leased from addresses_in_pools(null) order by address"
    )
    return [(row["address"], row["kind"], row["leased"]) for row in rows]


async def withdrawn(server: Serving, count: int) -> None:
    """Wait until the pool gives so many addresses."""
    await until("read again", lambda: pool_usage.addresses(server.engine)[0] == count)


async def everybody(relay: Relay, count: int = 5) -> set[IPv4Address]:
    """The addresses that so many clients get."""
    return {(await relay.lease(mac_of(client))).yiaddr for client in range(count)}


async def look(server: Serving) -> None:
    """What the server does every ten seconds."""
    server.addresses.reported -= 10.0
    await server.look_at_addresses()


async def seen(relay: Relay, server: Serving, packets: int = 1) -> None:
    """Packets of this relay came by, and the server has said so."""
    for client in range(packets):
        await relay.patiently(say.discover(mac_of(1000 + client)))
    await look(server)


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> set[Any]:
    """What the machine says of its addresses when a server starts."""
    found: set[Any] = set()

    def follow(self: node.Heartbeat, _: Any) -> None:
        self.own = frozenset(found)

    monkeypatch.setattr(node.Heartbeat, "follow", follow)
    monkeypatch.setattr(addresses_in_use, "is_usable", lambda _: True)
    return found


# --- what the plan names


async def test_a_relay_that_a_subnet_names_is_not_leased(servers: Servers, site: Site) -> None:
    await small(site, relay_addresses=[IPv4Address("127.5.0.7")])
    server = await servers.start()
    relay = servers.relay(server, "127.5.0.1")
    assert await everybody(relay, 4) == {IPv4Address(f"127.5.0.{last}") for last in (4, 5, 6, 8)}
    await relay.unanswered(say.discover(mac_of(9)))


async def test_a_relay_that_another_subnet_of_the_tenant_names_is_not_leased(
    servers: Servers, site: Site
) -> None:
    subnet = await small(site)
    other = await site.subnet(9)
    server = await servers.start()
    await withdrawn(server, 5)
    async with other.change():
        await other.set(relay_addresses=[IPv4Address("127.5.0.7")])
    await withdrawn(server, 4)
    async with other.change():
        await site.connection.execute("delete from subnet where no = $1", other.no)
    await withdrawn(server, 5)
    assert subnet.no in server.engine.plan.subnets


async def test_a_trusted_host_is_not_leased_and_a_network_is(servers: Servers, site: Site) -> None:
    await small(site)
    server = await servers.start()
    await withdrawn(server, 5)
    await site.connection.execute(
        "insert into trusted_relay (id, cidr) values (gen_random_uuid(), '127.5.0.7'),"
        " (gen_random_uuid(), '127.5.0.4/31')"
    )
    await withdrawn(server, 4)
    await site.connection.execute("delete from trusted_relay where cidr = '127.5.0.7'")
    await withdrawn(server, 5)


async def test_a_host_of_the_setting_is_not_leased(servers: Servers, site: Site) -> None:
    await small(site)
    server = await servers.start(trusted_relays=(ip_network("127.0.0.0/8"), ip_network("127.5.0.7/32")))
    await withdrawn(server, 4)


async def test_what_another_tenant_names_takes_nothing(
    servers: Servers, site: Site, connection: asyncpg.Connection
) -> None:
    await small(site)
    stranger = await connection.fetchval(
        "insert into tenant (id, name) values (gen_random_uuid(), 'other') returning no"
    )
    await connection.execute(
        "insert into trusted_relay (id, tenant_no, cidr) values (gen_random_uuid(), $1, '127.5.0.7')",
        stranger,
    )
    await withdrawn(await servers.start(), 5)


# --- servers


async def test_the_addresses_of_servers_are_not_leased(
    servers: Servers,
    site: Site,
    own: set[Any],
    connection: asyncpg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that is there when the server starts, one that is added, and both back when they are gone."""
    own |= {IPv4Address("127.5.0.7")}
    await small(site)
    server = await servers.start()
    await withdrawn(server, 4)
    assert await in_pools(connection) == [("127.5.0.7", "server", False)]
    told = "addresses in pools are used by machines and are not leased: 127.5.0.7 (server)"
    assert server.warnings() == [told]

    async def is_told() -> bool:
        return bool(await connection.fetchval("select detail from node") == told)

    await until("told among the nodes", is_told)
    heartbeat: Any = server.duties.heartbeat
    heartbeat.own |= {IPv4Address("127.5.0.4")}
    await withdrawn(server, 3)
    relay = servers.relay(server, "127.5.0.1")
    assert await everybody(relay, 3) == {IPv4Address(f"127.5.0.{last}") for last in (5, 6, 8)}
    heartbeat.own = frozenset()
    heartbeat.last = 0
    await until("a heartbeat later", lambda: heartbeat.last)
    assert pool_usage.addresses(server.engine)[0] == 3, "an address that flaps does not come back at once"
    monkeypatch.setattr(node, "KEPT_MICROSECONDS", 0)
    heartbeat.last = 0
    await withdrawn(server, 5)


async def test_a_server_that_was_silent_for_an_hour_leaves_its_addresses(
    servers: Servers, site: Site, connection: asyncpg.Connection
) -> None:
    await small(site)
    server = await servers.start()
    no = await connection.fetchval(
        "insert into node (id, name, role, version, state, heartbeat_at)"
        " values (gen_random_uuid(), 'other', 'dhcp', '1', 'stopped', now() - interval '50 minutes') returning no"
    )
    await addresses_in_use.SQL.note_addresses(
        connection, node_no=no, addresses=[IPv4Address("127.5.0.7")], relays=[]
    )
    await withdrawn(server, 4)
    await addresses_in_use.forget(connection)
    assert len(await in_pools(connection)) == 1
    await connection.execute("update node set heartbeat_at = now() - interval '2 hours' where no = $1", no)
    await addresses_in_use.forget(connection)
    await withdrawn(server, 5)


def test_only_addresses_that_mean_one_host_everywhere_count() -> None:
    assert [
        addresses_in_use.is_usable(IPv4Address(each))
        for each in ("127.0.0.1", "169.254.1.1", "0.0.0.0", "224.0.0.1", "192.0.2.1", "10.0.0.1")
    ] == [False, False, False, False, True, True]


# --- relays that are seen


async def test_the_address_of_a_relay_is_not_leased_once_it_was_seen(servers: Servers, site: Site) -> None:
    await small(site)
    server = await servers.start()
    await withdrawn(server, 5)
    relay = servers.relay(server, "127.5.0.7")
    await seen(relay, server)
    await withdrawn(server, 4)
    assert IPv4Address("127.5.0.7") not in await everybody(relay, 4)


async def test_its_own_address_is_not_leased_to_its_first_client(servers: Servers, site: Site) -> None:
    """What the packet carries itself needs no report."""
    await small(site)
    server = await servers.start()
    relay = servers.relay(server, "127.5.0.7")
    offer = await relay.offer(say.discover(mac_of(1)).requesting("127.5.0.7"))
    assert offer.yiaddr != IPv4Address("127.5.0.7")
    await withdrawn(server, 4)
    await relay.nak(say.request_init_reboot(mac_of(2), "127.5.0.7"))


async def test_other_servers_know_it_a_second_later(servers: Servers, site: Site) -> None:
    await small(site)
    first, second = await servers.start(), await servers.start()
    await servers.relay(first, "127.5.0.7").offer(say.discover(mac_of(1)))
    await withdrawn(second, 4)


async def test_link_selection_does_not_hide_the_relay(servers: Servers, site: Site) -> None:
    await small(site)
    other = await site.subnet(9)
    await other.pool(100, 110)
    server = await servers.start()
    relay = servers.relay(server, "127.5.0.7")
    offer = await relay.offer(say.discover(mac_of(1)).link_selection(other.network.network_address))
    assert offer.yiaddr in other.network
    await withdrawn(server, 15)


async def test_the_address_of_a_relay_that_a_client_has_stays_with_the_client(
    servers: Servers, site: Site, connection: asyncpg.Connection
) -> None:
    await small(site)
    server = await servers.start()
    ack = await servers.relay(server, "127.5.0.1").lease(mac_of(1))
    relay = servers.relay(server, ack.yiaddr)
    await seen(relay, server)
    assert await in_pools(connection) == [(str(ack.yiaddr), "relay", True)]
    await relay.ack(say.request_renewing(mac_of(1), ack.yiaddr))
    await relay.nak(say.request_init_reboot(mac_of(2), ack.yiaddr))


async def test_a_relay_that_nobody_trusts_teaches_nothing(
    servers: Servers, site: Site, connection: asyncpg.Connection
) -> None:
    await small(site)
    server = await servers.start(trusted_relays=(ip_network("127.5.0.1/32"),))
    await seen(servers.relay(server, "127.5.0.7"), server)
    assert await in_pools(connection) == []


async def test_no_more_than_eight_relays_of_a_subnet_are_kept_and_they_are_the_busiest(
    servers: Servers, site: Site, connection: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The counts of ten relays are given: a server counts in places that a keyed hash names, two relays in one place
    against each other. It looks when the test says so: between two packets of a relay it would compare it by the first
    alone."""
    monkeypatch.setattr(serving, "LOOK_AT_ADDRESSES", 3600.0)
    subnet = await site.direct_subnet(relay_addresses=[])
    await subnet.pool(100, 199)
    server = await servers.start()
    counted = [(last, 1 if last in (103, 107) else 2) for last in range(100, 110)]
    await addresses_in_use.note_relays(
        connection, [(subnet.no, subnet.address(last), packets) for last, packets in counted]
    )
    kept = [f"127.5.0.{last}" for last, packets in counted if packets > 1]
    assert [address for address, *_ in await in_pools(connection)] == kept
    relay = servers.relay(server, "127.5.0.150")
    await seen(relay, server, packets=1)
    assert [address for address, *_ in await in_pools(connection)] == kept
    await seen(relay, server, packets=4)
    assert "127.5.0.150" in [address for address, *_ in await in_pools(connection)]
    assert len(await in_pools(connection)) == 8


async def test_a_relay_that_was_silent_for_an_hour_is_forgotten(
    servers: Servers, site: Site, connection: asyncpg.Connection
) -> None:
    await small(site)
    server = await servers.start()
    relay = servers.relay(server, "127.5.0.7")
    await seen(relay, server)
    await withdrawn(server, 4)
    await connection.execute("update address_in_use set seen_at = now() - interval '60 minutes'")
    await seen(relay, server)
    await addresses_in_use.forget(connection)
    await connection.execute("update address_in_use set seen_at = seen_at - interval '61 minutes'")
    await addresses_in_use.forget(connection)
    assert len(await in_pools(connection)) == 1
    await connection.execute("update address_in_use set seen_at = now() - interval '66 minutes'")
    await addresses_in_use.forget(connection)
    await withdrawn(server, 5)


async def test_another_server_keeps_away_from_it_too(servers: Servers, site: Site) -> None:
    await small(site)
    first, second = await servers.start(), await servers.start()
    await seen(servers.relay(first, "127.5.0.7"), first)
    await withdrawn(second, 4)


# --- how a client may ask for it


ASKING = {
    "discover": lambda relay, mac, ip: relay.offer(say.discover(mac).requesting(ip)),
    "init-reboot": lambda relay, mac, ip: relay.nak(say.request_init_reboot(mac, ip)),
    "renewing": lambda relay, mac, ip: relay.nak(say.request_renewing(mac, ip)),
}


@pytest.mark.parametrize("asking", ASKING)
async def test_no_message_gets_it(asking: str, servers: Servers, site: Site) -> None:
    await small(site, relay_addresses=[IPv4Address("127.5.0.7")])
    server = await servers.start()
    relay = servers.relay(server, "127.5.0.1")
    reply = await ASKING[asking](relay, mac_of(1), IPv4Address("127.5.0.7"))
    assert reply.yiaddr != IPv4Address("127.5.0.7")


async def test_an_offer_of_it_is_over(servers: Servers, site: Site) -> None:
    await small(site)
    server = await servers.start()
    relay = servers.relay(server, "127.5.0.1")
    offer = await relay.offer(say.discover(mac_of(1)))
    await site.connection.execute(
        "insert into trusted_relay (id, cidr) values (gen_random_uuid(), $1)", offer.yiaddr
    )
    await withdrawn(server, 4)
    await relay.nak(say.request_selecting(mac_of(1), offer.yiaddr, server_id(offer)))


# --- who has it already


async def test_a_client_that_has_it_keeps_it_until_its_lease_ends(
    servers: Servers, site: Site, connection: asyncpg.Connection
) -> None:
    """It may be the very machine: a relay or a server that got its address from us."""
    await small(site)
    server = await servers.start()
    relay = servers.relay(server, "127.5.0.1")
    ack = await relay.lease(mac_of(1))
    await connection.execute(
        "insert into trusted_relay (id, cidr) values (gen_random_uuid(), $1)", ack.yiaddr
    )
    assert await in_pools(connection) == [(str(ack.yiaddr), "relay", True)]
    await server.plan.read_changes()
    await relay.ack(say.request_renewing(mac_of(1), ack.yiaddr))
    assert pool_usage.addresses(server.engine)[:1] == (5,)
    await relay.unanswered(say.release(mac_of(1), ack.yiaddr, server_id(ack)))
    await until("released", lambda: pool_usage.addresses(server.engine) == (5, 0))
    await look(server)
    await withdrawn(server, 4)
    assert (await relay.lease(mac_of(1))).yiaddr != ack.yiaddr


async def test_a_reservation_is_its_clients_all_the_same(
    servers: Servers, site: Site, connection: asyncpg.Connection
) -> None:
    subnet = await small(site, relay_addresses=[IPv4Address("127.5.0.7")])
    await subnet.reserve(7, mac=mac_of(1))
    server = await servers.start()
    relay = servers.relay(server, "127.5.0.1")
    assert (await relay.lease(mac_of(1))).yiaddr == IPv4Address("127.5.0.7")
    assert await in_pools(connection) == []


async def test_what_no_pool_gives_is_not_reported(site: Site, connection: asyncpg.Connection) -> None:
    subnet = await small(site, relay_addresses=[IPv4Address(f"127.5.0.{last}") for last in (3, 5, 6, 9)])
    await subnet.exclude(5, 5)
    assert await in_pools(connection) == [("127.5.0.6", "relay", False)]
    await subnet.set(gateway=IPv4Address("127.5.0.4"))
    assert ("127.5.0.4", "gateway", False) in await in_pools(connection)


async def test_readings_of_changes_are_as_wide_as_the_touches(
    servers: Servers, site: Site, connection: asyncpg.Connection
) -> None:
    """A note of what is known already has no subnet read again."""
    await small(site)
    plan = queries.load("dhcp_plan")
    cursor = (await plan.read_plan_position(connection))["xmin"]

    async def touches() -> int:
        rows = plan.read_changes(connection, cursor=cursor, bound=cursor)
        return len([row async for row in rows if row["object_type"] == "address_in_use"])

    no = await connection.fetchval("select 1")
    for _ in range(3):
        await addresses_in_use.SQL.note_addresses(
            connection, node_no=no, addresses=[IPv4Address("127.5.0.7"), IPv4Address("192.0.2.1")], relays=[]
        )
    assert await touches() == 1
