"""Delay of a lease's name: leases written at a rate, `ipam worker`, and zones of our own or a server of others.

Rows and events are written like those of the DHCP server, several by one statement, in an open
loop: waiting ones do not slow down new ones. Each lease is a new client's with a name of its own,
so that each is an update of two records. The outbox shows the delay of the adapter, from the
event's time to the transaction that notes the outcome. Some of the names are queried continuously,
from their COMMIT until they are answered.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from ipaddress import IPv4Address
from typing import Any

import asyncpg
import httpx

from benchmarks.dns_changes import answered, api, create
from benchmarks.dns_servers import (
    API_KEY,
    KEY_NAME,
    SECRET,
    Peer,
    Site,
    bind,
    free_port,
    ipam,
    migrated,
    our_server,
    powerdns_of_updates,
)
from dhcp_fast.bench.servers.processes import cpu_seconds
from ipam_core.processes import health
from ipam_core.setting_values import Endpoint

ADAPTERS = ("embedded", "bind_tsig", "powerdns_http")
FORWARD, REVERSE = "lab.example", "20.10.in-addr.arpa"
NETWORK = "10.20.0.0/16"
FIRST = int(IPv4Address("10.20.0.1"))
MOST = 65_000
TICKS = 100  # batches a second
WRITERS = 4
SAMPLES = 20  # names a second that are asked for
READY_SECONDS = 60.0
LEFT_SECONDS = 60.0  # for waiting names after the last lease

WRITE = """
with l as (
  insert into lease (tenant_no, subnet_no, address, prefix_length, state, version, granted_at, renewed_at, expires_at,
    reuse_at, client_key, hw_type, hw_address, hostname, ia_type)
  select subnet.tenant_no, subnet.no, w.address, 32, 'a', nextval('lease_version'), now(), now(),
    now() + interval '1 day', now() + interval '1 day', w.mac, 1, w.mac, w.hostname, 0
  from subnet, unnest($1::inet[], $2::bytea[], $3::text[]) as w (address, mac, hostname)
  returning *)
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
  ia_type, kind, state, address, client_key, hw_type, hw_address, hostname)
select now(), pg_current_xact_id(), version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
  ia_type, 'g', state, address, client_key, hw_type, hw_address, hostname
from l
"""
LEFT = """
select count(*) from lease l
where not exists (select from ddns_update u where u.ip = l.address and u.state = 'applied')
"""
LAG = """
select extract(epoch from u.applied_at - e.at)::float8 * 1000
from ddns_update u join lease_event e on e.tenant_no = u.tenant_no and e.address = u.ip
where u.state = 'applied' and u.action = 'add'
"""


@contextlib.asynccontextmanager
async def names_served(site: Site, dsn: str, adapter: str, client: httpx.AsyncClient) -> AsyncIterator[Peer]:
    """Provide the zones and their server."""
    if adapter == "embedded":
        for zone in (FORWARD, REVERSE):
            await create(client, "/dns-zones", name=zone, dns_enabled=True)
        async with our_server(site.folder, dsn, FORWARD) as peer:
            yield peer
        return
    folder = site.folder / adapter
    folder.mkdir()
    async with (bind if adapter == "bind_tsig" else powerdns_of_updates)(folder) as peer:
        server = await create(client, "/dns-servers", name=peer.kind, adapter=adapter, **told(peer))
        for zone in (FORWARD, REVERSE):
            await create(client, "/dns-zones", name=zone, dns_server_id=server["id"])
        yield peer


def told(peer: Peer) -> dict[str, Any]:
    if peer.url:
        return {"url": peer.url, "secret": API_KEY}
    key = {"key_name": KEY_NAME, "key_algorithm": "hmac-sha256", "secret": SECRET}
    return {"address": "127.0.0.1", "port": peer.port, **key}


@contextlib.asynccontextmanager
async def worker(site: Site, dsn: str) -> AsyncIterator[int]:
    """Provide the worker's process id."""
    page = Endpoint("127.0.0.1", free_port())
    process, log = ipam(site.folder, dsn, "worker", health_listen=str(page))
    try:
        async with asyncio.timeout(READY_SECONDS):
            while (found := await health.ask(page, "/readyz")) is None or found[0] != 200:
                if process.poll() is not None:
                    raise RuntimeError(log.read_text())
                await asyncio.sleep(0.1)
        yield process.pid
    finally:
        process.terminate()
        await asyncio.to_thread(process.wait)


