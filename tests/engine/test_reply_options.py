"""What stands in a reply: built-in options, scopes and their precedence, sizes (RFC 2131, 2132, 3396)."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Any

import pytest
from engine.serving import Relay, Servers, mac_of
from engine.site import Site, Subnet
from oracle import packets as say
from oracle.message4 import Message
from oracle.options4 import number
from oracle.packets import Packet

pytestmark = pytest.mark.shared_server

MAC = mac_of(1)
DNS = {"addresses": ["10.5.0.2", "10.5.0.3"]}
IP_AND_UDP = 28


def addresses(*texts: str) -> bytes:
    return b"".join(IPv4Address(text).packed for text in texts)


async def started(site: Site, servers: Servers, subnet: Subnet) -> Relay:
    return servers.relay(await servers.start(), subnet.relay)


async def plain(site: Site, **fields: Any) -> Subnet:
    subnet = await site.subnet(**fields)
    await subnet.pool(100, 199)
    return subnet


@pytest.mark.own_server
async def test_what_the_subnet_itself_says(site: Site, servers: Servers) -> None:
    """Mask from the CIDR, router, times; 6, 15 and 42 as stored."""
    subnet = await plain(site, ntp_servers=[IPv4Address("10.5.0.4")])
    await subnet.option(6, DNS)
    await subnet.option(15, {"string": "example.test"})
    relay = await started(site, servers, subnet)
    ack = await relay.lease(MAC, say.discover(MAC).asking(1, 3, 6, 15, 28, 42))
    wanted = {
        1: addresses("255.255.255.0"),
        3: addresses("10.5.0.1"),
        6: addresses("10.5.0.2", "10.5.0.3"),
        15: b"example.test",
        28: addresses("10.5.0.255"),
        42: addresses("10.5.0.4"),
        54: addresses("127.0.0.1"),
    }
    assert {code: ack.options[code] for code in wanted} == wanted
    assert [number(ack.options[code]) for code in (51, 58, 59)] == [600, 300, 525]


async def test_stored_options_win_over_the_fields(site: Site, servers: Servers) -> None:
    """A stored 42 wins over NTP servers, a stored 3 over the gateway."""
    subnet = await plain(site, ntp_servers=[IPv4Address("10.5.0.4")])
    await subnet.option(42, {"addresses": ["10.5.0.9"]})
    await subnet.option(3, {"addresses": ["10.5.0.8"]})
    offer = await (await started(site, servers, subnet)).offer(say.discover(MAC).asking(3, 42))
    assert (offer.options[3], offer.options[42]) == (addresses("10.5.0.8"), addresses("10.5.0.9"))


@pytest.mark.parametrize(("renew", "rebind", "t1", "t2"), [(None, None, 300, 525), (100, 200, 100, 200)])
async def test_renewal_times(
    renew: int | None, rebind: int | None, t1: int, t2: int, site: Site, servers: Servers
) -> None:
    subnet = await plain(site, renew_time_seconds=renew, rebind_time_seconds=rebind)
    offer = await (await started(site, servers, subnet)).offer(say.discover(MAC))
    assert [number(offer.options[code]) for code in (58, 59)] == [t1, t2]


@pytest.mark.parametrize(("server", "siaddr"), [("10.5.0.7", "10.5.0.7"), ("boot.example.test", "0.0.0.0")])
async def test_network_boot(server: str, siaddr: str, site: Site, servers: Servers) -> None:
    """66 and 67 from the subnet's fields, with siaddr and the header's `file`. A name, which siaddr does not take,
    stands in `sname`."""
    subnet = await plain(site, next_server=server, boot_file="pxelinux.0")
    relay = await started(site, servers, subnet)
    offer = await relay.offer(say.discover(MAC).asking(66, 67))
    assert (offer.options[66], offer.options[67]) == (server.encode(), b"pxelinux.0")
    assert offer.siaddr == IPv4Address(siaddr)
    assert offer.sname.rstrip(b"\0") == (server.encode() if siaddr == "0.0.0.0" else b"")
    assert offer.file.rstrip(b"\0") == b"pxelinux.0"
    unasked = await relay.offer(say.discover(MAC).asking(1))
    assert not {66, 67} & set(unasked.options)
    assert unasked.file.rstrip(b"\0") == b"pxelinux.0"


async def test_the_name_of_the_boot_server(site: Site, servers: Servers) -> None:
    """RFC 2132 9.4: beside its address, in `sname` and as option 66 for who asks."""
    subnet = await plain(site, next_server="10.5.0.7", server_name="boot.example.test")
    relay = await started(site, servers, subnet)
    offer = await relay.offer(say.discover(MAC).asking(66))
    assert (offer.siaddr, offer.options[66]) == (IPv4Address("10.5.0.7"), b"boot.example.test")
    assert offer.sname.rstrip(b"\0") == b"boot.example.test"
    unasked = await relay.offer(say.discover(MAC).asking(1))
    assert (66 in unasked.options, unasked.sname.rstrip(b"\0")) == (False, b"boot.example.test")


@pytest.mark.parametrize(
    ("fields", "siaddr", "name"),
    [
        ({"server_name": "class.test"}, "10.5.0.7", b"class.test"),
        ({"server_name": "class.test", "next_server": "10.5.0.8"}, "10.5.0.8", b"class.test"),
        ({"next_server": "10.5.0.8"}, "10.5.0.8", b""),
        ({"boot_file": "x"}, "10.5.0.7", b"subnet.test"),
    ],
)
async def test_the_name_of_a_classs_boot_server(
    fields: dict[str, Any], siaddr: str, name: bytes, site: Site, servers: Servers
) -> None:
    """It goes with the class's address, else with the subnet's; the subnet's name never with the class's address."""
    subnet = await plain(site, next_server="10.5.0.7", server_name="subnet.test")
    await site.client_class("uefi", vendor_class="PXEClient", **fields)
    offer = await (await started(site, servers, subnet)).offer(say.discover(MAC).vendor("PXEClient"))
    assert (offer.siaddr, offer.sname.rstrip(b"\0")) == (IPv4Address(siaddr), name)


async def test_network_boot_by_class(site: Site, servers: Servers) -> None:
    """A class has its own, for PXE by architecture (decisions: Classes)."""
    subnet = await plain(site, next_server="10.5.0.7", boot_file="bios.0")
    await site.client_class(
        "uefi", vendor_class="PXEClient:Arch:00007", boot_file="uefi.efi", next_server="10.5.0.8"
    )
    relay = await started(site, servers, subnet)
    uefi = await relay.offer(say.discover(MAC).vendor("PXEClient:Arch:00007:UNDI").asking(66, 67))
    assert (uefi.siaddr, uefi.options[67]) == (IPv4Address("10.5.0.8"), b"uefi.efi")
    bios = await relay.offer(say.discover(mac_of(2)).vendor("PXEClient:Arch:00000").asking(66, 67))
    assert (bios.siaddr, bios.options[67]) == (IPv4Address("10.5.0.7"), b"bios.0")


SCOPES = ["reservation", "class", "pool", "subnet", "global"]


async def fill_scopes(site: Site, subnet: Subnet, scopes: list[str], code: int, **fields: Any) -> None:
    """The option in each of the scopes, whose name is its value."""
    pool = await subnet.pool(100, 199)
    phones = await site.client_class("phones", vendor_class="phone")
    reservation = await subnet.reserve(150, mac=MAC)
    keys: dict[str, dict[str, Any]] = {
        "reservation": {"reservation_no": reservation},
        "class": {"class_no": phones},
        "pool": {"pool_no": pool},
        "subnet": {"subnet_no": subnet.no},
        "global": {},
    }
    for scope in scopes:
        await site.option(code, {"string": scope}, **keys[scope], **fields)


@pytest.mark.parametrize("nearest", range(len(SCOPES)), ids=SCOPES)
async def test_the_more_specific_scope_wins(nearest: int, site: Site, servers: Servers) -> None:
    """Reservation, class, pool, subnet, global (decisions: Options)."""
    subnet = await site.subnet()
    await fill_scopes(site, subnet, SCOPES[nearest:], 15)
    relay = await started(site, servers, subnet)
    offer = await relay.offer(say.discover(MAC).vendor("phone").asking(15))
    assert offer.yiaddr == subnet.address(150)
    assert offer.options[15] == SCOPES[nearest].encode()


async def test_scopes_that_do_not_concern_the_client(site: Site, servers: Servers) -> None:
    subnet = await site.subnet()
    await fill_scopes(site, subnet, ["reservation", "class", "subnet"], 15)
    relay = await started(site, servers, subnet)
    assert (await relay.offer(say.discover(mac_of(2)).asking(15))).options[15] == b"subnet"
    inform = await relay.ack(say.inform(mac_of(3), subnet.address(20)).asking(15))
    assert inform.options[15] == b"subnet"


async def test_the_first_class_by_priority_wins(site: Site, servers: Servers) -> None:
    """A client may be in several; the first by priority wins for each option (decisions: Classes)."""
    subnet = await plain(site)
    for name, priority in (("late", 20), ("early", 10)):
        no = await site.client_class(name, vendor_class="phone", priority=priority)
        await site.option(15, {"string": name}, class_no=no)
        if name == "late":
            await site.option(66, {"string": "tftp"}, class_no=no)
    relay = await started(site, servers, subnet)
    offer = await relay.offer(say.discover(MAC).vendor("phone").asking(15, 66))
    assert offer.options[15] == b"early"


@pytest.mark.parametrize(
    ("matching", "client", "expected"),
    [
        ({"vendor_class": "phone"}, say.discover(MAC).vendor("phone 7"), True),
        ({"vendor_class": "phone 7 plus"}, say.discover(MAC).vendor("phone 7"), False),
        ({"user_class": "lab"}, say.discover(MAC).user_class("office", "lab"), True),
        ({"user_class": "lab"}, say.discover(MAC).option(77, "lab"), True),
        ({"user_class": "lab"}, say.discover(MAC).user_class("laboratory"), False),
        ({"mac_prefix": b"\x02\x00\x00"}, say.discover(MAC), True),
        ({"mac_prefix": b"\x02\x00\x01"}, say.discover(MAC), False),
        ({"locally_administered": True}, say.discover(MAC), True),
        ({"locally_administered": True}, say.discover("00:00:00:00:00:01"), False),
        ({"locally_administered": False}, say.discover("00:00:00:00:00:01"), True),
        ({"vendor_class": "phone", "user_class": "lab"}, say.discover(MAC).vendor("phone"), False),
        (
            {"vendor_class": "phone", "user_class": "lab"},
            say.discover(MAC).vendor("phone").user_class("lab"),
            True,
        ),
    ],
)
async def test_what_a_class_matches(
    matching: dict[str, Any], client: Packet, expected: bool, site: Site, servers: Servers
) -> None:
    """Vendor class by prefix, user class exactly, MAC by prefix; all that are set must hold (decisions: Classes)."""
    subnet = await plain(site)
    await site.option(15, {"string": "class"}, class_no=await site.client_class("c", **matching))
    relay = await started(site, servers, subnet)
    offer = await relay.offer(client.asking(15))
    assert (15 in offer.options) == expected


@pytest.mark.parametrize("scope", SCOPES)
async def test_always_send(scope: str, site: Site, servers: Servers) -> None:
    """`always_send` sends what the client did not ask for, from whatever scope (decisions: Options)."""
    subnet = await site.subnet()
    await fill_scopes(site, subnet, [scope], 15, always_send=True)
    relay = await started(site, servers, subnet)
    offer = await relay.offer(say.discover(MAC).vendor("phone").asking(1, 3))
    assert offer.options[15] == scope.encode()


async def test_what_is_not_asked_for_is_not_sent(site: Site, servers: Servers) -> None:
    subnet = await plain(site)
    await subnet.option(15, {"string": "example.test"})
    relay = await started(site, servers, subnet)
    assert 15 not in (await relay.offer(say.discover(MAC).asking(1, 3))).options


async def test_without_a_list_the_usual_ones_are_sent(site: Site, servers: Servers) -> None:
    subnet = await plain(site)
    await subnet.option(6, DNS)
    await subnet.option(15, {"string": "example.test"})
    offer = await (await started(site, servers, subnet)).offer(say.discover(MAC))
    assert {1, 3, 6, 15} <= set(offer.options)


async def test_options_come_in_the_order_of_the_list(site: Site, servers: Servers) -> None:
    """RFC 2132 9.8: in the order requested, apart from the mask, which goes first (3.3)."""
    subnet = await plain(site)
    await subnet.option(6, DNS)
    await subnet.option(15, {"string": "example.test"})
    offer = await (await started(site, servers, subnet)).offer(say.discover(MAC).asking(15, 6, 1, 3, 28))
    assert [code for code in offer.options if code in (15, 6, 1, 3, 28)] == [1, 15, 6, 3, 28]


async def test_vendor_options_by_vendor_class(site: Site, servers: Servers) -> None:
    """Option 43 with vendor_class, where it is needed; one without is for everybody else."""
    subnet = await plain(site)
    await subnet.option(43, {"hex": "0104aabbccdd"}, vendor_class="phone")
    await subnet.option(43, {"hex": "0101ff"})
    relay = await started(site, servers, subnet)
    phone = await relay.offer(say.discover(MAC).vendor("phone 7").asking(43))
    other = await relay.offer(say.discover(mac_of(2)).vendor("laptop").asking(43))
    nobody = await relay.offer(say.discover(mac_of(3)).asking(43))
    assert phone.options[43] == bytes.fromhex("0104aabbccdd")
    assert other.options[43] == nobody.options[43] == bytes.fromhex("0101ff")


async def test_the_reservations_host_name(site: Site, servers: Servers) -> None:
    subnet = await plain(site)
    await subnet.reserve(42, mac=MAC, hostname="printer")
    relay = await started(site, servers, subnet)
    ack = await relay.lease(MAC, say.discover(MAC).asking(12).hostname("mine"))
    assert ack.options[12] == b"printer"
    assert (await site.lease(ack.yiaddr))["hostname"] == "printer"


# --- sizes


async def long_option(site: Site, length: int) -> Subnet:
    subnet = await plain(site)
    await subnet.option(224, {"hex": (bytes(range(256)) * 8)[:length].hex()})
    return subnet


async def ask_for_long(site: Site, servers: Servers, length: int, packet: Packet) -> Message:
    return await (await started(site, servers, await long_option(site, length))).offer(packet)


@pytest.mark.parametrize("length", [255, 256, 600, 1000])
async def test_a_long_option_is_cut_in_pieces(length: int, site: Site, servers: Servers) -> None:
    """RFC 3396 7: pieces of at most 255 octets, joined again by who reads them."""
    offer = await ask_for_long(site, servers, length, say.discover(MAC).asking(224).max_size(1500))
    assert offer.options[224] == (bytes(range(256)) * 8)[:length]
    pieces = [len(value) for code, value in offer.in_options if code == 224]
    assert len(pieces) == -(-length // 255)


@pytest.mark.parametrize(
    ("size", "fits"), [(None, False), (300, False), (576, False), (700, True), (1500, True)]
)
async def test_the_client_says_how_much_it_takes(
    size: int | None, fits: bool, site: Site, servers: Servers
) -> None:
    """RFC 2132 9.10: option 57, at least 576 with IP and UDP headers; what does not fit is left out whole."""
    packet = say.discover(MAC).asking(224)
    offer = await ask_for_long(site, servers, 300, packet if size is None else packet.max_size(size))
    assert (224 in offer.options) == fits


async def test_what_does_not_fit_makes_room_for_what_does(site: Site, servers: Servers) -> None:
    subnet = await long_option(site, 500)
    await subnet.option(15, {"string": "example.test"})
    offer = await (await started(site, servers, subnet)).offer(say.discover(MAC).asking(224, 15))
    assert 224 not in offer.options
    assert offer.options[15] == b"example.test"


@pytest.mark.parametrize("length", [10, 200, 255])
async def test_the_relays_option_has_its_room(length: int, site: Site, servers: Servers) -> None:
    """RFC 3046 2.2: the echo goes before what the client would like."""
    subnet = await long_option(site, 200)
    relay = await started(site, servers, subnet)
    offer = await relay.offer(say.discover(MAC).asking(224).remote(b"r" * (length - 4)))
    assert len(offer.options[82]) == length


async def test_a_row_that_cannot_be_compiled_leaves_the_others(site: Site, servers: Servers) -> None:
    """It is reported, and its subnet is served without it."""
    subnet = await plain(site)
    await subnet.option(6, {"addresses": ["not an address"]})
    await subnet.option(15, {"string": "example.test"})
    offer = await (await started(site, servers, subnet)).offer(say.discover(MAC).asking(6, 15))
    assert 6 not in offer.options
    assert offer.options[15] == b"example.test"
