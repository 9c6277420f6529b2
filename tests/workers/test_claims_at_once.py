"""Two clients that claim one name at the same moment: the one whose lease began first has it, whichever address sorts
first, whichever reader reads first, and however many senders write at the same time."""

import asyncio
from typing import Any

import asyncpg
from workers.site import LOOPBACK, Site

from ipam_core.outbound.guard import Guard
from ipam_core.workers.ddns_events import DdnsEvents
from ipam_core.workers.ddns_sender import DdnsSender

NAMES = 24
# By the clock and by the log: a transaction that began a little earlier may write later, and either is the first then.
FIRST = """
select distinct on (hostname) hostname, host(address) from lease order by hostname, granted_at, version
"""
FIRST_WRITTEN = """
select distinct on (hostname) hostname, host(address) from lease_event order by hostname, xid, version
"""
PUBLISHED = "select name, data from dns_record where type = 'A' and source = 'lease'"


async def test_the_first_lease_has_the_name(site: Site, pool: asyncpg.Pool, make: Any) -> None:
    await make("/dns-zones", name="race.test", dns_enabled=True)
    prefix = await make("/prefixes", cidr="10.60.0.0/24")
    fields = {"ddns_enabled": True, "ddns_domain": "race.test"}
    await make("/subnets", prefix_id=prefix["id"], cidr="10.60.0.0/24", **fields)
    await site.settle()

    async def claim(number: int, host: int) -> None:
        await site.lease(f"10.60.0.{host}", f"pc{number}", mac=f"0200000000{host:02x}")

    readers = [site.events, DdnsEvents(pool)]
    senders = [site.sender, DdnsSender(pool, site.keyring.open, Guard([LOOPBACK]))]
    ended = asyncio.Event()

    async def follow() -> None:
        """The workers, while the clients come and after."""
        while not ended.is_set():
            await asyncio.gather(*(each.step() for each in readers))
            await asyncio.gather(*(each.step() for each in senders))

    following = asyncio.create_task(follow())
    for number in range(NAMES):  # the first and the last address by turns come a little earlier
        hosts = [10 + number, 250 - number]
        await asyncio.gather(*(claim(number, host) for host in (hosts if number % 2 else hosts[::-1])))
    ended.set()
    await following
    await site.settle()
    begun, written = [
        {row["hostname"]: row["host"] for row in await pool.fetch(order)} for order in (FIRST, FIRST_WRITTEN)
    ]
    published = {row["name"]: row["data"] for row in await pool.fetch(PUBLISHED)}
    assert published.keys() == begun.keys()
    assert {name for name, data in published.items() if data not in (begun[name], written[name])} == set()
    states = await pool.fetch("select state, count(*) from ddns_update where action = 'add' group by state")
    assert {row["state"]: row["count"] for row in states} == {"applied": NAMES, "conflict": NAMES}
