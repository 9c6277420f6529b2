"""What a grant notes of the device: for leasequeries, and for people who ask what it is."""

from __future__ import annotations

from typing import Any

from engine.serving import Relay, Servers, mac_of, server_id
from engine.site import Site, Subnet
from oracle import packets as say
from oracle.packets import Packet

MAC = mac_of(1)
DUID = b"\0\3\0\1\2\0\0\0\0\x99"
CLIENT = say.discover(MAC).vendor("MSFT 5.0").asking(1, 3, 121)
DEVICE = ("relay_id", "relay_info", "vendor_class", "parameter_list", "accepts_reconfigure")
PORT = b"\x13\0"  # RFC 8357, which the relay of these tests always says


async def lease(relay: Relay, site: Site, discover: Packet) -> dict[str, Any]:
    """What the row tells of the device after DISCOVER and a REQUEST with the same options."""
    offer = await relay.offer(discover)
    request = say.request_selecting(MAC, offer.yiaddr, server_id(offer))
    for code, value in discover.options[1:]:
        request = request.also(code, value)
    for code, value in discover.suboptions:
        request = request.suboption(code, value)
    await relay.ack(request)
    row = await site.lease(offer.yiaddr)
    return {name: row[name] for name in DEVICE if row[name] is not None}


async def test_a_grant_notes_the_device_and_what_its_relay_said(relay: Relay, site: Site) -> None:
    """RFC 6925 for the relay's id."""
    assert await lease(relay, site, CLIENT.circuit("eth1/3").suboption(12, DUID)) == {
        "relay_id": DUID,
        "relay_info": b"\1\6eth1/3" + b"\x0c\x0a" + DUID + PORT,
        "vendor_class": b"MSFT 5.0",
        "parameter_list": bytes((1, 3, 121)),
    }


async def test_who_says_nothing_of_itself(relay: Relay, site: Site) -> None:
    assert await lease(relay, site, say.discover(MAC).without(55)) == {"relay_info": PORT}


async def test_a_setting_leaves_out_what_the_client_says(
    servers: Servers, subnet: Subnet, site: Site
) -> None:
    relay = servers.relay(await servers.start(lease_device_details=False), subnet.relay)
    assert await lease(relay, site, CLIENT.suboption(12, DUID)) == {
        "relay_id": DUID,
        "relay_info": b"\x0c\x0a" + DUID + PORT,
    }


async def test_octets_that_came_in_pieces_are_kept_up_to_255(relay: Relay, site: Site) -> None:
    """RFC 3396: joined, in a buffer that the next packet uses again."""
    long = say.discover(MAC).also(60, b"a" * 200).also(60, b"b" * 100)
    found = await lease(relay, site, long)
    assert found["vendor_class"] == b"a" * 200 + b"b" * 55


async def test_a_renewal_keeps_what_the_grant_noted(relay: Relay, site: Site, subnet: Subnet) -> None:
    granted = await lease(relay, site, CLIENT)
    (row,) = await site.connection.fetch("select address from lease")
    await relay.ack(say.request_renewing(MAC, row["address"]))
    kept = await site.lease(row["address"])
    assert {name: kept[name] for name in granted} == granted
