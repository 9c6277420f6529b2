"""Options of the plan on the wire: payload shapes of DHCPv6's own, order, scopes, vendors, and codes beyond 255."""

from __future__ import annotations

from typing import Any

import pytest
from engine6.serving6 import Servers, duid
from engine6.site6 import Site6
from oracle import packets6 as say
from oracle.message6 import Message
from oracle.options6 import encode
from oracle.packets6 import Packet

pytestmark = pytest.mark.shared_server

CLIENT = duid(1)
PLAIN = say.solicit(CLIENT).ia_na(1)
DNR = "0001000411" + "00" * 17

STORED: list[tuple[int, dict[str, Any], bytes]] = [
    (22, {"addresses": ["2001:db8::5060"]}, bytes.fromhex("20010db8" + "00" * 10 + "5060")),
    (24, {"names": ["example.test", "a.test"]}, b"\7example\4test\0\1a\4test\0"),
    (31, {"addresses": ["2001:db8::123"]}, bytes.fromhex("20010db8" + "00" * 10 + "0123")),
    (41, {"string": "EST5EDT4,M3.2.0/02:00"}, b"EST5EDT4,M3.2.0/02:00"),
    (
        56,
        {"suboptions": [{"code": 1, "addresses": ["2001:db8::123"]}]},
        b"\0\1\0\x10" + bytes.fromhex("20010db8" + "00" * 10 + "0123"),
    ),
    (59, {"string": "http://[2001:db8::1]/boot.efi"}, b"http://[2001:db8::1]/boot.efi"),
    (60, {"strings": ["one", "two"]}, b"\0\3one\0\3two"),
    (64, {"names": ["aftr.example.test"]}, b"\4aftr\7example\4test\0"),
    (82, {"value": 3600}, b"\0\0\x0e\x10"),
    (83, {"value": 3600}, b"\0\0\x0e\x10"),
    (103, {"string": "https://portal.example.test/api"}, b"https://portal.example.test/api"),
    (144, {"hex": DNR}, bytes.fromhex(DNR)),
    (
        144,
        {"resolvers": [{"priority": 1, "name": "dot.test"}]},
        bytes.fromhex("0001000a") + b"\3dot\4test\0",
    ),
    (500, {"hex": "0102"}, b"\1\2"),
    (65535, {"hex": "ff"}, b"\xff"),
]


@pytest.mark.parametrize(("code", "payload", "wire"), STORED, ids=[str(row[0]) for row in STORED])
async def test_what_is_stored_is_sent_to_who_asks(
    code: int, payload: dict[str, Any], wire: bytes, site: Site6, servers: Servers
) -> None:
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x1FF)
    await subnet.option(code, payload)
    relay = servers.relay(await servers.start(), subnet.link)
    asked = await relay.advertise(PLAIN.asking(code, code))
    assert [data for found, data in asked.options if found == code] == [wire]
    assert code not in dict((await relay.advertise(PLAIN)).options)


def time_source(last: int) -> bytes:
    return b"\0\1\0\x10" + bytes.fromhex("20010db8" + "00" * 11) + bytes([last])


SOURCES = {"suboptions": [{"code": 1, "addresses": [f"2001:db8::{last}"]} for last in (3, 1, 2)]}
RESOLVERS = {"resolvers": [{"priority": at, "name": "a.test"} for at in (2, 1)]}
INSTANCES: list[tuple[int, dict[str, Any], list[bytes]]] = [
    (56, SOURCES, [time_source(3), time_source(1), time_source(2)]),
    (56, {"hex": (time_source(1) + time_source(9)).hex()}, [time_source(1), time_source(9)]),
    (144, RESOLVERS, [bytes([0, at, 0, 8]) + b"\1a\4test\0" for at in (2, 1)]),
]


