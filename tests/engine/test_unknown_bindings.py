"""Engine rule 20: memory is a cache; a server that does not know a binding looks in the database before it says NAK."""

import pytest
from engine.serving import Relay, Servers, cached, drops, mac_of, octets, verdict
from engine.site import Site, Subnet
from oracle import packets as say
from oracle.packets import Packet

from dhcp_fast.server.serving import Serving

pytestmark = pytest.mark.shared_server

MAC = mac_of(1)


async def put_behind_its_back(site: Site, subnet: Subnet, server: Serving, last: int) -> None:
    """A lease that no event tells of, as if the feed were held up."""
    await site.put_lease(subnet.address(last), octets(MAC), subnet.no)
    assert cached(server, site.tenant_no, subnet.address(last)) is None


@pytest.mark.parametrize("last", [100, 150])
@pytest.mark.parametrize("asking", [say.request_rebinding, say.request_init_reboot])
async def test_a_binding_that_only_the_database_knows_is_renewed(
    asking: object, last: int, server: Serving, relay: Relay, site: Site, subnet: Subnet
) -> None:
    """Rule 20, REBINDING and INIT-REBOOT."""
    await put_behind_its_back(site, subnet, server, last)
    ack = await relay.ask(asking(MAC, subnet.address(last)))
    assert (ack.message_type, ack.yiaddr) == (5, subnet.address(last))
    assert (cached(server, site.tenant_no, subnet.address(last)) or {})["state"] == "a"


async def test_renewing_what_only_the_database_knows(site: Site, servers: Servers) -> None:
    """Rule 20, RENEWING: unicast from the client itself."""
    subnet = await site.direct_subnet()
    await subnet.pool(100, 199)
    server = await servers.start()
    await put_behind_its_back(site, subnet, server, 100)
    assert await verdict(server, say.request_renewing(MAC, subnet.address(100))) == "ack"
    assert await verdict(server, say.request_renewing(MAC, subnet.address(101))) == "nak"


@pytest.mark.parametrize("asking", [say.request_rebinding, say.request_init_reboot])
async def test_a_withdrawn_lease_that_only_the_database_knows_is_revoked_before_the_nak(
    asking: object, server: Serving, relay: Relay, site: Site, subnet: Subnet
) -> None:
    """Rule 20; the row is committed as `revoked` before the NAK (rule 5)."""
    await put_behind_its_back(site, subnet, server, 42)
    await relay.nak(asking(MAC, subnet.address(42)))
    assert (await site.lease(subnet.address(42)))["state"] == "v"
    assert [event["kind"] for event in await site.events(subnet.address(42))] == ["v"]


async def test_without_authority_nothing_is_said_of_what_nobody_knows(site: Site, servers: Servers) -> None:
    """REBINDING and INIT-REBOOT: silence unless authoritative; known, the NAK (decisions: Unknown bindings)."""
    subnet = await site.subnet(authoritative=False)
    await subnet.pool(100, 199)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    for packet in asking_for(subnet, 42):
        await relay.unanswered(packet)
    assert drops(server, "unknown_binding") == 2
    for packet in asking_for(subnet, 42):
        await site.connection.execute("delete from lease")
        await site.put_lease(subnet.address(42), octets(MAC), subnet.no)
        await relay.nak(packet)
        assert (await site.lease(subnet.address(42)))["state"] == "v"


def asking_for(subnet: Subnet, last: int) -> list[Packet]:
    address = subnet.address(last)
    return [say.request_rebinding(MAC, address), say.request_init_reboot(MAC, address)]
