"""Speed of one API process: creates, reads, lists and bulk creates a second, with p50 and p99.

    .venv/bin/python -m benchmarks.api_load [--rows 10,1000000] [--seconds 5] [--only creates,assigns,...]

It starts an embedded PostgreSQL in a folder of its own, migrates it, fills the plan and starts `ipam api`
as an operator would, without rate limit and managed address limit. The load comes from this process over keep-alive
connections, each with one request under way; machine, PostgreSQL and load share the cores. Creates are real: with their
change rows and their notification, each durable before it is answered. Every answer's status is checked.
"""

import argparse
import asyncio
import itertools
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import IPv4Address
from pathlib import Path
from typing import NamedTuple

import asyncpg
import httpx
import msgspec

from benchmarks.keepalive import Connection
from dhcp_fast.bench.servers.processes import cpu_seconds
from ipam_core.db.embedded.programs import OWN_ACCOUNT
from ipam_core.db.embedded.server import EmbeddedPostgres
from ipam_core.db.migrate import migrate

PORT, HEALTH = 18980, 18981
HOST = "127.0.0.1"
BASE = "/api/v1"
SUBNETS = 64
FIRST = int(IPv4Address("10.0.0.0"))
# A /14 a subnet: a 64th of the million reservations, and room for what a run creates.
SUBNET_SIZE = 1 << 18
IN_FLIGHT = 16
BULK = 1000

FILL = """
insert into reservation (id, subnet_no, ip, mac, hostname)
select uuidv7(), subnet.no, '10.0.0.1'::inet + (n % $2) * $3 + n / $2,
       ('0200' || lpad(to_hex(n), 8, '0'))::macaddr, 'host-' || n
from generate_series(0, $1::bigint - 1) n
join (select no, row_number() over (order by no) - 1 as at from subnet
      where cidr <<= '10.0.0.0/8') subnet on subnet.at = n % $2
order by n
"""
# One subnet that is full from its beginning, for requests that name no address.
FILL_WIDE = """
insert into reservation (id, subnet_no, ip, mac)
select uuidv7(), subnet.no, '172.16.0.1'::inet + n, ('0300' || lpad(to_hex(n), 8, '0'))::macaddr
from subnet, generate_series(0, $1::bigint - 1) n where cidr = '172.16.0.0/14'
"""
MOST_WIDE = 60_000
SOME = "select id from reservation where no % $1 = 0 order by no"

Request = tuple[str, str, bytes]


class Plan(NamedTuple):
    """Objects that the requests name: ids of subnets and of some reservations."""

    subnets: list[str]
    wide: str
    reservations: list[str]
    rows: int


class Processes(NamedTuple):
    """The roots of the two families whose processor time is measured."""

    api: int
    postgres: int

    def cpu(self) -> tuple[float, float]:
        return cpu_seconds([self.api]), cpu_seconds([self.postgres])


class Figures(NamedTuple):
    what: str
    rows: int
    per_second: float
    p50: float
    p99: float
    api_us: float
    postgres_us: float


@contextmanager
def service() -> Iterator[tuple[str, Processes]]:
    """Provide a fresh database and an API process on it: the DSN and the processes."""
    folder = Path(tempfile.mkdtemp(prefix="ipam-load-", dir="/var/tmp"))
    folder.chmod(0o711)
    database = EmbeddedPostgres(folder / "data", OWN_ACCOUNT)
    try:
        dsn = database.start()
        migrate(dsn)
        cluster = database.data.cluster
        postmaster = int((cluster / "postmaster.pid").read_text().split()[0])
        with api(dsn, folder) as process:
            yield dsn, Processes(process, postmaster)
    finally:
        database.stop()
        shutil.rmtree(folder)


