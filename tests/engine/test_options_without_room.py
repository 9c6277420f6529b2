"""Options that do not fit: overload of file and sname, what is put first, and what is counted (decisions: Options
without room)."""

from __future__ import annotations

from typing import Any

import pytest
from engine.serving import Relay, Servers, Serving, mac_of
from engine.site import Site
from oracle import packets as say
from oracle.options4 import number

pytestmark = pytest.mark.shared_server

MAC = mac_of(1)


async def serve(site: Site, servers: Servers, sizes: dict[int, int], **fields: Any) -> tuple[Serving, Relay]:
    """A server whose subnet has options of that many octets."""
    subnet = await site.subnet(**fields)
    await subnet.pool(100, 199)
    for code, size in sizes.items():
        await subnet.option(code, {"hex": f"{code:02x}" * size})
    server = await servers.start()
    return server, servers.relay(server, subnet.relay)


def codes(pairs: Any) -> list[int]:
    return [code for code, _ in pairs]


@pytest.mark.parametrize(
    ("fields", "last", "overload", "in_file", "in_sname"),
    [
        ({}, 100, 1, [226], []),
        ({}, 125, 1, [226], []),
        ({"boot_file": "x.0"}, 61, 2, [], [226]),
        ({"boot_file": "x.0"}, 8, 2, [], [226]),
        ({"next_server": "boot.example.test"}, 125, 1, [226], []),
    ],
)
async def test_options_go_into_the_free_fields(
    fields: dict[str, Any], last: int, overload: int, in_file: list[int], in_sname: list[int], site: Site,
    servers: Servers,
) -> None:  # fmt: skip
    """RFC 2132 9.3: file first; a field that holds a name is left alone, and 52 tells which of them are read."""
    server, relay = await serve(site, servers, {224: 150, 225: 110, 226: last}, **fields)
    offer = await relay.offer(say.discover(MAC).asking(224, 225, 226))
    assert {224, 225, 226} <= set(offer.options)
    assert offer.options[226] == b"\xe2" * last
    assert number(offer.options[52]) == overload
    assert (codes(offer.in_file), codes(offer.in_sname)) == (in_file, in_sname)
    assert not server.counters()["options_left_out"]


async def test_both_fields_are_used(site: Site, servers: Servers) -> None:
    _, relay = await serve(site, servers, {224: 150, 225: 110, 226: 120, 227: 61, 228: 3})
    offer = await relay.offer(say.discover(MAC).asking(224, 225, 226, 227, 228))
    assert number(offer.options[52]) == 3
    assert (codes(offer.in_file), codes(offer.in_sname)) == ([226, 228], [227])


@pytest.mark.own_server
@pytest.mark.parametrize(
    ("fields", "last"),
    [({"boot_file": "x.0", "next_server": "boot.test"}, 20), ({"boot_file": "x.0"}, 62), ({}, 126)],
)
async def test_what_fits_nowhere_is_counted(
    fields: dict[str, Any], last: int, site: Site, servers: Servers
) -> None:
    """By code, and once a packet as unusual."""
    server, relay = await serve(site, servers, {224: 150, 225: 110, 226: last}, **fields)
    offer = await relay.offer(say.discover(MAC).asking(224, 225, 226))
    assert not {226, 52} & set(offer.options)
    counted = server.counters()
    assert counted["options_left_out"] == {"226": 1}
    assert counted["noticed"]["options_left_out"] == 1


