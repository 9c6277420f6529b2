"""Messages with several associations, pools without a bitmap, restarts, and what other servers do meanwhile."""

from ipaddress import IPv6Address, IPv6Network

import pytest
from engine.serving import reloaded
from engine.site import until
from engine6.serving6 import Relay, Servers, chosen, duid, leases, meeting, statuses
from engine6.site6 import Site6, Subnet6, association_key
from oracle import packets6 as say
from oracle.options6 import (
    IA_NA,
    IA_PD,
    NO_ADDRS_AVAIL,
    NO_BINDING,
    NO_PREFIX_AVAIL,
    PD_EXCLUDE,
    PREFERENCE,
    REMOTE_ID,
    SUBSCRIBER_ID,
    Lease,
    first,
)
from oracle.packets6 import Packet

from dhcp_fast.server.serving import Serving

pytestmark = pytest.mark.shared_server

CLIENT, OTHER = duid(1), duid(2)


async def test_each_association_gets_a_lease_of_its_own(relay: Relay, site: Site6) -> None:
    wanted = say.solicit(CLIENT).ia_na(1).ia_na(2).ia_pd(1).ia_pd(2)
    reply = await relay.lease(CLIENT, wanted)
    assert len(set(leases(reply))) == len(set(leases(reply, IA_PD))) == 2
    for address in leases(reply):
        assert (await site.lease(address))["state"] == "a"
    again = await relay.lease(CLIENT, wanted)
    assert leases(again) == leases(reply)
    assert leases(again, IA_PD) == leases(reply, IA_PD)


@pytest.mark.own_server
async def test_replies_are_what_its_heartbeats_call_acks(relay: Relay, server: Serving) -> None:
    await relay.lease(CLIENT, say.solicit(CLIENT).ia_na(1))
    work = server.work()
    assert (work.packets, work.acks, sum(work.commits)) == (2, 1, 1)


async def test_several_addresses_of_one_association(relay: Relay, site: Site6, subnet: Subnet6) -> None:
    """Rule 9: released are those of the association that a message neither names nor renews."""
    first_two = [subnet.address(0x110), subnet.address(0x111)]
    await relay.advertise(say.solicit(CLIENT).ia_na(1))
    reply = await relay.reply(say.request(CLIENT, relay.server_id).ia_na(1, *first_two))
    assert sorted(leases(reply)) == sorted(map(str, first_two))
    renewed = await relay.reply(say.renew(CLIENT, relay.server_id).ia_na(1, *first_two))
    assert sorted(leases(renewed)) == sorted(map(str, first_two))
    await relay.reply(say.renew(CLIENT, relay.server_id).ia_na(1, first_two[1]))
    await until("given up", lambda: state_is(site, first_two[0], "r"))
    assert (await site.lease(first_two[1]))["state"] == "a"


async def state_is(site: Site6, address: IPv6Address, state: str) -> bool:
    return bool((await site.lease(address)).get("state") == state)


async def test_a_message_is_answered_association_by_association(
    relay: Relay, subnet: Subnet6, site: Site6
) -> None:
    """One is another client's, one is free: a status and a lease in one answer."""
    taken = subnet.address(0x120)
    await relay.reply(await named(relay, OTHER, taken))
    packet = say.request(CLIENT, relay.server_id).ia_na(1, taken).ia_na(2, subnet.address(0x121)).ia_pd(3)
    reply = await relay.reply(packet)
    assert statuses(reply) == [NO_ADDRS_AVAIL]
    assert leases(reply) == [str(subnet.address(0x121))]
    assert len(leases(reply, IA_PD)) == 1
    assert (await site.lease(taken))["duid"] == OTHER


async def named(relay: Relay, client: bytes, *addresses: IPv6Address) -> say.Packet:
    await relay.advertise(say.solicit(client).ia_na(1))
    return say.request(client, relay.server_id).ia_na(1, *addresses)


async def test_a_whole_64_is_a_pool(servers: Servers, site: Site6) -> None:
    """Never enumerated: an address is the keyed hash of the association's identity, so it comes again."""
    subnet = await site.subnet(7)
    await subnet.whole_pool()
    relay = servers.relay(await servers.start(), subnet.link)
    found = [leases(await relay.lease(duid(number)))[0] for number in range(40)]
    assert len(set(found)) == 40
    assert all(IPv6Address(address) in subnet.network for address in found)
    gone = await relay.reply(say.release(duid(3), relay.server_id).ia_na(1, found[3]))
    assert statuses(gone) == []
    assert leases(await relay.lease(duid(3))) == [found[3]]


