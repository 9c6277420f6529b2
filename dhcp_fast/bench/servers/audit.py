"""Audit after a storm: comparison of the acknowledged leases with the database.

The last address that a client was given, and did not release, must be an active lease of its
hardware address. No address may have been acknowledged to a client while another one had it. The
history must contain the grant of every active lease, and the write of its row. The acknowledgements
go into a temporary table by COPY and are compared as sets, so that a million cost seconds.
"""

import io
import struct
from collections import Counter
from collections.abc import Iterable
from ipaddress import IPv6Address

import asyncpg
import msgspec

from dhcp_fast.bench.generator.result import RECORD, mac_of
from dhcp_fast.bench.servers.bench_plan6 import address_of, prefix_of
from ipam_core.db.connect import connect

SAMPLES = 5

# PostgreSQL's binary COPY: signature, flags, extension; rows of (count, length, value ...); a trailer of -1.
COPY_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
COPY_TRAILER = b"\xff\xff"
# Four fields: bigint; bytea of six octets; inet as family 2, 32 bits, no cidr, four octets; boolean.
COPY_ROW = struct.Struct("!hiqi6si4s4si?")
INET_HOST = b"\x02\x20\x00\x04"
COPY_ROW6 = struct.Struct("!hiqi6si4s16si?")
INET6_HOST = b"\x03\x80\x00\x10"

MAKE_TABLE = "create temp table ack (no bigint, hw_address bytea, address inet, released boolean)"

# The current leases of the clients.
MAKE_LAST = """
create temp table last_ack as
select hw_address, address
from (select distinct on (hw_address) * from ack order by hw_address, no desc) as told
where not released"""

# Each check: how many faults, and the fault in words; $1 samples.
MISSING = """
select count(*) over (), 'no active lease of ' || encode(hw_address, 'hex') || ' on ' || host(address)
from last_ack where not exists (
  select from lease
  where lease.tenant_no = (select no from tenant where is_default) and lease.address = last_ack.address
    and lease.hw_address = last_ack.hw_address and lease.state = 'a')
limit $1"""

# The record before the same address's ACK must be of the same client, or give the address back.
GIVEN_TWICE = """
select count(*) over (),
  host(address) || ' was given to ' || encode(before, 'hex') || ' and ' || encode(hw_address, 'hex')
from (
  select *, lag(hw_address) over told as before, lag(released) over told as free
  from ack window told as (partition by address order by no)) as told
where not released and not free and before <> hw_address
limit $1"""

UNGRANTED = """
select count(*) over (),
  'history knows no grant of ' || host(address) || ' to ' || encode(client_key, 'hex')
from lease
where tenant_no = (select no from tenant where is_default) and state = 'a' and not exists (
  select from lease_event event
  where event.tenant_no = lease.tenant_no and event.address = lease.address
    and event.client_key = lease.client_key and event.kind = 'g')
limit $1"""

UNLOGGED = """
select count(*) over (), 'history ends before version ' || version || ' of ' || host(address)
from lease
where tenant_no = (select no from tenant where is_default) and state = 'a' and not exists (
  select from lease_event event
  where event.tenant_no = lease.tenant_no and event.address = lease.address
    and event.version = lease.version and event.client_key = lease.client_key)
limit $1"""

# A plan made for the few rows of the storm's beginning compares each lease with the whole history.
ANALYZE = "analyze lease; analyze lease_event"

CHECKS = {"missing": MISSING, "given_twice": GIVEN_TWICE, "ungranted": UNGRANTED, "unlogged": UNLOGGED}


class Audit(msgspec.Struct, frozen=True):
    """Count of how many acknowledgements of how many clients were looked at, and the faults by name with samples."""

    acknowledged: int
    clients: int
    faults: dict[str, int]
    samples: list[str]

    @property
    def clean(self) -> bool:
        return not any(self.faults.values())

    def __str__(self) -> str:
        looked_at = f"{self.acknowledged:,} ACKs of {self.clients:,} clients"
        if self.clean:
            return f"clean: {looked_at} are in PostgreSQL, no address twice, history complete"
        found = ", ".join(
            f"{name.replace('_', ' ')} {count:,}" for name, count in self.faults.items() if count
        )
        return "\n  ".join([f"NOT CLEAN: {looked_at}: {found}", *self.samples])


async def audit(dsn: str, log: bytes, *, seed: int, family: int = 4) -> Audit:
    """Compare a storm's log (`Result.log`, several joined in order of time) with the default tenant; of IPv6 addresses
    and prefixes one after the other."""
    connection = await connect(dsn)
    faults, samples, clients = Counter[str](), [], 0
    try:
        for rows in (copy_rows,) if family == 4 else (addresses6, prefixes6):
            await load(connection, rows(log, seed))
            await connection.execute(ANALYZE)
            for name, query in CHECKS.items():
                count, shown = await look(connection, query)
                faults[name] += count
                samples += shown
            clients = max(clients, await connection.fetchval("select count(*) from last_ack"))
            await connection.execute("drop table ack, last_ack")
    finally:
        await connection.close()
    return Audit(len(log) // RECORD.size, clients, dict(faults), samples)


async def load(connection: asyncpg.Connection, rows: Iterable[bytes]) -> None:
    """Load the log as the temporary tables `ack` and `last_ack`."""
    await connection.execute(MAKE_TABLE)
    await connection.copy_to_table("ack", source=io.BytesIO(b"".join(rows)), format="binary")
    await connection.execute(MAKE_LAST)
    await connection.execute("analyze ack; analyze last_ack")


def copy_rows(log: bytes, seed: int) -> Iterable[bytes]:
    yield COPY_HEADER
    for number, (client, address, _, seconds) in enumerate(RECORD.iter_unpack(log)):
        yield COPY_ROW.pack(4, 8, number, 6, mac_of(seed, client), 8, INET_HOST, address, 1, not seconds)
    yield COPY_TRAILER


def addresses6(log: bytes, seed: int) -> Iterable[bytes]:
    """Return the addresses as storm6.pyx has them: by the octets in which they differ."""
    told = ((client, address_of(octets), seconds) for client, octets, _, seconds in RECORD.iter_unpack(log))
    return copy_rows6(told, seed)


def prefixes6(log: bytes, seed: int) -> Iterable[bytes]:
    """Return those of clients that asked for one."""
    told = (
        (client, prefix_of(octets), seconds)
        for client, _, octets, seconds in RECORD.iter_unpack(log)
        if octets != bytes(4)
    )
    return copy_rows6(told, seed)


def copy_rows6(told: Iterable[tuple[int, IPv6Address, int]], seed: int) -> Iterable[bytes]:
    yield COPY_HEADER
    for number, (client, address, seconds) in enumerate(told):
        mac = mac_of(seed, client)
        yield COPY_ROW6.pack(4, 8, number, 6, mac, 20, INET6_HOST, address.packed, 1, not seconds)
    yield COPY_TRAILER


async def look(connection: asyncpg.Connection, query: str) -> tuple[int, list[str]]:
    """Return how many rows a check finds, and the first few."""
    rows = await connection.fetch(query, SAMPLES)
    return (rows[0][0] if rows else 0), [row[1] for row in rows]
