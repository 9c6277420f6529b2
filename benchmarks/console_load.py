"""Waiting times of the console at a large site: Chromium, `ipam api` and PostgreSQL on this machine.

    .venv/bin/python -m benchmarks.console_load                                # 10,000 subnets and 1,000,000 leases
    .venv/bin/python -m benchmarks.console_load --subnets 200 --leases 50000 --only leases,tree

It fills a PostgreSQL of its own (some minutes, and one until the service has counted the leases).
It starts the API as an operator would, without a rate limit, and operates the console by keys, 20
times each. The input differs each time, so nothing comes from the browser's cache. `stream` follows
/leases/live while so many leases a second are granted; `csv` reads the list of all leases and
watches the memory of the API. The exit code is 1 where a limit is missed. It needs Chromium
(tests/system/fetch_peers.sh browser) and the built console (make console).
"""

import argparse
import asyncio
import math
import random
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from ipaddress import IPv4Network
from pathlib import Path
from typing import NamedTuple

import httpx
import psutil
import psycopg

from api.client import Client
from benchmarks.api_load import HOST, PORT, api
from benchmarks.console_page import COUNTED, IDLE, ROWS, Seat, begins_with, holds, seated
from dhcp_fast.bench.generator import filling
from dhcp_fast.bench.servers import bench_plan
from dhcp_fast.bench.servers.databases import LONG_CYCLE, migrated_postgres, scratch

ROOT = Path(__file__).parents[1]
URL = f"http://{HOST}:{PORT}"
REPETITIONS = 20
MAPPED = IPv4Network("10.0.0.0/16")
IN_THE_MAP = 30_000
RESERVATIONS = 10  # a subnet
FIELD = "Address, CIDR, MAC"
PAGE = 200
LIVE = "/leases/live"
MEGABYTE = 1 << 20
COUNTED_SECONDS = 600.0
STREAM_SECONDS = 30
RUN_UP_SECONDS = 3

KEYS_MS, TREE_MS, MAP_MS, TASK_MS = 300.0, 1000.0, 500.0, 100.0
FLAT_MEGABYTES = 32.0

SAMPLE = """
select host(address), encode(hw_address, 'hex'), hostname, cidr::text from lease join subnet on no = subnet_no
where address >= '32.0.0.0' and version %% %(every)s = 0 limit %(count)s"""
FIRST_OF = "select host(min(address)) from lease where tenant_no = 1 and address << %s"
GRANT = """
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
  ia_type, kind, state, address, client_key, hw_type, hw_address, hostname)
select now(), pg_current_xact_id(), nextval('lease_version'), now(), expires_at, reuse_at, tenant_no, subnet_no, 32, 0,
  'g', 'a', address, client_key, hw_type, hw_address, hostname
from lease where address >= '10.0.1.0'::inet + %(first)s order by address limit %(count)s"""


class Figure(NamedTuple):
    what: str
    values: list[float]
    limit: float
    unit: str = "ms"

    @property
    def p95(self) -> float:
        """95th percentile; of one value that value."""
        return sorted(self.values)[math.ceil(0.95 * len(self.values)) - 1]

    @property
    def met(self) -> bool:
        return self.p95 <= self.limit

    def row(self) -> str:
        shown = f"{statistics.median(self.values):,.0f} | {self.p95:,.0f} | {max(self.values):,.0f}"
        return (
            f"| {self.what} | {shown} | {self.limit:,.0f} {self.unit} | {'met' if self.met else 'missed'} |"
        )


class Lease(NamedTuple):
    ip: str
    hardware: str
    hostname: str
    cidr: str

    @property
    def mac(self) -> str:
        return ":".join(self.hardware[at : at + 2] for at in range(0, 12, 2))


class Site(NamedTuple):
    """Facts that the measurements need."""

    dsn: str
    token: str
    process: int
    leases: int
    tree: str  # id of the prefix of all subnets
    some: list[Lease]


# --- the site


