"""A zone compared with what leases, reservations and assignments mean, and repaired through the outbox.

Compared are the addresses, aliases and pointers that bindings (ddns_published) ask for. What differs is missing or
wrong; stale is only what we once wrote and nothing asks for any more, for a zone may hold what others wrote. The server
is asked without a session of the database, so what is repaired is looked at once more while nobody reads events.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

import asyncpg

from ipam_core.db import queries
from ipam_core.dns import reverse
from ipam_core.errors import SecretKeyError, Unavailable
from ipam_core.model.actor import Actor
from ipam_core.model.dns_zone import DifferingRecord, ZoneReconciled
from ipam_core.model.ids import new_id
from ipam_core.outbound.guard import Guard
from ipam_core.services.dns_zones import DNS_ZONES
from ipam_core.services.entity import crud
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.workers.adapters import Adapter, Found, UpdateError
from ipam_core.workers.adapters.embedded import Embedded
from ipam_core.workers.ddns_sender import adapter_for

SQL = queries.load("ddns")

MOST_SHOWN = 1000
UNSPECIFIED = "0.0.0.0"  # noqa: S104 - no address to listen at
TOLD = (
    "tenant_no",
    "subnet_no",
    "dns_server_no",
    "fqdn",
    "ttl",
    "adapter",
    "conflict_mode",
    "source",
    "is_alias",
    "target",
)

Key = tuple[str, str]  # absolute name and type
Record = tuple[str, str, str]  # and data


class Zone(NamedTuple):
    name: str
    tenant_no: int
    server_no: int  # the embedded one: 0


class Meant(NamedTuple):
    """Names and their wanted data; `waiting` of them are left alone. `known`: what we once wrote."""

    wanted: dict[Record, Row]
    waiting: dict[Key, set[str]]
    known: dict[Record, Row]

    def names(self) -> set[str]:
        return {name for name, *_ in (*self.wanted, *self.known)}

    def data(self) -> dict[Key, set[str]]:
        """Return the wanted data of each name and type: several assignments of one name share a record set."""
        found: dict[Key, set[str]] = {}
        for name, kind, data in self.wanted:
            found.setdefault((name, kind), set()).add(data)
        return found


class Differences(NamedTuple):
    in_order: int
    missing: list[DifferingRecord]
    wrong: list[DifferingRecord]
    stale: list[DifferingRecord]


async def reconcile(
    pool: asyncpg.Pool, guard: Guard, actor: Actor, id_: str, *, dry_run: bool
) -> ZoneReconciled:
    """Raise NotFound, and Unavailable where the zone's server does not tell what it has."""
    async with pool.acquire() as connection:
        shown = await crud.fetch(connection, DNS_ZONES, actor, id_)
        zone, server = await find(connection, shown)
        meant = await read_meant(connection, zone)
    found = await ask(partial(adapter_of, pool, guard, actor, zone, server), zone.name, meant.names())
    differing = compare(meant, found)
    repairs = 0 if dry_run else await repair(pool, zone, found, differing)
    return ZoneReconciled(
        found.complete,
        differing.in_order,
        sum(map(len, meant.waiting.values())),
        differing.missing[:MOST_SHOWN],
        differing.wrong[:MOST_SHOWN],
        differing.stale[:MOST_SHOWN],
        repairs,
        dry_run,
    )


async def find(connection: Connection, shown: Row) -> tuple[Zone, Row | None]:
    """Return the zone and its server; None: the embedded one."""
    tenant_no = await SQL.tenant_of_zone(connection, zone_no=shown["no"])
    told = await SQL.server_of_zone(connection, zone_no=shown["no"])
    zone = Zone(shown["name"], tenant_no, told["dns_server_no"] or 0)
    if not zone.server_no or told["adapter"] == "embedded":
        return zone, None
    return zone, await SQL.server(connection, no=zone.server_no)


async def read_meant(connection: Connection, zone: Zone) -> Meant:
    where = {"tenant_no": zone.tenant_no, "dns_server_no": zone.server_no, "zone": zone.name}
    meant = Meant({}, {}, {})
    async for row in SQL.bindings_of_zone(connection, **where):
        for name, kind, data in records_of(row, zone.name):
            if row["is_waiting"]:
                meant.waiting.setdefault((name, kind), set()).add(data)
            elif row["is_written"] or kind == "PTR":
                meant.wanted[name, kind, data] = row
    async for row in SQL.once_added(connection, **where):
        meant.known.update(dict.fromkeys(records_of(row, zone.name), row))
    return meant


def records_of(row: Row, zone: str) -> Iterable[tuple[str, str, str]]:
    """Yield name, type and data of what a binding or an update asks for in this zone."""
    ip = row["ip"]
    if row["forward_zone"] == zone and row["target"] is not None:
        yield f"{row['fqdn']}.", "CNAME", f"{row['target']}."
    elif row["forward_zone"] == zone:
        yield f"{row['fqdn']}.", "A" if ip.version == 4 else "AAAA", str(ip)
    pointer = reverse.pointer_name(ip, zone) if row["reverse_zone"] == zone else None
    if pointer is not None:
        yield f"{pointer}.", "PTR", f"{row['fqdn']}."