async def test_a_hint_chooses_the_length_of_a_prefix(servers: Servers, site: Site6) -> None:
    """Among the pools that have it, else the nearest shorter one (RFC 8168 section 3.2; test_prefix_hints6.py)."""
    subnet = await site.subnet(7)
    for number, length in enumerate((48, 56, 60)):
        await subnet.delegation_pool(f"2001:db8:{number + 1}000::/40", length)
    relay = servers.relay(await servers.start(), subnet.link)
    await relay.advertise(say.solicit(CLIENT).ia_pd(1))
    given = {}
    for number, hint in enumerate((48, 56, 60, 52, 57)):
        offer = await relay.advertise(say.solicit(duid(number + 10)).ia_pd(1, f"::/{hint}"))
        given[hint] = IPv6Network(leases(offer, IA_PD)[0]).prefixlen
    assert given == {48: 48, 56: 56, 60: 60, 52: 48, 57: 56}


async def asked_for(relay: Relay, client: bytes, *codes: int) -> Lease:
    """The prefix that the client gets, renews and rebinds, asking for these options."""
    offer = await relay.advertise(say.solicit(client).ia_pd(1).asking(*codes))
    reply = await relay.reply(chosen(say.request(client, relay.server_id), offer).asking(*codes))
    renewed = await relay.reply(chosen(say.renew(client, relay.server_id), reply).asking(*codes))
    rebound = await relay.reply(chosen(say.rebind(client), renewed).asking(*codes))
    found = [answer.associations[0].leases[0] for answer in (offer, reply, renewed, rebound)]
    assert len({(lease.address, lease.length, lease.options) for lease in found}) == 1
    return found[0]


@pytest.fixture
async def excluding(servers: Servers, site: Site6) -> Subnet6:
    """Of each /56 a /64 stays with the link (RFC 6603)."""
    subnet = await site.subnet(7, rapid_commit=True)
    kept = IPv6Network("2001:db8:f00:ff::/64")
    await subnet.delegation_pool("2001:db8:f00::/48", 56, excluded_prefix=kept)
    return subnet


async def test_a_part_of_the_prefix_stays_with_the_link(servers: Servers, excluding: Subnet6) -> None:
    """RFC 6603 section 5.2: for those who ask; to others the prefix is delegated as to any."""
    relay = servers.relay(await servers.start(), excluding.link)
    asking = await asked_for(relay, CLIENT, 23, PD_EXCLUDE)
    assert asking.options == ((PD_EXCLUDE, bytes([64, 0xFF])),)
    assert (await asked_for(relay, OTHER, 23)).options == ()
    assert (await asked_for(relay, CLIENT, 23)).options == ()


@pytest.mark.parametrize(
    ("reserved", "told"),
    [
        ("2001:db8:f00:1ff::/64", None),  # all of it is what would stay with the link
        ("2001:db8:f00:1ff::/72", None),
        ("2001:db8:f00:1f0::/60", bytes([64, 0xF0])),
        ("2001:db8:f00:120::/60", None),  # it stays with the link elsewhere
        ("2001:db8:f00:1000::/52", bytes([64, 0x0F, 0xF0])),
    ],
)
async def test_what_stays_with_the_link_of_a_reserved_prefix(
    servers: Servers, excluding: Subnet6, reserved: str, told: bytes | None
) -> None:
    """What is no smaller part of the prefix is not told, and its client is served."""
    await excluding.reserve_prefix(reserved, duid=CLIENT)
    relay = servers.relay(await servers.start(), excluding.link)
    lease = await asked_for(relay, CLIENT, PD_EXCLUDE)
    assert f"{lease.address}/{lease.length}" == reserved
    assert lease.options == (((PD_EXCLUDE, told),) if told else ())


