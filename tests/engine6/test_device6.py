"""What a grant notes of the device: for leasequeries (RFC 5007), Reconfigure, and people who ask what it is."""

from __future__ import annotations

from ipaddress import IPv6Address
from typing import Any

import pytest
from engine6.serving6 import Relay, Servers, chosen, duid
from engine6.site6 import Site6, Subnet6
from oracle import packets6 as say
from oracle.message6 import Message, enclose
from oracle.packets6 import Packet

pytestmark = pytest.mark.shared_server

CLIENT = duid(1)
RELAY_ID, RECONFIGURE_ACCEPT = 53, 20
SELF = IPv6Address("::1").packed  # where the relay's datagrams come from
DEVICE = ("relay_id", "relay_info", "vendor_class", "parameter_list", "accepts_reconfigure")


async def lease(relay: Relay, plain: Packet, dress: Any = lambda packet: packet) -> Message:
    """SOLICIT to REPLY, both with what `dress` puts on them."""
    offer = await relay.advertise(dress(plain))
    return await relay.reply(dress(chosen(say.request(CLIENT, relay.server_id), offer)))


async def noted(site: Site6, answer: Message) -> list[dict[str, Any]]:
    """Of each lease of the answer what its row tells of the device."""
    rows = [await site.lease(found.address) for ia in answer.associations for found in ia.leases]
    return [{name: row[name] for name in DEVICE if row[name] is not None} for row in rows]


def relay_data(packet: Packet) -> bytes:
    """RFC 5007 section 4.1.2.4, built from the envelopes: without the client's message."""
    inner, *outer = packet.envelopes
    data = enclose(b"", inner)
    assert data.endswith(b"\0\x09\0\0")
    data = data[:-4]
    for envelope in outer:
        data = enclose(data, envelope)
    return SELF + data


async def test_each_lease_of_a_message_notes_the_device(relay: Relay, subnet: Subnet6, site: Site6) -> None:
    def dress(packet: Packet) -> Packet:
        client = packet.vendor_class(343, "HTTPClient:Arch:00016").asking(23, 24, 300)
        near = client.option(RECONFIGURE_ACCEPT).through(subnet.link).at_interface("port1")
        return near.through("::").relay_option(RELAY_ID, duid(9))

    answer = await lease(relay, say.solicit(CLIENT).ia_na(1).ia_pd(2), dress)
    address, prefix = await noted(site, answer)
    assert (
        address
        == prefix
        == {
            "relay_id": duid(9),
            "relay_info": relay_data(dress(say.solicit(CLIENT))),
            "vendor_class": b"\0\0\1\x57\0\x15HTTPClient:Arch:00016",
            "parameter_list": bytes((0, 23, 0, 24, 1, 44)),
            "accepts_reconfigure": True,
        }
    )


async def test_the_nearest_relay_that_has_an_id_counts(relay: Relay, subnet: Subnet6, site: Site6) -> None:
    def dress(packet: Packet) -> Packet:
        near = packet.through("::").through(subnet.link).relay_option(RELAY_ID, duid(8))
        return near.through("::").relay_option(RELAY_ID, duid(9))

    (found,) = await noted(site, await lease(relay, say.solicit(CLIENT).ia_na(1), dress))
    assert found["relay_id"] == duid(8)
    assert found["accepts_reconfigure"] is False


@pytest.mark.own_server  # beside the file's, each would leave some clients to the other
async def test_a_setting_leaves_out_what_the_client_says(
    servers: Servers, subnet: Subnet6, site: Site6
) -> None:
    relay = servers.relay(await servers.start(lease_device_details=False), subnet.link)

    def dress(packet: Packet) -> Packet:
        return packet.vendor_class(343, "x").asking(23).option(RECONFIGURE_ACCEPT).through(subnet.link)

    (found,) = await noted(site, await lease(relay, say.solicit(CLIENT).ia_na(1), dress))
    assert found == {"relay_info": relay_data(dress(say.solicit(CLIENT))), "accepts_reconfigure": True}


@pytest.mark.parametrize(("octets", "kept"), [(457, True), (458, True), (459, False)])
async def test_what_relays_say_is_kept_whole_or_not_at_all(
    octets: int, kept: bool, relay: Relay, subnet: Subnet6, site: Site6
) -> None:
    """Of 512 octets an address, a header and the option's own take 54."""

    def dress(packet: Packet) -> Packet:
        return packet.through(subnet.link).relay_option(37, bytes(octets))

    (found,) = await noted(site, await lease(relay, say.solicit(CLIENT).ia_na(1), dress))
    assert found.get("relay_info") == (relay_data(dress(say.solicit(CLIENT))) if kept else None)


async def test_long_options_are_cut(relay: Relay, site: Site6) -> None:
    def dress(packet: Packet) -> Packet:
        return packet.vendor_class(343, "v" * 400).asking(*range(23, 223))

    (found,) = await noted(site, await lease(relay, say.solicit(CLIENT).ia_na(1), dress))
    assert found["vendor_class"] == b"\0\0\1\x57\1\x90" + b"v" * 249
    assert found["parameter_list"] == b"".join(bytes((0, code)) for code in range(23, 150))


async def test_a_renewal_keeps_what_the_grant_noted(relay: Relay, site: Site6) -> None:
    answer = await lease(relay, say.solicit(CLIENT).ia_na(1), lambda packet: packet.vendor_class(343, "x"))
    before = await noted(site, answer)
    await relay.reply(chosen(say.renew(CLIENT, relay.server_id), answer))
    assert await noted(site, answer) == before
    assert before[0]["vendor_class"]
