"""Search: parts of host names and MACs among many leases and reservations, beside a lookup by id, in one run.

    .venv/bin/python -m benchmarks.search --leases 1000000 --reservations 100000

The database, the API and the client share this machine; one request is under way at a time. The
follower's build shows its cost per lease, its own processor time and PostgreSQL's separately; so
does a second reading of renewals that change nothing.
"""

import argparse
import asyncio
import random
import time
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from typing import Any

import asyncpg
import httpx

from benchmarks.api_load import BASE, HOST, PORT, Processes, service
from ipam_core.db.connect import create_pool
from ipam_core.model.lease import lease_id
from ipam_core.workers.search_follower import SearchFollower

RENEWED = 50_000

PLAN = """
with tenant as (select no from tenant), made as (
  insert into prefix (id, tenant_no, cidr) select gen_random_uuid(), no, '10.0.0.0/8' from tenant
  returning no, tenant_no
)
insert into subnet (id, prefix_no, tenant_no, cidr)
select gen_random_uuid(), no, tenant_no, '10.0.0.0/8' from made
"""

# Names as Windows makes them, such as LAPTOP-K3X9QZR: a word of eight, and letters and digits that nobody could guess.
NAME = """(array['LAPTOP', 'PHONE', 'PRINTER', 'CAMERA', 'DESKTOP', 'TABLET', 'SENSOR', 'SWITCH'])[n % 8 + 1]
  || '-' || translate(left(md5('name' || n), 7), '0123456789abcdef', 'K3X9QZR7HMW2VTNP')"""
MAC = "decode(left(md5('mac' || n), 12), 'hex')"

LEASES = f"""
insert into lease (tenant_no, subnet_no, address, prefix_length, state, version, granted_at, renewed_at, expires_at,
  reuse_at, client_key, hw_type, hw_address, hostname, ia_type)
select subnet.tenant_no, subnet.no, '10.0.0.0'::inet + n, 32, 'a', nextval('lease_version'), now(), now(),
  now() + interval '1 day', now() + interval '1 day', '\\x0101'::bytea || {MAC}, 1, {MAC}, {NAME}, 0
from subnet, generate_series($1::bigint, $2::bigint) n
"""  # noqa: S608 - constants of ours

RESERVATIONS = f"""
insert into reservation (id, subnet_no, ip, mac, hostname, description)
select gen_random_uuid(), subnet.no, '10.128.0.0'::inet + n, encode({MAC}, 'hex')::macaddr, {NAME}, 'rack ' || n % 400
from subnet, generate_series(10000001, 10000000 + $1::bigint) n
"""  # noqa: S608 - constants of ours

RENEWALS = """
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
  ia_type, kind, state, address, client_key, hw_type, hw_address, hostname)
select now(), pg_current_xact_id(), version, granted_at, expires_at, reuse_at, tenant_no, subnet_no,
  prefix_length, ia_type, 'n', state, address, client_key, hw_type, hw_address, hostname
from lease order by address limit $1
"""


async def fill(pool: asyncpg.Pool, leases: int, reservations: int) -> None:
    await pool.execute("set statement_timeout = 0")
    await pool.execute(PLAN)
    for first in range(1, leases + 1, 100_000):
        await pool.execute(LEASES, first, min(first + 99_999, leases), timeout=600)
    await pool.execute(RESERVATIONS, reservations, timeout=600)
    await pool.execute("vacuum analyze", timeout=600)


async def follow(follower: SearchFollower, processes: Processes) -> tuple[float, float, float]:
    """Follow until there is nothing to read: seconds, processor seconds of the follower, and PostgreSQL's."""
    began, own, database = time.monotonic(), time.process_time(), processes.cpu()[1]
    still = 0
    while still < 3:
        still = 0 if await follower.step() else still + 1
    return time.monotonic() - began, time.process_time() - own, processes.cpu()[1] - database


async def timed(client: httpx.AsyncClient, asked: Sequence[tuple[str, dict[str, str]]]) -> list[float]:
    taken = []
    for path, query in asked:
        began = time.perf_counter()
        answer = await client.get(path, params=query)
        taken.append(time.perf_counter() - began)
        if answer.status_code != 200 or ("items" in (found := answer.json()) and not found["items"]):
            raise SystemExit(f"{path} {query}: {answer.status_code} {answer.text[:200]}")
    return sorted(taken)


async def measure(dsn: str, processes: Processes, asked: argparse.Namespace) -> None:
    async with await create_pool(dsn) as pool:
        await fill(pool, asked.leases, asked.reservations)
        follower = SearchFollower(pool)
        told = [
            (
                "a build, a lease or reservation",
                asked.leases + asked.reservations,
                await follow(follower, processes),
            )
        ]
        await pool.execute(RENEWALS, RENEWED, timeout=600)
        told.append(("a renewal that changes nothing", RENEWED, await follow(follower, processes)))
        await pool.execute("vacuum analyze", timeout=600)
        rows = await pool.fetch(
            "select tenant_no, host(address) as ip, hostname, encode(hw_address, 'hex') as mac from lease"
            " where address = any($1::inet[])",
            [
                f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}"
                for n in random.sample(range(1, asked.leases), asked.requests)
            ],
        )
        size = await pool.fetchval(
            "select pg_total_relation_size('search_lease') + pg_total_relation_size('search_object')"
        )
    for what, count, (seconds, own, database) in told:
        print(
            f"{what}: {1e6 * own / count:.1f} us of the follower, {1e6 * database / count:.1f} us of PostgreSQL;"
            f" {count} in {seconds:.1f} s"
        )
    print(f"the tables take {size / 2**20:.0f} MiB")
    await compare(rows)


async def compare(rows: Sequence[Any]) -> None:
    kinds: dict[str, Callable[[Any], tuple[str, dict[str, str]]]] = {
        "a lease by its id": lambda row: (f"/leases/{lease_id(row['tenant_no'], ip_address(row['ip']))}", {}),
        "a part of a host name": lambda row: ("/search", {"q": row["hostname"][-6:-1]}),
        "the last four digits of a MAC": lambda row: ("/search", {"q": row["mac"][-4:]}),
        "the same with a colon": lambda row: ("/search", {"q": f"{row['mac'][-4:-2]}:{row['mac'][-2:]}"}),
        "the same among leases": lambda row: ("/leases", {"q": row["mac"][-4:]}),
        "a word that every eighth name has": lambda row: (
            "/search",
            {"q": row["hostname"].partition("-")[0][1:]},
        ),
    }
    async with httpx.AsyncClient(base_url=f"http://{HOST}:{PORT}{BASE}", timeout=60) as client:
        made = (await client.post("/tokens", json={"name": "search", "role": "admin"})).json()
        client.headers["authorization"] = f"Bearer {made['token']}"
        first = 0.0
        for what, ask in kinds.items():
            few = rows[: len(rows) // 10] if "word" in what else rows
            await timed(client, [ask(row) for row in few[:20]])
            taken = await timed(client, [ask(row) for row in few])
            p50, p95 = (taken[int(len(taken) * share)] for share in (0.5, 0.95))
            first = first or p50
            print(
                f"{what}: p50 {1e3 * p50:.1f} ms, p95 {1e3 * p95:.1f} ms, {p50 / first:.1f} times the first"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--leases", type=int, default=1_000_000)
    parser.add_argument("--reservations", type=int, default=100_000)
    parser.add_argument("--requests", type=int, default=300)
    asked = parser.parse_args()
    with service() as (dsn, processes):
        asyncio.run(measure(dsn, processes, asked))


if __name__ == "__main__":
    main()