@pytest.mark.parametrize(
    ("reserved", "kept", "told"),
    [
        ("2001:db8:a00::/56", "2001:db8:a00:7::/64", bytes([64, 0x07])),  # of no pool
        ("2001:db8:a00::/48", "2001:db8:a00:8000::/49", bytes([49, 0x80])),
        ("2001:db8:a00::/56", "2001:db8:a00:0:ffff::/80", bytes([80, 0x00, 0xFF, 0xFF])),
        ("2001:db8:f00:100::/56", "2001:db8:f00:100::/60", bytes([60, 0x00])),  # other than the pool's
    ],
)
async def test_what_a_reservation_leaves_to_the_link(
    servers: Servers, excluding: Subnet6, reserved: str, kept: str, told: bytes
) -> None:
    """RFC 6603 sections 4.2 and 5.2, in each message that gives the prefix; to its client alone, and where it asks."""
    await excluding.reserve_prefix(reserved, duid=CLIENT, excluded_prefix=IPv6Network(kept))
    relay = servers.relay(await servers.start(), excluding.link)
    lease = await asked_for(relay, CLIENT, PD_EXCLUDE)
    assert f"{lease.address}/{lease.length}" == reserved
    assert lease.options == ((PD_EXCLUDE, told),)
    assert (await asked_for(relay, CLIENT, 23)).options == ()
    assert (await asked_for(relay, OTHER, PD_EXCLUDE)).options == ((PD_EXCLUDE, bytes([64, 0xFF])),)


async def test_what_a_reservation_leaves_to_the_link_is_told_at_once(
    servers: Servers, excluding: Subnet6
) -> None:
    """In the Reply to a Solicit with Rapid Commit (RFC 8415 section 18.3.1), of the reservation and of the pool."""
    kept = IPv6Network("2001:db8:a00:7::/64")
    await excluding.reserve_prefix("2001:db8:a00::/56", duid=CLIENT, excluded_prefix=kept)
    relay = servers.relay(await servers.start(), excluding.link)
    for client, told in ((CLIENT, 0x07), (OTHER, 0xFF)):
        asked = say.solicit(client).ia_pd(1).asking(PD_EXCLUDE).rapid_commit()
        (lease,) = (await relay.reply(asked)).associations[0].leases
        assert lease.options == ((PD_EXCLUDE, bytes([64, told])),)


async def test_a_change_of_what_is_left_to_the_link(servers: Servers, excluding: Subnet6) -> None:
    """The next answer tells the new one, also to a client that had its prefix from the pool."""
    server = await servers.start()
    relay = servers.relay(server, excluding.link)
    before = await asked_for(relay, CLIENT, PD_EXCLUDE)
    prefix = IPv6Network((before.address, before.length))
    kept = IPv6Network((int(prefix.network_address) | 0x42 << 64, 64))
    async with excluding.change("reservation"):
        await excluding.reserve_prefix(str(prefix), duid=CLIENT, excluded_prefix=kept)
    await reloaded(server, excluding)
    after = await asked_for(relay, CLIENT, PD_EXCLUDE)
    assert (after.address, after.options) == (before.address, ((PD_EXCLUDE, bytes([64, 0x42])),))


async def test_reserved_leases_are_given_to_their_client(servers: Servers, site: Site6) -> None:
    """By DUID, by the MAC that the relay or the DUID tells, and by the relay's interface."""
    subnet = await site.subnet(7)
    await subnet.pool(0x100, 0x1FF)
    await subnet.reserve(0x10, duid=CLIENT, prefix=IPv6Network("2001:db8:aaaa::/48"))
    await subnet.reserve(0x11, mac="02:00:00:00:00:02")
    await subnet.reserve(0x12, circuit_id=b"ge-0/0/1")
    relay = servers.relay(await servers.start(), subnet.link)
    reply = await relay.lease(CLIENT, say.solicit(CLIENT).ia_na(1).ia_pd(1))
    assert leases(reply) == [str(subnet.address(0x10))]
    assert leases(reply, IA_PD) == ["2001:db8:aaaa::/48"]
    assert leases(await relay.lease(OTHER)) == [str(subnet.address(0x11))]
    opaque = bytes.fromhex("00ff0102030405")
    at_port = say.solicit(opaque).ia_na(1).through(subnet.link).at_interface("ge-0/0/1")
    assert leases(await relay.advertise(at_port)) == [str(subnet.address(0x12))]
    seen = say.solicit(opaque).ia_na(1).through(subnet.link).from_hardware("02:00:00:00:00:02")
    assert leases(await relay.advertise(seen)) != [str(subnet.address(0x12))]


ENTERPRISE = b"\0\0\x0d\xe9"


