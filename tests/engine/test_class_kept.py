"""A renewal that leaves options out keeps what the grant said (RFC 2131 table 5: MAY in each message).

No option says nothing: the vendor class of the grant stays until another comes, the client changes or the lease ends.
"""

from __future__ import annotations

from typing import Any

import pytest
from engine.serving import Relay, Servers, mac_of, octets, server_id
from engine.site import Site, Subnet
from oracle import packets as say
from oracle.packets import Packet

pytestmark = pytest.mark.own_server

MAC = mac_of(1)
PHONE = "Cisco Systems, Inc. IP Phone"
CLASSES: dict[str, dict[str, Any]] = {
    "vendor_class": {"vendor_class": "Cisco"},
    "condition": {"match": {"option": 60, "prefix": "Cisco"}},
}
TFTP = 150


async def serve(site: Site, servers: Servers, fields: dict[str, Any]) -> tuple[Subnet, Relay]:
    """A pool for phones alone, whose class has an option; and one for everybody."""
    subnet = await site.subnet()
    no = await site.client_class("phones", **fields)
    await site.option(TFTP, {"addresses": ["10.9.9.9"]}, class_no=no)
    await subnet.pool(100, 149, class_no=no)
    await subnet.pool(200, 249)
    return subnet, servers.relay(await servers.start(), subnet.relay)


async def granted(relay: Relay, packet: Packet) -> Any:
    offer = await relay.offer(packet)
    request = say.request_selecting(MAC, offer.yiaddr, server_id(offer))
    vendor = dict(packet.options).get(60)
    return (await relay.ack(request if vendor is None else request.vendor(vendor))).yiaddr


@pytest.mark.parametrize("kind", ["renewing", "rebinding"])
@pytest.mark.parametrize("name", CLASSES)
async def test_a_phone_keeps_its_class(name: str, kind: str, site: Site, servers: Servers) -> None:
    """At each renewal, with the options of its class; also at a server that knows the lease from its row alone."""
    subnet, relay = await serve(site, servers, CLASSES[name])
    address = await granted(relay, say.discover(MAC).vendor(PHONE))
    assert subnet.address(100) <= address <= subnet.address(149)
    later = servers.relay(await servers.start(), subnet.relay)
    for server in (relay, relay, later, later, relay):
        renewal = getattr(say, f"request_{kind}")(MAC, address).asking(1, TFTP)
        ack = await server.ack(renewal)
        assert (ack.yiaddr, ack.options.get(TFTP)) == (address, bytes([10, 9, 9, 9]))
    assert (await site.lease(address))["vendor_class"] == PHONE.encode()


async def test_another_value_counts(site: Site, servers: Servers) -> None:
    """A client that says another vendor class is not of the class any more."""
    _, relay = await serve(site, servers, CLASSES["vendor_class"])
    address = await granted(relay, say.discover(MAC).vendor(PHONE))
    await relay.nak(say.request_renewing(MAC, address).vendor("udhcp 1.36"))


async def test_a_client_that_never_said_one(site: Site, servers: Servers) -> None:
    """It is asked nothing: its renewals are one write each."""
    _, relay = await serve(site, servers, CLASSES["vendor_class"])
    address = await granted(relay, say.discover(MAC))
    before = relay.counters()["lost"]
    for _ in range(3):
        await relay.ack(say.request_renewing(MAC, address))
    assert relay.counters()["lost"] == before
    assert (await site.lease(address))["vendor_class"] is None


@pytest.mark.parametrize(("client_id", "kept"), [(b"\1" + octets(MAC), True), (b"\0other", False)])
async def test_a_grant_without_one(client_id: bytes, kept: bool, site: Site, servers: Servers) -> None:
    """Of the same client it keeps vendor class and parameter list; of another client id on its MAC it does not."""
    subnet = await site.subnet()
    await subnet.pool(100, 149)
    relay = servers.relay(await servers.start(), subnet.relay)
    told = say.discover(MAC).client_id(b"\1" + octets(MAC))
    offer = await relay.offer(told)
    request = say.request_selecting(MAC, offer.yiaddr, server_id(offer)).client_id(b"\1" + octets(MAC))
    await relay.ack(request.vendor(PHONE).asking(1, 3, 6))
    again = say.request_selecting(MAC, offer.yiaddr, server_id(offer)).client_id(client_id)
    await relay.ack(again)
    row = await site.lease(offer.yiaddr)
    assert (row["vendor_class"], row["parameter_list"]) == (
        (PHONE.encode(), bytes([1, 3, 6])) if kept else (None, None)
    )


async def test_options_of_a_vendor_class(site: Site, servers: Servers) -> None:
    """Without any class: options that are bound to a vendor class stay too."""
    subnet = await site.subnet()
    await subnet.pool(100, 149)
    await subnet.option(TFTP, {"addresses": ["10.9.9.9"]}, vendor_class="Cisco")
    relay = servers.relay(await servers.start(), subnet.relay)
    address = await granted(relay, say.discover(MAC).vendor(PHONE))
    ack = await relay.ack(say.request_renewing(MAC, address).asking(1, TFTP))
    assert ack.options.get(TFTP) == bytes([10, 9, 9, 9])
