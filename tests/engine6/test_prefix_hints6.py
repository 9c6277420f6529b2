"""The length of prefix that a client asks for (RFC 8168): the same, else the closest shorter, else the closest longer.

A hint is a prefix of zeros with a length, or a whole prefix that the client would like.
"""

from __future__ import annotations

from ipaddress import IPv6Network

import pytest
from engine6.serving6 import Relay, Servers, chosen, duid, leases, statuses
from engine6.site6 import Site6, Subnet6
from oracle import packets6 as say
from oracle.message6 import Message
from oracle.options6 import IA_PD, NO_PREFIX_AVAIL

pytestmark = pytest.mark.shared_server

CLIENT, OTHER = duid(1), duid(2)
POOLS = {48: "2001:db8:4000::/40", 56: "2001:db8:5600::/40", 60: "2001:db8:6000::/40"}


async def planned(site: Site6, *lengths: int) -> Subnet6:
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x1FF)
    for length in lengths:
        await subnet.delegation_pool(POOLS[length], length)
    return subnet


async def served(site: Site6, servers: Servers, *lengths: int) -> Relay:
    subnet = await planned(site, *lengths or POOLS)
    return servers.relay(await servers.start(), subnet.link)


def length_of(answer: Message) -> int:
    (prefix,) = leases(answer, IA_PD)
    return IPv6Network(prefix).prefixlen


def wanting(client: bytes, *hints: str) -> say.Packet:
    return say.solicit(client).ia_pd(1, *hints)


HINTS = {
    48: 48,
    52: 48,
    55: 48,
    56: 56,
    58: 56,
    59: 56,
    60: 60,
    61: 60,
    64: 60,
    128: 60,
    47: 48,
    32: 48,
    1: 48,
}


@pytest.mark.parametrize(("hint", "given"), HINTS.items())
async def test_the_closest_shorter_length_is_given(
    hint: int, given: int, site: Site6, servers: Servers
) -> None:
    relay = await served(site, servers)
    offer = await relay.advertise(wanting(CLIENT, f"::/{hint}"))
    assert length_of(offer) == given
    reply = await relay.reply(chosen(say.request(CLIENT, relay.server_id), offer))
    assert leases(reply, IA_PD) == leases(offer, IA_PD)


async def test_where_the_length_is_used_up_the_next_shorter_is_given(site: Site6, servers: Servers) -> None:
    subnet = await planned(site, 48, 60)
    await subnet.delegation_pool("2001:db8:7000::/56", 56)
    relay = servers.relay(await servers.start(), subnet.link)
    for number, given in enumerate((56, 48, 48)):
        reply = await relay.lease(duid(number), wanting(duid(number), "::/56"))
        assert length_of(reply) == given


async def test_where_nothing_shorter_is_left_a_longer_one_is_given(site: Site6, servers: Servers) -> None:
    relay = await served(site, servers, 56, 60)
    assert length_of(await relay.advertise(wanting(CLIENT, "::/48"))) == 56


async def test_a_prefix_that_cannot_be_had_is_a_hint_for_its_length(site: Site6, servers: Servers) -> None:
    relay = await served(site, servers)
    assert length_of(await relay.advertise(wanting(CLIENT, "2001:db8:ffff::/60"))) == 60
    offer = await relay.advertise(wanting(OTHER, "2001:db8:5600:4200::/56"))
    assert leases(offer, IA_PD) == ["2001:db8:5600:4200::/56"]


async def test_without_a_hint_the_first_pool_serves(site: Site6, servers: Servers) -> None:
    relay = await served(site, servers)
    assert length_of(await relay.advertise(wanting(CLIENT))) == 48
    assert length_of(await relay.advertise(wanting(OTHER, "::/0"))) == 48


async def test_another_hint_gets_another_offer(site: Site6, servers: Servers) -> None:
    """Not the prefix that was offered before, as long as a pool has the length; back again too."""
    relay = await served(site, servers)
    for hint, given in ((56, 56), (60, 60), (48, 48), (52, 48), (56, 56), (60, 60)):
        assert length_of(await relay.advertise(wanting(CLIENT, f"::/{hint}"))) == given


async def test_the_same_hint_gets_the_same_offer(site: Site6, servers: Servers) -> None:
    relay = await served(site, servers)
    offers = [leases(await relay.advertise(wanting(CLIENT, "::/58")), IA_PD) for _ in range(3)]
    assert offers[0] == offers[1] == offers[2]


async def test_a_client_that_asks_for_another_length_leaves_what_it_had(
    site: Site6, servers: Servers
) -> None:
    """A router whose setting was changed: it solicits anew, and the old prefix is given back with the new lease."""
    relay = await served(site, servers)
    (before,) = leases(await relay.lease(CLIENT, wanting(CLIENT, "::/56")), IA_PD)
    (after,) = leases(await relay.lease(CLIENT, wanting(CLIENT, "::/60")), IA_PD)
    assert IPv6Network(after).prefixlen == 60
    assert (await site.lease(IPv6Network(before)[0]))["state"] == "r"