async def test_reservations_by_what_relays_say(servers: Servers, site: Site6) -> None:
    """After DUID and MAC: interface id, remote id, with the enterprise number or without, and subscriber id, of the
    relay nearest to the client that says one."""
    subnet = await site.subnet(7)
    await subnet.pool(0x100, 0x1FF)
    await subnet.reserve(0x10, circuit_id=b"port1")
    await subnet.reserve(0x11, remote_id=ENTERPRISE + b"line1")
    await subnet.reserve(0x12, remote_id=b"line2")
    await subnet.reserve(0x13, subscriber_id=b"smith")
    relay = servers.relay(await servers.start(), subnet.link)
    near = say.solicit(bytes.fromhex("00ff0102030405")).ia_na(1).through(subnet.link)

    async def given(packet: Packet) -> IPv6Address:
        return IPv6Address(leases(await relay.advertise(packet))[0])

    line1, line2 = (near.relay_option(REMOTE_ID, ENTERPRISE + name) for name in (b"line1", b"line2"))
    assert await given(line1) == subnet.address(0x11)
    assert await given(line2) == subnet.address(0x12)
    assert await given(near.relay_option(SUBSCRIBER_ID, b"smith")) == subnet.address(0x13)
    assert await given(near.through("::").relay_option(SUBSCRIBER_ID, b"smith")) == subnet.address(0x13)
    assert await given(near.through("::").relay_option(REMOTE_ID, ENTERPRISE + b"line1")) == subnet.address(
        0x11
    )
    assert await given(line2.through("::").relay_option(REMOTE_ID, ENTERPRISE + b"line1")) == subnet.address(
        0x12
    )
    assert await given(line1.relay_option(SUBSCRIBER_ID, b"smith")) == subnet.address(0x11)
    assert await given(line1.at_interface("port1")) == subnet.address(0x10)
    assert await given(near) not in [subnet.address(last) for last in range(0x10, 0x14)]


async def test_a_reservation_by_the_mac_that_the_relay_tells(servers: Servers, site: Site6) -> None:
    """RFC 6939, or the client's own address."""
    subnet = await site.subnet(7)
    await subnet.pool(0x100, 0x1FF)
    await subnet.reserve(0x11, mac="02:00:5e:00:53:01")
    relay = servers.relay(await servers.start(), subnet.link)
    opaque = say.solicit(bytes.fromhex("00ff0102030405")).ia_na(1)
    seen = opaque.through(subnet.link, peer="fe80::7").from_hardware("02:00:5e:00:53:01")
    assert leases(await relay.advertise(seen)) == [str(subnet.address(0x11))]
    by_address = opaque.through(subnet.link, peer="fe80::5eff:fe00:5301")
    assert leases(await relay.advertise(by_address)) == [str(subnet.address(0x11))]


async def test_a_lease_outlives_its_server(servers: Servers, subnet: Subnet6, site: Site6) -> None:
    first_server = await servers.start()
    relay = servers.relay(first_server, subnet.link)
    reply = await relay.lease(CLIENT, say.solicit(CLIENT).ia_na(1).ia_pd(2))
    second = servers.relay(await servers.start(), subnet.link)
    second.server_id = relay.server_id
    patient = say.renew(CLIENT, relay.server_id).without(8).elapsed(200)
    renewed = await second.reply(chosen(patient, reply))
    assert leases(renewed) == leases(reply)
    assert leases(renewed, IA_PD) == leases(reply, IA_PD)


@pytest.mark.own_server
async def test_of_two_servers_one_answers_at_once(servers: Servers, subnet: Subnet6) -> None:
    """All bear one DUID; whom the client's DUID picks of the live ones answers, the other after a second (option 8)."""
    pair = await meeting(servers, 2)
    relays = [servers.relay(server, subnet.link) for server in pair]
    for number in range(12):
        said = [await relay.answer_to(relay.send(solicit(number)), 0.3) for relay in relays]
        assert sum(answer is not None for answer in said) == 1
    left = [server.counters()["drops"].get("left_to_another", 0) for server in pair]
    assert sum(left) == 12
    assert min(left) > 0
    for relay in relays:
        assert await relay.answer_to(relay.send(solicit(1).without(8).elapsed(101)), 1.0) is not None


def solicit(number: int) -> say.Packet:
    return say.solicit(duid(number)).ia_na(1)


async def test_what_another_server_leased_is_not_given_twice(
    servers: Servers, subnet: Subnet6, site: Site6
) -> None:
    """The database arbitrates: the other's bind is there before this one's cache hears of it."""
    relay = servers.relay(await servers.start(), subnet.link)
    packet = await named(relay, CLIENT, subnet.address(0x130))
    key = association_key(IA_NA, 1, OTHER)
    await site.put_lease(subnet.address(0x130), key, subnet.no, state="a")
    reply = await relay.reply(packet)
    assert statuses(reply) == [NO_ADDRS_AVAIL]
    assert (await site.lease(subnet.address(0x130)))["duid"] == OTHER