async def ask(make: Callable[[], Adapter], zone: str, names: Iterable[str]) -> Found:
    try:
        adapter = make()
        try:
            return await adapter.read(zone, set(names))
        finally:
            await adapter.close()
    except (UpdateError, SecretKeyError) as error:
        raise Unavailable("the zone's server", str(error)) from None


def adapter_of(pool: asyncpg.Pool, guard: Guard, actor: Actor, zone: Zone, server: Row | None) -> Adapter:
    if server is None:
        return Embedded(pool, zone.tenant_no)
    assert actor.sealer is not None
    return adapter_for(server, actor.sealer.open, guard)


def compare(meant: Meant, found: Found) -> Differences:
    differing = Differences(0, [], [], [])
    in_order = 0
    wanted = meant.data()
    for name, kind, data in meant.wanted:
        there = found.records.get((name, kind), set())
        if data in there:
            in_order += 1
        else:
            told = DifferingRecord(name, kind, data, sorted(there))
            (differing.wrong if there - wanted[name, kind] else differing.missing).append(told)
    for name, kind, data in sorted(found.ours | meant.known.keys()):
        there = found.records.get((name, kind), set())
        if data in there and is_stale(meant, wanted.get((name, kind), set()), there, (name, kind, data)):
            differing.stale.append(DifferingRecord(name, kind, data, sorted(there)))
    return differing._replace(in_order=in_order)


def is_stale(meant: Meant, wanted: set[str], there: set[str], record: Record) -> bool:
    """Return whether no object asks for the record, and it does not make way by itself for another; an alias never
    does."""
    name, kind, data = record
    if (name, kind) in meant.waiting or (record not in meant.known and address_of(name, kind, data) is None):
        return False
    if kind == "CNAME":
        return data not in wanted
    return not wanted or (kind != "PTR" and data not in wanted and wanted <= there)


def address_of(name: str, kind: str, data: str) -> str | None:
    """Return which address a record is of; None of a pointer in a classless zone (RFC 2317), the unspecified one of an
    alias of which nothing else is known."""
    if kind == "CNAME":
        return UNSPECIFIED
    found = reverse.address_of(name) if kind == "PTR" else data
    return None if found is None else str(found)


async def repair(pool: asyncpg.Pool, zone: Zone, found: Found, seen: Differences) -> int:
    """Put into the outbox what makes good what still differs; how many updates that are."""
    async with pool.acquire() as connection, connection.transaction():
        await SQL.hold_cursor(connection)
        meant = await read_meant(connection, zone)
        now = compare(meant, found)
        rows = [removal(zone, meant, each) for each in now.stale if each in seen.stale]
        for each in (*now.missing, *now.wrong):
            if each in seen.missing or each in seen.wrong:
                rows.append(addition(zone, each, meant.wanted[each.name, each.type, each.data]))
        if rows:
            await SQL.enqueue(connection, rows=rows)
            await SQL.tell_senders(connection)
    return len(rows)


def addition(zone: Zone, record: DifferingRecord, binding: Row) -> dict[str, Any]:
    return update(zone, record, binding) | {"action": "add", "ip": str(binding["ip"])}


def removal(zone: Zone, meant: Meant, record: DifferingRecord) -> dict[str, Any]:
    """Return the removal as it was requested when the record was written; the embedded zones remember for longer than
    the outbox."""
    row = meant.known.get((record.name, record.type, record.data))
    if row is not None:
        return update(zone, record, row) | {"action": "remove", "ip": str(row["ip"])}
    pointed = record.type == "PTR"
    plain: dict[str, Any] = {
        "fqdn": (record.data if pointed else record.name).removesuffix("."),
        "adapter": "embedded",
        "conflict_mode": "no_check_without_dhcid",
        "source": "lease",
        "identities": [],
        "dhcid": None,
        "dns_server_no": zone.server_no or None,
    }
    if record.type == "CNAME":
        plain |= {"is_alias": True, "target": record.data.removesuffix("."), "source": "assignment"}
    ip = address_of(record.name, record.type, record.data)
    return update(zone, record, plain) | {"action": "remove", "ip": ip}


def update(zone: Zone, record: DifferingRecord, row: Mapping[str, Any] | Row) -> dict[str, Any]:
    """Return the update of one record alone: records in other zones are none of this zone's business."""
    pointed = record.type == "PTR"
    told = {name: row[name] for name in TOLD if name in row.keys()}  # noqa: SIM118 - `in` compares values of asyncpg's rows
    return told | {
        "id": str(new_id()),
        "tenant_no": zone.tenant_no,
        "forward_zone": None if pointed else zone.name,
        "reverse_zone": zone.name if pointed else None,
        "identities": [each.hex() for each in row["identities"]],
        "dhcid": None if row["dhcid"] is None else row["dhcid"].hex(),
    }
