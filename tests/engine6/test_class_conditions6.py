"""Conditions of client classes against DHCPv6 messages; see engine/test_class_conditions.py."""

from __future__ import annotations

from typing import Any

import pytest
from engine6.serving6 import Servers, duid
from engine6.site6 import Site6
from oracle import packets6 as say
from oracle.packets6 import Packet

CLIENT = duid(1)
PLAIN = say.solicit(CLIENT).ia_na(1)
LINK = "2001:db8:5::1"
CM = (3561, (1, b"abc"), (7, b""))

CASES: list[tuple[str, dict[str, Any], Packet, Packet | None]] = [
    (
        "number",
        {"option": 61, "family": 6, "equals": 16},
        PLAIN.option(61, b"\0\x10"),
        PLAIN.option(61, b"\0\7"),
    ),
    ("DHCPv4's of that code", {"not": {"option": 61, "equals": 16}}, PLAIN.option(61, b"\0\x10"), None),
    (
        "contains",
        {"option": 16, "family": 6, "contains": "HTTPClient"},
        PLAIN.vendor_class(343, "HTTPClient:Arch:00016"),
        PLAIN.vendor_class(343, "PXEClient"),
    ),
    (
        "vendor and suboption",
        {"option": 17, "family": 6, "vendor": 3561, "suboption": 1, "equals": "abc"},
        PLAIN.vendor_options(*CM),
        PLAIN.vendor_options(9, *CM[1:]),
    ),
    (
        "relay",
        {"option": 18, "family": 6, "relay": True, "prefix": "ge-"},
        PLAIN.through(LINK).at_interface("ge-1").through("::"),
        PLAIN.through(LINK).at_interface("xe-1").through("::"),
    ),
    (
        "an outer relay",
        {"option": 37, "family": 6, "relay": True, "offset": 4, "equals": "line1"},
        PLAIN.through("::").through(LINK).relay_option(37, b"\0\0\x0d\xe9line1").through("::"),
        PLAIN.through("::").through(LINK).relay_option(38, b"\0\0\x0d\xe9line1"),
    ),
    (
        "the nearest relay that has it",
        {"option": 38, "family": 6, "relay": True, "equals": "smith"},
        PLAIN.through("::").relay_option(38, b"smith").through(LINK).relay_option(38, b"jones"),
        PLAIN.through("::").relay_option(38, b"jones").through(LINK).relay_option(38, b"smith"),
    ),
    (
        "link behind a switch",
        {"field": "giaddr", "equals": LINK},
        PLAIN.through("::").through(LINK),
        PLAIN.through("::").through("2001:db8:5::2"),
    ),
    ("link", {"field": "giaddr", "equals": LINK}, PLAIN, PLAIN.through("2001:db8:5::2")),
    ("duid", {"field": "duid", "equals": CLIENT.hex(":")}, PLAIN, say.solicit(duid(2)).ia_na(1)),
    (
        "hw_type",
        {"field": "hw_type", "equals": 1},
        PLAIN,
        say.solicit(b"\0\xff1234").ia_na(1).through(LINK, peer="fe80::7"),
    ),
    ("code above 255", {"option": 500, "family": 6, "exists": True}, PLAIN.option(500, b"x"), PLAIN),
]


@pytest.mark.parametrize(("why", "tree", "inside", "outside"), CASES, ids=[case[0] for case in CASES])
async def test_a_condition(
    why: str, tree: dict[str, Any], inside: Packet, outside: Packet | None, site: Site6, servers: Servers
) -> None:
    await (await site.subnet(5)).pool(0x100, 0x1FF)
    await site.client_class("denied", match=tree, deny=True)
    server = await servers.start()
    relay = servers.relay(server, LINK)
    await relay.unanswered(inside)
    assert server.counters()["drops"] == {"denied_class": 1}
    if outside is not None:
        await relay.advertise(outside)


async def test_known_clients_have_a_reservation(site: Site6, servers: Servers) -> None:
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x1FF)
    await subnet.reserve(0x20, duid=CLIENT)
    await site.client_class("strangers", known=False, deny=True)
    relay = servers.relay(await servers.start(), subnet.link)
    await relay.advertise(PLAIN)
    await relay.unanswered(say.solicit(duid(2)).ia_na(1))


async def test_a_reservation_gives_its_client_a_class(site: Site6, servers: Servers) -> None:
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x1FF)
    denied = await site.client_class("denied", user_class="nobody", deny=True)
    await subnet.reserve(0x20, duid=CLIENT, class_no=denied)
    await subnet.reserve(0x21, duid=duid(2))
    relay = servers.relay(await servers.start(), subnet.link)
    await relay.unanswered(PLAIN)
    await relay.advertise(say.solicit(duid(2)).ia_na(1))


async def test_any_vendor_class_counts(site: Site6, servers: Servers) -> None:
    """RFC 8415 section 21.16: one an enterprise."""
    await (await site.subnet(5)).pool(0x100, 0x1FF)
    await site.client_class("denied", vendor_class="docsis", deny=True)
    server = await servers.start()
    relay = servers.relay(server, LINK)
    await relay.unanswered(PLAIN.vendor_class(343, "PXEClient").vendor_class(4491, "x", "docsis3.0"))
    await relay.advertise(PLAIN.vendor_class(343, "PXEClient").vendor_class(4491, "x"))