@contextmanager
def api(dsn: str, folder: Path) -> Iterator[int]:
    environment = dict(os.environ) | {
        "IPAM_DATABASE_URL": dsn,
        "IPAM_DATA_DIR": str(folder / "data"),
        "IPAM_API_LISTEN": f"{HOST}:{PORT}",
        "IPAM_HEALTH_LISTEN": f"{HOST}:{HEALTH}",
        "IPAM_RATE_LIMIT": "0",
        "IPAM_MANAGED_ADDRESS_LIMIT": "0",
    }
    process = subprocess.Popen([sys.executable, "-P", "-m", "api.cli", "api"], env=environment)
    try:
        wait_until_ready(process)
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def wait_until_ready(process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            if httpx.get(f"http://{HOST}:{HEALTH}/readyz").status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise SystemExit("the API did not start")


def make_subnets() -> tuple[str, list[str]]:
    """Make by the API itself: a token, a prefix and its subnets, and one more of another prefix as the last."""
    with httpx.Client(base_url=f"http://{HOST}:{PORT}{BASE}") as client:
        token = client.post("/tokens", json={"name": "load", "role": "admin"}).json()["token"]
        client.headers["authorization"] = f"Bearer {token}"
        prefix = client.post("/prefixes", json={"cidr": "10.0.0.0/8"}).json()["id"]
        made = []
        for n in range(SUBNETS):
            body = {"prefix_id": prefix, "cidr": f"{address(n, 0)}/14"}
            made.append(client.post("/subnets", json=body).json()["id"])
        wide = client.post("/prefixes", json={"cidr": "172.16.0.0/12"}).json()["id"]
        body = {"prefix_id": wide, "cidr": "172.16.0.0/14"}
        made.append(client.post("/subnets", json=body).json()["id"])
    return token, made


def address(subnet: int, host: int) -> IPv4Address:
    return IPv4Address(FIRST + subnet * SUBNET_SIZE + host)


async def fill(dsn: str, subnets: list[str], rows: int) -> Plan:
    """Return reservations spread evenly over the subnets."""
    connection = await asyncpg.connect(dsn)
    await connection.execute(FILL, rows, SUBNETS, SUBNET_SIZE, timeout=600)
    await connection.execute(FILL_WIDE, min(rows, MOST_WIDE), timeout=600)
    await connection.execute("vacuum analyze")
    await connection.execute("checkpoint")
    some = await connection.fetch(SOME, max(1, rows // 10_000))
    await connection.close()
    return Plan(subnets[:-1], subnets[-1], [str(row["id"]) for row in some], rows)


def mac(number: int) -> str:
    return (0x02_00_00_00_00_00 + number).to_bytes(6, "big").hex(":")


def creates(plan: Plan) -> Iterator[Request]:
    for n in itertools.count(plan.rows):
        yield "POST", f"{BASE}/subnets/{plan.subnets[n % SUBNETS]}/reservations", encode(reservation(n))


def reservation(n: int) -> dict[str, str]:
    # Above what was copied and what the bulk creates take.
    return {"ip": str(address(n % SUBNETS, 100_000 + n // SUBNETS)), "mac": mac(1 << 32 | n)}


def assigns(plan: Plan) -> Iterator[Request]:
    """Yield assignments of given addresses, each by a request of its own."""
    for n in itertools.count():
        ip = address(n % SUBNETS, 200_000 + n // SUBNETS)  # above what creates reserve
        body = {"subnet_id": plan.subnets[n % SUBNETS], "ip": str(ip), "hostname": f"host-{n}"}
        yield "POST", f"{BASE}/assignments", encode(body)


def patches(plan: Plan) -> Iterator[Request]:
    """Yield another description for each of ten reservations of one subnet in turn, so that callers wait for one
    another."""
    ten = plan.reservations[-10:]  # the last that were copied
    for n in itertools.count():
        id_ = ten[n % len(ten)]
        yield "PATCH", f"{BASE}/reservations/{id_}", encode({"description": f"patch {n}"})


def reads(plan: Plan) -> Iterator[Request]:
    for id_ in itertools.cycle(plan.reservations):
        yield "GET", f"{BASE}/reservations/{id_}", b""


def lists(plan: Plan) -> Iterator[Request]:
    for id_ in itertools.cycle(plan.subnets):
        yield "GET", f"{BASE}/subnets/{id_}/reservations?limit=50", b""


def next_frees(plan: Plan) -> Iterator[Request]:
    """Yield requests into one subnet, so that they follow one another."""
    for n in itertools.count():
        yield "POST", f"{BASE}/subnets/{plan.wide}/reservations", encode({"mac": mac(1 << 38 | n)})


def bulks(plan: Plan) -> Iterator[Request]:
    for batch in itertools.count():
        numbers = range(batch * BULK, (batch + 1) * BULK)
        yield "POST", f"{BASE}/bulk", encode({"operations": [operation(plan, batch, n) for n in numbers]})


def operation(plan: Plan, batch: int, n: int) -> dict[str, object]:
    at = batch % SUBNETS
    ip = address(at, 40_000 + batch // SUBNETS * BULK + n % BULK)
    body = {"ip": str(ip), "mac": mac(1 << 36 | n)}
    return {"op": "create", "path": f"/subnets/{plan.subnets[at]}/reservations", "body": body}


encode = msgspec.json.encode
LOADS: dict[str, tuple[Callable[[Plan], Iterator[Request]], int, int]] = {
    # load: its requests, the number under way, the number of objects that each creates
    "creates": (creates, IN_FLIGHT, 1),
    "reads": (reads, IN_FLIGHT, 1),
    "lists": (lists, IN_FLIGHT, 1),
    "bulk": (bulks, 2, BULK),
    "next": (next_frees, IN_FLIGHT, 1),
    "assigns": (assigns, IN_FLIGHT, 1),
    "patches": (patches, IN_FLIGHT, 1),
}


async def drive(token: str, requests: Iterator[Request], in_flight: int, seconds: float) -> list[float]:
    """Drive the load and return the latencies of the requests that were answered in the time."""
    connections = [await Connection.open(HOST, PORT, token) for _ in range(in_flight)]
    latencies: list[float] = []
    end = time.perf_counter() + seconds

    async def one(connection: Connection) -> None:
        while (began := time.perf_counter()) < end:
            status, answer = await connection.ask(*next(requests))
            if status not in (200, 201):
                raise SystemExit(f"{status}: {answer[:300]!r}")
            latencies.append(time.perf_counter() - began)

    await asyncio.gather(*map(one, connections))
    for connection in connections:
        connection.close()
    return latencies


async def measure(
    token: str, plan: Plan, only: list[str], seconds: float, processes: Processes
) -> list[Figures]:
    found = []
    for what in only:
        requests, in_flight, objects = LOADS[what]
        stream = requests(plan)
        await drive(token, stream, in_flight, 1.0)
        began, before = time.perf_counter(), processes.cpu()
        latencies = await drive(token, stream, in_flight, seconds)
        done = len(latencies) * objects
        rate = done / (time.perf_counter() - began)
        used = [(now - then) / done * 1e6 for now, then in zip(processes.cpu(), before, strict=True)]
        found.append(Figures(what, plan.rows, rate, *quantiles(latencies), *used))
        print(row_of(found[-1]), flush=True)
    return found


def quantiles(latencies: list[float]) -> tuple[float, float]:
    cuts = statistics.quantiles(latencies, n=100) if len(latencies) > 1 else latencies * 99
    return cuts[49] * 1000, cuts[98] * 1000


def row_of(figures: Figures) -> str:
    what, rows, rate, *others = figures
    shown = " | ".join(f"{each:,.{digits}f}" for each, digits in zip(others, (1, 1, 0, 0), strict=True))
    return f"| {what} | {rows:,} | {rate:,.0f} | {shown} |"


def run(rows: int, only: list[str], seconds: float) -> None:
    with service() as (dsn, processes):
        token, subnets = make_subnets()

        async def work() -> None:
            await measure(token, await fill(dsn, subnets, rows), only, seconds, processes)

        asyncio.run(work())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", default="10,1000000")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--only", default=",".join(LOADS))
    chosen = parser.parse_args()
    print(
        "| load | reservations | per second | p50 ms | p99 ms | API µs | PostgreSQL µs |\n|---|---|---|---|---|---|---|"
    )
    for rows in map(int, chosen.rows.split(",")):
        run(rows, chosen.only.split(","), chosen.seconds)


if __name__ == "__main__":
    main()
