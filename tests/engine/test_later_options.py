"""Options that came after RFC 2132, stored as operators store them and read from the wire as their RFCs say."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from typing import Any

import pytest
from engine.serving import Relay, Servers, mac_of, octets
from engine.site import Site, Subnet
from oracle import packets as say
from oracle.options4 import number, routes, search_list
from oracle.packets import Packet

pytestmark = pytest.mark.shared_server

MAC = mac_of(1)
LARGE = 1500


async def serve(site: Site, servers: Servers, *options: tuple[int, dict[str, Any]]) -> Relay:
    subnet = await plain(site)
    for code, payload in options:
        await subnet.option(code, payload)
    return servers.relay(await servers.start(), subnet.relay)


async def plain(site: Site) -> Subnet:
    subnet = await site.subnet(5)
    await subnet.pool(100, 199)
    return subnet


def dnr(priority: int, name: bytes, *addresses: str, parameters: bytes = b"") -> bytes:
    """RFC 9463 5.1: one instance behind its length."""
    packed = b"".join(IPv4Address(address).packed for address in addresses)
    data = priority.to_bytes(2) + bytes([len(name)]) + name + bytes([len(packed)]) + packed + parameters
    return len(data).to_bytes(2) + data


RESOLVERS = dnr(1, b"\x03dot\x04test\x00", "10.5.0.2", "10.5.0.3", parameters=b"\0\1\0\4\3dot") + dnr(
    2, b"\x01x\x00"
)

WIRE: list[tuple[str, int, dict[str, Any], bytes]] = [
    ("RFC 8925 3.1: IPv6-only preferred", 108, {"value": 1800}, b"\0\0\x07\x08"),
    ("RFC 8910 2.1: captive portal", 114, {"string": "https://portal.test/api"}, b"https://portal.test/api"),
    ("RFC 5859: TFTP servers", 150, {"addresses": ["10.5.0.7", "10.5.0.8"]}, b"\x0a\5\0\7\x0a\5\0\x08"),
    ("RFC 9463 5.1: encrypted resolvers", 162, {"hex": RESOLVERS.hex()}, RESOLVERS),
    ("RFC 3925 3: vendor class", 124, {"hex": "00000de90401020304"}, bytes.fromhex("00000de90401020304")),
    (
        "RFC 3925 4: vendor-specific, two vendors",
        125,
        {
            "suboptions": [
                {"enterprise": 3561, "code": 1, "hex": "aa"},
                {"enterprise": 3561, "code": 2, "string": "b"},
                {"enterprise": 9, "code": 7, "addresses": ["10.5.0.1"]},
            ]
        },
        bytes.fromhex("00000de9060101aa020162000000090607040a050001"),
    ),
    (
        "RFC 3442: classless routes",
        121,
        {
            "routes": [
                {"destination": "0.0.0.0/0", "router": "10.5.0.1"},
                {"destination": "10.16.0.0/15", "router": "10.5.0.9"},
            ]
        },
        bytes.fromhex("000a0500010f0a100a050009"),
    ),
    ("RFC 2132 8.4: vendor options", 43, {"suboptions": [{"code": 1, "hex": "ff"}]}, b"\1\1\xff"),
    ("any code in hex", 224, {"hex": "00ff10"}, b"\0\xff\x10"),
]


@pytest.mark.parametrize(("why", "code", "payload", "data"), WIRE, ids=[row[0] for row in WIRE])
async def test_what_is_stored_is_what_is_sent(
    why: str, code: int, payload: dict[str, Any], data: bytes, site: Site, servers: Servers
) -> None:
    """When it is asked for, and not otherwise."""
    relay = await serve(site, servers, (code, payload))
    assert (await relay.offer(say.discover(MAC).asking(1, code))).options[code] == data
    assert code not in (await relay.offer(say.discover(mac_of(2)).asking(1, 3))).options
    assert code not in (await relay.offer(say.discover(mac_of(3)))).options


async def test_ipv6_only_is_never_sent_unasked(site: Site, servers: Servers) -> None:
    """RFC 8925 3.3: not to a client whose list does not have it, though it is stored with always_send."""
    subnet = await plain(site)
    await subnet.option(108, {"value": 1800}, always_send=True)
    await subnet.option(114, {"string": "https://portal.test/api"}, always_send=True)
    relay = servers.relay(await servers.start(), subnet.relay)
    unasked = await relay.offer(say.discover(MAC).asking(1, 3))
    assert 108 not in unasked.options
    assert 114 in unasked.options
    assert number((await relay.offer(say.discover(MAC).asking(108))).options[108]) == 1800


ROUTES = {"routes": [{"destination": "10.9.0.0/16", "router": "10.5.0.254"}]}


@pytest.mark.parametrize("asks", [(121, 3), (3, 121), (1, 249, 3, 121), (1, 3)])
async def test_classless_routes_beside_the_router(
    asks: tuple[int, ...], site: Site, servers: Servers
) -> None:
    """RFC 3442: who asks for both gets both, in the order of asking, and ignores the router itself; Microsoft's 249 has
    the same data under its own number."""
    relay = await serve(site, servers, (121, ROUTES), (249, ROUTES))
    offer = await relay.offer(say.discover(MAC).asking(*asks))
    assert [code for code in offer.options if code in (3, 121, 249)] == [code for code in asks if code != 1]
    for code in {121, 249} & set(asks):
        assert routes(offer.options[code]) == [(IPv4Network("10.9.0.0/16"), IPv4Address("10.5.0.254"))]


async def test_a_long_search_list(site: Site, servers: Servers) -> None:
    """RFC 3397 2: compressed against the start of the joined option; RFC 3396: cut in pieces of 255 octets."""
    names = [f"{'x' * 40}{number}.corp.example.test" for number in range(12)]
    relay = await serve(site, servers, (119, {"names": names}))
    offer = await relay.offer(say.discover(MAC).asking(119).max_size(LARGE))
    assert search_list(offer.options[119]) == names
    assert 255 < len(offer.options[119]) < sum(len(name) + 2 for name in names) - 11 * 15
    assert next(len(piece) for code, piece in offer.in_options if code == 119) == 255


# --- vendors


def vendor_class(*enterprises: int) -> bytes:
    """RFC 3925 3: a block an enterprise."""
    return b"".join(number.to_bytes(4) + b"\x03cpe" for number in enterprises)


VENDORS: list[tuple[str, Packet, str | None]] = [
    ("names the enterprise in 124", say.discover(MAC).option(124, vendor_class(3561)), "3561"),
    ("names it beside another", say.discover(MAC).option(124, vendor_class(9999, 4491)), "4491"),
    ("names it in 125", say.discover(MAC).option(125, b"\0\0\x0d\xe9\x03\1\1x"), "3561"),
    ("names another", say.discover(MAC).option(124, vendor_class(9999)), None),
    ("names none", say.discover(MAC), None),
    ("says the number in option 60", say.discover(MAC).vendor("3561"), None),
    ("is cut off within a block", say.discover(MAC).option(124, b"\0\0\x0d"), None),
    ("has a block that leads outside", say.discover(MAC).option(124, b"\0\0\0\1\xff"), None),
]


@pytest.mark.parametrize(("why", "client", "chosen"), VENDORS, ids=[row[0] for row in VENDORS])
@pytest.mark.parametrize("code", [124, 125])
async def test_options_of_an_enterprise(
    code: int, why: str, client: Packet, chosen: str | None, site: Site, servers: Servers
) -> None:
    """RFC 3925 4: rows of 124 and 125 whose vendor_class is an enterprise number are for clients that name it; the row
    without one is everybody's."""
    subnet = await plain(site)
    data = {None: "000000010101", "3561": "00000de90102", "4491": "0000118b0103"}
    for vendor, value in data.items():
        await subnet.option(code, {"hex": value}, vendor_class=vendor)
    relay = servers.relay(await servers.start(), subnet.relay)
    offer = await relay.offer(client.asking(code))
    assert offer.options[code] == bytes.fromhex(data[chosen])


