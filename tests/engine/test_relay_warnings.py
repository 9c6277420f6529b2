"""What a server says of relays that are not bound to their tenant, and of those that anybody could claim to be."""

from ipaddress import IPv4Network

from engine.serving import Servers
from engine.site import ADD_TENANT, Site

from dhcp_fast.bench.servers.bench_plan import add


async def test_a_server_warns_of_relays_that_serve_nobody_until_they_are_bound(
    site: Site, servers: Servers
) -> None:
    """A subnet of a tenant below a network of the setting, in which the default tenant has nothing."""
    other = await site.connection.fetchval(ADD_TENANT, "other")
    prefix = await add(site.connection, "prefix", tenant_no=other, cidr=IPv4Network("127.0.0.0/8"))
    theirs = Site(site.connection, other, prefix)
    await theirs.subnet(7, cidr=IPv4Network("127.0.7.0/24"), gateway=None, relay_addresses=[])
    server = await servers.start()
    await server.look_at_relays()
    (warning,) = server.warnings()
    assert "127.0.7.0/24 (tenant other)" in warning
    assert "ipam relays check" in warning
    await add(site.connection, "trusted_relay", cidr=IPv4Network("127.0.7.1/32"), tenant_no=other)
    await site.record(None, "trusted_relay")
    await server.plan.read_changes()
    await server.look_at_relays()
    (warning,) = server.warnings()
    assert "without sources" in warning
    assert "127.0.7.1/32 (tenant other)" in warning
    await site.connection.execute("update trusted_relay set sources = '{127.0.7.0/30}'")
    await site.record(None, "trusted_relay")
    await server.plan.read_changes()
    assert server.warnings() == []
