"""The DNS servers that benchmarks/dns.py compares, each a process with the same zones: ours and PowerDNS on databases
of one PostgreSQL, NSD and Knot from files.

Each answers by one process or thread, as ours does; limits of responses are off, caches as they come.
"""

import asyncio
import contextlib
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

import asyncpg

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from answers.serving import ADD_ZONE, free_port
from peers.servers import (
    API_KEY,
    KEY_NAME,
    SECRET,
    Peer,
    answering,
    begin,
    bind,
    knot_with,
    nsd_with,
    powerdns_on,
)
from peers.servers import powerdns as powerdns_of_updates
from system.peers import PeerMissingError, environment, missing, program

from ipam_core.db.embedded.programs import OWN_ACCOUNT
from ipam_core.db.embedded.server import EmbeddedPostgres, superuser_dsn
from ipam_core.db.migrate import migrate
from ipam_core.model.ids import new_id

__all__ = [
    "API_KEY",
    "KEY_NAME",
    "SECRET",
    "Peer",
    "PeerMissingError",
    "bind",
    "environment",
    "free_port",
    "powerdns_of_updates",
    "program",
]

FORWARD, REVERSE = "bench.example", "10.in-addr.arpa"
SOA = "ns.bench.example. hostmaster.bench.example. 1 3600 600 86400 60"
TTL = 3600
PAGE = re.compile(r"^Pss:\s+(\d+) kB", re.MULTILINE)

Record = tuple[str, str, str]  # owner, relative to the zone, type and data
Zones = Mapping[str, Sequence[Record]]
Server = Callable[[Path], AbstractAsyncContextManager[Peer]]


