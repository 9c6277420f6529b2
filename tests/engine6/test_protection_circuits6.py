"""Leases a circuit in DHCPv6: a line (interface-id) has so many addresses and so many prefixes, whoever grants them.

The counts alone are tested with those of DHCPv4 (engine/test_protection_circuits.py).
"""

from __future__ import annotations

import pytest
from engine.serving import drops, reloaded
from engine.site import until
from engine6.serving6 import AFTERWARDS_SECONDS, Relay, Servers, chosen, duid, leases, statuses
from engine6.site6 import Site6, Subnet6
from oracle import packets6 as say
from oracle.message6 import Message
from oracle.options6 import ELAPSED_TIME, IA_PD
from oracle.packets6 import Packet

from dhcp_fast.server.serving import Serving

LINE, OTHER_LINE = "ge-0/0/1", "ge-0/0/2"
LIMIT = 2
NO_ADDRESSES, NO_BINDING, NO_PREFIXES = 2, 3, 6


@pytest.fixture
async def limited(servers: Servers, subnet: Subnet6) -> Serving:
    return await servers.start(dhcp4_leases_per_circuit=LIMIT)


@pytest.fixture
def through(limited: Serving, subnet: Subnet6, servers: Servers) -> Relay:
    return servers.relay(limited, subnet.link)


def on_line(packet: Packet, relay: Relay, line: str = LINE) -> Packet:
    return packet.through(relay.link).at_interface(line)


def late(packet: Packet) -> Packet:
    """Of a client that has tried for so long that any server answers."""
    return packet.without(ELAPSED_TIME).elapsed(200)


def both(packet: Packet) -> Packet:
    return packet.ia_na(1).ia_pd(1)


async def take(relay: Relay, number: int, line: str = LINE, *, iaids: tuple[int, ...] = (1,)) -> Message:
    """Addresses, by SOLICIT and REQUEST."""
    solicit = say.solicit(duid(number))
    for iaid in iaids:
        solicit = solicit.ia_na(iaid)
    offer = await relay.advertise(on_line(solicit, relay, line))
    request = chosen(say.request(duid(number), relay.server_id), offer)
    return await relay.reply(on_line(request, relay, line))


async def fill(relay: Relay, line: str = LINE) -> list[Message]:
    return [await take(relay, number, line) for number in range(1, LIMIT + 1)]


async def solicited(relay: Relay, number: int, line: str = LINE) -> Message:
    return await relay.advertise(on_line(say.solicit(duid(number)).ia_na(1), relay, line))


async def is_offered(relay: Relay, number: int, line: str = LINE) -> bool:
    return bool(leases(await solicited(relay, number, line)))


async def test_a_further_client_is_offered_nothing_and_told_so(limited: Serving, through: Relay) -> None:
    await fill(through)
    assert statuses(await solicited(through, 9)) == [NO_ADDRESSES]
    assert limited.counters()["noticed"]["circuit_exhausted"] == 1
    assert drops(limited, "circuit_full") == 0
    assert await is_offered(through, 9, OTHER_LINE)
    await through.lease(duid(10))  # a client behind no circuit


async def test_addresses_and_prefixes_are_counted_apart(through: Relay) -> None:
    """A router takes one of each, so as many routers fit as hosts."""
    for number in range(1, LIMIT + 1):
        offer = await through.advertise(on_line(both(say.solicit(duid(number))), through))
        granted = await through.reply(
            on_line(chosen(say.request(duid(number), through.server_id), offer), through)
        )
        assert len(leases(granted)) == len(leases(granted, IA_PD)) == 1
    offer = await through.advertise(on_line(both(say.solicit(duid(9))), through))
    assert statuses(offer) == [NO_ADDRESSES, NO_PREFIXES]


