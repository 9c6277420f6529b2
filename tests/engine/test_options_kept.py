"""User class, architecture and other options of a client that it does not repeat; see test_class_kept.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from engine.serving import Relay, Servers, mac_of, server_id
from engine.site import Site, Subnet
from oracle import packets as say
from oracle.packets import Packet

pytestmark = pytest.mark.own_server

MAC, OTHER = mac_of(1), mac_of(2)
TFTP = 150
FILE = {"addresses": ["10.9.9.9"]}
Says = Callable[[Packet], Packet]
KINDS: dict[str, tuple[dict[str, Any], Says]] = {
    "user class": ({"user_class": "lab"}, lambda packet: packet.user_class("lab", "other")),
    "architecture": ({"match": {"option": 93, "in": [7]}}, lambda packet: packet.architecture(7)),
    "any other": ({"match": {"option": 175, "exists": True}}, lambda packet: packet.option(175, b"\1\2")),
}


def plain(packet: Packet) -> Packet:
    return packet


def system(packet: Packet) -> Packet:
    return packet.vendor("system")


def full(packet: Packet) -> Packet:
    return packet.user_class("lab").architecture(7).vendor("some").asking(1, 3)


async def serve(
    site: Site, servers: Servers, fields: dict[str, Any], **settings: Any
) -> tuple[Subnet, Relay]:
    """A pool for the class alone, which has an option; and one for everybody."""
    subnet = await site.subnet()
    no = await site.client_class("chosen", **fields)
    await site.option(TFTP, FILE, class_no=no)
    await subnet.pool(100, 149, class_no=no)
    await subnet.pool(200, 249)
    return subnet, servers.relay(await servers.start(**settings), subnet.relay)


async def granted(relay: Relay, discover: Says, request: Says) -> Any:
    offer = await relay.offer(discover(say.discover(MAC)))
    return (await relay.ack(request(say.request_selecting(MAC, offer.yiaddr, server_id(offer))))).yiaddr


@pytest.mark.parametrize("name", KINDS)
async def test_each_later_message(name: str, site: Site, servers: Servers) -> None:
    """At this server and at one that knows the lease from its row alone."""
    fields, says = KINDS[name]
    subnet, relay = await serve(site, servers, fields)
    address = await granted(relay, says, says)
    assert subnet.address(100) <= address <= subnet.address(149)
    later = servers.relay(await servers.start(), subnet.relay)
    for server in (relay, later):
        for packet in (
            say.request_renewing(MAC, address),
            say.request_rebinding(MAC, address),
            say.request_init_reboot(MAC, address),
            say.inform(MAC, address),
            say.request_renewing(MAC, address).vendor("some"),
        ):
            ack = await server.ack(packet.asking(1, TFTP))
            assert ack.options.get(TFTP) == bytes([10, 9, 9, 9])


@pytest.mark.parametrize("name", KINDS)
async def test_a_request_has_what_its_discover_had(name: str, site: Site, servers: Servers) -> None:
    fields, says = KINDS[name]
    subnet, relay = await serve(site, servers, fields)
    address = await granted(relay, says, plain)
    assert subnet.address(100) <= address <= subnet.address(149)
    assert (await site.lease(address))["client_options"] is not None
    await relay.ack(say.request_renewing(MAC, address))


async def test_a_new_discover_begins_anew(site: Site, servers: Servers) -> None:
    """A machine that boots in stages is another client in each: the later stage says what it is."""
    subnet, relay = await serve(site, servers, {"user_class": "lab"})
    says = KINDS["user class"][1]
    first = await granted(relay, says, says)
    second = await granted(relay, system, plain)
    assert subnet.address(100) <= first <= subnet.address(149) < second


async def test_of_a_grant_that_says_what_it_is_nothing_older_stays(site: Site, servers: Servers) -> None:
    subnet = await site.subnet()
    await subnet.pool(100, 149)
    relay = servers.relay(await servers.start(), subnet.relay)
    says = KINDS["user class"][1]
    address = await granted(relay, says, says)
    kept = (await site.lease(address))["client_options"]
    assert await granted(relay, plain, plain) == address
    assert (await site.lease(address))["client_options"] == kept is not None
    assert await granted(relay, system, system) == address
    assert (await site.lease(address))["client_options"] is None


async def test_a_row_of_another_client_recalls_nothing(site: Site, servers: Servers) -> None:
    subnet, relay = await serve(site, servers, {"user_class": "lab"})
    says = KINDS["user class"][1]
    address = await granted(relay, says, says)
    later = servers.relay(await servers.start(), subnet.relay)
    await later.nak(say.request_renewing(OTHER, address))
    assert (await site.lease(address))["state"] == "a"
    await later.ack(say.request_renewing(MAC, address))


async def test_without_details_what_classes_ask_for_is_stored(site: Site, servers: Servers) -> None:
    """The rest is not."""
    _, relay = await serve(site, servers, {"user_class": "lab"}, lease_device_details=False)
    address = await granted(relay, full, full)
    row = await site.lease(address)
    assert (row["client_options"], row["vendor_class"], row["parameter_list"]) == (
        b"\0\x4d\0\4\3lab",
        None,
        None,
    )
    await relay.ack(say.request_renewing(MAC, address))