def zones_of(names: int) -> dict[str, list[Record]]:
    """Return so many names with an address each, and their pointers."""
    return {
        FORWARD: [(f"h{n}", "A", f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}") for n in range(names)],
        REVERSE: [
            (f"{n & 255}.{n >> 8 & 255}.{n >> 16 & 255}", "PTR", f"h{n}.{FORWARD}.") for n in range(names)
        ],
    }


class Site(NamedTuple):
    """A PostgreSQL of the benchmark's own, with the settings of its sessions."""

    folder: Path
    dsn: str

    async def database(self, name: str) -> str:
        """Return a new one, and its URL."""
        connection = await asyncpg.connect(self.dsn)
        try:
            await connection.execute(f"create database {name}")
        finally:
            await connection.close()
        return urlsplit(self.dsn)._replace(path=f"/{name}").geturl()


@contextlib.asynccontextmanager
async def postgres(folder: Path) -> AsyncIterator[Site]:
    """Provide PostgreSQL in a folder that the server's account can pass."""
    server = EmbeddedPostgres(folder / "data", OWN_ACCOUNT)
    await asyncio.to_thread(server.start)
    try:
        yield Site(folder, superuser_dsn(folder / "data"))  # it makes databases
    finally:
        await asyncio.to_thread(server.stop)


# --- ours


async def migrated(site: Site, name: str) -> str:
    dsn = await site.database(name)
    await asyncio.to_thread(migrate, dsn)
    return dsn


async def fill(dsn: str, zones: Zones) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        for zone, records in zones.items():
            async with connection.transaction():
                zone_no = await connection.fetchval(ADD_ZONE, zone)
                rows = [(new_id(), zone_no, *record, TTL) for record in records]
                columns = ["id", "zone_no", "name", "type", "data", "ttl"]
                await connection.copy_records_to_table("dns_record", records=rows, columns=columns)
        await connection.execute("analyze")
    finally:
        await connection.close()


def ipam(folder: Path, dsn: str, *arguments: str, **settings: str) -> tuple["subprocess.Popen[bytes]", Path]:
    """Return a process of ours with the settings of a test, and its log."""
    told = {
        "database_url": dsn,
        "data_dir": str(folder),
        "dns_response_rate": "0",
        "health_listen": f"127.0.0.1:{free_port()}",
        **settings,
    }
    log = folder / f"{arguments[0]}.log"
    named = {f"IPAM_{name.upper()}": value for name, value in told.items()}
    command = [sys.executable, "-P", "-m", "api.cli", *arguments]
    return begin(command, folder, log, os.environ | named), log


@contextlib.asynccontextmanager
async def our_server(folder: Path, dsn: str, zone: str = FORWARD) -> AsyncIterator[Peer]:
    """Provide our server from the moment when it answers for the zone."""
    port = free_port()
    process, log = ipam(folder, dsn, "dns", dns_listen=f"127.0.0.1:{port}")
    try:
        await answering(process, port, log, zone)
        yield Peer("ours", port, pid=process.pid)
    finally:
        process.terminate()
        await asyncio.to_thread(process.wait)


@contextlib.asynccontextmanager
async def ours(site: Site, folder: Path, zones: Zones) -> AsyncIterator[Peer]:
    dsn = await migrated(site, f"ours_{len(zones[FORWARD])}")
    await fill(dsn, zones)
    async with our_server(folder, dsn) as peer:
        yield peer


# --- theirs


def zone_texts(zones: Zones) -> dict[str, str]:
    head = f"$TTL {TTL}\n@ SOA {SOA}\n@ NS ns.{FORWARD}.\n"
    lines = {zone: "".join(f"{' '.join(record)}\n" for record in records) for zone, records in zones.items()}
    return {zone: head + text for zone, text in lines.items()}


@contextlib.asynccontextmanager
async def powerdns(site: Site, folder: Path, zones: Zones) -> AsyncIterator[Peer]:
    """Provide PowerDNS on PostgreSQL. Raises PeerMissingError."""
    schema = next(program("pdns").parents[2].glob("usr/share/**/schema.pgsql.sql"), None)
    if schema is None or "pgsql" in missing():
        raise PeerMissingError(
            "pgsql", missing().get("pgsql", "not fetched: run tests/system/fetch_peers.sh dns")
        )
    dsn = await site.database(f"powerdns_{len(zones[FORWARD])}")
    await fill_powerdns(dsn, schema.read_text(), zones)
    parts, more = urlsplit(dsn), parse_qs(urlsplit(dsn).query)
    settings = {
        "launch": "gpgsql",
        "gpgsql-host": more["host"][0],
        "gpgsql-dbname": parts.path.removeprefix("/"),
        "gpgsql-user": unquote(parts.username or ""),
        "gpgsql-password": unquote(parts.password or ""),
        "receiver-threads": 1,
    }
    async with powerdns_on(folder, settings, FORWARD) as peer:
        yield peer


async def fill_powerdns(dsn: str, schema: str, zones: Zones) -> None:
    """Fill PowerDNS with names in full, without the closing dot."""
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(schema)
        for zone, records in zones.items():
            number = await connection.fetchval(
                "insert into domains (name, type) values ($1, 'NATIVE') returning id", zone
            )
            bare = SOA.replace(". ", " ")
            apex = [(number, zone, "SOA", bare, TTL), (number, zone, "NS", f"ns.{FORWARD}", TTL)]
            rows = apex + [
                (number, f"{name}.{zone}", kind, data.removesuffix("."), TTL) for name, kind, data in records
            ]
            columns = ["domain_id", "name", "type", "content", "ttl"]
            await connection.copy_records_to_table("records", records=rows, columns=columns)
        await connection.execute("analyze")
    finally:
        await connection.close()


def servers(site: Site, zones: Zones) -> dict[str, Server]:
    texts = zone_texts(zones)
    return {
        "ours": lambda folder: ours(site, folder, zones),
        "powerdns": lambda folder: powerdns(site, folder, zones),
        "nsd": lambda folder: nsd_with(folder, texts),
        "knot": lambda folder: knot_with(folder, texts),
    }


def memory(pid: int) -> int:
    """Return octets of a session's processes, what they share counted once (PSS)."""
    return sum(proportional(each) for each in processes() if session_of(each) == pid)


def processes() -> list[int]:
    return [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()]


def session_of(pid: int) -> int:
    """Return the session; 0 where the process is gone."""
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[3])
    return 0


def proportional(pid: int) -> int:
    with contextlib.suppress(OSError):
        found = PAGE.search(Path(f"/proc/{pid}/smaps_rollup").read_text())
        return 1024 * int(found[1]) if found else 0
    return 0
