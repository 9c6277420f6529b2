"""Option 39 (RFC 4704): who updates DNS, what the client is called, and what its lease rows bear.

The flags' bits are N O S from left to right (section 4.1); the name is whole when it ends with a dot.
"""

from __future__ import annotations

from typing import Any

import pytest
from engine6.serving6 import Relay, Servers, chosen, duid, leases
from engine6.site6 import Site6, Subnet6
from oracle import packets6 as say
from oracle.message6 import Message
from oracle.options6 import CLIENT_FQDN, IA_NA, IA_PD, first
from oracle.packets6 import Packet

pytestmark = pytest.mark.shared_server

CLIENT = duid(1)
S, O, N = 1, 2, 4  # noqa: E741 - the RFC's names
ON = {"ddns_enabled": True, "ddns_domain": "example.test"}
LISTED = ON | {"ddns_client_domains": ["lab.test", "other.test"]}


async def planned(site: Site6, **fields: Any) -> Subnet6:
    subnet = await site.subnet(5, **fields)
    await subnet.pool(0x100, 0x1FF)
    return subnet


async def serve(site: Site6, servers: Servers, **fields: Any) -> Relay:
    subnet = await planned(site, **fields)
    return servers.relay(await servers.start(), subnet.link)


def named(name: str, flags: int = S) -> Packet:
    return say.solicit(CLIENT).ia_na(1).fqdn(name, flags).asking(CLIENT_FQDN)


def told(reply: Message) -> tuple[int, str, bool]:
    fqdn = reply.fqdn
    assert fqdn is not None
    return fqdn.flags, fqdn.name, fqdn.whole


FLAGS: list[tuple[str, dict[str, Any], int, int]] = [
    ("6: DNS is not updated here, and the client may", {}, 0, N),
    ("6: nor for who wants the server to", {}, S, N | O),
    ("6: nor for who wants no update", {}, N, N),
    ("6: the server updates as it is asked to", ON, S, S),
    ("6: the client updates its AAAA record itself", ON, 0, 0),
    ("6: nobody updates", ON, N, N),
    ("4.1: O in a request means nothing", ON, S | O, S),
    ("4.1: bits that must be zero are not returned", ON, S | 0xF8, S),
    ("ddns_override_client_update", ON | {"ddns_override_client_update": True}, 0, S | O),
    ("ddns_override_no_update", ON | {"ddns_override_no_update": True}, N, S | O),
]


@pytest.mark.parametrize(("why", "fields", "asked", "given"), FLAGS, ids=[row[0] for row in FLAGS])
async def test_who_updates_dns(
    why: str, fields: dict[str, Any], asked: int, given: int, site: Site6, servers: Servers
) -> None:
    relay = await serve(site, servers, **fields)
    offer = await relay.advertise(named("host.example.test.", asked))
    assert told(offer) == (given, "host.example.test", True)


NAMES: list[tuple[str, dict[str, Any], str, str]] = [
    ("a part is made whole", ON, "host", "host.example.test"),
    ("a whole name has the subnet's domain", ON, "host.other.test.", "host.example.test"),
    ("a domain that is listed", LISTED, "host.Other.test.", "host.Other.test"),
    ("one label below it", LISTED, "a.b.other.test.", "a.example.test"),
    ("the mapping", ON, "_my_host-", "my-host.example.test"),
    (
        "blocked",
        ON | {"ddns_replace_client_name": "when_not_present"},
        "wpad",
        "host-2001-db8-5-0-0-0-0-{}.example.test",
    ),
    ("without DDNS nothing is put behind it", {"ddns_domain": "example.test"}, "host", "host"),
    ("what is no host name's character", ON, "a b!", "a-b.example.test"),
    ("an empty name is made", ON, ".", "host-2001-db8-5-0-0-0-0-{}.example.test"),
    (
        "ddns_replace_client_name",
        ON | {"ddns_replace_client_name": "always", "ddns_generated_prefix": "dyn"},
        "host",
        "dyn-2001-db8-5-0-0-0-0-{}.example.test",
    ),
]


@pytest.mark.own_server
@pytest.mark.parametrize(("why", "fields", "asked", "given"), NAMES, ids=[row[0] for row in NAMES])
async def test_what_a_client_is_called(
    why: str, fields: dict[str, Any], asked: str, given: str, site: Site6, servers: Servers
) -> None:
    """The same in Advertise, Reply and the lease's row."""
    relay = await serve(site, servers, **fields)
    name = named(asked) if asked != "." else say.solicit(CLIENT).ia_na(1).option(39, bytes([S])).asking(39)
    offer = await relay.advertise(name)
    request = chosen(say.request(CLIENT, relay.server_id).asking(CLIENT_FQDN), offer)
    reply = await relay.reply(request.option(39, first(name.options, CLIENT_FQDN) or b""))
    (address,) = leases(reply)
    expected = given.format(address.rpartition(":")[2])
    assert told(offer)[1] == told(reply)[1] == (await site.lease(address))["hostname"] == expected


