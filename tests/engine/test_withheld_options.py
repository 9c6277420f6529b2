"""never_send: an option is withheld in a scope, although a wider one has it or the server would say it by itself."""

from __future__ import annotations

from engine.serving import Servers, mac_of
from engine.site import Site
from oracle import packets as say

MAC, OTHER = mac_of(1), mac_of(2)
DNS = {"addresses": ["192.0.2.53"]}


async def test_a_narrower_scope_withholds_what_a_wider_one_has(site: Site, servers: Servers) -> None:
    subnet = await site.subnet(5)
    await subnet.pool(100, 199)
    no = await subnet.reserve(20, mac=MAC)
    await site.option(6, DNS, always_send=True)
    await site.option(6, DNS, reservation_no=no, never_send=True)
    relay = servers.relay(await servers.start(), subnet.relay)
    withheld = await relay.offer(say.discover(MAC).asking(1, 6))
    assert 6 not in withheld.options
    assert 1 in withheld.options
    assert (await relay.offer(say.discover(OTHER).asking(1))).options[6] == b"\xc0\0\2\x35"


async def test_what_the_server_would_say_by_itself(site: Site, servers: Servers) -> None:
    subnet = await site.subnet(5, gateway="10.5.0.1")
    await subnet.pool(100, 199)
    await site.option(3, {"addresses": ["10.5.0.1"]}, subnet_no=subnet.no, never_send=True)
    relay = servers.relay(await servers.start(), subnet.relay)
    assert 3 not in (await relay.offer(say.discover(MAC).asking(1, 3))).options


async def test_only_from_the_clients_that_it_is_for(site: Site, servers: Servers) -> None:
    subnet = await site.subnet(5)
    await subnet.pool(100, 199)
    await site.option(6, DNS)
    await site.option(6, DNS, subnet_no=subnet.no, vendor_class="phone", never_send=True)
    relay = servers.relay(await servers.start(), subnet.relay)
    assert 6 not in (await relay.offer(say.discover(MAC).vendor("phone 7").asking(6))).options
    assert 6 in (await relay.offer(say.discover(OTHER).vendor("fax").asking(6))).options