@pytest.mark.parametrize(("code", "payload", "wire"), INSTANCES)
async def test_of_a_list_each_is_an_option(
    code: int, payload: dict[str, Any], wire: list[bytes], site: Site6, servers: Servers
) -> None:
    """RFC 5908 section 4 and RFC 9463 section 4.1: in every kind of answer, asked for or not, from each scope."""
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x1FF)
    await site.option(code, payload)
    await site.option(23, {"addresses": ["2001:db8::53"]})
    await subnet.option(code, payload, always_send=True)
    await subnet.option(code, {"hex": wire[0].hex()}, vendor_class="phone")
    relay = servers.relay(await servers.start(), subnet.link)
    for asked in (PLAIN, PLAIN.asking(23, code, code)):
        found = [pair for pair in (await relay.advertise(asked)).options if pair[0] in (23, code)]
        assert [data for number, data in found if number == code] == wire
        assert [number for number, _ in found] == ([23] if 23 in dict(found) else []) + [code] * len(wire)
    told = await relay.reply(say.information_request(CLIENT).asking(code))
    assert [data for number, data in told.options if number == code] == wire
    phone = await relay.advertise(PLAIN.vendor_class(4491, "phone").asking(code))
    assert [data for number, data in phone.options if number == code] == wire[:1]


async def test_of_several_those_are_sent_that_have_room(site: Site6, servers: Servers) -> None:
    """Whole ones, from the first on; that some are left out is counted under their code."""
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x1FF)
    await subnet.option(500, {"hex": "00" * 400})
    await subnet.option(56, {"hex": b"".join(map(time_source, range(1, 52))).hex()})
    relay = servers.relay(await servers.start(), subnet.link)
    offer = await relay.advertise(PLAIN.asking(500, 56))
    found = [data for code, data in offer.options if code == 56]
    assert found == [time_source(last) for last in range(1, len(found) + 1)]
    assert 30 < len(found) < 51
    assert relay.counters()["options_left_out"] == {"56": 1}


async def test_time_servers_of_the_subnet_are_an_option_each(site: Site6, servers: Servers) -> None:
    subnet = await site.subnet(5, ntp_servers=["2001:db8::2", "2001:db8::1"])
    await subnet.pool(0x100, 0x1FF)
    relay = servers.relay(await servers.start(), subnet.link)
    offer = await relay.advertise(PLAIN.asking(56))
    assert [data for code, data in offer.options if code == 56] == [time_source(2), time_source(1)]


async def test_in_the_order_of_asking_and_then_unasked(site: Site6, servers: Servers) -> None:
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x1FF)
    await subnet.option(24, {"names": ["example.test"]})
    await subnet.option(23, {"addresses": ["2001:db8::53"]})
    await subnet.option(500, {"hex": "01"}, always_send=True)
    await site.option(501, {"hex": "02"}, always_send=True)
    relay = servers.relay(await servers.start(), subnet.link)
    offer = await relay.advertise(PLAIN.asking(501, 24, 23))
    assert [code for code, _ in offer.options if code in (23, 24, 500, 501)] == [501, 24, 23, 500]


async def test_what_two_scopes_send_unasked_is_sent_once(site: Site6, servers: Servers) -> None:
    subnet = await site.subnet(5)
    pool = await subnet.pool(0x100, 0x1FF)
    await site.option(500, {"hex": "01"}, always_send=True)
    await site.option(500, {"hex": "02"}, always_send=True, pool_no=pool)
    relay = servers.relay(await servers.start(), subnet.link)
    offer = await relay.advertise(PLAIN)
    assert [data for code, data in offer.options if code == 500] == [b"\2"]


async def test_the_narrower_scope_wins_beyond_255_too(site: Site6, servers: Servers) -> None:
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x1FF)
    await site.option(500, {"hex": "01"})
    await subnet.option(500, {"hex": "02"})
    relay = servers.relay(await servers.start(), subnet.link)
    assert dict((await relay.advertise(PLAIN.asking(500))).options)[500] == b"\2"


