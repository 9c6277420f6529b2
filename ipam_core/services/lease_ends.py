"""Ends of leases: when each really ended, and how. What an event says of the end is what the client was told then; it
may have renewed the lease since, released it, or lost it."""

from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import datetime, timedelta
from ipaddress import IPv4Address, IPv6Address
from typing import Any, NamedTuple

from ipam_core.db import queries
from ipam_core.model.history import EVENTS, REPLACED
from ipam_core.services.entity.entity import Connection, Row

SQL = queries.load("lease_event")

ENDING = frozenset("rxdv")
"""Kinds of events with which a lease ends."""
GRACE = timedelta(hours=1)
"""Time behind its end for which a lease may still be renewed. Servers write soon that one has expired."""
LOOKS = (timedelta(days=1), timedelta(days=8), timedelta(days=64), timedelta(days=36_500))
"""How far behind an event its lease's end is looked for, one after the other; the last one is all there can be."""


class Key(NamedTuple):
    """A lease: nobody else was granted the address at that moment."""

    tenant_no: int
    ip: IPv4Address | IPv6Address
    granted_at: datetime


class End(NamedTuple):
    """Null: the lease has not ended."""

    at: datetime | None
    how: str | None


NONE = End(None, None)


def key_of(row: Row) -> Key:
    return Key(row["tenant_no"], row["ip"], row["granted_at"])


async def read_ends(connection: Connection, rows: Sequence[Row]) -> dict[Key, End]:
    """Return the ends of the leases that events of the history belong to; the newest event comes first."""
    told = {key_of(row): told_end(row) for row in rows if row["kind"] in ENDING}  # the first one ends it
    asked: dict[Key, Row] = {}
    for row in rows:
        if key_of(row) not in told:
            asked.setdefault(key_of(row), row)
    return told | (await ask(connection, list(asked.values())) if asked else {})


def told_end(row: Row) -> End:
    """Return the end that an event itself records. An address that went into quarantine unleased had no lease."""
    if row["kind"] == "d" and row["granted_at"] == row["at"]:
        return NONE
    return End(row["expires_at"] if row["kind"] == "x" else row["at"], EVENTS[row["kind"]])


async def ask(connection: Connection, rows: list[Row]) -> dict[Key, End]:
    """Look further and further behind each event, so that few days are opened for most."""
    ends: dict[Key, End] = {}
    for within in LOOKS:
        left: list[Row] = []
        async for found in look(connection, rows, within):
            event = rows[found["place"] - 1]
            if found["state"] is None and found["kind"] is None and not found["is_final"]:
                left.append(event)
            else:
                ends[key_of(event)] = end_of(found)
        if not left:
            break
        rows = left
    return ends


def look(connection: Connection, rows: list[Row], within: timedelta) -> AsyncIterator[Row]:
    ats = column(rows, "at")
    looked: AsyncIterator[Row] = SQL.ends_of_leases(
        connection,
        tenants=column(rows, "tenant_no"),
        addresses=column(rows, "ip"),
        grants=column(rows, "granted_at"),
        ats=ats,
        versions=column(rows, "version"),
        within=within,
        grace=GRACE,
        first=min(ats),
        end=max(ats) + within,
    )
    return looked


def column(rows: Iterable[Row], name: str) -> list[Any]:
    return [row[name] for row in rows]


def end_of(found: Row) -> End:
    """Return the end by the address's row, by what followed in the history, or by the clock."""
    if found["state"] is not None:
        return end_of_row(found)
    if found["kind"] is None:
        return expiry(found["promised"], found["now"]) or NONE
    if found["is_same"]:
        return End(found["told"] if found["kind"] == "x" else found["at"], EVENTS[found["kind"]])
    return expiry(found["promised"], found["at"]) or End(found["at"], REPLACED)


def end_of_row(row: Row) -> End:
    if row["state"] in ("r", "d", "v"):
        return End(row["expires_at"], EVENTS[row["state"]])
    return expiry(row["expires_at"], row["now"]) or NONE


def expiry(expires_at: datetime, now: datetime) -> End | None:
    """Return the end by expiry, if that was before now. asyncpg shows an infinite time without a zone."""
    if expires_at.tzinfo is None or expires_at > now:
        return None
    return End(expires_at, EVENTS["x"])
