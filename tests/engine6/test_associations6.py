"""Several associations in a message, and leases that a message names more than once."""

from __future__ import annotations

from ipaddress import IPv6Address

import pytest
from engine6.serving6 import Relay, Servers, chosen, duid, leases, statuses
from engine6.site6 import Site6, Subnet6, association_key
from oracle import packets6 as say
from oracle.message6 import Message
from oracle.options6 import IA_NA, IA_PD, NO_ADDRS_AVAIL, NO_BINDING, NOT_ON_LINK

pytestmark = pytest.mark.shared_server

CLIENT, OTHER = duid(1), duid(2)
SOL_MAX_RT = 82


def by_association(answer: Message) -> list[list[str]]:
    return [[str(lease.address) for lease in ia.leases if lease.valid] for ia in answer.associations]


def zeroed(answer: Message) -> list[str]:
    return [str(lease.address) for ia in answer.associations for lease in ia.leases if not lease.valid]


def lifetimes(answer: Message) -> list[int]:
    return [lease.valid for ia in answer.associations for lease in ia.leases]


# --- a lease that a message names twice


async def test_a_lease_is_renewed_once(relay: Relay, site: Site6, subnet: Subnet6) -> None:
    """The association's own lease comes back beside one that is not its own; it is named as well, and once more."""
    stranger = subnet.address(0x1F0)
    (held,) = leases(await relay.lease(CLIENT))
    before = len(await site.events(held))
    renewed = await relay.reply(say.renew(CLIENT, relay.server_id).ia_na(1, stranger, held, held, stranger))
    assert leases(renewed) == [held]
    assert zeroed(renewed) == [str(stranger)]
    assert len(await site.events(held)) == before + 1


async def test_a_lease_is_bound_once(relay: Relay, site: Site6, subnet: Subnet6) -> None:
    await relay.advertise(say.solicit(CLIENT).ia_na(1))
    address = subnet.address(0x110)
    reply = await relay.reply(say.request(CLIENT, relay.server_id).ia_na(1, address, address))
    assert leases(reply) == [str(address)]
    assert len(await site.events(address)) == 1


@pytest.mark.own_server
async def test_a_lease_that_is_left_is_not_renewed(servers: Servers, site: Site6) -> None:
    """A client moves to its reserved address although it names, behind the one that it has, one that it has not."""
    subnet = await site.subnet(7)
    await subnet.pool(0x100, 0x1FF)
    await subnet.reserve(0x10, duid=CLIENT)
    await subnet.reserve(0x11, duid=OTHER)
    held = {client: subnet.address(at) for client, at in ((CLIENT, 0x120), (OTHER, 0x121))}
    for client, address in held.items():
        await site.put_lease(
            address, association_key(IA_NA, 1, client), subnet.no, state="a", expires_at=600.0, reuse_at=610.0
        )
    relay = servers.relay(await servers.start(), subnet.link)
    await relay.advertise(say.solicit(duid(3)).ia_na(1))
    stranger = subnet.address(0x1F0)
    behind = await relay.reply(say.renew(CLIENT, relay.server_id).ia_na(1, held[CLIENT], stranger))
    in_front = await relay.reply(say.renew(OTHER, relay.server_id).ia_na(1, stranger, held[OTHER]))
    assert leases(behind) == [str(subnet.address(0x10))]
    assert leases(in_front) == [str(subnet.address(0x11))]
    assert sorted(zeroed(in_front)) == sorted(map(str, (stranger, held[OTHER])))
    for address in held.values():
        assert (await site.lease(address))["state"] == "v"


# --- a reservation and several associations


@pytest.fixture
async def reserved(servers: Servers, site: Site6) -> Relay:
    """A server on whose link the client has ...:150 reserved, in the pool."""
    subnet = await site.subnet(7)
    await subnet.pool(0x100, 0x1FF)
    await subnet.reserve(0x150, duid=CLIENT)
    return servers.relay(await servers.start(), subnet.link)


RESERVED = "2001:db8:7::150"


@pytest.mark.own_server
async def test_a_request_gets_what_was_advertised(reserved: Relay, site: Site6) -> None:
    """One association is offered the reserved address, the other one of the pool, for as long."""
    offer = await reserved.advertise(say.solicit(CLIENT).ia_na(1).ia_na(2))
    assert by_association(offer)[0] == [RESERVED]
    reply = await reserved.reply(chosen(say.request(CLIENT, reserved.server_id), offer))
    assert by_association(reply) == by_association(offer)
    assert lifetimes(reply) == lifetimes(offer) == [800, 800]
    for address in leases(reply):
        assert (await site.lease(address))["state"] == "a"


