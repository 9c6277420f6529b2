"""Engine rule 15: what others write is known by the log, without a notification."""

from __future__ import annotations

from engine.serving import Relay, cached, mac_of
from engine.site import Site, until

from dhcp_fast.server.serving import Serving
from ipam_core.db import queries

MAC = mac_of(1)


async def test_what_the_api_releases_is_heard_of(relay: Relay, server: Serving, site: Site) -> None:
    ack = await relay.lease(MAC)
    address, tenant_no = ack.yiaddr, site.tenant_no
    release = queries.load("lease").release_lease
    assert await release(site.connection, tenant_no=tenant_no, address=address) == 1
    version = (await site.lease(address))["version"]
    await until("heard of", lambda: (cached(server, tenant_no, address) or {}).get("version") == version)