async def test_the_same_name_under_another_relay_is_another_circuit(through: Relay, subnet: Subnet6) -> None:
    """The relay next to the client is told by the one behind it."""
    for near in ("2001:db8:ffff::a", "2001:db8:ffff::b"):
        for number in range(1, LIMIT + 1):
            client = duid(number + 16 * (near[-1] == "b"))
            solicit = say.solicit(client).ia_na(1).through(subnet.link).at_interface(LINE)
            offer = await through.advertise(solicit.through("::", peer=near))
            request = chosen(say.request(client, through.server_id), offer)
            request = request.through(subnet.link).at_interface(LINE).through("::", peer=near)
            assert leases(await through.reply(request))


async def test_a_switch_in_front_of_the_relay_names_the_line(through: Relay) -> None:
    """RFC 6221: an LDRA's interface-id is the client's port, the router's behind it is the same for all of them."""

    def on_port(packet: Packet, port: str) -> Packet:
        return packet.through("::").at_interface(port).through(through.link).at_interface("vlan 10")

    async def offered(number: int, port: str) -> Message:
        return await through.advertise(on_port(say.solicit(duid(number)).ia_na(1), port))

    for number in range(1, LIMIT + 1):
        offer = await offered(number, "port 1")
        request = chosen(say.request(duid(number), through.server_id), offer)
        assert leases(await through.reply(on_port(request, "port 1")))
    assert statuses(await offered(9, "port 1")) == [NO_ADDRESSES]
    assert leases(await offered(9, "port 2"))


async def test_a_request_without_solicit_cannot_pass(
    limited: Serving, through: Relay, subnet: Subnet6
) -> None:
    await fill(through)
    request = say.request(duid(9), through.server_id).ia_na(1, subnet.address(0x180))
    assert statuses(await through.reply(on_line(request, through))) == [NO_ADDRESSES]


async def test_a_flood_of_requests_cannot_pass(
    limited: Serving, through: Relay, subnet: Subnet6, site: Site6
) -> None:
    """Decided before any of them is written: grants under way count too."""
    await through.lease(duid(0x99))  # the server's DUID
    sent = []
    for number in range(1, 21):
        request = say.request(duid(number), through.server_id).ia_na(1, subnet.address(0x100 + number))
        sent.append(through.send(on_line(request, through)))
    limited.engine.receive(0)
    limited.writers.kick()
    granted = [await through.answer_to(packet) for packet in sent[:LIMIT]]
    assert all(answer and leases(answer) for answer in granted)
    await until("written", lambda: not limited.counters()["slots_in_use"])
    answers = [await through.answer_to(packet, AFTERWARDS_SECONDS) for packet in sent[LIMIT:]]
    assert not any(leases(answer) for answer in answers if answer)
    assert await site.count("lease") == LIMIT + 1


async def test_one_message_cannot_pass_with_several_associations(through: Relay) -> None:
    solicit = say.solicit(duid(1))
    for iaid in range(1, 6):
        solicit = solicit.ia_na(iaid)
    offer = await through.advertise(on_line(solicit, through))
    assert len(leases(offer)) == LIMIT
    assert statuses(offer) == [NO_ADDRESSES] * 3
    request = chosen(say.request(duid(1), through.server_id), offer)
    assert len(leases(await through.reply(on_line(request, through)))) == LIMIT
    assert not await is_offered(through, 2)


async def test_one_association_cannot_pass_with_several_addresses(through: Relay, subnet: Subnet6) -> None:
    """Also one that has a lease of the line already."""
    granted = await take(through, 1)
    wanted = [subnet.address(last) for last in range(0x180, 0x186)]
    request = say.request(duid(1), through.server_id).ia_na(1, leases(granted)[0], *wanted)
    assert len(leases(await through.reply(on_line(request, through)))) == LIMIT
    assert not await is_offered(through, 2)


async def test_its_clients_come_again_and_renew(through: Relay) -> None:
    for number, granted in enumerate(await fill(through), 1):
        renew = chosen(say.renew(duid(number), through.server_id), granted)
        assert leases(await through.reply(on_line(renew, through))) == leases(granted)
        rebind = chosen(say.rebind(duid(number)), granted)
        assert leases(await through.reply(on_line(rebind, through))) == leases(granted)
        assert leases(await take(through, number)) == leases(granted)