async def test_vendor_options_take_the_longest_class(site: Site, servers: Servers) -> None:
    """Option 43 by vendor class: the longest that the client's begins with; two of one scope, and one of a nearer."""
    subnet = await plain(site)
    await subnet.option(43, {"hex": "0101aa"}, vendor_class="phone")
    await subnet.option(43, {"hex": "0101bb"}, vendor_class="phone 7")
    special = await subnet.reserve(42, mac=mac_of(2))
    await site.option(43, {"hex": "0101cc"}, reservation_no=special, vendor_class="phone")
    relay = servers.relay(await servers.start(), subnet.relay)
    assert (await relay.offer(say.discover(MAC).vendor("phone 5").asking(43))).options[43][2] == 0xAA
    assert (await relay.offer(say.discover(MAC).vendor("phone 7 b").asking(43))).options[43][2] == 0xBB
    assert (await relay.offer(say.discover(mac_of(2)).vendor("phone 7").asking(43))).options[43][2] == 0xCC
    assert (await relay.offer(say.discover(mac_of(2)).vendor("laptop").asking(43))).options.get(43) is None


# --- reading


async def test_options_in_file_and_sname_are_read(site: Site, servers: Servers) -> None:
    """RFC 2132 9.3, RFC 3396 5: overload; an option cut in pieces over the three fields is one option."""
    subnet = await plain(site)
    await subnet.reserve(42, client_id=b"\0printer")
    relay = servers.relay(await servers.start(), subnet.relay)
    halves = b"\x3d\x04\x00pri", b"\x3d\x04nter"
    packet = say.discover(MAC).option(52, b"\x03")
    packet = packet.field(file=halves[0] + b"\xff", sname=halves[1] + b"\xff")
    offer = await relay.offer(packet)
    assert offer.yiaddr == subnet.address(42)
    assert offer.options[61] == b"\0printer"


