"""Subnets of one shared network: what an answer says is of the subnet of the lease, not of the one by which the
message came (decisions: Fields of subnets).

2001:db8:5::/64 and 2001:db8:6::/64 bear the same name; the relay's link-address lies in the first.
"""

from __future__ import annotations

from ipaddress import IPv6Address
from typing import Any, NamedTuple

import pytest
from engine.serving import reloaded
from engine6.serving6 import Relay, Servers, chosen, duid, leases
from engine6.site6 import Site6, Subnet6
from oracle import packets6 as say
from oracle.message6 import REPLY, Message
from oracle.options6 import CLIENT_FQDN, IA_NA, RAPID_COMMIT, first

from dhcp_fast.server.serving import Serving

CLIENT, OTHER = duid(1), duid(2)
DNS_SERVERS, BOOTFILE_URL, ADDR_REG_ENABLE = 23, 59, 148
NEAR: dict[str, Any] = {
    "lease_time_seconds": 4000,
    "preferred_lifetime_seconds": 3000,
    "renew_time_seconds": 1000,
    "rebind_time_seconds": 2000,
    "boot_file": "http://near/",
    "ddns_enabled": True,
    "ddns_domain": "near.example",
}
FAR: dict[str, Any] = {
    "lease_time_seconds": 800,
    "preferred_lifetime_seconds": 600,
    "renew_time_seconds": 100,
    "rebind_time_seconds": 200,
    "boot_file": "http://far/",
    "ddns_enabled": True,
    "ddns_domain": "far.example",
    "decline_quarantine_seconds": 3600,
}
ASKED = (DNS_SERVERS, BOOTFILE_URL, CLIENT_FQDN, ADDR_REG_ENABLE)


class Wire(NamedTuple):
    near: Subnet6
    far: Subnet6
    server: Serving
    relay: Relay


async def made(site: Site6, servers: Servers, near: dict[str, Any], far: dict[str, Any]) -> Wire:
    """One address in the subnet by which messages come, sixteen and prefixes in the other."""
    subnets = [
        await site.subnet(5, shared_network="campus", **NEAR | near),
        await site.subnet(6, shared_network="campus", **FAR | far),
    ]
    for subnet, last in zip(subnets, (0x100, 0x10F), strict=True):
        await subnet.pool(0x100, last)
        await subnet.option(DNS_SERVERS, {"addresses": [f"2001:db8::{subnet.number}"]})
    await subnets[1].delegation_pool("2001:db8:f00::/48", 56)
    server = await servers.start()
    return Wire(subnets[0], subnets[1], server, servers.relay(server, subnets[0].link))


@pytest.fixture
async def wire(site: Site6, servers: Servers) -> Wire:
    return await made(site, servers, {}, {})


def asking(packet: say.Packet, name: str = "host") -> say.Packet:
    return packet.fqdn(name, 1).asking(*ASKED)


def said(answer: Message) -> tuple[bytes | None, bytes | None, str]:
    """DNS servers, boot URL and name."""
    assert answer.fqdn is not None
    return first(answer.options, DNS_SERVERS), first(answer.options, BOOTFILE_URL), answer.fqdn.name


def of(subnet: Subnet6, name: str = "host") -> tuple[bytes, bytes, str]:
    word = {5: "near", 6: "far"}[subnet.number]
    return (
        IPv6Address(f"2001:db8::{subnet.number}").packed,
        f"http://{word}/".encode(),
        f"{name}.{word}.example",
    )


def times(answer: Message) -> set[tuple[int, int]]:
    return {(ia.t1, ia.t2) for ia in answer.associations}


async def exchange(relay: Relay, client: bytes, packet: say.Packet) -> list[Message]:
    """Answers to a Solicit, a Request, a Renew and a Rebind of the packet's associations."""
    offer = await relay.advertise(packet)
    words = [say.request(client, relay.server_id), say.renew(client, relay.server_id), say.rebind(client)]
    return [offer] + [await relay.reply(asking(chosen(word, offer))) for word in words]


async def test_the_answer_speaks_of_the_subnet_of_the_lease(wire: Wire) -> None:
    """Options, boot URL, name, T1 and T2 in each message; the name in the lease's row too."""
    for subnet, client in ((wire.near, CLIENT), (wire.far, OTHER)):
        for answer in await exchange(wire.relay, client, asking(say.solicit(client).ia_na(1))):
            (address,) = leases(answer)
            assert IPv6Address(address) in subnet.network
            assert said(answer) == of(subnet)
            assert times(answer) == {(1000, 2000) if subnet is wire.near else (100, 200)}
        row = await subnet.site.lease(address)
        assert (row["hostname"], row["subnet_no"]) == (of(subnet)[2], subnet.no)