async def test_a_declined_address_is_nobodys_for_a_while(relay: Relay, site: Site6) -> None:
    reply = await relay.lease(CLIENT)
    (address,) = leases(reply)
    await relay.reply(chosen(say.decline(CLIENT, relay.server_id), reply))
    assert (await site.lease(address))["state"] == "d"
    assert leases(await relay.lease(CLIENT)) != [address]


async def test_full_pools_say_so(servers: Servers, site: Site6) -> None:
    subnet = await site.subnet(7)
    await subnet.pool(0x100, 0x100)
    await subnet.delegation_pool("2001:db8:f00::/56", 56)
    relay = servers.relay(await servers.start(), subnet.link)
    await relay.lease(CLIENT, say.solicit(CLIENT).ia_na(1).ia_pd(1))
    offer = await relay.advertise(say.solicit(OTHER).ia_na(1).ia_pd(1))
    assert statuses(offer) == [NO_ADDRS_AVAIL, NO_PREFIX_AVAIL]


async def test_an_unknown_renewal_has_no_binding(relay: Relay, subnet: Subnet6) -> None:
    await relay.advertise(say.solicit(CLIENT).ia_na(1))
    packet = (
        say.renew(CLIENT, relay.server_id).ia_na(1, subnet.address(0x140)).ia_pd(2, "2001:db8:f00:100::/56")
    )
    assert statuses(await relay.reply(packet)) == [NO_BINDING, NO_BINDING]


async def test_preference_is_of_advertises(servers: Servers, subnet: Subnet6) -> None:
    await subnet.option(7, {"value": 200})
    relay = servers.relay(await servers.start(), subnet.link)
    offer = await relay.advertise(say.solicit(CLIENT).ia_na(1))
    assert first(offer.options, PREFERENCE) == bytes([200])
    reply = await relay.reply(chosen(say.request(CLIENT, relay.server_id), offer).asking(7))
    assert first(reply.options, PREFERENCE) is None


async def test_rapid_commit_binds_what_a_solicit_asks_for(servers: Servers, site: Site6) -> None:
    subnet = await site.subnet(7, rapid_commit=True)
    await subnet.pool(0x100, 0x1FF)
    await subnet.delegation_pool("2001:db8:f00::/48", 56)
    relay = servers.relay(await servers.start(), subnet.link)
    reply = await relay.reply(say.solicit(CLIENT).ia_na(1).ia_pd(2).rapid_commit())
    (address,) = leases(reply)
    assert (await site.lease(address))["state"] == "a"
    assert len(leases(reply, IA_PD)) == 1


async def test_an_early_renewal_is_answered_from_memory(servers: Servers, site: Site6) -> None:
    """Rule 18: nothing is written while most of the lease is left; what remains is told."""
    subnet = await site.subnet(7, cache_threshold=0.5)
    await subnet.pool(0x100, 0x1FF)
    server = await servers.start()
    relay = servers.relay(server, subnet.link)
    reply = await relay.lease(CLIENT)
    (address,) = leases(reply)

    async def is_early() -> bool:
        """A server that just started may know too little of the clock or of the feed, and write."""
        before = await site.lease(address)
        renewed = await relay.reply(chosen(say.renew(CLIENT, relay.server_id), reply))
        (lease,) = renewed.associations[0].leases
        assert 760 <= lease.valid <= 800
        assert lease.preferred <= 500
        early = bool(server.counters()["early_renewals"])
        assert not early or (await site.lease(address))["version"] == before["version"]
        return early

    await until("early", is_early)


async def test_one_association_moves_to_the_reserved_address(servers: Servers, site: Site6) -> None:
    """The first; what the second one names cannot be the reserved one any more, so it gets that."""
    subnet = await site.subnet(7)
    await subnet.pool(0x100, 0x1FF)
    await subnet.reserve(0x150, duid=CLIENT)
    relay = servers.relay(await servers.start(), subnet.link)
    await relay.advertise(say.solicit(CLIENT).ia_na(1))
    request = say.request(CLIENT, relay.server_id)
    request = request.ia_na(1, subnet.address(0x101)).ia_na(2, subnet.address(0x102), subnet.address(0x103))
    reply = await relay.reply(request)
    assert leases(reply) == [str(subnet.address(at)) for at in (0x150, 0x102, 0x103)]
    assert statuses(reply) == []