async def test_a_reply_that_is_too_small_for_all(site: Site, servers: Servers) -> None:
    """RFC 2132 9.10: what stands first in the client's list is kept; the protocol's own options always are."""
    relay = await serve(
        site,
        servers,
        (119, {"names": ["a" * 60 + ".test"]}),
        (224, {"hex": "01" * 150}),
        (225, {"hex": "02" * 130}),
    )
    for asks, kept in (((119, 224, 225), {119, 224}), ((225, 119, 224), {225, 119})):
        offer = await relay.offer(
            say.discover(MAC).asking(*asks).client_id(b"\1" + octets(MAC)).circuit("c" * 20)
        )
        assert set(offer.options) & {119, 224, 225} == kept
        assert {51, 53, 54, 58, 59, 61, 82} <= set(offer.options)


@pytest.mark.parametrize("always", [False, True])
@pytest.mark.parametrize(
    ("code", "payload", "requested", "sent"),
    [
        (108, {"value": 300}, True, False),
        (159, {"hex": "01020304"}, True, False),
        (116, {"value": 1}, False, True),
        (145, {"values": [1]}, False, True),
    ],
)
async def test_options_that_only_answer(
    code: int,
    payload: dict[str, Any],
    requested: bool,
    sent: bool,
    always: bool,
    site: Site,
    servers: Servers,
) -> None:
    """RFC 8925 3.3, RFC 7618: to a client that requests it; RFC 2563, RFC 6704: to one that sent it. always_send does
    not change that."""
    subnet = await plain(site)
    await subnet.option(code, payload, always_send=always)
    relay = servers.relay(await servers.start(), subnet.relay)
    told = [
        code in (await relay.offer(packet)).options
        for packet in (
            say.discover(MAC).asking(1),
            say.discover(MAC).asking(1, code),
            say.discover(MAC).asking(1).option(code, b"\1" if sent else bytes(4)),
        )
    ]
    assert told == [False, requested, sent]
