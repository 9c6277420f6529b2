"""Addresses that machines visibly use are never leased: DHCPv6 (decisions: Never leased)."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_network
from typing import Any

import asyncpg
import pytest
from engine.site import until
from engine6.serving6 import Relay, Servers, chosen, duid, leases, statuses
from engine6.site6 import Site6, Subnet6
from oracle import packets6 as say
from oracle.options6 import IA_PD

from dhcp_fast.database import node
from dhcp_fast.server.serving import Serving
from ipam_core.services import addresses_in_use

CLIENT = duid(1)


async def in_pools(connection: asyncpg.Connection) -> list[tuple[str, str, bool]]:
    rows = await connection.fetch(
        "select host(address) as address, kind, leased from addresses_in_pools(null) order by address"
    )
    return [(row["address"], row["kind"], row["leased"]) for row in rows]


async def look(server: Serving) -> None:
    """What the server does every ten seconds."""
    server.addresses.reported -= 10.0
    await server.look_at_addresses()


def forbids(server: Serving, subnet: Subnet6, address: Any) -> bool:
    return bool(server.engine.plan.forbids(subnet.no, int(IPv6Address(address))))


async def hint(relay: Relay, address: Any, client: bytes = CLIENT) -> list[str]:
    found: list[str] = leases(await relay.advertise(say.solicit(client).ia_na(1, address)))
    return found


@pytest.fixture
async def whole(site: Site6) -> Subnet6:
    """2001:db8:5::/64, all of it a pool, and prefixes of /56 out of 2001:db8:f00::/48."""
    made = await site.subnet(5)
    await made.whole_pool()
    await made.delegation_pool("2001:db8:f00::/48", 56)
    return made


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> set[Any]:
    found: set[Any] = set()

    def follow(self: node.Heartbeat, _: Any) -> None:
        self.own = frozenset(found)

    monkeypatch.setattr(node.Heartbeat, "follow", follow)
    return found


# --- the relay's own link-address


async def test_a_client_cannot_ask_for_the_link_address_of_its_relay(
    servers: Servers, site: Site6, whole: Subnet6, connection: asyncpg.Connection
) -> None:
    """Neither at once nor when all servers know it; in a pool without a bitmap."""
    server = await servers.start()
    relay = servers.relay(server, whole.link)
    for _ in range(2):
        assert await hint(relay, whole.link) != [str(whole.link)]
        answer = await relay.reply(chosen_address(relay, whole.link))
        assert leases(answer) != [str(whole.link)]
        await look(server)
        await server.plan.read_changes()
    assert await in_pools(connection) == [(str(whole.link), "relay", False)]
    assert forbids(server, whole, whole.link)
    assert await hint(relay, whole.address(0x77)) == [str(whole.address(0x77))]


def chosen_address(relay: Relay, address: Any, client: bytes = CLIENT) -> say.Packet:
    return say.request(client, relay.server_id).ia_na(1, address)


async def test_nor_in_a_pool_with_a_bitmap(
    servers: Servers, subnet: Subnet6, connection: asyncpg.Connection
) -> None:
    server = await servers.start()
    relay = servers.relay(server, subnet.address(0x140))
    assert await hint(relay, subnet.address(0x140)) != [str(subnet.address(0x140))]
    await look(server)
    await server.plan.read_changes()
    assert await hint(relay, subnet.address(0x140)) != [str(subnet.address(0x140))]
    assert await in_pools(connection) == [(str(subnet.address(0x140)), "relay", False)]


async def test_the_prefix_with_the_link_address_is_not_delegated(
    servers: Servers, site: Site6, whole: Subnet6
) -> None:
    link = "2001:db8:f00:1234::1"
    await site.connection.execute(
        "update subnet set relay_addresses = $1 where no = $2", [IPv6Address(link)], whole.no
    )
    server = await servers.start()
    relay = servers.relay(server, link)
    answer = await relay.advertise(say.solicit(duid(2)).ia_pd(1, "2001:db8:f00:1300::/56"))
    assert leases(answer, IA_PD) == ["2001:db8:f00:1300::/56"]
    answer = await relay.advertise(say.solicit(CLIENT).ia_pd(1, "2001:db8:f00:1200::/56"))
    assert leases(answer, IA_PD) not in ([], ["2001:db8:f00:1200::/56"])


async def test_a_prefix_is_withheld_for_a_link_address_that_is_seen(
    servers: Servers, site: Site6, whole: Subnet6, connection: asyncpg.Connection
) -> None:
    """The relay is chosen by its interface-id, and says an address in what its subnet delegates."""
    await whole.set(interface_id=b"lan")
    server = await servers.start()
    relay = servers.relay(server, whole.link)
    solicit = say.solicit(CLIENT).ia_pd(1, "2001:db8:f00:1200::/56")
    through = solicit.through("2001:db8:f00:1234::1").at_interface("lan")
    assert leases(await relay.advertise(through), IA_PD) not in ([], ["2001:db8:f00:1200::/56"])
    await look(server)
    assert await in_pools(connection) == [("2001:db8:f00:1234::1", "relay", False)]


async def test_an_envelope_that_nobody_trusts_teaches_nothing(
    servers: Servers, whole: Subnet6, connection: asyncpg.Connection
) -> None:
    """A client behind a trusted relay may say that it is a relay itself."""
    server = await servers.start()
    relay = servers.relay(server, whole.link)
    victim = whole.address(0x99)
    inner = say.solicit(CLIENT).ia_na(1).through(victim, peer=IPv6Address("fe80::1"))
    await relay.advertise(inner.through("::", peer=IPv6Address("2001:db8:5::bad")))
    await look(server)
    assert await in_pools(connection) == []
    assert await hint(relay, victim, duid(2)) == [str(victim)]


async def test_a_relay_that_nobody_trusts_teaches_nothing(
    servers: Servers, whole: Subnet6, connection: asyncpg.Connection
) -> None:
    server = await servers.start(trusted_relays=(ip_network("2001:db8::/32"),))
    await servers.relay(server, whole.link).unanswered(say.solicit(CLIENT).ia_na(1))
    await look(server)
    assert await in_pools(connection) == []


async def test_no_more_than_eight_are_withheld(
    servers: Servers, whole: Subnet6, connection: asyncpg.Connection
) -> None:
    server = await servers.start()
    for number in range(1, 13):
        relay = servers.relay(server, whole.address(number))
        await relay.advertise(say.solicit(duid(number)).ia_na(1))
    assert sum(forbids(server, whole, whole.address(number)) for number in range(1, 13)) == 8
    await look(server)
    await server.plan.read_changes()
    assert sum(forbids(server, whole, whole.address(number)) for number in range(1, 13)) == 8
    assert len(await in_pools(connection)) == 8


# --- servers, named relays, and who has it already


async def test_the_addresses_of_servers_are_not_leased(
    servers: Servers, whole: Subnet6, own: set[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    own |= {whole.address(0x53), IPv6Address("fe80::1"), IPv6Address("::1")}
    server = await servers.start()
    relay = servers.relay(server, whole.link)
    assert await hint(relay, whole.address(0x53)) != [str(whole.address(0x53))]
    heartbeat: Any = server.duties.heartbeat
    heartbeat.own = frozenset()
    heartbeat.last = 0
    monkeypatch.setattr(node, "KEPT_MICROSECONDS", 0)
    await until("given again", lambda: not forbids(server, whole, whole.address(0x53)))


async def test_a_client_that_has_it_keeps_it_until_its_lease_ends(
    servers: Servers, whole: Subnet6, connection: asyncpg.Connection
) -> None:
    server = await servers.start()
    relay = servers.relay(server, whole.link)
    had = whole.address(0x77)
    answer = await relay.lease(CLIENT, say.solicit(CLIENT).ia_na(1, had))
    assert leases(answer) == [str(had)]
    await connection.execute("insert into trusted_relay (id, cidr) values (gen_random_uuid(), $1)", had)
    await server.plan.read_changes()
    assert (str(had), "relay", True) in await in_pools(connection)
    renewed = await relay.reply(chosen(say.renew(CLIENT, relay.server_id), answer))
    assert leases(renewed) == [str(had)]
    await relay.reply(chosen(say.release(CLIENT, relay.server_id), answer))
    await addresses_in_use.judge(connection, all_of_them=False)
    await until("withdrawn", lambda: forbids(server, whole, had))
    refused = await relay.reply(chosen(say.renew(CLIENT, relay.server_id), answer))
    assert leases(refused) == []


async def test_a_delegated_prefix_with_it_stays_with_its_client(
    servers: Servers, whole: Subnet6, connection: asyncpg.Connection
) -> None:
    server = await servers.start()
    relay = servers.relay(server, whole.link)
    answer = await relay.lease(CLIENT, say.solicit(CLIENT).ia_pd(1, "2001:db8:f00:1200::/56"))
    await connection.execute(
        "insert into trusted_relay (id, cidr) values (gen_random_uuid(), '2001:db8:f00:1234::1')"
    )
    await server.plan.read_changes()
    renewed = await relay.reply(chosen(say.renew(CLIENT, relay.server_id), answer))
    assert leases(renewed, IA_PD) == ["2001:db8:f00:1200::/56"]
    assert statuses(renewed) == []