async def test_a_lowered_limit_takes_nothing_away(servers: Servers, subnet: Subnet6) -> None:
    """The leases are read from the database; those over the limit renew, and nobody is added."""
    granted = await fill(servers.relay(await servers.start(), subnet.link))
    relay = servers.relay(await servers.start(dhcp4_leases_per_circuit=1), subnet.link)
    await relay.advertise(late(say.solicit(duid(0x99)).ia_na(1)))
    for number, lease in enumerate(granted, 1):
        renew = late(chosen(say.renew(duid(number), relay.server_id), lease))
        assert leases(await relay.reply(on_line(renew, relay))) == leases(lease)
    offer = await relay.advertise(on_line(late(say.solicit(duid(9)).ia_na(1)), relay))
    assert statuses(offer) == [NO_ADDRESSES]


async def test_a_client_that_releases_makes_room(through: Relay) -> None:
    first, _ = await fill(through)
    await through.reply(on_line(chosen(say.release(duid(1), through.server_id), first), through))
    assert await is_offered(through, 9)


async def test_a_declined_address_is_no_lease(through: Relay) -> None:
    first, _ = await fill(through)
    await through.reply(on_line(chosen(say.decline(duid(1), through.server_id), first), through))
    assert await is_offered(through, 9)


async def test_a_lease_that_runs_out_makes_room(site: Site6, servers: Servers) -> None:
    """By its time, whether or not anybody has written it (rule 17)."""
    subnet = await site.subnet(lease_time_seconds=1)
    await subnet.pool(0x100, 0x1FF)
    server = await servers.start(dhcp4_leases_per_circuit=LIMIT)
    server.engine.set_expirer(False)
    relay = servers.relay(server, subnet.link)
    await fill(relay)
    await until("offered", lambda: is_offered(relay, 9))


async def test_a_client_that_moves_to_a_full_line_is_turned_away(through: Relay, site: Site6) -> None:
    """The lease on the line where it was stays as it is: anybody could have said that."""
    await fill(through)
    moved = await take(through, 9, OTHER_LINE)
    renew = chosen(say.renew(duid(9), through.server_id), moved)
    assert statuses(await through.reply(on_line(renew, through))) == [NO_BINDING]
    assert (await site.lease(leases(moved)[0]))["state"] == "a"
    assert leases(await through.reply(on_line(renew, through, OTHER_LINE))) == leases(moved)


async def test_a_client_that_moves_counts_where_it_is(through: Relay) -> None:
    first, _ = await fill(through)
    renew = chosen(say.renew(duid(1), through.server_id), first)
    assert leases(await through.reply(on_line(renew, through, OTHER_LINE)))
    assert leases(await take(through, 3))
    assert not await is_offered(through, 9)
    assert leases(await take(through, 4, OTHER_LINE))
    assert not await is_offered(through, 9, OTHER_LINE)


async def test_leases_that_others_grant_count(
    limited: Serving, through: Relay, servers: Servers, subnet: Subnet6, site: Site6
) -> None:
    """Another server's by the feed, each of its kind."""
    other = servers.relay(await servers.start(dhcp4_leases_per_circuit=LIMIT), subnet.link)
    for number in range(1, LIMIT + 1):
        offer = await other.advertise(on_line(late(both(say.solicit(duid(number)))), other))
        request = late(chosen(say.request(duid(number), other.server_id), offer))
        await other.reply(on_line(request, other))
    await until("known", lambda: limited.counters()["leases_known"] == 2 * LIMIT)
    offer = await through.advertise(on_line(late(both(say.solicit(duid(9)))), through))
    assert statuses(offer) == [NO_ADDRESSES, NO_PREFIXES]


async def test_the_counts_outlive_a_change_of_the_plan(
    limited: Serving, through: Relay, subnet: Subnet6
) -> None:
    await fill(through)
    async with subnet.change():
        await subnet.set(lease_time_seconds=700)
    await reloaded(limited, subnet)
    assert not await is_offered(through, 9)


async def test_without_the_setting_nothing_is_counted(server: Serving, relay: Relay) -> None:
    for number in range(1, 6):
        assert leases(await take(relay, number))