def fill(dsn: str, subnets: int, leases: int) -> None:
    """Fill a /16 with 30,000 leases, and so many subnets over which the rest is spread."""
    asyncio.run(bench_plan.insert_single(dsn, MAPPED))
    with psycopg.connect(dsn) as session:
        mapped = session.execute("select no from subnet where cidr = %s", [str(MAPPED)]).fetchall()[0][0]
    in_the_map = min(IN_THE_MAP, leases // 2)
    asyncio.run(filling.fill_leases(dsn, seed=1, count=in_the_map, subnets=[mapped]))
    asyncio.run(filling.fill_plan(dsn, subnets=subnets, reservations_per_subnet=RESERVATIONS))
    with psycopg.connect(dsn) as session:
        rows = session.execute("select no from subnet where no <> %s", [mapped]).fetchall()
    others = [row[0] for row in rows]
    rest = leases - in_the_map
    asyncio.run(filling.fill_leases(dsn, seed=1, count=rest, first_client=in_the_map, subnets=others))


def prepared(dsn: str, process: int, leases: int) -> Site:
    with httpx.Client(base_url=f"{URL}/api/v1") as stranger:
        token = stranger.post("/tokens", json={"name": "bench", "role": "admin"}).json()["token"]
    with Client(f"{URL}/api/v1", token) as client:
        deadline = time.monotonic() + COUNTED_SECONDS
        while client.request("GET", "/dashboard")["counts"]["active_leases"] < leases:
            if time.monotonic() > deadline:
                raise SystemExit("the service did not count the leases")
            time.sleep(1)
        tree = next(client.items("/prefixes", within=str(filling.LARGE)))["id"]
    with psycopg.connect(dsn) as session:
        every = max(1, leases // 500) | 1  # versions step by two
        found = session.execute(SAMPLE, {"every": every, "count": 400}).fetchall()
    some = [Lease(*row) for row in found]
    random.Random(1).shuffle(some)  # noqa: S311 - which ones are asked for
    return Site(dsn, token, process, leases, tree, some)


# --- the lists


def leases(seat: Seat, site: Site) -> Iterator[Figure]:
    yield Figure("leases: first page", [first_page(seat) for _ in range(REPETITIONS)], KEYS_MS)
    yield Figure("leases: next page", list(next_pages(seat)), KEYS_MS)
    seat.goto("/leases")
    with psycopg.connect(site.dsn) as session:
        yield Figure("leases: filter by MAC", [by_mac(seat, each) for each in turn(site, 0)], KEYS_MS)
        yield Figure("leases: host prefix", [by_name(seat, each) for each in turn(site, 1)], KEYS_MS)
        yield Figure("leases: CIDR", [by_cidr(seat, session, each) for each in turn(site, 2)], KEYS_MS)


def turn(site: Site, number: int) -> list[Lease]:
    return site.some[number * REPETITIONS : (number + 1) * REPETITIONS]


def first_page(seat: Seat) -> float:
    """Open the first page from another screen, loaded anew, by its link."""
    seat.goto("/nodes")
    seat.page.get_by_role("link", name="Leases").focus()
    return seat.key(
        "Enter", f'{IDLE} && document.querySelector("h1").textContent === "Leases" && {ROWS}.length > 5'
    )


def next_pages(seat: Seat) -> Iterator[float]:
    seat.goto("/leases")
    seat.page.get_by_role("grid").focus()
    for number in range(REPETITIONS):
        yield seat.key("End", f'{IDLE} && {COUNTED}.startsWith("{PAGE * (number + 2)}+")')


def by_mac(seat: Seat, lease: Lease) -> float:
    return seat.type(FIELD, lease.mac, begins_with(lease.ip))


def by_name(seat: Seat, lease: Lease) -> float:
    """Search by all of the name but its last two digits: up to 256 hosts."""
    prefix = lease.hostname[:-2]
    return seat.type(FIELD, prefix, holds(prefix))


def by_cidr(seat: Seat, session: psycopg.Connection, lease: Lease) -> float:
    first = session.execute(FIRST_OF, [lease.cidr]).fetchall()[0][0]
    return seat.type(FIELD, lease.cidr, begins_with(first))


# --- tree and map


def tree(seat: Seat, site: Site) -> Iterator[Figure]:
    """Yield the page from its beginning: all prefixes, and one open that has all subnets."""
    shut = f"{IDLE} && {ROWS}.length >= 2"
    wide = f"{IDLE} && {ROWS}.length >= 10"
    yield Figure(
        "tree: first paint", [seat.first_paint("/prefixes", shut) for _ in range(REPETITIONS)], TREE_MS
    )
    opened = f"/prefixes?open={site.tree}"
    yield Figure(
        "tree: first paint, open", [seat.first_paint(opened, wide) for _ in range(REPETITIONS)], TREE_MS
    )


def maps(seat: Seat, _site: Site) -> Iterator[Figure]:
    yield Figure("map of a /16", [mapped(seat) for _ in range(REPETITIONS)], MAP_MS)


def mapped(seat: Seat) -> float:
    """Open the map of a subnet from its row."""
    seat.goto(f"/prefixes?as=list&q={MAPPED}")
    seat.page.get_by_role("treegrid").focus()
    return seat.key("Enter", f"document.querySelector(\"canvas[aria-label*='{MAPPED}']\") !== null")


# --- continuous loads


def stream(seat: Seat, site: Site, rate: int) -> Iterator[Figure]:
    """Yield while events are committed ten times a second, as writers of a busy site would."""
    if LIVE not in "".join(path.read_text() for path in (ROOT / "api/console/src").rglob("screen.ts")):
        print(f"the console has no {LIVE}: no stream", file=sys.stderr)
        return
    seat.page.goto(f"/console{LIVE}")
    stopped = threading.Event()
    writer = threading.Thread(target=grant, args=(site.dsn, rate, stopped))
    writer.start()
    try:
        seat.page.wait_for_timeout(RUN_UP_SECONDS * 1000)
        began = seat.now()
        seat.page.wait_for_timeout(STREAM_SECONDS * 1000)
        longest = seat.longest_task(began)
    finally:
        stopped.set()
        writer.join()
    yield Figure(f"stream of {rate:,} events a second: longest task", [longest], TASK_MS)


def grant(dsn: str, rate: int, stopped: threading.Event) -> None:
    each, due, first = rate // 10, time.monotonic(), 0
    with psycopg.connect(dsn, autocommit=True) as session:
        while not stopped.is_set():
            session.execute(GRANT, {"first": first % 20_000, "count": each})
            first, due = first + each, due + 0.1
            time.sleep(max(0.0, due - time.monotonic()))


def csv(_seat: Seat, site: Site) -> Iterator[Figure]:
    """Yield all leases, and the growth of the API's memory."""
    process = psutil.Process(site.process)
    before, highest, rows, began = resident(process), 0.0, -1, time.monotonic()  # the head is no row
    headers = {"authorization": f"Bearer {site.token}", "accept": "text/csv"}
    with httpx.stream("GET", f"{URL}/api/v1/leases", headers=headers, timeout=60) as answer:
        for chunk in answer.iter_bytes():
            rows += chunk.count(b"\n")
            highest = max(highest, resident(process))
    if rows != site.leases:
        raise SystemExit(f"{rows:,} rows of CSV instead of {site.leases:,}")
    seconds = time.monotonic() - began
    print(
        f"{rows:,} rows of CSV in {seconds:.1f} s; API {before:.0f} MB before, {highest:.0f} at most",
        flush=True,
    )
    yield Figure("CSV of all leases: growth of the API", [highest - before], FLAT_MEGABYTES, "MB")


def resident(process: psutil.Process) -> float:
    return process.memory_info().rss / MEGABYTE


PARTS: dict[str, Callable[[Seat, Site], Iterator[Figure]]] = {
    "leases": leases,
    "tree": tree,
    "map": maps,
    "csv": csv,
}


def measure(site: Site, only: list[str], rate: int) -> list[Figure]:
    print("| what | median | p95 | worst | limit | |\n|---|---|---|---|---|---|", flush=True)
    found = []
    parts = PARTS | {"stream": lambda seat, site: stream(seat, site, rate)}
    with seated(URL, site.token) as seat:
        for name in only:
            for figure in parts[name](seat, site):
                print(figure.row(), flush=True)
                found.append(figure)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--subnets", type=int, default=10_000)
    parser.add_argument("--leases", type=int, default=1_000_000)
    parser.add_argument("--rate", type=int, default=1_000, help="events a second")
    parser.add_argument("--only", default="leases,tree,map,stream,csv")
    wanted = parser.parse_args()
    with scratch() as folder, migrated_postgres(folder, LONG_CYCLE) as (_, dsn):
        fill(dsn, wanted.subnets, wanted.leases)
        with api(dsn, folder) as process:
            site = prepared(dsn, process, wanted.leases)
            found = measure(site, wanted.only.split(","), wanted.rate)
    if not all(figure.met for figure in found):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
