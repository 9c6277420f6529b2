"""Engine rule 8: what a client hears whose operation the database refused, and that the cache learns the winner."""

from typing import Any

import pytest
from engine.serving import Relay, Servers, cached, counters, drops, mac_of, octets, verdict
from engine.site import Site, Subnet, until
from oracle import packets as say

from dhcp_fast.server.serving import Serving

MAC, WINNER = mac_of(1), mac_of(2)


async def lose(site: Site, subnet: Subnet, last: int = 100, **fields: Any) -> Any:
    """Somebody else has the address in the database, and no event says so."""
    await site.put_lease(subnet.address(last), octets(WINNER), subnet.no, **fields)
    return subnet.address(last)


async def test_selecting_gets_nak_at_once(server: Serving, relay: Relay, site: Site, subnet: Subnet) -> None:
    """Rule 8: SELECTING with our server identifier: NAK at once; the cache learns the winner."""
    address = await lose(site, subnet)
    assert cached(server, site.tenant_no, address) is None
    await relay.nak(say.request_selecting(MAC, address, "127.0.0.1"))
    row = await site.lease(address)
    assert row["hw_address"] == octets(WINNER)
    assert (cached(server, site.tenant_no, address) or {})["version"] == row["version"]
    assert counters(server)["lost"] == 1
    offer = await relay.offer(say.discover(MAC).requesting(address))
    assert offer.yiaddr != address


async def test_selecting_another_server_gets_nothing(relay: Relay, site: Site, subnet: Subnet) -> None:
    """Rule 8: SELECTING with another's identifier: nothing."""
    address = await lose(site, subnet)
    await relay.unanswered(say.request_selecting(MAC, address, "192.0.2.99"))


@pytest.mark.parametrize("authoritative", [True, False])
async def test_renewing_gets_nak_always(authoritative: bool, site: Site, servers: Servers) -> None:
    """Rule 8, RENEWING: NAK at once, authoritative or not (decisions: Unknown bindings)."""
    subnet = await site.direct_subnet(authoritative=authoritative)
    await subnet.pool(100, 199)
    server = await servers.start()
    address = await lose(site, subnet)
    assert await verdict(server, say.request_renewing(MAC, address)) == "nak"
    assert await verdict(server, say.request_renewing(MAC, subnet.address(150))) == "nak"
    assert (await site.lease(address))["hw_address"] == octets(WINNER)


@pytest.mark.parametrize("authoritative", [True, False])
@pytest.mark.parametrize("asking", [say.request_rebinding, say.request_init_reboot])
async def test_rebinding_and_init_reboot_by_authority(
    asking: Any, authoritative: bool, site: Site, servers: Servers
) -> None:
    """Rule 8, REBINDING: unknown is NAK if `authoritative`, else silence; a record elsewhere is NAK (decisions:
    Unknown bindings)."""
    subnet = await site.subnet(authoritative=authoritative)
    await subnet.pool(100, 199)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    address = await lose(site, subnet)
    for unknown in (address, subnet.address(150)):
        if authoritative:
            await relay.nak(asking(MAC, unknown))
        else:
            await relay.unanswered(asking(MAC, unknown))
    silent = 0 if authoritative else 2
    await until("both decided", lambda: drops(server, "unknown_binding") >= silent)
    assert drops(server, "unknown_binding") == silent
    mine = await relay.lease(MAC)
    wrong = subnet.address(160 if mine.yiaddr != subnet.address(160) else 161)
    await relay.nak(asking(MAC, wrong))


async def test_a_released_or_revoked_lease_is_not_renewed(relay: Relay, site: Site, subnet: Subnet) -> None:
    """Rules 7 and 8: what was given back is not revived; the client begins anew and gets the same address."""
    ack = await relay.lease(MAC)
    for state in ("r", "v"):
        await site.connection.execute(
            "update lease set state = $1, expires_at = now(), reuse_at = now(), version = nextval('lease_version')",
            state,
        )
        await relay.nak(say.request_rebinding(MAC, ack.yiaddr))
        assert (await relay.lease(MAC)).yiaddr == ack.yiaddr


@pytest.mark.parametrize("asking", [say.request_rebinding, say.request_init_reboot])
async def test_the_wrong_network_gets_nak(asking: Any, site: Site, servers: Servers) -> None:
    """RFC 2131 4.3.2: NAK for an address of another network, authoritative or not."""
    subnet = await site.subnet(authoritative=False)
    await subnet.pool(100, 199)
    relay = servers.relay(await servers.start(), subnet.relay)
    await relay.nak(asking(MAC, "10.99.0.7"))
