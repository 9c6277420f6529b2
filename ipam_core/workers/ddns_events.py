"""Reader of leases, reservations and assignments into the outbox of DNS updates.

The logs (lease_event, change) only tell which addresses were touched; what DNS shall say of each is then read from the
tables themselves, in the same snapshot, and compared with what it was last asked to say. So a reading may be repeated,
and nothing depends on the order of the log. Cursor, bindings and outbox are written in one transaction: a worker that
is killed anywhere loses nothing and repeats nothing.
"""

import contextlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import asyncpg

from ipam_core import faults
from ipam_core.db import queries
from ipam_core.db.outage import AWAY
from ipam_core.dns.host_names import Wanted, Zone, lacks_domain, wanted, wanted_aliases
from ipam_core.host_labels import BLOCKED_NAMES
from ipam_core.model.ids import new_id
from ipam_core.model.values import Address, encode_value
from ipam_core.services import events
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.workers.adapters import LEASE

SQL = queries.load("ddns")

AT_ONCE = 2000  # addresses compared by one statement
NO_DOMAIN = "clients of subnet {cidr} get no name: set its ddns_domain or ddns_forward_zone"

EVER = datetime.min.replace(tzinfo=UTC)

Key = tuple[int, Address]  # tenant and address
NameKey = tuple[int, Address, str | None]  # and the alias; None: the host name


class Reading(NamedTuple):
    """`updates` that were put into the outbox; `looked`: transactions below it were read."""

    updates: int
    history: str
    looked: int


class DdnsEvents:
    """The reader: `step` by whichever worker comes first. The logs are looked at without a lock, so that a worker that
    finds nothing new writes nothing."""

    def __init__(self, pool: asyncpg.Pool, blocked: Collection[str] = BLOCKED_NAMES) -> None:
        self.pool = pool
        self.blocked = frozenset(blocked)
        self.updates = 0  # that this process put into the outbox
        self.looked = 0  # transactions below it are done, or meant nothing
        self.history = ""

    async def step(self) -> bool:
        """Read what was committed since the last reading of any worker. False: there is no more for now, or another
        worker read or sent something of it meanwhile, so that this one looks again."""
        async with self.pool.acquire() as connection:
            if not await self.has_news(connection):
                return False
            with contextlib.suppress(asyncpg.SerializationError):
                async with connection.transaction(isolation="repeatable_read"):
                    found = await self.read(connection)
                # Only after the COMMIT: events of a failed transaction are read again.
                self.updates += found.updates
                self.history, self.looked = found.history, found.looked
        return False

    async def has_news(self, connection: Connection) -> bool:
        """Return whether anything was logged since this process looked last."""
        news = await SQL.news(connection, since=str(self.looked))
        if news["logged"] or news["history"] != self.history:
            return True
        self.looked = int(news["xmin"])
        return False

    async def read(self, connection: Connection) -> Reading:
        cursor = await SQL.lock_cursor(connection)
        if cursor is None:
            await SQL.begin_cursor(connection)
            return Reading(0, self.history, self.looked)
        if cursor["is_behind"]:
            await SQL.take_time(connection)
        position = await SQL.position(connection)
        window = {"since": cursor["xid"], "until": position["xmin"]}
        if cursor["history"] != position["history"]:
            keys = await everything(connection)
        elif int(cursor["xid"]) >= int(position["xmin"]):
            keys = set()
        else:
            keys = await touched(connection, window, cursor["began"])
            await SQL.retry_conflicts(connection, **window)
        ordered = sorted(keys, key=lambda key: (key[0], int(key[1])))
        count = await settle(connection, ordered, self.blocked)
        if position["history"] != cursor["history"] or int(position["xmin"]) > int(cursor["xid"]):
            await SQL.set_cursor(connection, history=position["history"], xid=position["xmin"])
        return Reading(count, position["history"], int(position["xmin"]))


async def everything(connection: Connection) -> set[Key]:
    """Compare everything, because the database is new to its workers, or its history another one."""
    await SQL.take_time(connection)
    numbers = [row["no"] async for row in SQL.all_subnets(connection)]
    found = await keys_of(SQL.addresses_of_subnets(connection, numbers=numbers))
    return found | await keys_of(SQL.lost_bindings(connection))


async def touched(connection: Connection, window: dict[str, str], began: datetime) -> set[Key]:
    found = await keys_of(SQL.touched_by_leases(connection, **window, began=began))
    found |= await keys_of(SQL.touched_by_changes(connection, **window))
    if await SQL.zones_changed(connection, **window):
        return found | await everything(connection)
    numbers = [row["no"] async for row in SQL.changed_subnets(connection, **window)]
    if numbers:
        await SQL.take_time(connection)
        await SQL.forget_without_domain(connection, numbers=numbers)
        found |= await keys_of(SQL.addresses_of_subnets(connection, numbers=numbers))
        found |= await keys_of(SQL.lost_bindings(connection))
    return found


async def keys_of(rows: Any) -> set[Key]:
    return {(row["tenant_no"], row["ip"]) async for row in rows}


async def settle(connection: Connection, keys: Sequence[Key], blocked: Collection[str]) -> int:
    """Put into the outbox what changes DNS from what it was asked to contain of these addresses to what it is to
    contain; return how many updates that are."""
    zones = await zones_by_tenant(connection) if keys else {}
    count = 0
    for begin in range(0, len(keys), AT_ONCE):
        count += await settle_apart(connection, keys[begin : begin + AT_ONCE], zones, blocked)
    return count