async def test_the_order_of_the_associations_does_not_matter(reserved: Relay) -> None:
    offer = await reserved.advertise(say.solicit(CLIENT).ia_na(1).ia_na(2))
    (first,), (second,) = by_association(offer)
    request = say.request(CLIENT, reserved.server_id).ia_na(2, second).ia_na(1, first)
    reply = await reserved.reply(request)
    assert by_association(reply) == [[second], [first]]
    assert lifetimes(reply) == [800, 800]


async def test_the_other_association_keeps_its_lease_as_long_as_any(reserved: Relay) -> None:
    """Asked alone: the reserved address is the client's already, so there is nothing to wait for."""
    reply = await reserved.lease(CLIENT, say.solicit(CLIENT).ia_na(1).ia_na(2))
    (_,), (second,) = by_association(reply)
    renewed = await reserved.reply(say.renew(CLIENT, reserved.server_id).ia_na(2, second))
    assert leases(renewed) == [second]
    assert lifetimes(renewed) == [800]
    assert lifetimes(await reserved.advertise(say.solicit(CLIENT).ia_na(3))) == [800]


async def test_another_servers_word_counts_too(reserved: Relay, servers: Servers) -> None:
    """A server that read the leases of both associations from the database."""
    reply = await reserved.lease(CLIENT, say.solicit(CLIENT).ia_na(1).ia_na(2))
    (_,), (second,) = by_association(reply)
    later = servers.relay(await servers.start(), reserved.link)
    patient = say.renew(CLIENT, reserved.server_id).ia_na(2, second).without(8).elapsed(200)
    assert lifetimes(await later.reply(patient)) == [800]


@pytest.mark.own_server
async def test_a_client_waits_where_another_has_its_reserved_address(servers: Servers, site: Site6) -> None:
    subnet = await site.subnet(7)
    await subnet.pool(0x100, 0x1FF)
    await subnet.reserve(0x150, duid=CLIENT)
    key = association_key(IA_NA, 1, OTHER)
    await site.put_lease(subnet.address(0x150), key, subnet.no, state="a", expires_at=600.0, reuse_at=610.0)
    relay = servers.relay(await servers.start(), subnet.link)
    assert lifetimes(await relay.lease(CLIENT, say.solicit(CLIENT).ia_na(1).ia_na(2))) == [120, 120]


# --- a pool's choice for several associations


@pytest.mark.parametrize("allocation", ["sequential", "hashed"])
@pytest.mark.parametrize("words", ["solicit", "request"])
async def test_a_small_pool_serves_all_associations(
    allocation: str, words: str, servers: Servers, site: Site6
) -> None:
    """No offer keeps what an earlier association of the message got: with rapid commit, or where none is named."""
    subnet = await site.subnet(7, rapid_commit=True)
    fields = {"allocation": "sequential"} if allocation == "sequential" else {}
    await subnet.pool(0x100, 0x107, **fields)
    await subnet.delegation_pool("3fff::/61", 64, **fields)
    relay = servers.relay(await servers.start(), subnet.link)
    await relay.advertise(say.solicit(OTHER).ia_na(1))
    for kind in ("ia_na", "ia_pd"):
        packet = say.request(CLIENT, relay.server_id)
        if words == "solicit":
            packet = say.solicit(CLIENT).rapid_commit()
        for iaid in range(7):
            packet = getattr(packet, kind)(iaid)
        reply = await relay.reply(packet)
        assert statuses(reply) == []
        assert len(set(leases(reply, IA_NA if kind == "ia_na" else IA_PD))) == 7


# --- links and room


async def test_one_address_of_another_link_refuses_its_association(
    relay: Relay, site: Site6, subnet: Subnet6
) -> None:
    """Section 18.3.2: NotOnLink if any of the addresses is not appropriate; the other association is served."""
    await relay.advertise(say.solicit(CLIENT).ia_na(1))
    good, other = subnet.address(0x110), subnet.address(0x111)
    request = say.request(CLIENT, relay.server_id).ia_na(1, good, "2001:db8:99::1").ia_na(2, other)
    reply = await relay.reply(request)
    assert [(ia.iaid, ia.status and ia.status.code) for ia in reply.associations] == [
        (1, NOT_ON_LINK),
        (2, None),
    ]
    assert leases(reply) == [str(other)]
    assert await site.lease(good) == {}


