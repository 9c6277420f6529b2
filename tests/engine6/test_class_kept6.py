"""A Renew or Rebind without a vendor class keeps that of the grant; see engine/test_class_kept.py."""

from __future__ import annotations

from ipaddress import IPv6Address
from typing import Any

import pytest
from engine6.serving6 import Relay, Servers, chosen, duid, leases
from engine6.site6 import Site6, Subnet6
from oracle import packets6 as say
from oracle.message6 import Message
from oracle.options6 import IA_PD, first
from oracle.packets6 import Packet

pytestmark = pytest.mark.own_server

CLIENT = duid(1)
ENTERPRISE = 9
PHONE = "IP Phone"
CLASSES: dict[str, dict[str, Any]] = {
    "vendor_class": {"vendor_class": "IP"},
    "condition": {"match": {"option": 16, "family": 6, "vendor": ENTERPRISE, "offset": 2, "prefix": "IP"}},
}
LONG = "IP" + "x" * 400  # of which the row has the first 249 octets


async def serve(site: Site6, servers: Servers, fields: dict[str, Any]) -> tuple[Subnet6, Relay]:
    """Pools for phones alone, whose class has an option; and one for everybody."""
    subnet = await site.subnet(5)
    no = await site.client_class("phones", **fields)
    await site.option(900, {"hex": "aa"}, class_no=no)
    await subnet.pool(0x100, 0x1FF, class_no=no)
    await subnet.delegation_pool("2001:db8:500::/48", 56, class_no=no)
    await subnet.pool(0x200, 0x2FF)
    return subnet, servers.relay(await servers.start(), subnet.link)


async def granted(relay: Relay, says: Any) -> Message:
    offer = await relay.advertise(says(say.solicit(CLIENT).ia_na(1).ia_pd(2)))
    return await relay.reply(says(chosen(say.request(CLIENT, relay.server_id), offer)))


def phone(packet: Packet) -> Packet:
    return packet.vendor_class(ENTERPRISE, PHONE)


@pytest.mark.parametrize("kind", ["renew", "rebind"])
@pytest.mark.parametrize("name", CLASSES)
async def test_a_phone_keeps_its_class(name: str, kind: str, site: Site6, servers: Servers) -> None:
    """At each renewal, with the options of its class; also at a server that knows the lease from its row alone."""
    subnet, relay = await serve(site, servers, CLASSES[name])
    granting = await granted(relay, phone)
    (address,), (prefix,) = leases(granting), leases(granting, IA_PD)
    assert IPv6Address(address) <= subnet.address(0x1FF)
    later = servers.relay(await servers.start(), subnet.link)
    for server in (relay, relay, later, later, relay):
        plain = say.rebind(CLIENT) if kind == "rebind" else say.renew(CLIENT, relay.server_id)
        answer = await server.reply(chosen(plain.without(8), granting).asking(900))  # each server answers
        assert (leases(answer), leases(answer, IA_PD)) == ([address], [prefix])
        assert first(answer.options, 900) == b"\xaa"
    assert (await site.lease(address))["vendor_class"].endswith(PHONE.encode())


async def test_associations_without_addresses_keep_it(site: Site6, servers: Servers) -> None:
    """A Renew that names no lease gets those that the associations have."""
    _, relay = await serve(site, servers, CLASSES["vendor_class"])
    granting = await granted(relay, phone)
    answer = await relay.reply(say.renew(CLIENT, relay.server_id).ia_na(1).ia_pd(2))
    assert (leases(answer), leases(answer, IA_PD)) == (leases(granting), leases(granting, IA_PD))


async def test_a_class_that_the_row_has_in_part(site: Site6, servers: Servers) -> None:
    _, relay = await serve(site, servers, CLASSES["vendor_class"])
    granting = await granted(relay, lambda packet: packet.vendor_class(ENTERPRISE, LONG))
    answer = await relay.reply(chosen(say.renew(CLIENT, relay.server_id), granting))
    assert leases(answer) == leases(granting)


async def test_another_value_counts(site: Site6, servers: Servers) -> None:
    """A client that says another vendor class is not of the class any more: it gets another address."""
    subnet, relay = await serve(site, servers, CLASSES["vendor_class"])
    granting = await granted(relay, phone)
    says = say.renew(CLIENT, relay.server_id).vendor_class(ENTERPRISE, "printer")
    answer = await relay.reply(chosen(says, granting))
    (address,) = leases(answer)
    assert subnet.address(0x200) <= IPv6Address(address) <= subnet.address(0x2FF)


async def test_a_client_that_never_said_one(site: Site6, servers: Servers) -> None:
    """It is asked nothing: its renewals are one write each."""
    _, relay = await serve(site, servers, CLASSES["vendor_class"])
    granting = await granted(relay, lambda packet: packet)
    before = relay.counters()["lost"]
    for _ in range(3):
        await relay.reply(chosen(say.renew(CLIENT, relay.server_id), granting))
    assert relay.counters()["lost"] == before


@pytest.mark.parametrize("names", [True, False], ids=["named", "unnamed"])
async def test_a_class_said_on_another_link(names: bool, site: Site6, servers: Servers) -> None:
    """A lease that the association left on another link says nothing of the one that is renewed."""
    elsewhere = await site.subnet(6)
    await elsewhere.pool(0x100, 0x1FF)
    _, relay = await serve(site, servers, CLASSES["vendor_class"])
    await granted(relay, phone)
    relay.link = elsewhere.link
    moved = await relay.lease(CLIENT)
    renewal = say.renew(CLIENT, relay.server_id).asking(900)
    answer = await relay.reply(chosen(renewal, moved) if names else renewal.ia_na(1))
    assert (leases(answer), first(answer.options, 900)) == (leases(moved), None)


@pytest.mark.parametrize("octets", range(246, 251))
@pytest.mark.parametrize("name", CLASSES)
async def test_a_class_that_is_cut_at_a_piece(name: str, octets: int, site: Site6, servers: Servers) -> None:
    """The row ends before the second piece, within its length, or behind that."""
    _, relay = await serve(site, servers, CLASSES[name])
    first_piece = "IP".ljust(octets, "x")
    granting = await granted(relay, lambda packet: packet.vendor_class(ENTERPRISE, first_piece, "more"))
    answer = await relay.reply(chosen(say.renew(CLIENT, relay.server_id), granting))
    assert leases(answer) == leases(granting)


@pytest.mark.parametrize("bound", [(900, {"hex": "aa"}, "IP"), (17, {"hex": "0000000900010001aa"}, "9")])
async def test_options_of_a_vendor_class(
    bound: tuple[int, dict[str, Any], str], site: Site6, servers: Servers
) -> None:
    """Without any class: options that are bound to a vendor class, or to its enterprise, stay too."""
    code, payload, vendor_class = bound
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x1FF)
    await subnet.delegation_pool("2001:db8:500::/48", 56)
    await subnet.option(code, payload, vendor_class=vendor_class)
    relay = servers.relay(await servers.start(), subnet.link)
    granting = await granted(relay, lambda packet: phone(packet).asking(code))
    answer = await relay.reply(chosen(say.renew(CLIENT, relay.server_id).asking(code), granting))
    assert first(granting.options, code) is not None
    assert first(answer.options, code) == first(granting.options, code)
