"""Preferred and valid lifetimes, T1 and T2 (RFC 8415 sections 21.4, 21.6; decisions: Lease times)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from engine6.serving6 import Relay, Servers, duid
from engine6.site6 import Site6
from oracle import packets6 as say
from oracle.options6 import IA_NA, IA_PD, Lease

pytestmark = pytest.mark.shared_server

CLIENT = duid(1)
INFINITE = 2**32 - 1  # -1 in a column


async def served(servers: Servers, site: Site6, **fields: Any) -> Relay:
    subnet = await site.subnet(7, **fields)
    await subnet.pool(0x100, 0x1FF)
    await subnet.delegation_pool("2001:db8:f00::/48", 56)
    return servers.relay(await servers.start(), subnet.link)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({}, (250, 400, 500, 800)),
        ({"lease_time_seconds": 86400}, (27000, 43200, 54000, 86400)),
        ({"preferred_lifetime_seconds": 600}, (300, 480, 600, 800)),
        ({"preferred_lifetime_seconds": 900}, (400, 640, 800, 800)),
        ({"renew_time_seconds": 100, "rebind_time_seconds": 200}, (100, 200, 500, 800)),
        ({"renew_time_seconds": 300}, (300, 400, 500, 800)),
        ({"renew_time_seconds": 450}, (400, 400, 500, 800)),
        ({"rebind_time_seconds": 200}, (200, 200, 500, 800)),
        ({"renew_time_seconds": 600, "rebind_time_seconds": 700}, (500, 500, 500, 800)),
        ({"lease_time_seconds": -1}, (INFINITE, INFINITE, INFINITE, INFINITE)),
        ({"lease_time_seconds": -1, "preferred_lifetime_seconds": 1000}, (500, 800, 1000, INFINITE)),
        ({"lease_time_seconds": -1, "renew_time_seconds": 3600}, (3600, INFINITE, INFINITE, INFINITE)),
    ],
)
async def test_times(
    fields: dict[str, int], told: tuple[int, int, int, int], servers: Servers, site: Site6
) -> None:
    """T1, T2, preferred, valid: usually half and four fifths of the preferred lifetime, which is five eighths of the
    valid one; none behind the preferred lifetime's end, and T1 not behind T2."""
    relay = await served(servers, site, **fields)
    reply = await relay.lease(CLIENT, say.solicit(CLIENT).ia_na(1).ia_pd(2))
    assert len(reply.associations) == 2
    for ia in reply.associations:
        (lease,) = ia.leases
        assert (ia.t1, ia.t2, lease.preferred, lease.valid) == told


@pytest.mark.parametrize(("asked", "valid"), [(0, 800), (100, 300), (500, 500), (5000, 900)])
async def test_a_lifetime_that_is_asked_for(asked: int, valid: int, servers: Servers, site: Site6) -> None:
    """Within the subnet's bounds; by the Request, the Renew and, for a prefix of whichever place, the Solicit."""
    relay = await served(servers, site, min_lease_time_seconds=300, max_lease_time_seconds=900)
    offer = await relay.advertise(say.solicit(CLIENT).ia_na(1))
    (address,) = (lease.address for ia in offer.associations for lease in ia.leases)
    hint = Lease(address, 128, 0, asked)
    for words in (say.request, say.renew):
        reply = await relay.reply(words(CLIENT, relay.server_id).association(IA_NA, 1, hint))
        (lease,) = reply.associations[0].leases
        assert (lease.valid, lease.preferred) == (valid, valid * 5 // 8)
    prefix = Lease(Lease(address, 56, 0, 0).address, 56, 0, asked)
    solicit = say.solicit(CLIENT).association(IA_PD, 2, prefix)
    (lease,) = (await relay.advertise(solicit)).associations[0].leases
    assert lease.valid == valid


async def test_an_infinite_lifetime_that_is_asked_for(servers: Servers, site: Site6) -> None:
    """RFC 8415 section 7.7: as far as the longest one is infinite; the rows of address and prefix never end."""
    relay = await served(servers, site, max_lease_time_seconds=-1)
    offer = await relay.advertise(say.solicit(CLIENT).ia_na(1))
    (address,) = (lease.address for ia in offer.associations for lease in ia.leases)
    for asked in (2**31, INFINITE):
        hint = Lease(address, 128, 0, asked)
        reply = await relay.reply(say.request(CLIENT, relay.server_id).association(IA_NA, 1, hint))
        (lease,) = reply.associations[0].leases
        assert (lease.valid, lease.preferred) == (INFINITE, INFINITE)
    row = await site.lease(address)
    assert (row["expires_at"], row["preferred_lifetime"]) == (datetime.max, -1)
    reply = await relay.reply(
        say.renew(CLIENT, relay.server_id).association(IA_NA, 1, Lease(address, 128, 0, 0))
    )
    (lease,) = reply.associations[0].leases
    assert lease.valid == 800
    assert (await site.lease(address))["expires_at"] != datetime.max