async def test_a_length_that_no_pool_has_leaves_the_client_what_it_has(site: Site6, servers: Servers) -> None:
    relay = await served(site, servers)
    held = leases(await relay.lease(CLIENT, wanting(CLIENT, "::/60")), IA_PD)
    assert leases(await relay.advertise(wanting(CLIENT, "::/52")), IA_PD) == held
    assert leases(await relay.advertise(wanting(CLIENT)), IA_PD) == held


async def test_a_reserved_prefix_goes_before_the_hint(site: Site6, servers: Servers) -> None:
    subnet = await planned(site, *POOLS)
    await subnet.reserve_prefix("2001:db8:5600:7700::/56", duid=CLIENT)
    relay = servers.relay(await servers.start(), subnet.link)
    offer = await relay.advertise(wanting(CLIENT, "::/60"))
    assert leases(offer, IA_PD) == ["2001:db8:5600:7700::/56"]


async def test_a_pool_of_the_clients_class_goes_before_the_hint(site: Site6, servers: Servers) -> None:
    subnet = await site.subnet(5)
    routers = await site.client_class("routers", mac_prefix=bytes.fromhex("020000"))
    await subnet.delegation_pool(POOLS[48], 48, class_no=routers)
    await subnet.delegation_pool(POOLS[60], 60)
    relay = servers.relay(await servers.start(), subnet.link)
    assert length_of(await relay.advertise(wanting(CLIENT, "::/60"))) == 48


async def test_the_hint_counts_on_the_whole_shared_network(site: Site6, servers: Servers) -> None:
    near, far = [await site.subnet(number, shared_network="campus") for number in (5, 6)]
    await near.delegation_pool(POOLS[60], 60)
    await far.delegation_pool(POOLS[56], 56)
    relay = servers.relay(await servers.start(), near.link)
    for hint, given in ((60, 60), (58, 56), (56, 56), (64, 60), (48, 56)):
        assert length_of(await relay.advertise(wanting(duid(hint), f"::/{hint}"))) == given


# --- hints in other messages: they name no lease


async def test_a_request_with_a_hint_alone_gets_that_length(site: Site6, servers: Servers) -> None:
    relay = await served(site, servers)
    await relay.advertise(wanting(OTHER))
    for hint in (56, 60):
        reply = await relay.reply(say.request(duid(hint), relay.server_id).ia_pd(1, f"::/{hint}"))
        assert length_of(reply) == hint


async def test_a_renewal_with_a_hint_beside_the_prefix_renews_it(site: Site6, servers: Servers) -> None:
    """RFC 8168 section 3.5, first choice: the client keeps its prefix; the hint is not repeated."""
    relay = await served(site, servers)
    held = leases(await relay.lease(CLIENT, wanting(CLIENT, "::/60")), IA_PD)
    for words in (say.renew(CLIENT, relay.server_id), say.rebind(CLIENT)):
        reply = await relay.reply(words.ia_pd(1, *held, "::/56"))
        assert [f"{lease.address}/{lease.length}" for lease in reply.associations[0].leases] == held


async def test_an_unknown_association_with_a_hint_is_created_at_that_length(
    site: Site6, servers: Servers
) -> None:
    relay = await served(site, servers)
    await relay.advertise(wanting(OTHER))
    assert length_of(await relay.reply(say.renew(CLIENT, relay.server_id).ia_pd(1, "::/56"))) == 56
    assert length_of(await relay.reply(say.rebind(OTHER).ia_pd(1, "::/60"))) == 60


async def test_an_address_of_zeros_is_a_hint_too(site: Site6, servers: Servers) -> None:
    relay = await served(site, servers)
    await relay.advertise(say.solicit(OTHER).ia_na(1))
    for client, words in enumerate((say.request, say.renew)):
        reply = await relay.reply(words(duid(client + 7), relay.server_id).ia_na(1, "::"))
        assert len(leases(reply)) == 1


async def test_without_any_pool_the_status_says_so(site: Site6, servers: Servers) -> None:
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x1FF)
    relay = servers.relay(await servers.start(), subnet.link)
    assert statuses(await relay.advertise(wanting(CLIENT, "::/56"))) == [NO_PREFIX_AVAIL]
    for words in (
        say.request(CLIENT, relay.server_id),
        say.renew(CLIENT, relay.server_id),
        say.rebind(CLIENT),
    ):
        assert statuses(await relay.reply(words.ia_pd(1, "::/56"))) == [NO_PREFIX_AVAIL]
