"""User class, architecture and further vendor classes that a message leaves out; see engine/test_options_kept.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from engine6.serving6 import Relay, Servers, chosen, duid, leases
from engine6.site6 import Site6
from oracle import packets6 as say
from oracle.message6 import Message
from oracle.options6 import first
from oracle.packets6 import Packet

pytestmark = pytest.mark.own_server

CLIENT = duid(1)
Says = Callable[[Packet], Packet]


def both_vendors(packet: Packet) -> Packet:
    return packet.vendor_class(9, "phone").option(16, b"\0\0\1\x57\0\3lab")


KINDS: dict[str, tuple[dict[str, Any], Says]] = {
    "user class": ({"user_class": "lab"}, lambda packet: packet.user_class("other", "lab")),
    "architecture": (
        {"match": {"option": 61, "family": 6, "in": [16]}},
        lambda packet: packet.architecture(16),
    ),
    "second vendor class": ({"vendor_class": "lab"}, both_vendors),
}


def plain(packet: Packet) -> Packet:
    return packet


async def serve(site: Site6, servers: Servers, fields: dict[str, Any]) -> tuple[Any, Relay]:
    subnet = await site.subnet(5)
    no = await site.client_class("chosen", **fields)
    await site.option(900, {"hex": "aa"}, class_no=no)
    await subnet.pool(0x100, 0x1FF, class_no=no)
    return subnet, servers.relay(await servers.start(), subnet.link)


async def granted(relay: Relay, solicit: Says, request: Says) -> Message:
    offer = await relay.advertise(solicit(say.solicit(CLIENT).ia_na(1)))
    return await relay.reply(request(chosen(say.request(CLIENT, relay.server_id), offer)))


@pytest.mark.parametrize("name", KINDS)
async def test_each_later_message(name: str, site: Site6, servers: Servers) -> None:
    """At this server and at one that knows the lease from its row alone."""
    fields, says = KINDS[name]
    subnet, relay = await serve(site, servers, fields)
    granting = await granted(relay, says, says)
    later = servers.relay(await servers.start(), subnet.link)
    for server in (relay, later):
        for packet in (
            say.renew(CLIENT, relay.server_id),
            say.rebind(CLIENT),
            say.request(CLIENT, relay.server_id),
        ):
            answer = await server.reply(chosen(packet.asking(900).without(8), granting))
            assert leases(answer) == leases(granting)
            assert first(answer.options, 900) == b"\xaa"
        confirmed = await server.reply(chosen(say.confirm(CLIENT).asking(900).without(8), granting))
        assert first(confirmed.options, 900) == b"\xaa"


@pytest.mark.parametrize("name", KINDS)
async def test_a_request_has_what_its_solicit_had(name: str, site: Site6, servers: Servers) -> None:
    fields, says = KINDS[name]
    _, relay = await serve(site, servers, fields)
    granting = await granted(relay, says, plain)
    (address,) = leases(granting)
    row = await site.lease(address)
    assert (row["client_options"] or row["vendor_class"]) is not None
    answer = await relay.reply(chosen(say.renew(CLIENT, relay.server_id), granting))
    assert leases(answer) == [address]


async def test_what_is_kept_leaves_the_mac_of_the_clients_address(relay: Relay, site: Site6) -> None:
    """Relays' options and the client's lie behind it in memory."""
    client = b"\0\4" + bytes(range(16))  # a DUID without MAC
    answer = await relay.lease(client, say.solicit(client).ia_na(1).user_class("lab"))
    row = await site.lease(answer.associations[0].leases[0].address)
    assert row["hw_address"] == bytes.fromhex("000000000001")  # of PEER