async def settle_apart(
    connection: Connection, keys: Sequence[Key], zones: dict[int, list[Zone]], blocked: Collection[str]
) -> int:
    """Return all of them, or each half by itself where that fails, until the address that causes it is found. It is
    left out; its next change tries it again."""
    try:
        async with connection.transaction():
            return await settle_some(connection, keys, zones, blocked)
    except AWAY:
        raise
    except Exception as error:  # noqa: BLE001 - the other addresses get their names
        if len(keys) == 1:
            faults.caught("ddns address", error, tenant_no=keys[0][0], ip=str(keys[0][1]))
            return 0
    middle = len(keys) // 2
    halves = keys[:middle], keys[middle:]
    return sum([await settle_apart(connection, half, zones, blocked) for half in halves])


async def zones_by_tenant(connection: Connection) -> dict[int, list[Zone]]:
    found: dict[int, list[Zone]] = {}
    async for row in SQL.zones(connection):
        zone = Zone(row["name"], row["dns_server_no"], row["adapter"], row["dns_enabled"])
        found.setdefault(row["tenant_no"], []).append(zone)
    return found


async def settle_some(
    connection: Connection, keys: Sequence[Key], zones: dict[int, list[Zone]], blocked: Collection[str]
) -> int:
    named = {"tenants": [key[0] for key in keys], "ips": [key[1] for key in keys]}
    before = {name_key(key_of(row), row): row async for row in SQL.bindings(connection, **named)}
    rows = [row async for row in SQL.addresses(connection, **named)]
    after: dict[NameKey, Wanted] = {}
    for row in sorted(rows, key=claims_order):
        about = row, row["ip"], zones.get(row["tenant_no"], ()), blocked
        for shall in filter(None, (wanted(*about), *wanted_aliases(*about))):
            after[name_key(key_of(row), shall._asdict())] = shall
    await note_without_domain(connection, {row["subnet_no"] for row in rows if lacks_domain(row)})
    changed = [key for key in before if key not in after or not says(before[key], after[key])]
    changed += [key for key in after if key not in before]
    if not changed:
        return 0
    return await write(connection, changed, before, after)


def claims_order(row: Row) -> tuple[bool, datetime, int]:
    """Return the order of claims: operators first, then clients as they got their leases, so that the first owner keeps
    a name."""
    return row["source"] == LEASE, row["since"] or EVER, row["version"] or 0


async def note_without_domain(connection: Connection, numbers: Collection[int]) -> None:
    """Tell once of each subnet that its clients could have names if it had a domain."""
    if not numbers:
        return
    rows = [row async for row in SQL.note_without_domain(connection, numbers=sorted(numbers))]
    await events.record_all(connection, [without_domain(row) for row in rows])


def without_domain(row: Row) -> events.Told:
    said = NO_DOMAIN.format(cidr=encode_value(row["cidr"]))
    data = {"id": None, "action": "add", "ip": None, "fqdn": None, "subnet_id": str(row["id"]), "error": said}
    return events.Told("ddns.failed", data, row["tenant_no"])


def key_of(row: Row) -> Key:
    return row["tenant_no"], row["ip"]


def name_key(key: Key, name: Mapping[str, Any]) -> NameKey:
    return *key, name["fqdn"] if name["is_alias"] else None


def says(binding: Row, shall: Wanted) -> bool:
    """Return whether DNS was asked for that already; another TTL is no reason to ask again."""
    compared = [name for name in Wanted._fields if name not in ("ttl", "identities")]
    return all(binding[name] == getattr(shall, name) for name in compared)


async def write(
    connection: Connection,
    changed: Iterable[NameKey],
    before: Mapping[NameKey, Row],
    after: Mapping[NameKey, Wanted],
) -> int:
    changed = dict.fromkeys(changed)
    named = dict(zip(("tenants", "ips", "aliases"), map(list, zip(*changed, strict=True)), strict=True))
    updates = [removal(key, before[key]) for key in changed if key in before]
    updates += [addition(key, shall) for key, shall in after.items() if key in changed]
    await SQL.supersede(connection, **named)
    await SQL.drop_bindings(connection, **named)
    bindings = [binding(key, after[key]) for key in changed if key in after]
    await SQL.put_bindings(connection, rows=[each for each in bindings if not each["is_alias"]])
    await SQL.put_aliases(connection, rows=[each for each in bindings if each["is_alias"]])
    await SQL.enqueue(connection, rows=updates)
    if updates:
        await SQL.tell_senders(connection)
    return len(updates)


def binding(key: NameKey, shall: Wanted) -> dict[str, Any]:
    found = shall._asdict()
    return found | {
        "tenant_no": key[0],
        "ip": str(key[1]),
        "identities": [each.hex() for each in shall.identities],
        "dhcid": None if shall.dhcid is None else shall.dhcid.hex(),
    }


def addition(key: NameKey, shall: Wanted) -> dict[str, Any]:
    return binding(key, shall) | {"id": str(new_id()), "action": "add"}


def removal(key: NameKey, row: Row) -> dict[str, Any]:
    """Return the removal of the binding's records, at the server that received them."""
    shall = Wanted(**{name: row[name] for name in Wanted._fields})
    return binding(key, shall) | {"id": str(new_id()), "action": "remove"}