async def test_who_asks_for_all_there_is_hears_each_once(site: Site6, servers: Servers) -> None:
    """As many codes beyond 255 as a datagram has room for, and some of them again at its end."""
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x1FF)
    for code in (500, 501, 900):
        await subnet.option(code, {"hex": "01"}, always_send=code == 501)
    await subnet.option(900, {"hex": "02"}, vendor_class="phone")
    relay = servers.relay(await servers.start(), subnet.link)
    offer = await relay.advertise(PLAIN.asking(*range(300, 1100), *[500] * 50, 900))
    assert [(code, data) for code, data in offer.options if code > 255] == [
        (500, b"\1"),
        (501, b"\1"),
        (900, b"\1"),
    ]


@pytest.mark.parametrize("client", [CLIENT, None], ids=["by a client", "without a DUID"])
async def test_information_without_leases(client: bytes | None, site: Site6, servers: Servers) -> None:
    """Section 18.3.6: servers of names, and how soon to ask again, which no other answer says (section 21.23)."""
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x1FF)
    await subnet.option(23, {"addresses": ["2001:db8::53"]})
    await subnet.option(32, {"value": 7200})
    relay = servers.relay(await servers.start(), subnet.link)
    reply = await relay.reply(say.information_request(client).asking(23, 32))
    found = [(code, data) for code, data in reply.options if code in (23, 32)]
    assert found == [(23, bytes.fromhex("20010db8" + "00" * 10 + "0053")), (32, (7200).to_bytes(4, "big"))]
    assert not reply.associations
    assert 32 not in dict((await relay.advertise(PLAIN.asking(23, 32))).options)


async def test_vendor_options_of_an_enterprise(site: Site6, servers: Servers) -> None:
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x1FF)
    told = {"hex": (b"\0\0\x0d\xe9" + encode([(32, b"\1\2\3\4")])).hex()}
    await subnet.option(17, told, vendor_class="docsis3.0")
    relay = servers.relay(await servers.start(), subnet.link)
    modem = await relay.advertise(PLAIN.vendor_class(4491, "docsis3.0:modem").asking(17))
    assert dict(modem.options)[17] == bytes.fromhex(told["hex"])
    assert 17 not in dict((await relay.advertise(PLAIN.vendor_class(4491, "other").asking(17))).options)


def vendor(enterprise: int, data: bytes) -> dict[str, str]:
    return {"hex": (enterprise.to_bytes(4, "big") + encode([(1, data)])).hex()}


def vendors(message: Message) -> list[dict[str, str]]:
    return [{"hex": data.hex()} for code, data in message.options if code == 17]


async def test_vendor_options_one_an_enterprise(site: Site6, servers: Servers) -> None:
    """Each from the nearest scope that has one for the client, who names his enterprises in options 16 and 17."""
    subnet = await site.subnet(5)
    pool = await subnet.pool(0x100, 0x1FF)
    await subnet.option(17, vendor(9, b"all"))
    await subnet.option(17, vendor(3561, b"subnet"), vendor_class="3561")
    await site.option(17, vendor(4491, b"wide"), vendor_class="4491")
    await site.option(17, vendor(9, b"hidden"), vendor_class="343")
    await site.option(17, vendor(11, b"wide"))
    await site.option(17, vendor(3561, b"pool"), vendor_class="3561", pool_no=pool)
    relay = servers.relay(await servers.start(), subnet.link)
    asking = PLAIN.asking(17)
    assert vendors(await relay.advertise(asking)) == [vendor(9, b"all"), vendor(11, b"wide")]
    two = asking.vendor_class(343, "x").vendor_class(4491, "docsis").vendor_options(3561, (1, b""))
    assert vendors(await relay.advertise(two)) == [
        vendor(3561, b"pool"), vendor(4491, b"wide"), vendor(9, b"all"), vendor(11, b"wide")
    ]  # fmt: skip
    assert vendors(await relay.advertise(PLAIN)) == []


async def test_vendor_options_unasked_and_withheld(site: Site6, servers: Servers) -> None:
    subnet = await site.subnet(5)
    pool = await subnet.pool(0x100, 0x1FF)
    await subnet.option(17, vendor(9, b"marked"), always_send=True)
    await site.option(17, vendor(11, b"plain"))
    await site.option(17, vendor(4491, b"wide"), vendor_class="4491", always_send=True)
    await site.option(17, {}, vendor_class="4491", never_send=True, pool_no=pool)
    relay = servers.relay(await servers.start(), subnet.link)
    named = PLAIN.vendor_class(4491, "docsis")
    assert vendors(await relay.advertise(named)) == [vendor(9, b"marked")]
    assert vendors(await relay.advertise(named.asking(17))) == [vendor(9, b"marked"), vendor(11, b"plain")]


