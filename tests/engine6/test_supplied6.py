"""Which options relays may supply for clients (RFC 6422): the setting dhcp6_relay_supplied_options."""

from __future__ import annotations

import pytest
from engine6.serving6 import Servers, duid
from engine6.site6 import Site6
from oracle import packets6 as say
from oracle.options6 import RSOO, encode


@pytest.mark.parametrize(
    ("codes", "asked", "given"),
    [
        ((), (65, 23), {}),
        ((65, 23), (65, 23), {65: b"\x03erp\x04test\0", 23: bytes(16)}),
        ((23, 500), (23,), {23: bytes(16)}),
        ((23, 500, 501), (500, 501), {500: b"\1"}),
        ((65535,), (65, 23, 500), {}),
    ],
)
async def test_what_relays_may_supply_is_a_setting(
    codes: tuple[int, ...], asked: tuple[int, ...], given: dict[int, bytes], servers: Servers, site: Site6
) -> None:
    """RFC 6422 section 6; of the plan's options none is supplied, also beyond 255, and 500 once of two."""
    subnet = await site.subnet(7)
    await subnet.pool(0x100, 0x1FF)
    await site.option(501, {"hex": "02"})
    pairs = [(65, b"\x03erp\x04test\0"), (23, bytes(16)), (500, b"\1"), (500, b"\2"), (501, b"\3")]
    supplied = encode(pairs)
    relay = servers.relay(await servers.start(dhcp6_relay_supplied_options=codes), subnet.link)
    offer = await relay.advertise(
        say.solicit(duid(1)).ia_na(1).asking(*asked).through(subnet.link, (RSOO, supplied))
    )
    own = {501: b"\2"} if 501 in asked else {}
    assert [pair for pair in offer.options if pair[0] in dict(pairs)] == list({**own, **given}.items())
