"""Conditions of client classes against real packets: who is of a class is denied, so silence says that it holds."""

from __future__ import annotations

from typing import Any

import pytest
from engine.serving import Servers, drops, mac_of
from engine.site import Site
from oracle import packets as say
from oracle.packets import Packet

pytestmark = pytest.mark.shared_server

MAC = mac_of(1)
PLAIN = say.discover(MAC)
DUID = b"\0\3\0\1\2\0\0\0\0\1"
VENDOR_BLOCK = b"\0\0\x0d\xe9\x05\x01\x03abc" + b"\0\0\0\x09\x02\x07\0"

CASES: list[tuple[str, dict[str, Any], Packet, Packet]] = [
    ("number", {"option": 93, "in": [7, 9]}, PLAIN.option(93, b"\0\x09"), PLAIN.option(93, b"\0\x06")),
    ("text", {"option": 60, "equals": "docsis"}, PLAIN.vendor("docsis"), PLAIN.vendor("docsis3")),
    ("prefix", {"option": 60, "prefix": "PXE"}, PLAIN.vendor("PXEClient"), PLAIN.vendor("xPXE")),
    ("contains", {"option": 60, "contains": "Arch"}, PLAIN.vendor("PXE:Arch:7"), PLAIN.vendor("Arc")),
    ("hex", {"option": 43, "equals": "0x0102"}, PLAIN.option(43, b"\1\2"), PLAIN.option(43, b"\1\3")),
    ("exists", {"option": 77, "exists": True}, PLAIN.user_class("x"), PLAIN),
    ("does not exist", {"option": 77, "exists": False}, PLAIN, PLAIN.user_class("x")),
    (
        "a part",
        {"option": 60, "offset": 2, "length": 2, "equals": "cd"},
        PLAIN.vendor("abcde"),
        PLAIN.vendor("abc"),
    ),
    ("relay", {"relay": True, "option": 1, "prefix": "ge-"}, PLAIN.circuit("ge-1"), PLAIN.circuit("xe-1")),
    (
        "suboption",
        {"option": 43, "suboption": 6, "equals": 8},
        PLAIN.option(43, b"\1\1\0\6\1\x08"),
        PLAIN.option(43, b"\6\2\0\1"),
    ),
    (
        "vendor and suboption",
        {"option": 125, "vendor": 3561, "suboption": 1, "equals": "abc"},
        PLAIN.option(125, VENDOR_BLOCK),
        PLAIN.option(125, VENDOR_BLOCK.replace(b"\x0d\xe9", b"\x0d\xea")),
    ),
    ("giaddr", {}, PLAIN, PLAIN),
    ("hw_type", {"field": "hw_type", "equals": 1}, PLAIN, PLAIN),
    (
        "client_id",
        {"field": "client_id", "prefix": "ff"},
        PLAIN.client_id(b"\xff\0\0\0\1" + DUID),
        PLAIN.client_id(b"\0x"),
    ),
    (
        "duid",
        {"field": "duid", "prefix": DUID.hex(":")},
        PLAIN.client_id(b"\xff\0\0\0\1" + DUID),
        PLAIN.client_id(b"\xfe\0\0\0\1" + DUID),
    ),
    (
        "all, any, not",
        {
            "all": [
                {"any": [{"option": 60, "equals": "a"}, {"option": 60, "equals": "b"}]},
                {"not": {"option": 77, "exists": True}},
            ]
        },
        PLAIN.vendor("b"),
        PLAIN.vendor("b").user_class("x"),
    ),
]


@pytest.mark.parametrize(("why", "tree", "inside", "outside"), CASES, ids=[case[0] for case in CASES])
async def test_a_condition(
    why: str, tree: dict[str, Any], inside: Packet, outside: Packet, site: Site, servers: Servers
) -> None:
    near, far = await site.subnet(5), await site.subnet(6)
    for subnet in (near, far):
        await subnet.pool(100, 199)
    if why == "giaddr":
        tree = {"field": "giaddr", "in": ["192.0.2.1", str(near.relay)]}
    await site.client_class("denied", match=tree, deny=True)
    server = await servers.start()
    relay, other = servers.relay(server, near.relay), servers.relay(server, far.relay)
    before = drops(server, "denied_class")
    await relay.unanswered(inside)
    assert drops(server, "denied_class") == before + 1
    if why == "giaddr":
        await other.offer(PLAIN)
    elif why != "hw_type":
        await relay.offer(outside)


async def test_a_class_of_another_class(site: Site, servers: Servers) -> None:
    subnet = await site.subnet(5)
    await subnet.pool(100, 199)
    await site.client_class("phones", priority=1, vendor_class="phone")
    told = {"all": [{"class": "phones"}, {"option": 77, "exists": True}]}
    await site.client_class("odd phones", priority=2, match=told, deny=True)
    relay = servers.relay(await servers.start(), subnet.relay)
    await relay.unanswered(PLAIN.vendor("phone").user_class("x"))
    await relay.offer(PLAIN.vendor("phone"))
    await relay.offer(PLAIN.vendor("fax").user_class("x"))


async def test_a_class_that_is_tried_later_never_holds(site: Site, servers: Servers) -> None:
    subnet = await site.subnet(5)
    await subnet.pool(100, 199)
    await site.client_class("first", priority=1, match={"class": "second"}, deny=True)
    await site.client_class("second", priority=2, vendor_class="phone")
    relay = servers.relay(await servers.start(), subnet.relay)
    await relay.offer(PLAIN.vendor("phone"))


async def test_known_clients_have_a_reservation(site: Site, servers: Servers) -> None:
    subnet = await site.subnet(5)
    await subnet.pool(100, 199)
    await subnet.reserve(20, mac=MAC)
    await site.client_class("strangers", known=False, deny=True)
    relay = servers.relay(await servers.start(), subnet.relay)
    assert (await relay.offer(PLAIN)).yiaddr == subnet.address(20)
    await relay.unanswered(say.discover(mac_of(2)))


async def test_a_tree_of_a_later_version_matches_nobody(site: Site, servers: Servers) -> None:
    subnet = await site.subnet(5)
    await subnet.pool(100, 199)
    await site.client_class("later", match={"option": 60, "resembles": "x"}, deny=True)
    relay = servers.relay(await servers.start(), subnet.relay)
    await relay.offer(PLAIN.vendor("x"))


async def test_a_reservation_gives_its_client_a_class(site: Site, servers: Servers) -> None:
    """Whatever the class asks for: here it has the option, and who asks for it alone does not."""
    subnet = await site.subnet(5)
    await subnet.pool(100, 199)
    given = await site.client_class("kiosks", vendor_class="kiosk")
    await subnet.reserve(20, mac=MAC, class_no=given)
    await subnet.reserve(21, mac=mac_of(2))
    await site.option(6, {"addresses": ["192.0.2.53"]}, class_no=given)
    relay = servers.relay(await servers.start(), subnet.relay)
    assert 6 in (await relay.offer(PLAIN.asking(6))).options
    assert 6 not in (await relay.offer(say.discover(mac_of(2)).asking(6))).options
    assert 6 in (await relay.offer(say.discover(mac_of(3)).vendor("kiosk").asking(6))).options
