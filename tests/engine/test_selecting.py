"""A client that selects this server and leaves out which address it means, against RFC 2131 table 5."""

from __future__ import annotations

from ipaddress import IPv4Address

import pytest
from engine.serving import Relay, cached, drops, mac_of, server_id
from engine.site import Site, until
from oracle import packets as say
from oracle.packets import Packet

from dhcp_fast.server.serving import Serving

MAC, OTHER = mac_of(1), mac_of(2)


def selecting(mac: str, server: IPv4Address) -> Packet:
    return say.request_selecting(mac, "0.0.0.0", server).without(50)


async def test_the_open_offer_is_meant(relay: Relay) -> None:
    offer = await relay.offer(say.discover(MAC))
    assert (await relay.ack(selecting(MAC, server_id(offer)))).yiaddr == offer.yiaddr


@pytest.mark.parametrize("times", [1, 3])
async def test_whoever_asks_again_means_its_lease(times: int, relay: Relay) -> None:
    """The first answer was lost, and the offer ended with it."""
    offer = await relay.offer(say.discover(MAC))
    for _ in range(times):
        assert (await relay.ack(selecting(MAC, server_id(offer)))).yiaddr == offer.yiaddr


async def test_a_stranger_hears_nothing(relay: Relay, server: Serving) -> None:
    lease = await relay.lease(OTHER)
    before = drops(server, "no_address_asked")
    await relay.unanswered(selecting(MAC, server_id(lease)))
    assert drops(server, "no_address_asked") == before + 1


async def test_a_lease_that_ended_is_not_meant(relay: Relay, server: Serving, site: Site) -> None:
    lease = await relay.lease(MAC)
    relay.send(say.release(MAC, lease.yiaddr, server_id(lease)))
    await until("released", lambda: released(server, site, lease.yiaddr))
    before = drops(server, "no_address_asked")
    await relay.unanswered(selecting(MAC, server_id(lease)))
    assert drops(server, "no_address_asked") == before + 1


def released(server: Serving, site: Site, address: IPv4Address) -> bool:
    known = cached(server, site.tenant_no, address)
    return known is not None and known["state"] == "r"