async def test_the_nearest_scope_wins(site: Site6, servers: Servers) -> None:
    """Reservation, class, pool, subnet, global."""
    subnet = await site.subnet(5)
    pool = await subnet.pool(0x100, 0x1FF)
    reserved = await subnet.reserve(0x10, duid=CLIENT)
    class_no = await site.client_class("phones", vendor_class="phone")
    await site.option(23, {"addresses": ["2001:db8::1"]})
    await site.option(24, {"names": ["global.test"]})
    await subnet.option(23, {"addresses": ["2001:db8::2"]})
    await site.option(23, {"addresses": ["2001:db8::3"]}, pool_no=pool)
    await site.option(23, {"addresses": ["2001:db8::4"]}, class_no=class_no)
    await site.option(23, {"addresses": ["2001:db8::5"]}, reservation_no=reserved)
    relay = servers.relay(await servers.start(), subnet.link)

    async def server(packet: Packet) -> int:
        options = dict((await relay.advertise(packet.asking(23, 24))).options)
        assert options[24] == b"\6global\4test\0"
        return options[23][-1]

    other = say.solicit(duid(2))
    assert await server(PLAIN.vendor_class(9, "phone")) == 5
    assert await server(other.ia_na(1).vendor_class(9, "phone")) == 4
    assert await server(other.ia_na(1)) == 3
    assert await server(say.solicit(duid(3)).ia_pd(1)) == 2


async def test_a_boot_url_of_class_and_subnet(site: Site6, servers: Servers) -> None:
    """UEFI HTTP boot over IPv6 (RFC 5970): boot_file of the class, else of the subnet, is option 59."""
    subnet = await site.subnet(5, boot_file="tftp://[2001:db8::1]/plain")
    await subnet.pool(0x100, 0x1FF)
    match = {"option": 61, "family": 6, "equals": 16}
    await site.client_class("http", match=match, boot_file="http://[2001:db8::1]/boot.efi")
    relay = servers.relay(await servers.start(), subnet.link)
    plain = await relay.advertise(PLAIN.asking(59))
    assert dict(plain.options)[59] == b"tftp://[2001:db8::1]/plain"
    http = await relay.advertise(PLAIN.option(61, b"\0\x10").asking(59))
    assert dict(http.options)[59] == b"http://[2001:db8::1]/boot.efi"


# --- what has no room


@pytest.mark.own_server
async def test_what_does_not_fit_is_counted(site: Site6, servers: Servers) -> None:
    """By code, those above 255 together; what a client needs is put first."""
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x1FF)
    for code in (200, 201, 500):
        await subnet.option(code, {"hex": "ab" * 900})
    await subnet.option(23, {"addresses": ["2001:db8::53"]})
    server = await servers.start()
    relay = servers.relay(server, subnet.link)
    answer = await relay.advertise(PLAIN.asking(200, 201, 500, 23))
    assert [code for code, _ in answer.options if code in (200, 201, 500, 23)] == [23, 200]
    counted = server.counters()
    assert counted["options_left_out"] == {"201": 1, "other": 1}
    assert counted["noticed"]["options_left_out"] == 1


@pytest.mark.parametrize("code", [82, 83])
async def test_what_only_answers_is_not_sent_unasked(code: int, site: Site6, servers: Servers) -> None:
    """RFC 8415 21.24, 21.25: to a client that asks for it."""
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x1FF)
    await subnet.option(code, {"value": 3600}, always_send=True)
    relay = servers.relay(await servers.start(), subnet.link)
    assert code not in dict((await relay.advertise(PLAIN)).options)
    assert code in dict((await relay.advertise(PLAIN.asking(code))).options)
