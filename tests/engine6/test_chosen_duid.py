"""A DUID that an admin has set: a site that moves here keeps the server that its clients know."""

from __future__ import annotations

from ipaddress import IPv6Address

from engine.site import until
from engine6.serving6 import Servers, chosen, duid, leases, statuses
from engine6.site6 import Site6, Subnet6
from engine6.test_leasequery6 import EVERYBODY, about, ask
from engine6.test_reconfigure6 import key_in
from engine6.test_reconfigure6 import lease as willing_lease
from oracle import packets6 as say
from oracle.options6 import SERVER_ID

from dhcp_fast.engine.configure import server_id
from dhcp_fast.server.serving import Serving
from ipam_core.model.actor import Actor
from ipam_core.model.server_duid import ServerDuidChange
from ipam_core.services import server_duid

OLD = bytes.fromhex("000100012a3b4c5d020000000001")
CLIENT = duid(1)
SUCCESS, NO_BINDING = 0, 3


async def answers_under(server: Serving, wanted: bytes) -> None:
    await until("answers under the DUID", lambda: server_id(server.engine) == wanted)


async def choose(site: Site6, wanted: bytes | None) -> None:
    """Set it as the API does."""
    actor = Actor(role="admin")
    change = ServerDuidChange(duid=wanted)
    await server_duid.change(site.connection, actor, change, lambda _: None, force=True)


async def test_clients_go_on_with_the_server_that_they_know(
    servers: Servers, subnet: Subnet6, site: Site6
) -> None:
    """The renewal is answered (RFC 8415 section 18.3.4: NoBinding), and the Request that follows gives the address that
    the client had at the server before (section 18.2.10.1)."""
    server = await servers.start()
    relay = servers.relay(server, subnet.link)
    had = str(subnet.address(0x105))
    await relay.unanswered(say.renew(CLIENT, OLD).ia_na(1, had))
    await choose(site, OLD)
    await answers_under(server, OLD)
    renewed = await relay.reply(say.renew(CLIENT, OLD).ia_na(1, had))
    assert statuses(renewed) == [NO_BINDING]
    given = await relay.reply(say.request(CLIENT, OLD).ia_na(1, had))
    assert [IPv6Address(each) for each in leases(given)] == [IPv6Address(had)]
    assert relay.server_id == OLD


async def test_who_knows_the_one_before_is_served_when_it_rebinds(
    servers: Servers, subnet: Subnet6, site: Site6
) -> None:
    server = await servers.start()
    relay = servers.relay(server, subnet.link)
    granted = await relay.lease(CLIENT)
    renew = chosen(say.renew(CLIENT, relay.server_id), granted)
    before = relay.server_id
    await choose(site, OLD)
    await answers_under(server, OLD)
    for kind in (say.request, say.renew, say.release, say.decline):
        await relay.unanswered(chosen(kind(CLIENT, before), granted))
    relay.server_id = b""
    confirmed = await relay.reply(chosen(say.confirm(CLIENT), granted))
    assert confirmed.status is not None
    assert (confirmed.status.code, confirmed.server_id) == (SUCCESS, OLD)
    assert (await relay.reply(say.information_request(CLIENT))).server_id == OLD
    rebound = await relay.reply(chosen(say.rebind(CLIENT), granted))
    assert (leases(rebound), relay.server_id) == (leases(granted), OLD)
    await choose(site, None)
    await answers_under(server, before)
    relay.server_id = before
    assert leases(await relay.reply(renew)) == leases(granted)


async def test_all_servers_follow(servers: Servers, subnet: Subnet6, site: Site6) -> None:
    """Those that run, and one that starts later."""
    first, second = await servers.start(), await servers.start()
    await choose(site, OLD)
    for server in (first, second, await servers.start()):
        await answers_under(server, OLD)


async def test_requesters_are_answered_under_it_and_keys_stay(
    servers: Servers, subnet: Subnet6, site: Site6
) -> None:
    """Leasequeries (RFC 5007); keys of Reconfigure are of the client, not of the server's name."""
    server = await servers.start(leasequery_requesters=EVERYBODY)
    relay = servers.relay(server, subnet.link)
    granted = await willing_lease(relay)
    await choose(site, OLD)
    await answers_under(server, OLD)
    found = await ask(relay, about(leases(granted)[0]))
    assert found is not None
    assert found[SERVER_ID] == OLD
    relay.server_id = OLD
    assert key_in(await willing_lease(relay))[0] == key_in(granted)[0]