@pytest.mark.own_server
async def test_all_associations_of_the_longest_request_are_answered(reserved: Relay) -> None:
    """Eight, and sixteen addresses: one association moves to the reserved one, and the others get what they name."""
    await reserved.advertise(say.solicit(CLIENT).ia_na(1))
    request = say.request(CLIENT, reserved.server_id)
    for iaid in range(8):
        request = request.ia_na(iaid, *named(2 * iaid, 2))
    reply = await reserved.reply(request)
    assert [ia.iaid for ia in reply.associations] == list(range(8))
    assert [len(found) for found in by_association(reply)] == [1] + [2] * 7
    assert by_association(reply)[0] == [RESERVED]


def named(first: int, count: int) -> list[IPv6Address]:
    return [IPv6Address("2001:db8:7::180") + first + at for at in range(count)]


@pytest.mark.own_server
async def test_an_association_without_room_is_told_a_status(servers: Servers, site: Site6) -> None:
    """Each names leases that it has not, so that the answer has those too beside the one that it has."""
    subnet = await site.subnet(7)
    await subnet.pool(0x100, 0x1FF)
    await subnet.reserve(0x150, duid=CLIENT)
    for iaid in range(8):
        await site.put_lease(
            subnet.address(0x110 + iaid),
            association_key(IA_NA, iaid, CLIENT),
            subnet.no,
            state="a",
            expires_at=600.0,
            reuse_at=610.0,
        )
    server = await servers.start()
    relay = servers.relay(server, subnet.link)
    await relay.advertise(say.solicit(OTHER).ia_na(1))
    renew, place = say.renew(CLIENT, relay.server_id), 0
    for iaid, count in enumerate((2, 2, 2, 2, 2, 3, 3)):
        renew = renew.ia_na(iaid, *named(place, count))
        place += count
    reply = await relay.reply(renew.ia_na(7))
    assert [(ia.iaid, ia.status and ia.status.code) for ia in reply.associations] == [
        *((iaid, None) for iaid in range(7)),
        (7, NO_BINDING),
    ]
    assert by_association(reply)[0] == [RESERVED]
    assert server.counters()["noticed"]["no_room"] == 1


# --- what goes with a status


async def test_a_client_without_an_address_hears_how_long_to_wait(servers: Servers, site: Site6) -> None:
    """Section 18.3.9: SOL_MAX_RT stands beside NoAddrsAvail, for who asks for it."""
    subnet = await site.subnet(7)
    await subnet.option(SOL_MAX_RT, {"value": 7200})
    relay = servers.relay(await servers.start(), subnet.link)
    offer = await relay.advertise(say.solicit(CLIENT).ia_na(1).asking(SOL_MAX_RT))
    assert statuses(offer) == [NO_ADDRS_AVAIL]
    assert [value for code, value in offer.options if code == SOL_MAX_RT] == [(7200).to_bytes(4, "big")]


# --- what no pool gives


async def test_an_anycast_address_is_given_to_nobody(servers: Servers, site: Site6) -> None:
    """Neither chosen nor asked for: that of the link's routers (RFC 4291), and those that are reserved (RFC 2526). The
    relay has the second address itself."""
    subnet = await site.subnet(7)
    lowest = 0xFDFFFFFFFFFFFF80
    await subnet.pool(0, 2)
    await subnet.pool(lowest - 1, lowest + 0x80)
    relay = servers.relay(await servers.start(), subnet.link)
    await relay.advertise(say.solicit(CLIENT).ia_na(1))
    for number, at in enumerate((0, lowest, lowest + 0x7F)):
        asked = say.request(duid(10 + number), relay.server_id).ia_na(1, subnet.address(at))
        assert statuses(await relay.reply(asked)) == [NO_ADDRS_AVAIL]
    given = {leases(await relay.lease(duid(number)))[0] for number in range(20, 23)}
    assert given == {str(subnet.address(at)) for at in (2, lowest - 1, lowest + 0x80)}
    assert statuses(await relay.advertise(say.solicit(duid(23)).ia_na(1))) == [NO_ADDRS_AVAIL]
