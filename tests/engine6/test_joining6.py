"""Renew and Rebind (RFC 8415 sections 18.3.4, 18.3.5): associations that join later, and leases that cannot stay.

An association that names no lease is created. One that names a lease which is not its own is not, unless the server
knows it: then that lease comes back with lifetimes of 0 and a new one beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv6Address, IPv6Network

import pytest
from engine.serving import reloaded
from engine6.serving6 import Relay, Servers, duid, leases, statuses
from engine6.site6 import Site6, Subnet6, association_key
from oracle import packets6 as say
from oracle.message6 import Message
from oracle.options6 import IA_NA, IA_PD, IA_TA, NO_ADDRS_AVAIL, NO_BINDING, NO_PREFIX_AVAIL

from dhcp_fast.bench.servers.bench_plan import add
from dhcp_fast.server.serving import Serving

pytestmark = pytest.mark.shared_server

CLIENT, OTHER = duid(1), duid(2)
Words = Callable[[bytes, Relay], say.Packet]


def renew(client: bytes, relay: Relay) -> say.Packet:
    return say.renew(client, relay.server_id)


def rebind(client: bytes, relay: Relay) -> say.Packet:
    return say.rebind(client)


BOTH = pytest.mark.parametrize("words", [renew, rebind])


def zeroed(answer: Message) -> list[str]:
    return [str(lease.address) for ia in answer.associations for lease in ia.leases if not lease.valid]


def lifetimes(answer: Message) -> list[tuple[int, int, int]]:
    """T1, T2 and valid lifetime of each lease that runs."""
    return [(ia.t1, ia.t2, lease.valid) for ia in answer.associations for lease in ia.leases if lease.valid]


# --- associations that join later


@BOTH
async def test_a_prefix_joins_an_address(words: Words, relay: Relay, site: Site6) -> None:
    (address,) = leases(await relay.lease(CLIENT))
    answer = await relay.reply(words(CLIENT, relay).ia_na(1, address).ia_pd(2))
    assert (leases(answer), statuses(answer)) == ([address], [])
    (prefix,) = leases(answer, IA_PD)
    assert (await site.lease(IPv6Network(prefix)[0]))["state"] == "a"
    assert lifetimes(answer)[0] == lifetimes(answer)[1]
    again = await relay.reply(words(CLIENT, relay).ia_na(1, address).ia_pd(2, prefix))
    assert leases(again, IA_PD) == [prefix]


@BOTH
async def test_an_address_joins_a_prefix(words: Words, relay: Relay, site: Site6) -> None:
    (prefix,) = leases(await relay.lease(CLIENT, say.solicit(CLIENT).ia_pd(1)), IA_PD)
    answer = await relay.reply(words(CLIENT, relay).ia_na(1).ia_pd(1, prefix))
    (address,) = leases(answer)
    assert leases(answer, IA_PD) == [prefix]
    assert (await site.lease(address))["state"] == "a"


@BOTH
async def test_a_second_association_of_the_same_kind_joins(words: Words, relay: Relay) -> None:
    (first,) = leases(await relay.lease(CLIENT))
    answer = await relay.reply(words(CLIENT, relay).ia_na(1, first).ia_na(2).ia_na(3))
    assert leases(answer)[0] == first
    assert len(set(leases(answer))) == 3


@BOTH
@pytest.mark.parametrize("kind", [IA_NA, IA_PD])
async def test_a_message_with_nothing_but_an_unknown_one_is_served(
    words: Words, kind: int, relay: Relay, site: Site6
) -> None:
    await relay.advertise(say.solicit(OTHER).ia_na(1))
    answer = await relay.reply(words(CLIENT, relay).association(kind, 7))
    (lease,) = [lease for ia in answer.associations for lease in ia.leases]
    row = await site.lease(lease.address)
    assert (row["state"], row["duid"], row["iaid"]) == ("a", CLIENT, 7)


@BOTH
async def test_one_that_names_a_lease_is_not_created(
    words: Words, relay: Relay, subnet: Subnet6, site: Site6
) -> None:
    await relay.advertise(say.solicit(OTHER).ia_na(1))
    address, prefix = subnet.address(0x133), "2001:db8:f00:3300::/56"
    for packet in (words(CLIENT, relay).ia_na(1, address), words(CLIENT, relay).ia_pd(1, prefix)):
        answer = await relay.reply(packet)
        assert (statuses(answer), leases(answer), zeroed(answer)) == ([NO_BINDING], [], [])
    assert await site.lease(address) == await site.lease(IPv6Network(prefix)[0]) == {}


@BOTH
async def test_beside_an_unknown_one_that_names_a_lease_another_is_created(
    words: Words, relay: Relay, subnet: Subnet6
) -> None:
    await relay.advertise(say.solicit(OTHER).ia_na(1))
    answer = await relay.reply(words(CLIENT, relay).ia_na(1, subnet.address(0x133)).ia_pd(2))
    assert statuses(answer) == [NO_BINDING]
    assert len(leases(answer, IA_PD)) == 1


@BOTH
async def test_nothing_temporary_is_created(words: Words, relay: Relay) -> None:
    await relay.advertise(say.solicit(OTHER).ia_na(1))
    answer = await relay.reply(words(CLIENT, relay).association(IA_TA, 1))
    assert statuses(answer) == [NO_BINDING]


@BOTH
async def test_where_there_is_nothing_the_status_says_so(words: Words, servers: Servers, site: Site6) -> None:
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x100)
    relay = servers.relay(await servers.start(), subnet.link)
    (address,) = leases(await relay.lease(CLIENT))
    answer = await relay.reply(words(CLIENT, relay).ia_na(1, address).ia_na(2).ia_pd(3))
    assert leases(answer) == [address]
    assert statuses(answer) == [NO_ADDRS_AVAIL, NO_PREFIX_AVAIL]


@pytest.mark.own_server
async def test_two_servers_create_it_once(servers: Servers, subnet: Subnet6, site: Site6) -> None:
    """Both hear a Rebind of a client that has tried for long: one row is written twice."""
    relays = [servers.relay(await servers.start(), subnet.link) for _ in range(2)]
    patient = say.rebind(CLIENT).ia_na(1).without(8).elapsed(1000)
    answers = [await relay.reply(patient) for relay in relays]
    assert leases(answers[0]) == leases(answers[1])


# --- leases that cannot stay


@BOTH
@pytest.mark.parametrize("what", ["exclude", "assignment", "reservation", "pool"])
async def test_an_address_that_was_taken_away_is_replaced(
    what: str, words: Words, relay: Relay, subnet: Subnet6, server: Serving, site: Site6
) -> None:
    (held,) = leases(await relay.lease(CLIENT))
    last = int(IPv6Address(held)) & 0xFFFF
    async with subnet.change(what):
        if what == "exclude":
            await subnet.exclude(last, last)
        elif what == "assignment":
            await add(site.connection, "assignment", subnet_no=subnet.no, ip=IPv6Address(held), hostname="m")
        elif what == "reservation":
            await subnet.reserve(last, duid=OTHER)
        else:
            await site.connection.execute(
                "update pool set start_ip = $2, end_ip = $3 where subnet_no = $1 and prefix is null",
                *(subnet.no, subnet.address(0x200), subnet.address(0x2FF)),
            )
    await reloaded(server, subnet)
    answer = await relay.reply(words(CLIENT, relay).ia_na(1, held))
    (new,) = leases(answer)
    assert (zeroed(answer), new != held, statuses(answer)) == ([held], True, [])
    assert lifetimes(answer)[0][0] > 0
    assert [(await site.lease(lease))["state"] for lease in (held, new)] == ["v", "a"]
    assert leases(await relay.reply(words(CLIENT, relay).ia_na(1, new))) == [new]


@BOTH
async def test_a_prefix_that_was_taken_away_is_replaced(
    words: Words, relay: Relay, subnet: Subnet6, server: Serving, site: Site6
) -> None:
    (held,) = leases(await relay.lease(CLIENT, say.solicit(CLIENT).ia_pd(1)), IA_PD)
    async with subnet.change("pool"):
        await site.connection.execute(
            "update pool set prefix = '2001:db8:e00::/48' where subnet_no = $1 and prefix is not null",
            subnet.no,
        )
    await reloaded(server, subnet)
    answer = await relay.reply(words(CLIENT, relay).ia_pd(1, held))
    (new,) = leases(answer, IA_PD)
    assert IPv6Network(new).subnet_of(IPv6Network("2001:db8:e00::/48"))
    assert zeroed(answer) == [str(IPv6Network(held)[0])]


@BOTH
async def test_where_nothing_else_is_free_lifetimes_of_0_stand_alone(
    words: Words, servers: Servers, site: Site6
) -> None:
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x100)
    server = await servers.start()
    relay = servers.relay(server, subnet.link)
    (held,) = leases(await relay.lease(CLIENT))
    async with subnet.change("exclude"):
        await subnet.exclude(0x100, 0x100)
    await reloaded(server, subnet)
    answer = await relay.reply(words(CLIENT, relay).ia_na(1, held))
    assert (zeroed(answer), leases(answer), statuses(answer)) == ([held], [], [])
    assert {(ia.t1, ia.t2) for ia in answer.associations} == {(0, 0)}


@BOTH
async def test_one_of_two_that_cannot_stay_is_not_replaced(
    words: Words, relay: Relay, subnet: Subnet6, server: Serving, site: Site6
) -> None:
    """The association has a lease yet."""
    addresses = [subnet.address(last) for last in (0x110, 0x120)]
    await relay.advertise(say.solicit(CLIENT).ia_na(1))
    await relay.reply(say.request(CLIENT, relay.server_id).ia_na(1, *addresses))
    async with subnet.change("exclude"):
        await subnet.exclude(0x110, 0x110)
    await reloaded(server, subnet)
    answer = await relay.reply(words(CLIENT, relay).ia_na(1, *addresses))
    assert (leases(answer), zeroed(answer)) == ([str(addresses[1])], [str(addresses[0])])


@BOTH
async def test_a_client_that_moved_gets_a_lease_of_the_new_link(
    words: Words, servers: Servers, site: Site6
) -> None:
    old, new = [await site.subnet(number) for number in (5, 6)]
    for subnet in (old, new):
        await subnet.pool(0x100, 0x1FF)
    server = await servers.start()
    (held,) = leases(await servers.relay(server, old.link).lease(CLIENT))
    relay = servers.relay(server, new.link)
    await relay.advertise(say.solicit(OTHER).ia_na(1))
    answer = await relay.reply(words(CLIENT, relay).ia_na(1, held))
    assert zeroed(answer) == [held]
    assert IPv6Address(leases(answer)[0]) in new.network


async def test_a_stranger_from_another_network_gets_a_lease_when_it_rebinds(
    relay: Relay, subnet: Subnet6
) -> None:
    """As after a subnet was numbered anew while the server knew nothing of the old one."""
    answer = await relay.reply(say.rebind(CLIENT).ia_na(1, "2001:db8:ffff::7"))
    assert zeroed(answer) == ["2001:db8:ffff::7"]
    assert IPv6Address(leases(answer)[0]) in subnet.network
    await relay.reply(say.rebind(OTHER).ia_na(1))
    answer = await relay.reply(say.renew(duid(3), relay.server_id).ia_na(1, "2001:db8:ffff::7"))
    assert (statuses(answer), leases(answer)) == ([NO_BINDING], [])


@BOTH
async def test_a_known_client_that_names_anothers_lease_gets_its_own_back(words: Words, relay: Relay) -> None:
    (mine,), (theirs,) = leases(await relay.lease(CLIENT)), leases(await relay.lease(OTHER))
    answer = await relay.reply(words(CLIENT, relay).ia_na(1, theirs))
    assert (leases(answer), zeroed(answer)) == ([mine], [theirs])


@pytest.mark.own_server  # it reads the rows at its start
@BOTH
async def test_also_when_its_own_has_run_out(
    words: Words, servers: Servers, subnet: Subnet6, site: Site6
) -> None:
    mine, theirs = subnet.address(0x140), subnet.address(0x141)
    gone = {"state": "x", "expires_at": -20.0, "reuse_at": -10.0}
    running = {"state": "a", "expires_at": 600.0, "reuse_at": 610.0}
    for address, client, fields in ((mine, CLIENT, gone), (theirs, OTHER, running)):
        await site.put_lease(address, association_key(IA_NA, 1, client), subnet.no, **fields)
    relay = servers.relay(await servers.start(), subnet.link)
    await relay.advertise(say.solicit(OTHER).ia_na(1))
    answer = await relay.reply(words(CLIENT, relay).ia_na(1, theirs))
    assert (leases(answer), zeroed(answer)) == ([str(mine)], [str(theirs)])
    assert (await site.lease(theirs))["duid"] == OTHER


@BOTH
async def test_the_reserved_lease_takes_the_place_of_another(
    words: Words, relay: Relay, subnet: Subnet6, server: Serving
) -> None:
    (held,) = leases(await relay.lease(CLIENT))
    async with subnet.change("reservation"):
        await subnet.reserve(0x42, duid=CLIENT)
    await reloaded(server, subnet)
    reserved = subnet.address(0x42)
    answer = await relay.reply(words(CLIENT, relay).ia_na(1, held, reserved))
    assert (leases(answer), zeroed(answer)) == ([str(reserved)], [held])