async def test_a_blocked_name_is_none(site: Site6, servers: Servers) -> None:
    """The server says that it updates nothing."""
    relay = await serve(site, servers, **ON)
    assert told(await relay.advertise(named("wpad"))) == (N | O, "", False)


@pytest.mark.parametrize("rebinds", [False, True])
async def test_a_message_without_a_name_leaves_it_unchanged(
    site: Site6, servers: Servers, rebinds: bool
) -> None:
    """decisions: Client names in DNS. The renewal is written, since it comes late."""
    relay = await serve(site, servers, **ON, cache_threshold=0.0)
    offer = await relay.advertise(named("host"))
    reply = await relay.reply(chosen(say.request(CLIENT, relay.server_id).fqdn("host", S), offer))
    (address,) = leases(reply)
    before = await site.lease(address)
    again = say.rebind(CLIENT) if rebinds else say.renew(CLIENT, relay.server_id)
    await relay.reply(chosen(again, reply))
    after = await site.lease(address)
    assert after["version"] > before["version"]
    assert (after["hostname"], after["fqdn_flags"]) == ("host.example.test", 5)
    await relay.reply(chosen(again.fqdn("other", S), reply))
    assert (await site.lease(address))["hostname"] == "other.example.test"


async def test_all_leases_of_a_message_bear_the_name(site: Site6, servers: Servers) -> None:
    subnet = await planned(site, **ON)
    await subnet.delegation_pool("2001:db8:f00::/48", 56)
    relay = servers.relay(await servers.start(), subnet.link)
    asked = named("host").ia_pd(2)
    offer = await relay.advertise(asked)
    reply = await relay.reply(chosen(say.request(CLIENT, relay.server_id).fqdn("host", S), offer))
    (address,), (prefix,) = leases(reply, IA_NA), leases(reply, IA_PD)
    for lease in (address, prefix.partition("/")[0]):
        assert (await site.lease(lease))["hostname"] == "host.example.test"


async def test_a_reservations_name_comes_first(site: Site6, servers: Servers) -> None:
    subnet = await planned(site, **ON)
    await subnet.reserve(0x150, duid=CLIENT, hostname="printer")
    relay = servers.relay(await servers.start(), subnet.link)
    assert told(await relay.advertise(named("host"))) == (S, "printer.example.test", True)
    for flags in (0, N):
        assert told(await relay.advertise(named("host", flags))) == (S | O, "printer.example.test", True)


@pytest.mark.parametrize(("flags", "kept"), [(S, 5), (0, 4), (N, 6), (N | S, 6)])
async def test_the_lease_keeps_what_the_client_asked(
    site: Site6, servers: Servers, flags: int, kept: int
) -> None:
    relay = await serve(site, servers, **ON)
    offer = await relay.advertise(named("host", flags))
    reply = await relay.reply(chosen(say.request(CLIENT, relay.server_id).fqdn("host", flags), offer))
    assert (await site.lease(leases(reply, IA_NA)[0]))["fqdn_flags"] == kept


@pytest.mark.parametrize(("name", "kept"), [("host", 5 | 32), ("", 5 | 32 | 16)])
async def test_a_name_is_unmade_where_the_subnet_does_not_update_dns(
    site: Site6, servers: Servers, name: str, kept: int
) -> None:
    relay = await serve(site, servers, ddns_domain="example.test")
    offer = await relay.advertise(named(name))
    reply = await relay.reply(chosen(say.request(CLIENT, relay.server_id).fqdn(name, S), offer))
    found = await site.lease(leases(reply, IA_NA)[0])
    assert (found["hostname"], found["fqdn_flags"]) == (name or None, kept)


async def test_the_option_goes_to_who_sends_it_and_asks_for_it(site: Site6, servers: Servers) -> None:
    """Section 6."""
    relay = await serve(site, servers, **ON)
    silent = await relay.advertise(say.solicit(CLIENT).ia_na(1).asking(CLIENT_FQDN))
    assert silent.fqdn is None
    unasked = await relay.advertise(say.solicit(CLIENT).ia_na(1).fqdn("host", S))
    assert unasked.fqdn is None


@pytest.mark.parametrize("damaged", [b"\x01\x3fshort", b"\x01\xc0\x0c", b"\x01\x04host\x00\x00"])
async def test_a_malformed_name_counts_as_not_sent(damaged: bytes, site: Site6, servers: Servers) -> None:
    relay = await serve(site, servers, **ON)
    offer = await relay.advertise(say.solicit(CLIENT).ia_na(1).option(39, damaged).asking(CLIENT_FQDN))
    assert offer.fqdn is None
    assert leases(offer)