async def measure_names(site: Site, adapter: str, rate: int, seconds: int) -> list[tuple[str, list[float]]]:
    """Return the milliseconds from leases to the adapter, and to answers."""
    dsn = await migrated(site, "names")
    async with api(site, dsn) as (client, pool), names_served(site, dsn, adapter, client) as peer:
        prefix = await create(client, "/prefixes", cidr=NETWORK)
        fields = {"ddns_enabled": True, "ddns_adapter": adapter, "ddns_domain": FORWARD}
        await create(client, "/subnets", prefix_id=prefix["id"], cidr=NETWORK, **fields)
        async with worker(site, dsn) as pid:
            began, spent = time.monotonic(), processor_seconds(pid, peer.pid)
            asking = await write_leases(pool, peer, rate, seconds)
            written = time.monotonic() - began
            answers = [each for each in await asyncio.gather(*asking) if each is not None]
            left = await await_rest(pool)
            count = rate * seconds
            after = processor_seconds(pid, peer.pid)
        print(
            f"\n{count} leases within {written:.1f} s, names by {adapter}; {left} without one a minute later"
        )
        mine, theirs = (1e6 * (now - before) / count for now, before in zip(after, spent, strict=True))
        print(f"processor time a lease: worker {mine:.0f} µs, the server of the zones {theirs:.0f} µs")
        lags = [row[0] for row in await pool.fetch(LAG)]
        return [("lease to adapter", lags), ("lease to answer", answers)]


def processor_seconds(*pids: int) -> list[float]:
    """Return the seconds of each process and its children; 0: there is none."""
    return [cpu_seconds([pid]) if pid else 0.0 for pid in pids]


async def write_leases(
    pool: asyncpg.Pool, peer: Peer, rate: int, seconds: int
) -> list["asyncio.Task[float | None]"]:
    """Write leases in batches on their time, however long they take."""
    if rate * seconds > MOST:
        raise SystemExit(f"at most {MOST} leases: fewer --seconds, or a lower --rate")
    size = max(1, rate // TICKS)
    turns = asyncio.Semaphore(WRITERS)
    asking: list[asyncio.Task[float | None]] = []
    began = time.monotonic()

    async def write(first: int) -> None:
        async with turns, pool.acquire() as connection:
            await connection.execute(WRITE, *batch(first, size))
        if first // size % max(1, rate // size // SAMPLES) == 0:
            asking.append(asyncio.create_task(until_answered(peer, first)))

    async with asyncio.TaskGroup() as writing:
        for first in range(0, rate * seconds, size):
            await asyncio.sleep(max(0.0, began + first / rate - time.monotonic()))
            writing.create_task(write(first))
    return asking


def batch(first: int, size: int) -> tuple[list[IPv4Address], list[bytes], list[str]]:
    numbers = range(first, first + size)
    return (
        [IPv4Address(FIRST + n) for n in numbers],
        [b"\x02\x00" + n.to_bytes(4, "big") for n in numbers],
        [f"host{n}" for n in numbers],
    )


async def until_answered(peer: Peer, number: int) -> float | None:
    """Return milliseconds; None: it was not answered within the time."""
    began = time.monotonic()
    try:
        await answered(peer, f"host{number}.{FORWARD}", str(IPv4Address(FIRST + number)), pause=0.01)
    except TimeoutError:
        return None
    return 1000 * (time.monotonic() - began)


async def await_rest(pool: asyncpg.Pool) -> int:
    """Return how many leases have no name in the end."""
    until = time.monotonic() + LEFT_SECONDS
    while (left := await pool.fetchval(LEFT)) and time.monotonic() < until:  # noqa: ASYNC110 - the database tells nobody
        await asyncio.sleep(0.5)
    return int(left)
