"""A message without a name leaves the name of a lease unchanged (decisions: Client names in DNS); dhcp F10."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from engine.serving import Relay, Servers, mac_of, server_id
from engine.site import Site, Subnet
from oracle import packets as say
from oracle.packets import Packet

pytestmark = pytest.mark.shared_server

MAC, OTHER = mac_of(1), mac_of(2)
S, N = 1, 8


async def serve(site: Site, servers: Servers) -> tuple[Subnet, Relay]:
    """One address, whose renewals are all written."""
    fields = {"ddns_enabled": True, "ddns_domain": "example.test"}
    subnet = await site.subnet(5, cache_threshold=0.0, reuse_margin_seconds=0, **fields)
    await subnet.pool(100, 100)
    return subnet, servers.relay(await servers.start(), subnet.relay)


MESSAGES: list[tuple[str, Callable[[Subnet], Packet]]] = [
    ("renewing or rebinding", lambda subnet: say.request_rebinding(MAC, subnet.address(100))),
    ("init-reboot", lambda subnet: say.request_init_reboot(MAC, subnet.address(100))),
]


@pytest.mark.parametrize("name", ["option 12", "option 81"])
@pytest.mark.parametrize(("why", "message"), MESSAGES, ids=[each[0] for each in MESSAGES])
async def test_a_renewal_without_a_name(
    why: str, message: Callable[[Subnet], Packet], name: str, site: Site, servers: Servers
) -> None:
    subnet, relay = await serve(site, servers)
    first = say.discover(MAC).hostname("keep0") if name == "option 12" else say.discover(MAC).fqdn("keep0", S)
    address = (await relay.lease(MAC, first)).yiaddr
    before = await site.lease(address)
    assert before["hostname"] == ("keep0" if name == "option 12" else "keep0.example.test")
    for _ in range(2):
        await relay.ack(message(subnet))
        after = await site.lease(address)
        assert after["version"] > before["version"]
        assert (after["hostname"], after["fqdn_flags"]) == (before["hostname"], before["fqdn_flags"])
    event = await site.connection.fetchrow(
        "select hostname, fqdn_flags from lease_event where address = $1 order by version desc limit 1",
        address,
    )
    assert (event["hostname"], event["fqdn_flags"]) == (before["hostname"], before["fqdn_flags"])


async def test_a_boot_loader_without_a_name(site: Site, servers: Servers) -> None:
    """It asks anew for the lease that still runs."""
    _, relay = await serve(site, servers)
    address = (await relay.lease(MAC, say.discover(MAC).hostname("keep0"))).yiaddr
    assert (await relay.lease(MAC, say.discover(MAC).client_id(b"\x00guid"))).yiaddr == address
    assert (await site.lease(address))["hostname"] == "keep0"


async def test_another_name_or_an_empty_one(site: Site, servers: Servers) -> None:
    """Option 81 with an empty name withdraws the client's, and the server makes one."""
    subnet, relay = await serve(site, servers)
    address = (await relay.lease(MAC, say.discover(MAC).hostname("keep0"))).yiaddr
    await relay.ack(say.request_rebinding(MAC, address).hostname("other"))
    assert (await site.lease(address))["hostname"] == "other"
    await relay.ack(say.request_rebinding(MAC, address).fqdn("", S))
    made = f"host-{str(address).replace('.', '-')}.example.test"
    assert (await site.lease(address))["hostname"] == made
    async with subnet.change():
        await subnet.set(ddns_enabled=False)
    await relay.ack(say.request_rebinding(MAC, address).fqdn("", N))
    found = await site.lease(address)
    assert (found["hostname"], found["fqdn_flags"]) == (None, 6 | 16 | 32), "unmade, and left to the server"
    await relay.ack(say.request_rebinding(MAC, address))
    assert (await site.lease(address))["fqdn_flags"] == 6 | 16 | 32


async def test_another_client_starts_without_a_name(site: Site, servers: Servers) -> None:
    _, relay = await serve(site, servers)
    ack = await relay.lease(MAC, say.discover(MAC).hostname("keep0"))
    address = ack.yiaddr
    await relay.unanswered(say.release(MAC, address, server_id(ack)))
    assert (await relay.lease(OTHER)).yiaddr == address
    found = await site.lease(address)
    assert (found["hw_address"].hex(":"), found["hostname"]) == (OTHER, None)


async def test_a_lease_that_ended_has_lost_its_name(site: Site, servers: Servers) -> None:
    _, relay = await serve(site, servers)
    ack = await relay.lease(MAC, say.discover(MAC).hostname("keep0"))
    address = ack.yiaddr
    await relay.unanswered(say.release(MAC, address, server_id(ack)))
    assert (await relay.lease(MAC)).yiaddr == address
    assert (await site.lease(address))["hostname"] is None


async def test_a_reservations_name_ends_with_it(site: Site, servers: Servers) -> None:
    subnet, relay = await serve(site, servers)
    async with subnet.change():
        await subnet.reserve(100, mac=MAC, hostname="printer")
    address = (await relay.lease(MAC)).yiaddr
    assert (await site.lease(address))["hostname"] == "printer"
    async with subnet.change():
        await site.connection.execute("delete from reservation where subnet_no = $1", subnet.no)
    await relay.ack(say.request_rebinding(MAC, address))
    found = await site.lease(address)
    assert (found["hostname"], found["fqdn_flags"]) == (None, None)