async def test_the_first_of_several_leases_speaks_and_the_smallest_times_count(wire: Wire) -> None:
    packet = asking(say.solicit(CLIENT).ia_na(1).ia_na(2))
    for answer in await exchange(wire.relay, CLIENT, packet):
        assert [IPv6Address(lease) in wire.near.network for lease in leases(answer)] == [True, False]
        assert said(answer) == of(wire.near)
        assert times(answer) == {(100, 200)}
    rows = {row: (await wire.near.site.lease(row))["hostname"] for row in leases(answer)}
    assert list(rows.values()) == ["host.near.example", "host.far.example"]


async def test_a_prefix_speaks_for_its_subnet(wire: Wire) -> None:
    for answer in await exchange(wire.relay, CLIENT, asking(say.solicit(CLIENT).ia_pd(1))):
        assert said(answer) == of(wire.far)
        assert times(answer) == {(100, 200)}


async def test_a_prefix_in_front_speaks_for_its_subnet(wire: Wire) -> None:
    for answer in await exchange(wire.relay, CLIENT, asking(say.solicit(CLIENT).ia_pd(1).ia_na(1))):
        assert said(answer) == of(wire.far)
    row = await wire.near.site.lease(leases(answer, IA_NA)[0])
    assert (row["subnet_no"], row["hostname"]) == (wire.near.no, "host.near.example")


async def test_a_reserved_address_of_the_other_subnet_speaks_for_it(wire: Wire) -> None:
    async with wire.far.change("reservation"):
        await wire.far.reserve(0x42, duid=CLIENT)
    await reloaded(wire.server, wire.far)
    for answer in await exchange(wire.relay, CLIENT, asking(say.solicit(CLIENT).ia_na(1))):
        assert leases(answer) == [str(wire.far.address(0x42))]
        assert said(answer) == of(wire.far)


@pytest.mark.parametrize("near", [True, False])
async def test_rapid_commit_is_a_setting_of_the_leases_subnet(
    near: bool, site: Site6, servers: Servers
) -> None:
    wire = await made(site, servers, {"rapid_commit": near}, {"rapid_commit": not near})
    for client, commits in ((CLIENT, near), (OTHER, not near)):
        answer = await wire.relay.ask(asking(say.solicit(client).ia_na(1)).rapid_commit())
        assert (answer.message_type == REPLY) == commits
        assert (first(answer.options, RAPID_COMMIT) is not None) == commits
        if not commits:
            await wire.relay.reply(chosen(say.request(client, wire.relay.server_id), answer))


async def test_registration_is_offered_where_the_lease_is(site: Site6, servers: Servers) -> None:
    wire = await made(site, servers, {"address_registration": False}, {"address_registration": True})
    for client, offered in ((CLIENT, False), (OTHER, True)):
        answer = await wire.relay.lease(client, asking(say.solicit(client).ia_na(1)))
        renewed = await wire.relay.reply(asking(chosen(say.renew(client, wire.relay.server_id), answer)))
        assert (first(renewed.options, ADDR_REG_ENABLE) is not None) == offered


async def test_a_confirmed_address_speaks_for_its_subnet(wire: Wire) -> None:
    for subnet in (wire.near, wire.far):
        answer = await wire.relay.reply(
            say.confirm(CLIENT).ia_na(1, subnet.address(0x55)).asking(DNS_SERVERS)
        )
        assert first(answer.options, DNS_SERVERS) == of(subnet)[0]


async def test_without_a_lease_the_entry_subnet_speaks(wire: Wire) -> None:
    answer = await wire.relay.reply(say.information_request(CLIENT).asking(DNS_SERVERS))
    assert first(answer.options, DNS_SERVERS) == of(wire.near)[0]


async def test_a_declined_address_rests_as_long_as_its_subnet_says(wire: Wire) -> None:
    await wire.relay.lease(CLIENT)
    (far,) = leases(await wire.relay.lease(OTHER))
    assert IPv6Address(far) in wire.far.network
    await wire.relay.reply(say.decline(OTHER, wire.relay.server_id).ia_na(1, far))
    row = await wire.far.site.lease(far)
    assert 3500 < (row["reuse_at"] - row["ended_at"]).total_seconds() < 3700


async def test_a_lease_is_withdrawn_under_the_fence_of_its_subnet(wire: Wire) -> None:
    """What is still to be read of the entry subnet says nothing about the lease in the other one."""
    await wire.relay.lease(CLIENT)
    (far,) = leases(await wire.relay.lease(OTHER))
    async with wire.far.change("exclude"):
        await wire.far.exclude(0x100, 0x10F)
    await reloaded(wire.server, wire.far)
    unread = "update subnet set fence = fence + 100 where no = $1"
    await wire.near.site.connection.execute(unread, wire.near.no)
    answer = await wire.relay.reply(say.renew(OTHER, wire.relay.server_id).ia_na(1, far))
    assert leases(answer) == []
    assert (await wire.far.site.lease(far))["state"] == "v"