async def test_what_a_client_needs_goes_before_what_it_asks_for_first(site: Site, servers: Servers) -> None:
    """Mask, routers, routes, DNS servers, boot names and the domain; then as asked for."""
    subnet = await site.subnet(boot_file="http://10.5.0.8/" + "b" * 140, next_server="boot.test")
    await subnet.pool(100, 199)
    await subnet.option(6, {"addresses": ["10.5.0.2"]})
    await subnet.option(15, {"string": "example.test"})
    await subnet.option(224, {"hex": "e0" * 200})
    await subnet.option(225, {"hex": "e1" * 100}, always_send=True)
    relay = servers.relay(await servers.start(), subnet.relay)
    offer = await relay.offer(say.discover(MAC).asking(224, 15, 6, 3, 1))
    assert {1, 3, 6, 15, 67} <= set(offer.options)
    assert 224 not in offer.options
    small = await relay.offer(say.discover(MAC).asking(224, 15, 6, 3, 1).max_size(900))
    assert [code for code in small.options if code in (224, 15, 6, 3, 1)] == [1, 224, 15, 6, 3]


async def test_a_message_with_room_is_not_overloaded(site: Site, servers: Servers) -> None:
    _, relay = await serve(site, servers, {224: 150, 225: 110, 226: 100})
    offer = await relay.offer(say.discover(MAC).asking(224, 225, 226).max_size(1000))
    assert 52 not in offer.options
    assert not any(offer.file + offer.sname)


async def test_relay_information_stays_last_in_the_options_field(site: Site, servers: Servers) -> None:
    """A relay takes it off without reading the other fields (RFC 3046 2.2)."""
    _, relay = await serve(site, servers, {224: 150, 225: 60, 226: 100})
    offer = await relay.offer(say.discover(MAC).asking(224, 225, 226).circuit("c" * 20))
    assert codes(offer.in_options)[-1] == 82
    assert codes(offer.in_file) == [226]


@pytest.mark.parametrize("length", [1, 127, 128, 200, 255])
@pytest.mark.parametrize("asks", [(1, 3), (1, 67), (67, 1)])
async def test_boot_files_of_every_length(
    length: int, asks: tuple[int, ...], site: Site, servers: Servers
) -> None:
    """RFC 2132 9.5: in `file` to 127 octets, beyond in option 67, asked for or not; a pad octet follows (the oracle
    sees to it)."""
    name = "b" * length
    subnet = await site.subnet(boot_file=name)
    await subnet.pool(100, 199)
    relay = servers.relay(await servers.start(), subnet.relay)
    offer = await relay.offer(say.discover(MAC).asking(*asks))
    assert offer.file.rstrip(b"\0") == (name.encode() if length <= 127 else b"")
    assert offer.options.get(67) == (name.encode() if length > 127 or 67 in asks else None)


@pytest.mark.parametrize("length", [1, 63, 64, 255])
@pytest.mark.parametrize("asks", [(1, 3), (66, 1)])
async def test_server_names_of_every_length(
    length: int, asks: tuple[int, ...], site: Site, servers: Servers
) -> None:
    """RFC 2132 9.4: in `sname` to 63 octets, beyond in option 66; of a class as of a subnet."""
    name = "s" * length
    subnet = await site.subnet()
    await subnet.pool(100, 199)
    await site.client_class("phones", vendor_class="phone", server_name=name)
    relay = servers.relay(await servers.start(), subnet.relay)
    offer = await relay.offer(say.discover(MAC).asking(*asks).vendor("phone 7"))
    assert offer.sname.rstrip(b"\0") == (name.encode() if length <= 63 else b"")
    assert offer.options.get(66) == (name.encode() if length > 63 or 66 in asks else None)


async def test_a_boot_file_in_an_overloaded_field(site: Site, servers: Servers) -> None:
    """What `file` takes as a name may still be asked for as 67; it then lies in sname, and a pad octet follows."""
    subnet = await site.subnet(boot_file="pxelinux.0")
    await subnet.pool(100, 199)
    for code, size in ((224, 150), (225, 110)):
        await subnet.option(code, {"hex": "ab" * size})
    relay = servers.relay(await servers.start(), subnet.relay)
    offer = await relay.offer(say.discover(MAC).asking(224, 225, 67))
    assert codes(offer.in_sname) == [67]
    assert offer.sname[:13] == b"\x43\x0apxelinux.0\0"
